# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible arms in the simulator node, over a real middleware, in lock-step with the test."""

from flexible_arms import changed, load, SPRUNG, URDF
import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

from geometry_msgs.msg import Vector3Stamped  # noqa: E402,I100
from ros_graph import wait  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from simulator_rig import FIRST, SimulatorRig, stamp_of  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402

import kane_dynamics as kd  # noqa: E402

pytestmark = pytest.mark.ros

PERIOD = 1_000_000      # [ns]
POSE = np.array([0.2, 0.5, -0.9])
COUNT = 400             # periods of a run
BASE = {'update_rate': 1000.0, 'lock_step': True, 'model_check.samples': 0}


class FlexibleRig(SimulatorRig):
    """A simulator of a flexible arm, with its elastic states and tip deflections."""

    def __init__(self, robot, parameters, active=True):
        super().__init__(robot, {**BASE, **parameters}, active)
        self.elastic = self.peer.listen(JointState, f'{self.node}/elastic_states', 10_000)
        self.tips = self.peer.listen(Vector3Stamped, f'{self.node}/tip_deflection', 10_000)
        self.peer.until_connected()

    def run(self, efforts, start):
        """Send efforts (N, n) for the periods from `start` on; wait for the end of the last."""
        for k, tau in enumerate(efforts):
            self.effort(tau, start + k * PERIOD)
        end = start + len(efforts) * PERIOD
        self.wait_for_stamp(end)
        wait(lambda: self.elastic and stamp_of(self.elastic[-1]) == end, 'the last elastic state',
             lambda: self.process.log)

    def coordinates(self):
        """Return {stamp: q (nq,)} where both joints and elastic coordinates were published."""
        elastic = {stamp_of(each): each.position for each in self.elastic}
        return {stamp_of(each): np.concatenate([each.position, elastic[stamp_of(each)]])
                for each in self.states if stamp_of(each) in elastic}


@pytest.fixture(scope='module')
def dyn():
    return kd.Dynamics(kd.load_urdf(URDF / 'flexible_3r.urdf'))


@pytest.fixture(scope='module')
def efforts(dyn):
    """Return torques (COUNT, 3) that move the arm and make it swing, new every period."""
    hold = dyn.gravity(kd.static_sag(dyn, POSE))[:3]
    k = np.arange(COUNT)[:, None]
    return hold + np.array([5.0, 8.0, 3.0]) * np.sin(0.042 * k + np.arange(3.0))


@pytest.fixture(scope='module')
def rig(dyn):
    with FlexibleRig(dyn.robot, {'initial_positions': POSE.tolist()}) as rig:
        yield rig


@pytest.fixture(scope='module')
def two_runs(rig, efforts):
    """Return {period: q (nq,)} of two runs under the same efforts, with a reset in between."""
    rig.run(efforts, FIRST)
    last, begin = FIRST + COUNT * PERIOD, len(rig.states)
    first = {(stamp - FIRST) // PERIOD: q for stamp, q in rig.coordinates().items()}
    assert rig.trigger('reset').success     # publishes the start with the stamp of the end
    rig.wait_for_states(begin + 1)
    rig.run(efforts, last)
    second = {(stamp - last) // PERIOD: q for stamp, q in rig.coordinates().items()
              if stamp > last}
    return first, second


def test_elastic_states_are_those_of_simulate_under_the_same_efforts(dyn, rig, two_runs, efforts):
    tau = np.zeros(dyn.robot.nv)

    def held(t, q, qd):
        tau[:3] = efforts[min(int(t / 1e-3), COUNT - 1)]
        return tau
    found = kd.simulate(dyn, kd.static_sag(dyn, POSE), np.zeros(dyn.robot.nv), held,
                        duration=COUNT * 1e-3, dt=1e-3, method='midpoint', progress=False)
    periods = sorted(two_runs[0])
    assert len(periods) > 0.9 * COUNT and periods[-1] == COUNT
    error = abs(np.array([two_runs[0][k] for k in periods]) - found.q[periods]).max()
    print(f'largest difference {error:.1e} rad, m')
    assert np.ptp(found.q[:, 5]) > 2e-3                    # [m]: the links swing
    # three Newton passes per step against as many as it takes
    assert error <= 1e-9
    assert rig.elastic[-1].name == list(dyn.robot.mode_names)
    assert len(rig.elastic[-1].velocity) == 10 and len(rig.elastic[-1].effort) == 0
    assert rig.states[-1].name == ['joint_1', 'joint_2', 'joint_3']


def test_two_runs_give_the_same_bits(two_runs):
    first, second = two_runs
    both = sorted(set(first) & set(second))
    assert len(both) > 0.9 * COUNT
    assert all(np.array_equal(first[k], second[k]) for k in both)


def test_arm_starts_at_its_sag_and_reset_brings_it_back(dyn, rig, two_runs):
    begin = len(rig.elastic)
    assert rig.trigger('reset').success
    wait(lambda: len(rig.elastic) > begin, 'the state after the reset', lambda: rig.process.log)
    sag = kd.static_sag(dyn, POSE)
    assert list(rig.elastic[-1].position) == sag[3:].tolist()
    assert not np.any(rig.elastic[-1].velocity)
    assert abs(sag[3:]).max() > 1e-3


def test_tip_deflection_is_the_tip_against_that_of_the_straight_arm(dyn, rig, two_runs):
    tips = {stamp_of(each): each for each in rig.tips}
    seen = 0
    for stamp, q in list(rig.coordinates().items())[::40]:
        if stamp in tips:
            straight = np.concatenate([q[:3], np.zeros(10)])
            wanted = dyn.frame_pose('tool0', q)[1] - dyn.frame_pose('tool0', straight)[1]
            vector = tips[stamp].vector
            np.testing.assert_allclose([vector.x, vector.y, vector.z], wanted, rtol=0, atol=1e-13)
            assert tips[stamp].header.frame_id == 'base_link'
            seen += np.linalg.norm(wanted) > 1e-3
    assert seen > 10


def test_markers_run_from_frame_to_frame_along_links_of_constant_length(dyn, rig, two_runs):
    # frames by the compiled kinematics; the upper arm's tube ends 50 mm before the elbow's frame
    drawn = rig.peer.listen(MarkerArray, f'{rig.node}/markers')
    stamp = stamp_of(rig.states[-1])
    wait(lambda: drawn and stamp_of(drawn[-1].markers[0]) == stamp, 'markers of the last state')
    q = rig.coordinates()[stamp]
    bent = {each.id: each for each in drawn[-1].markers if each.ns == 'bent'}
    lines = {}
    for k, link in enumerate(('upper_arm', 'forearm')):
        assert bent[k].type == Marker.LINE_STRIP and bent[k].header.frame_id == 'base_link'
        assert bent[k].scale.x > 0.0 and bent[k].color.a == 1.0
        lines[link] = np.array([[p.x, p.y, p.z] for p in bent[k].points])
    for link, root, length in (('upper_arm', 0.05, 0.6), ('forearm', 0.04, 0.5)):
        R, p = dyn.frame_pose(link, q)
        np.testing.assert_allclose(lines[link][:2], [p, p + R @ [root, 0, 0]], rtol=0, atol=1e-12)
        steps = np.linalg.norm(np.diff(lines[link][1:], axis=0), axis=1)
        assert len(steps) == 20 and steps.sum() == pytest.approx(length, abs=1e-6)
    R, p = dyn.frame_pose('elbow_body', q)
    np.testing.assert_allclose(lines['upper_arm'][-1], p - R @ [0.05, 0, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(lines['forearm'][-1], dyn.frame_pose('tool', q)[1], rtol=0,
                               atol=1e-12)


def test_energy_balance_closes_with_the_damping_of_links_in_it(rig, efforts, two_runs):
    rig.trigger('reset')
    begin = stamp_of(rig.states[-1])
    rig.run(efforts, begin)
    _, _, values = rig.status('Arm')
    assert values['method'] == 'midpoint' and values['elastic coordinates'] == '10'
    assert float(values['lost to friction [J]']) > 1e-5
    work = abs(float(values['work of torques and wrenches [J]']))
    # midpoint at 1 ms: 1e-7 J measured
    assert work > 0.05 and abs(float(values['energy drift [J]'])) < 1e-5 * work
    assert float(values['largest deflection of upper_arm, fraction of its range']) > 0.05


@pytest.mark.parametrize(('robot', 'names'), [
    (lambda: load(SPRUNG), ['elbow/deflection']),
    (lambda: changed('flexible_single_link', ('<modes [^>]*/>', '<segments count="2"/>')), None)],
    ids=['flexible joint', 'segments'])
def test_segments_and_flexible_joints_are_told_alike(robot, names):
    robot = robot()
    dyn = kd.Dynamics(robot)
    with FlexibleRig(robot, {'method': 'generalized_alpha', 'initial_positions': [0.3]}) as rig:
        rig.run(np.full((30, 1), 2.0), FIRST)
        assert rig.elastic[-1].name == (names or list(robot.mode_names))
        q = rig.coordinates()[FIRST + 30 * PERIOD]
    tau = np.zeros(robot.nv)
    tau[0] = 2.0
    Q, _ = dyn.rollout(kd.static_sag(dyn, [0.3]), np.zeros(robot.nv), tau, 1e-3, 30,
                       'generalized_alpha')
    np.testing.assert_allclose(q, Q[-1], rtol=0, atol=1e-12)
    assert abs(q[1:]).max() > 1e-5


def test_explicit_steps_beyond_their_limit_leave_the_node_unconfigured_with_the_way_out(dyn):
    with SimulatorRig(dyn.robot, {**BASE, 'method': 'rk4'}, active=False) as rig:
        rig.process.wait_for_log('or more), or method=')
        assert "rk4: dt = 0.001 s is too long for the fastest elastic mode of 'flexible_3r'" in (
            rig.process.log)
        assert rig.peer.state(rig.node) == 'unconfigured'


def test_bending_beyond_the_order_of_the_model_is_logged_and_reported():
    robot = changed('flexible_single_link', ('EI_z="100"', 'EI_z="5"'))
    with FlexibleRig(robot, {'initial_deflection': 'straight'}) as rig:
        rig.run(np.full((150, 1), 8.0), FIRST)
        rig.process.wait_for_log("link 'link' bends by")
        level, message, values = rig.status('Arm')
    assert level == 1 and 'its model is good to about 1 %' in message
    assert int(values['checks out of range']) > 0
    assert float(values['largest deflection of link, fraction of its range']) > 1.0
