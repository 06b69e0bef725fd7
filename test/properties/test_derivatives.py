# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of generated arms against differences, of recorded programs run node by node."""

from functools import partial

from direct_dynamics import DirectDynamics, interpreted
from generated_arms import holds_for
from motion_differences import derivative, moved
import numpy as np
from test_equations_of_motion import (
    close, DIFFERENCES, ROUND_OFF, size_of_inverse, size_of_terms)

from kane_dynamics.dynamics.programs.derivative import standard_parameters
from kane_dynamics.dynamics.programs.registry import program
from kane_dynamics.dynamics.recorded_arm import RecordedArm


def smooth(friction):
    """Return whether the slopes of friction are moderate enough for differences."""
    return friction is None or (friction.smoothing_speed >= 0.1 and friction.load is None)


@holds_for(most_joints=2, truncated=True)
def test_inverse_derivatives_are_the_slopes_of_inverse(arm):
    robot, (q, qd, qdd) = arm.robot, arm.state
    friction = arm.friction if smooth(arm.friction) else None
    dynamics = DirectDynamics(robot, friction)
    recorded = program(RecordedArm(robot, friction), 'inverse_derivatives')
    by_q, by_qd, M = interpreted(recorded, q, qd, qdd)
    size = size_of_terms(dynamics, q, qd, qdd)
    stiffness = robot.tree.stiffness.max(initial=0.0)
    e = arm.rng.uniform(-1.0, 1.0, robot.nv)
    slope = derivative(lambda t: dynamics.inverse(
        moved(robot, q, e, np.zeros(robot.nv), t), qd, qdd))
    close(by_q @ e, slope, DIFFERENCES * max(1e-3, size, stiffness) * (1.0 + robot.nv))
    slope = derivative(lambda t: dynamics.inverse(q, qd + t * e, qdd), h=1e-4)
    close(by_qd @ e, slope, DIFFERENCES * max(1e-3, size) * (1.0 + robot.nv))
    close(M, dynamics.mass_matrix(q), ROUND_OFF * max(1e-3, abs(M).max(initial=0.0)))


@holds_for(most_joints=2, truncated=True)
def test_forward_derivatives_are_the_slopes_of_forward(arm):
    robot, (q, qd, qdd) = arm.robot, arm.state
    friction = arm.friction if smooth(arm.friction) else None
    dynamics = DirectDynamics(robot, friction)
    condition = np.linalg.cond(dynamics.mass_matrix(q)) if robot.nv else 1.0
    if condition > 100.0:       # M^-1 changes too much within a difference
        return
    recorded = program(RecordedArm(robot, friction), 'inverse_derivatives')
    dynamics.inverse_derivatives = partial(interpreted, recorded)
    tau = dynamics.inverse(q, qd, qdd)
    by_q, by_qd, by_tau = dynamics.forward_derivatives(q, qd, tau)
    size = size_of_inverse(dynamics.mass_matrix(q)) * max(
        size_of_terms(dynamics, q, qd, qdd), robot.tree.stiffness.max(initial=0.0))
    bar = DIFFERENCES * max(1.0, size) * (1.0 + robot.nv) * condition
    e = arm.rng.uniform(-1.0, 1.0, robot.nv)
    close(by_q @ e, derivative(lambda t: dynamics.forward(
        moved(robot, q, e, np.zeros(robot.nv), t), qd, tau)), bar)
    close(by_qd @ e, derivative(lambda t: dynamics.forward(q, qd + t * e, tau), h=1e-4), bar)
    close(by_tau @ e, derivative(lambda t: dynamics.forward(q, qd, tau + t * e)), bar)


@holds_for(flexible=False, most_joints=3)
def test_regressor_times_parameters_is_the_torque_without_rotors(arm):
    robot, (q, qd, qdd) = arm.robot.with_springs(), arm.state
    recorded = RecordedArm(robot)
    Y = interpreted(program(recorded, 'regressor'), q, qd, qdd)
    dynamics = DirectDynamics(robot)
    close(Y @ standard_parameters(recorded, robot),
          dynamics.inverse(q, qd, qdd) - np.array(recorded.armature) * qdd,
          ROUND_OFF * max(1e-3, size_of_terms(dynamics, q, qd, qdd)))


@holds_for(floating=False, most_joints=3)
def test_momentum_balance_holds_the_generalized_momentum(arm):
    # dp/dt = tau - b along any motion, p = M u; b has no acceleration in it
    robot, (q, qd, qdd) = arm.robot, arm.state
    dynamics, balance = DirectDynamics(robot), program(RecordedArm(robot), 'momentum_balance')
    p, b = interpreted(balance, q, qd)
    close(p, dynamics.mass_matrix(q) @ qd, ROUND_OFF * max(1e-3, abs(p).max(initial=0.0)))

    rate = derivative(lambda t: dynamics.mass_matrix(moved(robot, q, qd, qdd, t))
                      @ (qd + t * qdd))
    close(rate, dynamics.inverse(q, qd, qdd) - b,
          DIFFERENCES * max(1e-3, size_of_terms(dynamics, q, qd, qdd)))
