# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Lifecycle node with checked parameters, an arm, diagnostics and automatic start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import traceback
from typing import Any, Generic, TYPE_CHECKING

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.io.text import clean, TRACE
from kane_dynamics.nodes.common.description import Description, Source
from kane_dynamics.nodes.common.diagnostics import Diagnostics
from kane_dynamics.nodes.common.node_parameters import NS, Parameters
from kane_dynamics.nodes.common.parameters import Schema

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.nodes.common.arm import ModelCheck


class ManagedNode(LifecycleNode, Generic[NS]):
    """A lifecycle node that logs every failed transition.

    Subclasses implement `configure(source)`, `activate()`, `deactivate()`, `cleanup()` and
    `change_settings(settings)`, which raise a KaneDynamicsError to refuse. The transition
    callbacks of rclpy are here, because rclpy discards their exceptions without a message.
    Publishers of create_lifecycle_publisher are silent unless the node is active.
    """

    # set by subclasses
    robot: Robot            # while configured
    joints: Sequence[str]   # in the order of the parameter `joints`, while configured
    check: ModelCheck | None = None
    configured = False      # from the end of `configure` to `cleanup`
    active = False          # from `activate` to the end of `deactivate`

    def __init__(self, name: str, schema: Schema[NS], **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self.parameters = Parameters(self, schema, self._changed)
        self.diagnostics = Diagnostics(self, self.settings.diagnostic_updater.period)
        self.description = Description(self, lambda: self.settings, self._start)
        self._starting = None
        if self.settings.autostart and self.description.source:
            self._start()

    # -- implemented by subclasses ---------------------------------------------------------------

    def configure(self, source: Source) -> None:
        """Load the arm from `source` and prepare everything; raise to refuse."""

    def activate(self) -> None:
        """Start; raise to refuse."""

    def deactivate(self) -> None:
        """Stop what `activate` started."""

    def cleanup(self) -> None:
        """Release what `configure` created."""

    def change_settings(self, settings: NS) -> None:
        """Apply new settings while configured, in place of `self.settings`; raise to refuse."""

    def finish(self) -> None:
        """Stop threads that a callback may wait for; called before the executor ends."""

    # -- state -----------------------------------------------------------------------------------

    @property
    def settings(self) -> NS:
        """Return the present values of the parameters; a change makes a new object."""
        return self.parameters.settings

    @property
    def state(self) -> str:
        """Return 'unconfigured', 'inactive', 'active', 'finalized' or a transition state."""
        return self._state_machine.current_state[1]

    def log(self, level: str, text: str) -> None:
        """Log at 'info', 'warning' or 'error'; rclpy needs one line of code per level."""
        logger, text = self.get_logger(), clean(text)
        if level == 'error':
            logger.error(text)
        elif level == 'warning':
            logger.warning(text)
        else:
            logger.info(text)

    def _changed(self, settings: NS) -> None:
        if self.parameters.fixed:
            self.change_settings(settings)

    def _start(self) -> None:
        """Configure and activate from the executor once it spins."""
        if self._starting is None and self.settings.autostart:
            self._starting = self.create_timer(
                1e-3, self._start_now, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _start_now(self) -> None:
        self.destroy_timer(self._starting)
        self._starting = None
        if self.state == 'unconfigured':
            self.trigger_configure()
        if self.state == 'inactive':
            self.trigger_activate()

    # -- transitions -----------------------------------------------------------------------------

    def _attempt(self, what: str, function: Callable[..., object], *arguments: Any) -> bool:
        """Return whether a part of a transition succeeded; log the reason if not."""
        try:
            function(*arguments)
        except KaneDynamicsError as error:
            self.get_logger().error(f'cannot {what}: {clean(error)}')
            return False
        except Exception:
            trace = clean(traceback.format_exc(), TRACE, lines=True)
            self.get_logger().error(f'cannot {what}: {trace}')
            return False
        return True

    def on_configure(self, state: Any) -> TransitionCallbackReturn:
        """Load the arm; FAILURE leaves the node unconfigured."""
        source = self.description.use()
        if not source:
            self.description.release()
            self.get_logger().error(
                'cannot configure: no robot_description yet; set the parameter robot_description '
                'or robot_description_file, or publish the topic')
            return TransitionCallbackReturn.FAILURE
        if not self._attempt('configure', self.configure, source):
            self._attempt('clean up', self.cleanup)
            self.description.release()
            self.get_logger().info(
                'unconfigured: correct the parameters (ros2 param set), then `ros2 lifecycle set '
                f'{self.get_fully_qualified_name()} configure`; or restart the node')
            return TransitionCallbackReturn.FAILURE
        self.parameters.fixed = True
        return super().on_configure(state)

    def on_activate(self, state: Any) -> TransitionCallbackReturn:
        """Enable the publishers, then start."""
        super().on_activate(state)
        if not self._attempt('activate', self.activate):
            super().on_deactivate(state)
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info('active')
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: Any) -> TransitionCallbackReturn:
        """Stop, then disable the publishers."""
        self._attempt('deactivate', self.deactivate)
        return super().on_deactivate(state)

    def on_cleanup(self, state: Any) -> TransitionCallbackReturn:
        """Release the arm."""
        self._release()
        return super().on_cleanup(state)

    def on_shutdown(self, state: Any) -> TransitionCallbackReturn:
        """Stop if active, then release the arm."""
        if state.label == 'active':
            self._attempt('deactivate', self.deactivate)
        self._release()
        return super().on_shutdown(state)

    def _release(self) -> None:
        self._attempt('clean up', self.cleanup)
        self.parameters.fixed = False
        self.description.release()
