# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The monitor node over real DDS: residual, contact, wrench, energy, diagnostics, refusals."""

import itertools
import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed: the monitor is a ROS node')

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402,I100
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from recorded_arms import sines  # noqa: E402
from ros_graph import NodeRig, PATIENCE, Peer, Process, ROOT, wait  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Bool, Float64MultiArray  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.control.monitor.arm_monitor import ArmMonitor  # noqa: E402
from kane_dynamics.control.monitor.touch_detector import ContactDetector  # noqa: E402
from kane_dynamics.dynamics.calibration import Calibration, JointCalibration  # noqa: E402
from kane_dynamics.nodes.common.diagnostics import ERROR, Report  # noqa: E402
from kane_dynamics.nodes.messages.conversions import nanoseconds, set_stamp  # noqa: E402
from kane_dynamics.nodes.monitor.node import Monitor  # noqa: E402
from kane_dynamics.nodes.monitor.settings import SCHEMA  # noqa: E402

pytestmark = pytest.mark.ros
URDF = ROOT / 'urdf' / 'six_axis.urdf'
RATE, N = 500.0, 6
START = 1_700_000_000_000_000_000


class MonitorRig(NodeRig):
    """A monitor node in a process, and the peer that plays its robot."""

    _numbers = itertools.count(1)

    def __init__(self, parameters, names=None, handshake=True):
        self._names = names or [f'joint_{k}' for k in range(1, N + 1)]
        self._skips_handshake = not handshake
        space = f'/monitor{next(self._numbers)}'
        self.node = f'{space}/monitor'
        self.process = Process('monitor', {'robot_description_file': str(URDF), **parameters}, [
            f'__ns:={space}', f'/diagnostics:={space}/diagnostics'])
        self.peer = Peer(f'peer_{space[1:]}')
        listen = self.peer.listen
        self.residuals = listen(JointState, f'{self.node}/residual', 10_000)
        self.external = listen(JointState, f'{self.node}/external_torque', 10_000)
        self.contacts = listen(Bool, f'{self.node}/contact', 10_000)
        self.energies = listen(Float64MultiArray, f'{self.node}/energy', 10_000)
        self.wrenches = listen(WrenchStamped, f'{self.node}/wrench', 10_000)
        self.diagnostics = listen(DiagnosticArray, f'{space}/diagnostics')
        self._topic = f'{space}/joint_states'

    def __enter__(self):
        try:
            self.peer.until_active(self.node, self.process)
            # until both sides know each other: states of long ago, forgotten over the gap
            if not self._skips_handshake:
                self.send(START - 10**10, *np.zeros((3, len(self._names))), self._names)
                for answers in (self.residuals, self.external, self.contacts, self.energies,
                                self.wrenches):
                    time.sleep(0.05)
                    answers.clear()
        except BaseException:
            self.close()
            raise
        return self

    def send(self, stamp, q, qd, tau, names, answered=True):
        """Publish a state [ns] and wait for its answer: best effort loses what comes at once."""
        message = JointState(name=list(names), position=list(q), velocity=list(qd),
                             effort=list(tau))
        set_stamp(message.header.stamp, int(stamp))
        before, until = len(self.residuals), time.monotonic() + PATIENCE
        self.peer.publish(message, self._topic)
        while answered and len(self.residuals) == before:
            # best effort may lose one; sent again it has the same stamp and counts once
            try:
                wait(lambda: len(self.residuals) > before, 'a residual', patience=0.5)
            except AssertionError:
                assert time.monotonic() < until, self.process.log
                self.peer.publish(message, self._topic)

    def send_all(self, t, q, qd, tau, names):
        for k in range(len(t)):
            self.send(START + round(t[k] * 1e9), q[k], qd[k], tau[k], names)


def six_axis():
    robot = kd.load_urdf(URDF)
    return robot, kd.Dynamics(robot, kd.Friction.of(robot, smoothing_speed=0.01))


def touched(dynamics, seconds, touch, seed=1):
    """Return a motion whose joint 2 is touched by 5 N m from `touch` [s] on."""
    t, q, qd, qdd = sines(N, seconds, RATE, seed, 0.5, 0.4)
    tau = dynamics.inverse_many(q, qd, qdd)
    tau[t >= touch, 1] -= 5.0
    return t, q, qd, tau


def test_the_node_gives_what_the_monitor_in_it_gives_bit_for_bit_and_sees_the_touch():
    robot, dynamics = six_axis()
    t, q, qd, tau = touched(dynamics, 1.2, 1.0)
    with MonitorRig({'contact': {'threshold': [2.0]}, 'gain': 150.0, 'frame': 'tool0'}) as rig:
        rig.send_all(t, q, qd, tau, robot.joint_names)
        wait(lambda: len(rig.wrenches) == len(t), 'all wrenches')
        residuals = np.array([message.effort for message in rig.residuals])
        external = np.array([message.effort for message in rig.external])
        stamps = [nanoseconds(message.header.stamp) for message in rig.residuals]
        contacts = np.array([message.data for message in rig.contacts])
        energies = np.array([message.data for message in rig.energies])
        wrenches = np.array([[*(getattr(part, axis) for part in (
            message.wrench.force, message.wrench.torque) for axis in 'xyz')]
            for message in rig.wrenches])
        frames = {message.header.frame_id for message in rig.wrenches}
    monitor = ArmMonitor(dynamics, ContactDetector(np.full(N, 2.0)), 150.0, 'tool0')
    for k in range(len(t)):
        assert monitor.step(START + round(t[k] * 1e9), q[k], qd[k], tau[k])
        assert (residuals[k] == monitor.residual).all() and (external[k] == monitor.external).all()
        assert contacts[k] == monitor.contact and (energies[k] == monitor.quantities).all()
        assert (wrenches[k] == monitor.wrench).all()
    assert stamps == [START + round(each * 1e9) for each in t] and frames == {'tool0'}
    first = t[np.argmax(contacts)]
    assert contacts.any() and 1.0 <= first <= 1.020 and contacts[t >= first].all()
    # energy and power by other means: Pinocchio's energies are compared in test_dynamics
    np.testing.assert_allclose(energies[-1, 2], tau[-1] @ qd[-1])
    np.testing.assert_allclose(energies[-1, 3], dynamics.friction.torque(qd[-1]) @ qd[-1])


def test_joints_in_another_order_in_parts_and_with_others_are_the_same_arm():
    robot, dynamics = six_axis()
    t, q, qd, tau = touched(dynamics, 0.4, 9.0)
    order = [3, 1, 5, 0, 2, 4]
    names = [robot.joint_names[k] for k in order]
    results = []
    for split in (False, True):
        parameters = {} if not split else {'joints': names}
        with MonitorRig(parameters) as rig:
            for k in range(len(t)):
                stamp = START + round(t[k] * 1e9)
                if not split:
                    rig.send(stamp, q[k], qd[k], tau[k], robot.joint_names)
                    continue
                for part, last in ((order[:2], False), (order[2:], True)):
                    rig.send(stamp, [*q[k][part], 0.1], [*qd[k][part], 0.0], [*tau[k][part], 0.0],
                             [*(robot.joint_names[each] for each in part), 'finger'],
                             answered=last)
            assert len(rig.residuals) == len(t)
            results.append((rig.residuals[-1].name, np.array([each.effort
                                                              for each in rig.residuals])))
    assert list(results[0][0]) == list(robot.joint_names) and list(results[1][0]) == names
    assert (results[1][1] == results[0][1][:, order]).all()


def test_calibration_payload_and_locked_joints_count(tmp_path):
    robot, _ = six_axis()
    joints = {name: JointCalibration(coulomb=2.0 + k, viscous=1.0, offset=0.5, load=0.05,
                                     rotor_inertia=0.4)
              for k, name in enumerate(robot.joint_names)}
    calibration = Calibration(robot.name, joints)
    calibration.save(tmp_path / 'arm.dynamics.yaml')
    names = robot.joint_names[:5]
    fixed = kd.lock_joints(calibration.apply(robot), {robot.joint_names[5]: 0.7})
    dynamics = kd.Dynamics(fixed.with_payload(1.5, (0.0, 0.0, 0.1), link='tool0'),
                           calibration.friction(fixed))
    t, q, qd, qdd = sines(5, 0.6, RATE, 3, 0.5, 0.4)
    tau = dynamics.inverse_many(q, qd, qdd)
    with MonitorRig({'calibration_file': str(tmp_path / 'arm.dynamics.yaml'),
                     'locked_joints': [robot.joint_names[5]], 'locked_positions': [0.7],
                     'payload': {'mass': 1.5, 'com': [0.0, 0.0, 0.1], 'link': 'tool0'}},
                    names) as rig:
        rig.send_all(t, q, qd, tau, names)
        residuals = np.array([message.effort for message in rig.residuals])
    # the trapezoidal rule over 2 ms while friction turns
    assert np.abs(residuals).max() < 0.2


def test_gaps_and_clocks_set_back_restart_the_observer_and_are_counted():
    robot, dynamics = six_axis()
    t, q, qd, tau = touched(dynamics, 0.3, 0.1)
    with MonitorRig({}) as rig:
        rig.send_all(t, q, qd, tau, robot.joint_names)
        assert abs(rig.residuals[-1].effort[1]) > 4.0
        rig.send(START + 2 * 10**9, q[0], qd[0], tau[0], robot.joint_names)
        assert not np.any(rig.residuals[-1].effort)
        rig.send(START - 10**12, q[0], qd[0], tau[0], robot.joint_names)
        assert not np.any(rig.residuals[-1].effort)
        rig.send(START - 10**12 + 2_000_000, q[1], qd[1], tau[1], robot.joint_names)

        def restarts():
            return [value.value for array in rig.diagnostics[-1:] for status in array.status
                    for value in status.values if value.key == 'resets']
        # one more by the handshake
        wait(lambda: restarts() == ['3'], 'two restarts', lambda: str(rig.diagnostics[-1:]))


def test_states_without_effort_are_an_error_on_diagnostics_and_give_nothing():
    robot, _ = six_axis()
    with MonitorRig({}, handshake=False) as rig:
        for _ in range(20):
            rig.send(START, np.zeros(N), np.zeros(N), [], robot.joint_names, answered=False)
            time.sleep(0.05)

        def errors():
            return [status.message for array in rig.diagnostics[-1:] for status in array.status
                    if status.level == b'\x02']
        wait(lambda: any('no effort' in each for each in errors()), 'the error')
        assert not rig.residuals


def test_a_state_beyond_reason_does_not_blind_the_monitor():
    robot, dynamics = six_axis()
    t, q, qd, tau = touched(dynamics, 1.2, 1.0)
    monitor = ArmMonitor(dynamics, ContactDetector(np.full(N, 2.0)), 150.0)
    qd[100, 1] = 1e200                  # finite, but its square is not
    contact = np.zeros(len(t), dtype=bool)
    for k in range(len(t)):
        with np.errstate(over='ignore', invalid='ignore'):
            monitor.step(round(t[k] * 1e9), q[k], qd[k], tau[k])
        assert np.isfinite(monitor.residual).all()
        contact[k] = monitor.contact
    assert monitor.absurd == 1
    assert not contact[t < 1.0].any() and contact[t >= 1.02].all()


def test_invalid_messages_and_states_that_stop_are_reported():
    robot, dynamics = six_axis()
    t, q, qd, tau = touched(dynamics, 0.1, 1.0)
    with MonitorRig({'diagnostic_updater.period': 0.1}) as rig:
        rig.send_all(t, q, qd, tau, robot.joint_names)
        rig.send(START + 10**8, q[0][:5], qd[0], tau[0], robot.joint_names, answered=False)
        wait(lambda: rig.status('Joint states')[2]['refused'] == '1', 'the count')
        assert 'were malformed' in rig.status('Joint states')[1]
        wait(lambda: 'no complete joint state for' in rig.status('Joint states')[1], 'the error')
        assert rig.status('Joint states')[0] == 2
        sent = iter(range(10**6))

        def heard():
            k = next(sent)
            rig.send(START + 2 * 10**8 + k * 10**6, q[0], qd[0], tau[0], robot.joint_names)
            return 'no complete' not in rig.diagnostics[-1].status[0].message
        wait(heard, 'an end of the error')


def test_diagnostics_name_the_arm_and_its_joints_in_the_order_of_the_parameter():
    names = [f'joint_{k}' for k in range(N, 0, -1)]
    with MonitorRig({'diagnostic_updater.period': 0.1, 'joints': names}, names,
                    handshake=False) as rig:
        level, message, values = rig.status('Model')
        assert (level, message, values['robot']) == (0, 'OK', 'six_axis')
        assert values['joints'] == str(names)


def test_reset_is_a_service():
    robot, dynamics = six_axis()
    t, q, qd, tau = touched(dynamics, 0.2, 0.1)
    with MonitorRig({}) as rig:
        rig.send_all(t, q, qd, tau, robot.joint_names)
        assert rig.peer.call(Trigger, f'{rig.node}/reset').success
        rig.send(START + 2 * 10**8, q[0], qd[0], tau[0], robot.joint_names)
        assert not np.any(rig.residuals[-1].effort)


@pytest.mark.parametrize(('parameters', 'words'), [
    ({'frame': 'hand'}, "no link 'hand'"),
    ({'calibration_file': '/absent.yaml'}, 'cannot be read'),
    ({'joints': ['joint_1']}, 'is missing from joints'),
    ({'contact': {'threshold': [1.0, 2.0]}}, 'contact.threshold has 2 values'),
])
def test_wrong_parameters_leave_the_node_unconfigured_with_the_reason(parameters, words):
    rig = MonitorRig(parameters)
    try:
        rig.process.wait_for_log(words)
        assert rig.peer.state(rig.node) == 'unconfigured'
    finally:
        rig.close()


def test_an_exception_while_a_state_is_taken_is_reported_as_an_error():
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Monitor(context=context, parameter_overrides=[
        rclpy.Parameter(name, value=value) for name, value in {
            'robot_description_file': str(URDF), 'autostart': False}.items()])
    try:
        node.trigger_configure()
        node.trigger_activate()

        def broken(*_):
            raise RuntimeError('broken part')
        node.monitor.step = broken
        zeros = [0.0] * N
        node._on_joint_state(JointState(name=node.robot.joint_names, position=zeros,
                                        velocity=zeros, effort=zeros))      # does not raise
        report = Report()
        node.diagnostics._parts['Joint states'](report)
        assert report.level == ERROR
        assert 'messages could not be processed: see the log' in report.messages
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


def test_the_document_lists_the_parameters_as_they_are():
    text = (ROOT / 'doc' / 'monitor.md').read_text(encoding='utf-8')
    table = text.split('<!-- parameters -->\n')[1].split('<!-- /parameters -->')[0]
    assert table == SCHEMA.markdown(), (
        'python -m kane_dynamics.nodes.monitor.settings prints it')
