# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One cycle after the other: reference, law, and what happens when something goes wrong.

Plain Python and numpy: the node brings messages, time and parameters.
"""

from __future__ import annotations

from collections import Counter
import threading

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.braking import brake
from kane_dynamics.motion.sampler import Sampler
from kane_dynamics.motion.trajectory import hold
from kane_dynamics.nodes.control_law import CLOSED_LOOP, ControlLaw, FOLLOWING
from kane_dynamics.nodes.phases import Fault, Phase
from kane_dynamics.nodes.torque_model import Transition
from kane_dynamics.nodes.torque_output import TorqueOutput
from kane_dynamics.nodes.tracking_watch import TrackingWatch

LONGEST_STEP = 0.1       # [s]: ramps and hold times do not run ahead when cycles are missed
LONGEST_RAMP_DOWN = 5.0  # [s]: launch files wait 5 s for a process to end
RUNNING = Phase.RUNNING


class Controller:
    """Turn references and states of n joints into torques, and keep the arm when it cannot.

    `cycle` comes from the loop, everything else from the executor; `lock` guards both.

    Args:
        joint_names: the n joints, in the order of all arrays.
        model: a TorqueModel of them.
        continuous: names of the joints that turn without end.
        limit, rate: (n,) or scalar, largest torques and rates of change.
        lead_time: [s] by which the reference whose torque is given is ahead of the cycle.
        read_state: called with law.measured (2, n) to fill, when the state is looked at.
        log: called with (level, text) when something happens: 'info', 'warning', 'error'.
    """

    def __init__(self, joint_names, model, continuous=(), limit=np.inf, rate=np.inf, lead_time=0.0,
                 read_state=lambda measured: None, log=lambda level, text: None):
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self.law = ControlLaw(self.joint_names, model, continuous, leads=lead_time > 0.0)
        self.output = TorqueOutput(self.joint_names, np.broadcast_to(limit, (n,)),
                                   np.broadcast_to(rate, (n,)), self.law.tau)
        self.tau = self.output.tau           # (n,) what was given last
        self.model, self.target_model = model, model
        self.lock = threading.RLock()
        self.mode, self.phase = 'feedforward', Phase.IDLE
        self.fault, self.fault_text, self.faults = None, '', Counter()
        self.trajectory, self.following = None, False
        self.watch = TrackingWatch(self.joint_names)
        self.given_up, self.last_given_up = 0, (None, '', '')   # trajectory, error code, reason
        self.deceleration = None         # (n,) on the way to a stop; None stops at once
        self.ramp_time, self.fault_hold_time, self.zero_ramp_time = 0.5, 2.0, 2.0
        self.transition_time = 1.0
        self.state_known = self.reference_known = False      # ever, since `restart`
        self._read_state, self.log = read_state, log
        self.time, self.known = None, 0     # last cycle [s], rows of law.measured fresh in it
        self._lost_for = 0.0
        self._waiting_model = None
        self.lead_time = lead_time
        self._sampler, self._lead_sampler = Sampler(self.law.reference), Sampler(self.law.lead)

    @property
    def needs_state(self):
        """Return whether the mode is computed from the measured state."""
        return self.mode in CLOSED_LOOP

    @property
    def needs_velocity(self):
        """Return whether the mode is computed from measured velocities too."""
        return self._uses_velocity(self.mode)

    def _uses_velocity(self, mode):
        return self.law.uses_velocity and mode in ('computed_torque', 'hold')

    # -- orders, from the executor -------------------------------------------------------------

    def restart(self, enabled):
        """Begin as after activation: nothing known, no torque given yet."""
        with self.lock:
            self.phase = Phase.WAITING if enabled else Phase.IDLE
            self.fault, self.fault_text = None, ''
            self.trajectory, self.following = None, False
            self.state_known = self.reference_known = False
            self._lost_for, self.time = 0.0, None
            self.output.restart()
            self.model.restart()

    def enable(self, fresh, fresh_velocity):
        """Take up the mode, from wherever the arm is; return what happens next, or raise."""
        with self.lock:
            lacking = self._lacking(self.mode, fresh, fresh_velocity)
            if self.phase is Phase.IDLE and (lacking or not self.needs_state):
                self.phase = Phase.WAITING
            elif self.phase not in (RUNNING, Phase.WAITING):
                if lacking:
                    raise InputError(lacking)
                self._take_up()
            self.fault, self.fault_text = None, ''
            return self.phase.value

    def disable(self):
        """Drop the trajectory and hold against gravity; return what happens next."""
        with self.lock:
            if self.phase is Phase.WAITING:
                self.phase = Phase.IDLE
            elif self.phase is RUNNING:
                self._leave(Phase.DISABLED)
            return self.phase.value

    def fail(self, fault, text):
        """Leave the mode for a fault: ramp to a gravity hold."""
        with self.lock:
            if self.phase is not RUNNING:
                return
            self.faults[fault] += 1
            self.fault, self.fault_text = fault, text
            self._leave(Phase.FAULT)
            self.log('error', f'{fault.value}: {text}. Holding against gravity until ~/enable')

    def set_mode(self, mode, fresh, fresh_velocity):
        """Change the mode; a running one is left by a ramp, holding where the arm is."""
        with self.lock:
            if mode == self.mode:
                return
            lacking = self._lacking(mode, fresh, fresh_velocity)
            if self.phase is RUNNING and lacking:
                raise InputError(lacking)
            self.mode = mode
            if self.phase is RUNNING:
                self._hold_here()

    def set_model(self, model):
        """Go over to another TorqueModel within transition_time; the last order counts."""
        with self.lock:
            self.target_model = model
            if not self.phase.gives_torque or self.transition_time == 0.0:
                model.take_over(self.model)
                self._use(model)
                self._waiting_model = None
            elif isinstance(self.model, Transition):
                self._waiting_model = model
            else:
                self._use(Transition(self.model, model, self.transition_time))

    def require_following(self):
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

    def follow(self, trajectory, tolerances=None):
        """Follow a trajectory over all joints from the next cycle on, with its own Tolerances."""
        with self.lock:
            self.require_following()    # a fault may have come since it was asked
            self.trajectory, self.following = trajectory, True
            self.law.adds_effort = trajectory.has_effort
            self.watch.begin(trajectory.end, tolerances)

    def finish(self):
        """Keep the last point of a trajectory that has reached its goal, unwatched."""
        with self.lock:
            self.following = False

    def hold_position(self):
        """Drop the trajectory and stop where the arm is (or is to be, if that is not known)."""
        with self.lock:
            if self.phase is RUNNING and self.mode in FOLLOWING:
                self._stop()

    def compare(self):
        """Fill the measured state and its errors also where the mode does without them."""
        with self.lock:
            if self.phase is not RUNNING or self.mode not in CLOSED_LOOP:
                self._read_state(self.law.measured)
            self.law.errors()

    # -- the cycle -----------------------------------------------------------------------------

    def cycle(self, t, fresh, fresh_velocity):
        """Compute the torques at time t [s]; return whether there are any to give.

        The flags say whether measured positions and velocities can be used. Whatever t does, ramps
        and hold times count steps of at most LONGEST_STEP.
        """
        with self.lock:
            dt = 0.0 if self.time is None else t - self.time
            if not 0.0 <= dt <= LONGEST_STEP:
                dt = 0.0 if dt < 0.0 else LONGEST_STEP
            self.time = t
            self.known = 1 + bool(fresh_velocity) if fresh else 0
            if fresh:
                self.state_known = True
            if self.phase is not RUNNING or self.mode in CLOSED_LOOP:
                self._read_state(self.law.measured)
                usable = fresh and (fresh_velocity or not self.needs_velocity)
                if self.phase is RUNNING:
                    if not usable:
                        self.fail(Fault.STATE_LOST,
                                  f'no fresh {"velocities" if fresh else "positions"}')
                elif self.phase is Phase.WAITING and (
                        usable or not self.needs_state and self.trajectory is not None):
                    self._take_up()
                    dt = 0.0        # the ramp begins now
                if not self.phase.gives_torque:
                    return False
            if self.model is not self.target_model:
                self._advance_model(dt)
            self.model.dt = dt
            if self.phase is RUNNING:
                self._run(t)
            else:
                self._hold(dt, fresh, fresh_velocity)
            if not self.output.give(self.law.tau, dt):
                self.fail(Fault.TORQUE_NOT_FINITE, f'{self.mode} gave {self.law.tau}')
                self.model.restart()    # what is not finite would stay so
            return True

    def ramp_down(self, period):
        """Yield once per period [s] while the torque ramps to gravity: the way out of work.

        The caller publishes at each step. The pose that was known last counts; where it was given
        up already, the torque goes on to zero.
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

    # -- inside, with the lock held ------------------------------------------------------------

    def _lacking(self, mode, fresh, fresh_velocity):
        """Return what a mode needs and there is not, in words; '' where all is there."""
        if mode in CLOSED_LOOP and not fresh:
            return f'{mode!r} needs fresh joint_states: there are none'
        if self._uses_velocity(mode) and not fresh_velocity:
            return f'{mode!r} needs velocities in joint_states: there are no fresh ones'
        return ''

    def _take_up(self):
        self.output.start_ramp(self.ramp_time)
        if self.trajectory is None or self.mode not in FOLLOWING:
            self._hold_here()
        self.phase = Phase.RUNNING
        self._lost_for = 0.0
        self.log('info', f'{self.mode}: torque ramps up over {self.ramp_time} s')

    def _leave(self, phase):
        self.output.start_ramp(self.ramp_time)
        self.trajectory, self.following = None, False
        self.phase = phase
        self._lost_for = 0.0

    def _known_position(self):
        return self.law.q if self.state_known else self.law.r_q

    def _hold_here(self):
        self.output.start_ramp(self.ramp_time)
        self._read_state(self.law.measured)
        self.trajectory = hold(self.joint_names, self._known_position(), self.time or 0.0)
        self.following = self.law.adds_effort = False

    def _stop(self):
        # slow down from the measured velocity, or the reference's where nothing is measured
        self._hold_here()
        velocity = self.law.qd if self.state_known else self.law.r_qd
        if self.deceleration is not None and (self.known == 2 or not self.state_known):
            self.trajectory = brake(self.joint_names, self._known_position(), velocity,
                                    self.deceleration, self.time or 0.0)

    def _use(self, model):
        self.model = model
        self.law.connect(model)

    def _advance_model(self, dt):
        if self.model.advance(dt):
            model, self._waiting_model = self._waiting_model, None
            self._use(self.model.new if model is None
                      else Transition(self.model.new, model, self.transition_time))

    def _run(self, t):
        law, mode = self.law, self.mode
        if mode == 'gravity':
            law.reference[:2], law.r_qdd[:] = law.measured, 0.0
        else:
            self._sample(t)
            if mode in CLOSED_LOOP:
                law.errors()
            if self.following:
                self._look_after(t)
        law.compute(mode)

    def _sample(self, t):
        trajectory = self.trajectory
        self._sampler.sample(trajectory, t)
        self.reference_known = True
        if self.lead_time:
            t += self.lead_time
            self._lead_sampler.sample(trajectory, t)
        if self.law.adds_effort:
            self.law.effort[:] = trajectory.segments.effort_at(t - trajectory.start)

    def _look_after(self, t):
        # as joint_trajectory_controller: a trajectory that the arm does not keep to is given up
        watch, law = self.watch, self.law
        if watch.needs_errors and self.known and not self.needs_state:     # else they are filled
            self.compare()
        verdict = watch.verdict(t, law.error[:self.known])
        if verdict is None:
            return
        self.given_up += 1
        self.last_given_up = (self.trajectory, *verdict)
        self.log('warning', f'trajectory given up: {verdict[1]}. Holding the measured position')
        self._stop()
        self._sample(t)
        law.errors()

    def _hold(self, dt, fresh, fresh_velocity):
        if fresh or not self.state_known:
            if self.phase is Phase.ZERO:   # the state is back: hold again, as before
                self.output.start_ramp(self.ramp_time)
                self.phase = Phase.FAULT if self.fault else Phase.DISABLED
            self._lost_for = 0.0
            self.law.compute_hold(self.state_known, damped=fresh and fresh_velocity)
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
