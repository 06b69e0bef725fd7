# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Controller of an arm: torques cycle by cycle, and a safe reaction to every fault.

Plain Python and numpy: a node adds messages, time and parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from kane_dynamics.control.control_law import (
    CLOSED_LOOP, Feedback, FEEDBACKS, Mode, MODES)
from kane_dynamics.control.controller_phases import (
    Abandoned, ControllerPhases, Log, ReadState, RUNNING)
from kane_dynamics.control.flexible_torque_model import FlexibleTorqueModel
from kane_dynamics.control.phase import Fault, Known, Phase, POSITION, VELOCITY
from kane_dynamics.control.torque_model import TorqueModel, Transition
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.cycle_sampler import CycleSampler
from kane_dynamics.trajectory.trajectory import Trajectory

LONGEST_STEP = 0.1       # [s]: ramps and hold times do not run ahead when cycles are missed
LONGEST_RAMP_DOWN = 5.0  # [s]: launch files wait 5 s for a process to end


class Controller(ControllerPhases):
    """Turn references and states of n joints into torques, and hold the arm when it cannot.

    Args:
        joint_names: the n joints, in the order of all arrays.
        model: a TorqueModel of them.
        continuous: names of the joints without position limits.
        limit, rate: (n,) or scalar, largest torques and rates of change.
        lead_time: [s] by which the reference of the feedforward is ahead of the cycle.
        read_state: called with law.measured (2, n) to fill when the state is needed.
        log: called with (level, text) for each event: 'info', 'warning', 'error'.
    """

    def __init__(self, joint_names: Sequence[str], model: TorqueModel,
                 continuous: Collection[str] = (), limit: ArrayLike = np.inf,
                 rate: ArrayLike = np.inf, lead_time: float = 0.0,
                 read_state: ReadState = lambda measured: None,
                 log: Log = lambda level, text: None) -> None:
        super().__init__(joint_names, model, continuous, limit, rate, lead_time, read_state, log)
        self.lead_time = lead_time
        self._sampler = CycleSampler(self.law.reference)
        self._lead_sampler = CycleSampler(self.law.lead)

    @classmethod
    def of(cls, dynamics: Dynamics, mode: Mode = 'computed_torque', *, p: ArrayLike = 0.0,
           d: ArrayLike = 0.0, feedback: Feedback = 'pd', feedforward: float = 1.0,
           friction: Friction | None = None, limit: ArrayLike = np.inf,
           rate: ArrayLike = np.inf, lead_time: float = 0.0, ramp_time: float = 0.0,
           period: float = 2e-3) -> Controller:
        """Return an enabled controller of all joints of an arm, for `torque`.

        Args:
            dynamics: the arm without friction, rigid or flexible, on a fixed base.
            mode: 'feedforward', 'computed_torque', 'gravity' or 'hold'; see `ControlLaw`.
            p, d: gains of the feedback, (n,) or scalar.
            feedback: 'pd' (gains in torque) or 'inverse_dynamics' (gains in acceleration).
            feedforward: factor of the feedforward torque with 'pd'; 0: feedback alone.
            friction: a Friction to compensate, at the velocity of the reference.
            limit, rate, lead_time: as of `Controller`.
            ramp_time: [s] over which the torque changes when a mode starts or ends.
            period: of the cycles [s], for flexible arms.
        """
        for name, value, there in (('mode', mode, MODES), ('feedback', feedback, FEEDBACKS)):
            if value not in there:
                raise InputError(f'{name} {value!r} is unknown; there are {list(there)}')
        robot = dynamics.robot
        if robot.floating_base:
            raise InputError(f'{robot.name!r} has a floating base; a Controller drives the joints '
                             'of an arm on a fixed base')
        if dynamics.friction is not None:
            raise InputError('the dynamics of a Controller must be without friction; give it as '
                             'friction=, so that it is compensated at the reference velocity')
        model = (FlexibleTorqueModel(dynamics, friction=friction, period=period)
                 if robot.n_modes else TorqueModel(dynamics, friction=friction))
        continuous = [name for name in robot.joint_names if robot.joint(name).kind == 'continuous']
        made = cls(robot.joint_names, model, continuous, limit, rate, lead_time)
        made.law.set_feedback(feedback, p, d, feedforward)
        made.mode, made.ramp_time = mode, ramp_time
        made.restart(enabled=True)
        return made

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike | None = None) -> FloatArray:
        """Return the torques (n,) at time t [s] for a measured state q, qd (n,).

        qd: None where velocities are not measured. Zeros while the mode has not started. The first
        state starts a mode with feedback, as a hold at that position until `follow`. The array is
        reused by the next call.
        """
        self.law.q[:] = q
        if qd is not None:
            self.law.qd[:] = qd
        self.cycle(t, POSITION if qd is None else VELOCITY)
        return self.tau

    def cycle(self, t: float, known: Known) -> bool:
        """Compute the torques at time t [s]; return whether there are any to give.

        known: the measurements that can be used. Whatever t does, ramps and hold times count
        steps of at most LONGEST_STEP.
        """
        with self.lock:
            dt = 0.0 if self.time is None else t - self.time
            if not 0.0 <= dt <= LONGEST_STEP:
                dt = 0.0 if dt < 0.0 else LONGEST_STEP
            self.time, self.known = t, known
            if known:
                self.state_known = True
            running = self.phase is RUNNING
            if not running or self.mode in CLOSED_LOOP:
                self._read_state(self.law.measured)
                usable = known is VELOCITY or known is POSITION and not self.needs_velocity
                if running:
                    if not usable:
                        self.fail(Fault.STATE_LOST,
                                  f'no fresh {"velocities" if known else "positions"}')
                elif self.phase is Phase.WAITING and (
                        usable or not self.needs_state and self.trajectory is not None):
                    self._start_mode()
                    dt = 0.0        # the ramp begins now
                elif not self.phase.gives_torque:
                    return False
            if isinstance(self.model, Transition):
                self._advance_model(self.model, dt)
            self.model.dt = dt
            if self.phase is RUNNING:
                self._run(t)
            else:
                self._hold(dt, known)
            if not self.output.give(self.law.tau, dt):
                self.fail(Fault.TORQUE_NOT_FINITE, f'{self.mode} gave {self.law.tau}')
                self.model.restart()    # a state that is not finite would stay so
            return True

    def compare(self) -> None:
        """Fill the measured state and its errors also where the mode does not need them."""
        with self.lock:
            if self.phase is not RUNNING or self.mode not in CLOSED_LOOP:
                self._read_state(self.law.measured)
            self.law.errors()

    def ramp_down(self, period: float) -> Iterator[None]:
        """Yield once per period [s] while the torque ramps to gravity, to end the operation.

        The caller publishes at each step. The last known configuration counts; in the phase ZERO
        the torque continues to zero.
        """
        with self.lock:
            self._read_state(self.law.measured)
            if not self.phase.gives_torque:
                return
            if self.phase is RUNNING:
                self._leave(Phase.DISABLED)
        for _ in range(int(LONGEST_RAMP_DOWN / period)):
            with self.lock:
                if self.phase is Phase.ZERO:
                    self.law.tau[:] = 0.0
                else:
                    self.law.compute_hold(self.state_known, damped=False)
                self.output.give(self.law.tau, period)
                done = not self.output.ramping and self.output.reached(self.law.tau)
            yield
            if done:
                return

    # -- parts of a cycle, with the lock held --------------------------------------------------

    def _advance_model(self, transition: Transition, dt: float) -> None:
        if transition.advance(dt):
            model, self._waiting_model = self._waiting_model, None
            self._use(transition.new if model is None
                      else Transition(transition.new, model, self.transition_time))

    def _run(self, t: float) -> None:
        law, mode = self.law, self.mode
        if mode == 'gravity':
            law.reference[:2], law.r_qdd[:] = law.measured, 0.0
        else:
            assert self.trajectory is not None      # a running mode has one, be it a hold
            self._sample(self.trajectory, t)
            if mode in CLOSED_LOOP:
                law.errors()
            if self.following:
                self._check_tracking(self.trajectory, t)
        law.compute(mode)

    def _sample(self, trajectory: Trajectory, t: float) -> None:
        self._sampler.sample(trajectory, t)
        self.reference_known = True
        if self.lead_time:
            t += self.lead_time
            self._lead_sampler.sample(trajectory, t)
        if self.law.adds_effort:
            self.law.effort[:] = trajectory.segments.effort_at(t - trajectory.start)

    def _check_tracking(self, trajectory: Trajectory, t: float) -> None:
        # as joint_trajectory_controller: a trajectory that the arm does not track is abandoned
        watch, law = self.watch, self.law
        if watch.needs_errors and self.known and not self.needs_state:     # else they are filled
            self.compare()
        verdict = watch.verdict(t, law.error[:self.known])
        if verdict is None:
            return
        self.given_up += 1
        self.last_given_up = Abandoned(trajectory, verdict.code, verdict.reason)
        self.log('warning', f'trajectory given up: {verdict.reason}. Holding the measured '
                            'position')
        self._stop()
        assert self.trajectory is not None
        self._sample(self.trajectory, t)
        law.errors()

    def _hold(self, dt: float, known: Known) -> None:
        if known or not self.state_known:
            if self.phase is Phase.ZERO:   # the state is back: hold again, as before
                self.output.start_ramp(self.ramp_time)
                self.phase = Phase.FAULT if self.fault else Phase.DISABLED
            self._lost_for = 0.0
            self.law.compute_hold(self.state_known, damped=known is VELOCITY)
            return
        self._lost_for += dt
        if self.phase is not Phase.ZERO and self._lost_for > self.ramp_time + self.fault_hold_time:
            self.phase = Phase.ZERO
            self.output.start_ramp(self.zero_ramp_time)
            self.log('error', f'no fresh joint_states for {self._lost_for:.2f} s: torque ramps '
                              f'to zero over {self.zero_ramp_time} s')
        if self.phase is Phase.ZERO:
            self.law.tau[:] = 0.0
        else:
            self.law.compute_hold(measured=True, damped=False)
