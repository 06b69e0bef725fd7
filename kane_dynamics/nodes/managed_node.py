# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node with checked parameters, an arm, diagnostics, and a start of its own."""

from __future__ import annotations

import traceback

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.nodes import description
from kane_dynamics.nodes.description import Description
from kane_dynamics.nodes.diagnostics import Diagnostics
from kane_dynamics.nodes.parameters import Parameter, Parameters, Schema

SCHEMA = Schema(
    Parameter('autostart', 'bool', True, 'configure and activate without being asked; false '
              'leaves the transitions to a launch file or to `ros2 lifecycle`'),
    Parameter('diagnostic_updater.period', 'float', 1.0, 'between two reports on /diagnostics',
              unit='s', above=0.0),
) + description.SCHEMA


class ManagedNode(LifecycleNode):
    """Be configured, activated, deactivated and cleaned up, with every failure told.

    Children write `configure(source)`, `activate()`, `deactivate()`, `cleanup()`, which raise a
    KaneDynamicsError to refuse, and `change_parameters(changes)`. The transitions that rclpy asks
    for are here: rclpy would swallow an exception of theirs without a word. Publishers made with
    create_lifecycle_publisher are silent unless active.
    """

    def __init__(self, name, schema, **kwargs):
        super().__init__(name, **kwargs)
        self.parameters = Parameters(self, SCHEMA + schema, self._changed)
        self.diagnostics = Diagnostics(
            self, self.parameters['diagnostic_updater.period'])
        self.description = Description(self, self.parameters, self._start)
        self._starting = None
        if self.parameters['autostart'] and self.description.source:
            self._start()

    # -- what children write ---------------------------------------------------------------------

    def configure(self, source):
        """Load the arm from `source` and prepare everything; raise to refuse."""

    def activate(self):
        """Begin to work; raise to refuse."""

    def deactivate(self):
        """Stop working; what `activate` began ends here."""

    def cleanup(self):
        """Drop what `configure` made."""

    def change_parameters(self, changes):
        """Apply {name: value} that passed the schema, while configured; raise to refuse."""

    def finish(self):
        """Stop threads that a callback may be waiting for; called before the executor ends."""

    # -- state -----------------------------------------------------------------------------------

    @property
    def state(self):
        """Return 'unconfigured', 'inactive', 'active' or 'finalized' (or one in between)."""
        return self._state_machine.current_state[1]

    def log(self, level, text):
        """Log at 'info', 'warning' or 'error'; rclpy wants a line of its own for each level."""
        logger = self.get_logger()
        if level == 'error':
            logger.error(text)
        elif level == 'warning':
            logger.warning(text)
        else:
            logger.info(text)

    def _changed(self, changes):
        if self.parameters.fixed:
            self.change_parameters(changes)

    def _start(self):
        """Configure and activate from the executor, once it spins."""
        if self._starting is None and self.parameters['autostart']:
            self._starting = self.create_timer(
                1e-3, self._start_now, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _start_now(self):
        self.destroy_timer(self._starting)
        self._starting = None
        if self.state == 'unconfigured':
            self.trigger_configure()
        if self.state == 'inactive':
            self.trigger_activate()

    # -- transitions -----------------------------------------------------------------------------

    def _attempt(self, what, function, *arguments):
        """Return whether a part of a transition worked; say why where it did not."""
        try:
            function(*arguments)
        except KaneDynamicsError as error:
            self.get_logger().error(f'cannot {what}: {error}')
            return False
        except Exception:
            self.get_logger().error(f'cannot {what}: {traceback.format_exc()}')
            return False
        return True

    def on_configure(self, state):
        """Load the arm; FAILURE leaves the node unconfigured."""
        source = self.description.use()
        if not source:
            self.description.release()
            self.get_logger().error(
                'cannot configure: there is no robot_description yet (parameter, '
                'robot_description_file or topic)')
            return TransitionCallbackReturn.FAILURE
        if not self._attempt('configure', self.configure, source):
            self._attempt('clean up', self.cleanup)
            self.description.release()
            self.get_logger().info(
                'unconfigured: set right what is wrong (ros2 param set), then `ros2 lifecycle set '
                f'{self.get_fully_qualified_name()} configure`; or end it and start anew')
            return TransitionCallbackReturn.FAILURE
        self.parameters.fixed = True
        return super().on_configure(state)

    def on_activate(self, state):
        """Let the publishers speak, then begin."""
        super().on_activate(state)
        if not self._attempt('activate', self.activate):
            super().on_deactivate(state)
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info('active')
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state):
        """Stop, then silence the publishers."""
        self._attempt('deactivate', self.deactivate)
        return super().on_deactivate(state)

    def on_cleanup(self, state):
        """Forget the arm."""
        self._forget()
        return super().on_cleanup(state)

    def on_shutdown(self, state):
        """Stop whatever runs."""
        if state.label == 'active':
            self._attempt('deactivate', self.deactivate)
        self._forget()
        return super().on_shutdown(state)

    def _forget(self):
        self._attempt('clean up', self.cleanup)
        self.parameters.fixed = False
        self.description.release()
