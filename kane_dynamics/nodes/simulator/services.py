# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Services of the simulator node: pause, single step, reset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from std_srvs.srv import SetBool, Trigger

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import clean
from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.simulator.pacers import ClockPacer, CommandPacer

if TYPE_CHECKING:
    from kane_dynamics.nodes.simulator.node import Simulator


class SimulatorServices:
    """The services ~/pause, ~/step and ~/reset of a Simulator."""

    def __init__(self, node: Simulator) -> None:
        self._node = node
        for kind, name, act in ((SetBool, '~/pause', self._pause), (Trigger, '~/step', self._step),
                                (Trigger, '~/reset', self._reset)):
            node.create_service(kind, name, self._answer(act), qos_profile=qos.SERVICE)

    def _answer(self, act: Callable[[Any], str]) -> Callable[[Any, Any], Any]:
        """Return a service callback whose message is the result or the error of act(request)."""
        node = self._node

        def callback(request: Any, response: Any) -> Any:
            try:
                if not node.active:
                    raise InputError(f'the node is {node.state}; activate it first')
                with node.lock:
                    response.message = act(request)
                response.success = True
            except InputError as error:
                response.success, response.message = False, clean(error)
            except Exception as error:      # the simulation diverged: answer all the same
                node.fail(error)
                response.success, response.message = False, node.failed
            return response
        return callback

    def _resume(self) -> None:
        """Continue the time from here, without the periods missed during the pause."""
        node = self._node
        if node.watch is not None:
            node.watch.step_passed()
        else:
            node.pacer.resume(node.k, node.get_clock().now().nanoseconds)

    def _refuse_after_fault(self) -> None:
        if self._node.failed:
            raise InputError(f'the simulation failed ({self._node.failed}); call ~/reset first')

    def _pause(self, request: Any) -> str:
        node = self._node
        if not request.data:
            self._refuse_after_fault()
            if node.paused:
                self._resume()
        node.paused = request.data
        node.run_lock_step()
        return 'paused' if node.paused else 'running'

    def _step(self, request: Any) -> str:
        node = self._node
        if not node.paused:
            raise InputError('~/step simulates one period while paused; call ~/pause first')
        self._refuse_after_fault()
        if isinstance(node.pacer, CommandPacer):
            _, tau = node.pacer.next(node.k)
            if tau is not None:
                node.simulation.command(tau)
        elif isinstance(node.pacer, ClockPacer):
            self._resume()
        node.poll()
        node.simulation.advance()
        node.publish_state()
        return f'at {node.pacer.stamp(node.k) * 1e-9:.9f} s'

    def _reset(self, request: Any) -> str:
        node = self._node
        node.simulation.reset()
        node.elastic.restart()
        if node.failed:
            node.paused, node.failed = node.settings.start_paused, ''
            self._resume()
        if isinstance(node.pacer, CommandPacer):
            node.pacer.clear()
            node.simulation.hold()
        node.publish_state()
        return 'reset to the initial state; time continues'
