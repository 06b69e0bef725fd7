# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Phases of a controller, and the orders that change them: enable, disable, mode, model, goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
import threading
from typing import NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.control.control_law import (
    CLOSED_LOOP, ControlLaw, FOLLOWING, Mode, WITH_GAINS)
from kane_dynamics.control.phase import Fault, Known, NOTHING, Phase, POSITION, VELOCITY
from kane_dynamics.control.torque_model import TorqueModel, Transition
from kane_dynamics.control.torque_output import TorqueOutput
from kane_dynamics.control.tracking_watch import TrackingWatch
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.goal.tolerances import Tolerances
from kane_dynamics.trajectory.trajectory import brake, hold, Trajectory

RUNNING = Phase.RUNNING

ReadState: TypeAlias = Callable[[FloatArray], None]
Log: TypeAlias = Callable[[str, str], None]


class Abandoned(NamedTuple):
    """Trajectory that was abandoned, with the error code of FollowJointTrajectory and a reason."""

    trajectory: Trajectory | None = None
    code: str = ''
    reason: str = ''


class ControllerPhases:
    """State of a controller of n joints and the orders that change it; see `Controller`.

    Orders come from any thread; `lock` guards them and the cycle.
    """

    def __init__(self, joint_names: Sequence[str], model: TorqueModel,
                 continuous: Collection[str] = (), limit: ArrayLike = np.inf,
                 rate: ArrayLike = np.inf, lead_time: float = 0.0,
                 read_state: ReadState = lambda measured: None,
                 log: Log = lambda level, text: None) -> None:
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self.law = ControlLaw(self.joint_names, model, continuous, leads=lead_time > 0.0)
        self.output = TorqueOutput(self.joint_names, np.broadcast_to(limit, (n,)),
                                   np.broadcast_to(rate, (n,)), self.law.tau)
        self.tau = self.output.tau           # (n,) the last output
        self.model: TorqueModel | Transition = model
        self.target_model = model
        self.lock = threading.RLock()
        self.mode: Mode = 'feedforward'
        self.phase = Phase.IDLE
        self.fault: Fault | None = None
        self.fault_text = ''
        self.faults: Counter[Fault] = Counter()
        self.trajectory: Trajectory | None = None
        self.following = False
        self.watch = TrackingWatch(self.joint_names)
        self.given_up, self.last_given_up = 0, Abandoned()
        self.deceleration: FloatArray | None = None     # (n,) of a stop; None stops at once
        self.ramp_time, self.fault_hold_time, self.zero_ramp_time = 0.5, 2.0, 2.0
        self.transition_time = 1.0
        self.state_known = self.reference_known = False      # ever, since `restart`
        self._read_state, self.log = read_state, log
        self.time: float | None = None      # of the last cycle [s]
        self.known = NOTHING                # rows of law.measured that were fresh in it
        self._lost_for = 0.0
        self._waiting_model: TorqueModel | None = None

    @property
    def needs_state(self) -> bool:
        """Return whether the mode is computed from the measured state."""
        return self.mode in CLOSED_LOOP

    @property
    def needs_velocity(self) -> bool:
        """Return whether the mode is computed from measured velocities too."""
        return self._uses_velocity(self.mode)

    def _uses_velocity(self, mode: Mode) -> bool:
        return self.law.uses_velocity and mode in WITH_GAINS

    # -- orders --------------------------------------------------------------------------------

    def restart(self, enabled: bool) -> None:
        """Start as after activation: nothing known, no torque given yet."""
        with self.lock:
            self.phase = Phase.WAITING if enabled else Phase.IDLE
            self.fault, self.fault_text = None, ''
            self.trajectory, self.following = None, False
            self.state_known = self.reference_known = False
            self._lost_for, self.time = 0.0, None
            self.output.restart()
            self.model.restart()

    def enable(self, known: Known) -> str:
        """Start the mode at the present state of the arm; return the phase in words, or raise."""
        with self.lock:
            lacking = self._lacking(self.mode, known)
            if self.phase is Phase.IDLE and (lacking or not self.needs_state):
                self.phase = Phase.WAITING
            elif self.phase not in (RUNNING, Phase.WAITING):
                if lacking:
                    raise InputError(lacking)
                self._start_mode()
            self.fault, self.fault_text = None, ''
            return self.phase.value

    def disable(self) -> str:
        """Drop the trajectory and hold against gravity; return the phase in words."""
        with self.lock:
            if self.phase is Phase.WAITING:
                self.phase = Phase.IDLE
            elif self.phase is RUNNING:
                self._leave(Phase.DISABLED)
            return self.phase.value

    def fail(self, fault: Fault, text: str) -> None:
        """Leave the mode for a fault: ramp to a gravity hold."""
        with self.lock:
            if self.phase is not RUNNING:
                return
            self.faults[fault] += 1
            self.fault, self.fault_text = fault, text
            self._leave(Phase.FAULT)
            self.log('error', f'{fault.value}: {text}. Holding against gravity until ~/enable')

    def set_mode(self, mode: Mode, known: Known) -> None:
        """Change the mode; a running one ramps to a hold at the present position."""
        with self.lock:
            if mode == self.mode:
                return
            lacking = self._lacking(mode, known)
            if self.phase is RUNNING and lacking:
                raise InputError(lacking)
            self.mode = mode
            if self.phase is RUNNING:
                self._hold_here()

    def set_model(self, model: TorqueModel) -> None:
        """Blend into another TorqueModel within transition_time; the last order counts."""
        with self.lock:
            self.target_model = model
            if not self.phase.gives_torque or self.transition_time == 0.0:
                model.take_over(self.model.new if isinstance(self.model, Transition)
                                else self.model)
                self._use(model)
                self._waiting_model = None
            elif isinstance(self.model, Transition):
                self._waiting_model = model
            else:
                self._use(Transition(self.model, model, self.transition_time))

    def require_following(self) -> None:
        """Raise where no trajectory can be followed now."""
        with self.lock:
            if self.mode not in FOLLOWING:
                raise InputError(f'trajectory refused: the mode is {self.mode!r}; trajectories '
                                 f'are followed in {list(FOLLOWING)}')
            if self.phase is Phase.WAITING and self.needs_state:
                # it would be followed late, from wherever the arm is when the state comes
                raise InputError(f'trajectory refused: {self.mode!r} has no fresh joint_states '
                                 'yet; send it again when they come')
            if self.phase not in (RUNNING, Phase.WAITING):
                raise InputError(f'trajectory refused: {self.phase.value}'
                                 + (f' ({self.fault_text})' if self.fault_text else '')
                                 + '; call ~/enable')

    def follow(self, trajectory: Trajectory, tolerances: Tolerances | None = None) -> None:
        """Follow a trajectory over all joints from the next cycle on, with its own Tolerances."""
        with self.lock:
            self.require_following()    # a fault may have come since it was accepted
            self.trajectory, self.following = trajectory, True
            self.law.adds_effort = trajectory.has_effort
            self.watch.begin(trajectory.end, tolerances)

    def finish(self) -> None:
        """Hold the last point of a trajectory that has reached its goal, unwatched."""
        with self.lock:
            self.following = False

    def hold_position(self) -> None:
        """Drop the trajectory and stop at the measured position, or at the reference without."""
        with self.lock:
            if self.phase is RUNNING and self.mode in FOLLOWING:
                self._stop()

    # -- transitions, with the lock held -------------------------------------------------------

    def _lacking(self, mode: Mode, known: Known) -> str:
        """Return which measurements a mode lacks, in words; '' for none."""
        if mode in CLOSED_LOOP and known is NOTHING:
            return f'{mode!r} needs fresh joint_states: there are none'
        if self._uses_velocity(mode) and known is POSITION:
            return f'{mode!r} needs velocities in joint_states: there are no fresh ones'
        return ''

    def _start_mode(self) -> None:
        self.output.start_ramp(self.ramp_time)
        if self.trajectory is None or self.mode not in FOLLOWING:
            self._hold_here()
        self.phase = Phase.RUNNING
        self._lost_for = 0.0
        self.log('info', f'{self.mode}: torque ramps up over {self.ramp_time} s')

    def _leave(self, phase: Phase) -> None:
        self.output.start_ramp(self.ramp_time)
        self.trajectory, self.following = None, False
        self.phase = phase
        self._lost_for = 0.0

    def _known_position(self) -> FloatArray:
        return self.law.q if self.state_known else self.law.r_q

    def _hold_here(self) -> None:
        self.output.start_ramp(self.ramp_time)
        self._read_state(self.law.measured)
        self.trajectory = hold(self.joint_names, self._known_position(), self.time or 0.0)
        self.following = self.law.adds_effort = False

    def _stop(self) -> None:
        # decelerate from the measured velocity, or the reference's where nothing is measured
        self._hold_here()
        velocity = self.law.qd if self.state_known else self.law.r_qd
        if self.deceleration is not None and (self.known is VELOCITY or not self.state_known):
            self.trajectory = brake(self.joint_names, self._known_position(), velocity,
                                    self.deceleration, self.time or 0.0)

    def _use(self, model: TorqueModel | Transition) -> None:
        self.model = model
        self.law.connect(model)
