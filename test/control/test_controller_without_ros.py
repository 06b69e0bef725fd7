# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The controller as a plain object: against its law written out, MuJoCo and a simulated arm."""

from pathlib import Path
import re
import runpy

import numpy as np
import pytest
from simulated_arms import tumbling_body

import kane_dynamics as kd

ROOT = Path(__file__).resolve().parents[2]
ARM = kd.Dynamics(kd.load_urdf(str(ROOT / 'urdf' / 'two_link.urdf')))
NAMES = ARM.robot.joint_names
HOME = np.array([0.3, 0.4])


def motion():
    return kd.Trajectory(NAMES, [0.0, 1.0], [HOME, HOME + 0.5], np.zeros((2, 2)),
                         np.zeros((2, 2)))


@pytest.mark.parametrize('feedback', ['pd', 'inverse_dynamics'])
def test_the_torque_is_the_law_written_out(feedback):
    controller = kd.Controller.of(ARM, p=50.0, d=[4.0, 2.0], feedback=feedback)
    controller.torque(0.0, HOME, np.zeros(2))
    controller.follow(motion())
    for t in (0.1, 0.2, 0.3):
        q, qd = HOME + [0.02, 0.1], np.array([0.3, -0.2])
        r, rd, rdd = motion().sample(t)[:3]
        correction = 50.0 * (r - q) + np.array([4.0, 2.0]) * (rd - qd)
        wanted = (ARM.inverse(r, rd, rdd) + correction if feedback == 'pd'
                  else ARM.inverse(q, qd, rdd + correction))
        assert controller.torque(t, q, qd) == pytest.approx(wanted, rel=1e-12)


def test_without_velocities_position_feedback_works_and_damping_is_a_fault():
    controller = kd.Controller.of(ARM, p=50.0)
    assert controller.torque(0.0, HOME) == pytest.approx(ARM.gravity(HOME))
    assert controller.torque(0.1, HOME - 0.1) == pytest.approx(ARM.gravity(HOME) + 5.0)
    damped = kd.Controller.of(ARM, p=50.0, d=5.0)
    assert not damped.torque(0.0, HOME).any()           # it waits for velocities
    damped.torque(0.1, HOME, np.zeros(2))
    damped.torque(0.2, HOME)
    assert damped.fault is kd.Fault.STATE_LOST and 'velocities' in damped.fault_text
    assert damped.tau == pytest.approx(ARM.gravity(HOME))


def test_feedforward_needs_no_state_and_compensates_friction_of_the_reference():
    friction = kd.Friction([0.3, 0.2], [1.0, 0.5])
    controller = kd.Controller.of(ARM, 'feedforward', friction=friction)
    controller.follow(motion())
    r, rd, rdd = motion().sample(0.4)[:3]
    controller.cycle(0.0, kd.Known.NOTHING)
    assert controller.cycle(0.4, kd.Known.NOTHING)
    assert controller.tau == pytest.approx(ARM.inverse(r, rd, rdd) + friction.torque(rd))


def test_a_flexible_arm_is_held_by_the_weight_of_its_bent_links():
    arm = kd.Dynamics(kd.load_urdf(str(ROOT / 'urdf' / 'flexible_single_link.urdf'),
                                   gravity=(0.0, -9.81, 0.0)))
    tau = kd.Controller.of(arm, 'hold', p=10.0).torque(0.0, [0.3])
    assert tau == pytest.approx(arm.gravity(kd.static_sag(arm, [0.3]))[:1], rel=1e-9)
    assert abs(tau[0]) > 0.1


@pytest.mark.parametrize(('change', 'words'), [
    ({'mode': 'velocity'}, r"mode 'velocity' is unknown; there are \['feedforward'"),
    ({'feedback': 'pid'}, r"feedback 'pid' is unknown; there are \['pd'"),
    ({'dynamics': kd.Dynamics(ARM.robot, kd.Friction([0.1, 0.1], [0.0, 0.0]))}, 'give it as fric'),
    ({'dynamics': kd.Dynamics(tumbling_body())}, 'on a fixed base')])
def test_a_controller_that_cannot_be_made_is_refused_with_the_reason(change, words):
    with pytest.raises(kd.InputError, match=words):
        kd.Controller.of(**{'dynamics': ARM, **change})


def test_feedforward_tracks_an_arm_in_mujoco_better_than_feedback_alone(capsys):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    runpy.run_path(str(ROOT / 'examples' / 'drive_mujoco.py'), run_name='__main__')
    alone, both = map(float, re.findall(r'([\d.]+) mrad', capsys.readouterr().out))
    assert 20.0 * both < alone < 100.0 and both < 0.01
