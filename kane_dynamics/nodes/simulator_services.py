# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The services of the simulator node: pause, a single step, reset."""

from __future__ import annotations

from std_srvs.srv import SetBool, Trigger

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.pacers import ClockPacer, CommandPacer


class SimulatorServices:
    """Answer ~/pause, ~/step and ~/reset for a Simulator."""

    def __init__(self, node):
        self._node = node
        node.create_service(SetBool, '~/pause', self._answer(self._pause))
        node.create_service(Trigger, '~/step', self._answer(self._step))
        node.create_service(Trigger, '~/reset', self._answer(self._reset))

    def _answer(self, act):
        """Return a service callback: what act(request) returns or raises is the message."""
        node = self._node

        def callback(request, response):
            try:
                if node.pacer is None:
                    raise InputError(f'the node is {node.state}; activate it first')
                with node.lock:
                    response.message = act(request)
                response.success = True
            except InputError as error:
                response.success, response.message = False, str(error)
            except Exception as error:      # the arm flew apart: an answer all the same
                node.fail(error)
                response.success, response.message = False, node.failed
            return response
        return callback

    @property
    def _lock_step(self):
        return isinstance(self._node.pacer, CommandPacer)

    def _resume(self):
        """Let time go on from here: what passed meanwhile is not caught up with."""
        node = self._node
        if self._lock_step:
            node.watch.step_passed()
        else:
            node.pacer.resume(node.k, node.get_clock().now().nanoseconds)

    def _refuse_after_fault(self):
        if self._node.failed:
            raise InputError(f'the simulation failed ({self._node.failed}); call ~/reset first')

    def _pause(self, request):
        node = self._node
        if not request.data:
            self._refuse_after_fault()
            if node.paused:
                self._resume()
        node.paused = request.data
        if self._lock_step:
            node.run_lock_step()
        return 'paused' if node.paused else 'running'

    def _step(self, request):
        node = self._node
        if not node.paused:
            raise InputError('~/step passes one period while paused; call ~/pause first')
        self._refuse_after_fault()
        if self._lock_step:
            _, tau = node.pacer.next(node.k)
            if tau is not None:
                node.simulation.command(tau)
        elif isinstance(node.pacer, ClockPacer):
            self._resume()
        node.poll()
        node.simulation.advance()
        node.publish_state()
        return f'at {node.pacer.stamp(node.k) * 1e-9:.9f} s'

    def _reset(self, request):
        node = self._node
        node.simulation.reset()
        node.elastic.restart()
        if node.failed:
            node.paused, node.failed = node.parameters['start_paused'], ''
            self._resume()
        if self._lock_step:
            node.pacer.clear()
            node.simulation.hold()
        node.publish_state()
        return 'at the start; time goes on'
