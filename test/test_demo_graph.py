# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Both nodes together, and the feedforward node on a robot that MuJoCo plays."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

from ros_graph import Peer, Process, ROOT, wait  # noqa: E402  after the question for rclpy
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from simulated_arms import MujocoArm, six_axis  # noqa: E402
from simulator_rig import FIRST, SimulatorRig  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.nodes import demo  # noqa: E402
from kane_dynamics.nodes.conversions import (  # noqa: E402
    nanoseconds, set_stamp, trajectory_message)
from kane_dynamics.nodes.demo_graph import DemoGraph  # noqa: E402

pytestmark = pytest.mark.ros


def run_demo(*arguments):
    """Return the finished demo, in the ROS domain of the tests."""
    return subprocess.run(
        [sys.executable, '-m', 'kane_dynamics.nodes.demo', '--domain',
         os.environ['ROS_DOMAIN_ID'], *arguments], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': str(ROOT)})


def test_demo_in_lock_step_follows_to_a_ten_thousandth_and_pd_alone_is_twenty_times_worse():
    done = run_demo('--time', 'lock-step')
    assert done.returncode == 0, done.stdout + done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith('lock-step  '))
    largest, _, _, alone, *_ = row.split()[1:]
    assert float(largest) <= 1e-4 and float(alone) >= 20.0 * float(largest), done.stdout


@pytest.mark.slow
def test_demo_on_the_wall_clock_follows_to_a_thousandth():
    # latency is part of what it measures: on a machine that stalled the demo says so, and passes
    done = run_demo('--time', 'wall')
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('arguments, words', [
    (['--urdf', 'nowhere.urdf'], 'nowhere.urdf'),
    (['--urdf', 'urdf/two_link.urdf'], "'two_link' has 2 joints; the demo drives an arm with 6"),
    (['--picture', 'demo.png'], 'add --flexible'),
    (['--flexible', '--picture', 'demo.doc'], 'demo.doc: a picture is one of .png')])
def test_demo_says_what_is_wrong_before_it_begins(arguments, words):
    done = run_demo(*arguments)
    assert done.returncode == 2 and words in done.stderr and not done.stdout


def verdicts(with_it, without):
    """Return whether the demo is content, and what it says of its two expectations."""
    lines = []
    well = demo.report([('wall clock', with_it, without)], lines.append)
    return well, [line.rsplit(': ')[-1] for line in lines if line.startswith(('  feed', '  PD'))]


def test_report_judges_by_the_bars_and_says_of_which():
    good, alone = (demo.Tracking(largest, largest, np.zeros(6), 10) for largest in (5e-4, 5e-2))
    assert verdicts(good, alone) == (True, ['yes', 'yes'])
    assert verdicts(alone, alone) == (False, ['NO', 'NO'])
    assert verdicts(good, good) == (False, ['yes', 'NO'])
    assert verdicts(alone, demo.Tracking(5.0, 5.0, np.zeros(6), 10)) == (False, ['NO', 'yes'])


def test_report_does_not_judge_what_a_stall_may_have_spoiled():
    good, alone = (demo.Tracking(largest, largest, np.zeros(6), 10) for largest in (5e-4, 5e-2))
    stalled = {'incidents': ('the arm was braked (7)',)}
    no = 'not judged, the machine stalled'
    assert verdicts(alone._replace(**stalled), alone) == (True, [no, no])
    # an error that a stall made large is no merit of feedforward
    assert verdicts(good, alone._replace(**stalled)) == (True, ['yes', no])
    assert verdicts(alone, alone._replace(**stalled)) == (False, ['NO', no])
    assert verdicts(good._replace(**stalled), alone) == (True, ['yes', 'yes'])
    lines = []
    demo.report([('wall clock', good, alone._replace(**stalled))], lines.append)
    assert lines[-1] == '  the machine stalled during PD alone: the arm was braked (7)'


def test_only_stalls_since_the_trajectory_was_sent_excuse_the_nodes():
    with DemoGraph(int(os.environ['ROS_DOMAIN_ID']), ('a',)) as graph:
        def tell(part, key, count):
            graph._diagnostics[part] = np.inf, {key: str(count)}       # the newest report
        tell('simulator: Loop', 'periods given up', 3)
        tell('feedforward: Loop', 'missed cycles', 9)
        graph._before = graph._counts()
        assert graph.incidents() == ()
        tell('simulator: Loop', 'periods given up', 5)
        tell('feedforward: Torque', 'faults: joint_states are stale', 1)
        assert graph.incidents() == ('periods of the simulator were given up (2)',
                                     'joint_states stayed away and feedforward gave up (1)')
        tell('feedforward: Torque', 'faults: the torque is not finite', 1)
        with pytest.raises(kd.KaneDynamicsError, match='gave up: the torque is not finite'):
            graph.incidents()


def test_what_pd_alone_believes_weighs_nothing():
    robot = demo.weightless(six_axis())
    assert 0.0 < robot.total_mass < 1e-7
    tau = kd.Dynamics(kd.load_urdf(robot.to_urdf())).inverse(np.ones(6), np.ones(6), np.ones(6))
    assert abs(tau).max() < 1e-6


class MujocoRobot:
    """MuJoCo behind the topics of a robot, in lock-step: a state goes out, a torque comes in."""

    def __init__(self, peer, robot, q, period=2_000_000, substeps=4):
        self.period, self._substeps = period, substeps
        self._arm = MujocoArm(robot, period * 1e-9 / substeps, damping=True)
        self._arm.model.dof_frictionloss[:] = 0.0
        self._arm.set(q, np.zeros(len(q)))
        self.t, self._names = FIRST, list(robot.joint_names)
        self.rows, self._lock = [], threading.Lock()
        node = peer.node
        self._clock = node.create_publisher(Clock, '/clock', 10)
        self._states = node.create_publisher(JointState, '/joint_states', 10)
        node.create_subscription(JointState, '/feedforward/effort', self._on_effort, 1000)

    def tell(self):
        """Publish the time and the state."""
        message = Clock()
        set_stamp(message.clock, self.t)
        self._clock.publish(message)
        data = self._arm.data
        state = JointState(name=self._names, position=data.qpos, velocity=data.qvel)
        set_stamp(state.header.stamp, self.t)
        self._states.publish(state)

    def begin(self):
        """Tell the state until the first torque comes; return whether it did.

        A state is answered once: should the answer be lost while nodes are still finding each
        other, the next one is of a later moment.
        """
        with self._lock:
            if not self.rows:
                self.t += self.period
                self.tell()
        threading.Event().wait(0.2)
        return bool(self.rows)

    def _on_effort(self, message):
        with self._lock:
            if nanoseconds(message.header.stamp) != self.t:
                return
            assert list(message.name) == self._names
            self._arm.step(np.array(message.effort), self._substeps)
            self.t += self.period
            self.rows.append((self.t, self._arm.data.qpos.copy()))
            self.tell()


def test_feedforward_node_drives_mujoco_to_two_thousandths():
    robot = six_axis()
    parameters = {**demo.parameters(robot, lock_step=True)[1], 'friction.coulomb': [0.0]}
    process, peer = Process('feedforward', parameters), Peer('mujoco')
    try:
        peer.until_active('/feedforward', process)
        plant = MujocoRobot(peer, robot, demo.WAY[0])
        wait(plant.begin, 'the first torque', lambda: process.log)
        way = demo.trajectory(robot.joint_names)
        start = plant.t + 300_000_000
        peer.publish(trajectory_message(
            way.joint_names, way.times + 1e-3, way.positions, way.velocities, way.accelerations,
            stamp=start - 1_000_000), '/feedforward/joint_trajectory')
        wait(lambda: plant.t >= start + 2_600_000_000, 'the third posture', lambda: process.log)
        stamps = np.array([t for t, _ in plant.rows])
        positions = np.array([q for _, q in plant.rows])
    finally:
        process.end()
        peer.close()
    moving = stamps >= start
    wanted = way.sample_many((stamps[moving] - start) * 1e-9)[0]
    error = abs(positions[moving] - wanted).max()
    print(f'largest error {error:.2e} rad')
    assert np.ptp(positions[moving], axis=0).min() > 0.5   # every joint really moved
    assert error <= 2e-3


def test_simulator_node_agrees_with_mujoco_over_two_seconds_under_the_same_efforts():
    robot, period = six_axis(), 5_000_000
    home = np.array([0.3, 0.6, -0.9, 0.4, 0.8, 0.1])
    viscous = [joint.damping for joint in robot.independent_joints]
    mujoco = MujocoArm(robot, 2.5e-4, damping=True)
    mujoco.model.dof_frictionloss[:] = 0.0
    mujoco.set(home, np.zeros(6))
    hold = kd.Dynamics(robot).gravity(home)
    k = np.arange(400)
    efforts = hold + np.array([6.0, 4.0, 3.0, 0.8, 0.6, 0.1]) * np.sin(
        0.02 * k[:, None] + np.arange(6.0))
    with SimulatorRig(robot, {
            'update_rate': 200.0, 'lock_step': True, 'initial_positions': home.tolist(),
            'stops': False, 'friction': 'parameters', 'friction_parameters.viscous': viscous,
            'model_check.samples': 0}) as rig:
        for each, tau in enumerate(efforts):
            rig.effort(tau, FIRST + each * period)
        rig.wait_for_stamp(FIRST + 400 * period)
        stamps, told = rig.arrays()
    wanted = np.array([mujoco.step(tau, 20)[0] for tau in efforts])
    places = (stamps[stamps > FIRST] - FIRST) // period - 1
    error = abs(told[stamps > FIRST, 0] - wanted[places]).max()
    print(f'largest difference {error:.2e} rad')
    assert len(places) > 350 and np.ptp(wanted, axis=0).min() > 0.1
    assert error <= 1e-4
