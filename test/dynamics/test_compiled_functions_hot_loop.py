# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Functions bound for control loops, against the general methods."""

import numpy as np
import pytest

from kane_dynamics.codegen import backend, formula as loop_kernel
from kane_dynamics.control.torque_output import TorqueOutput
from kane_dynamics.trajectory.cycle_sampler import CycleSampler
from kane_dynamics.trajectory.trajectory import hold, Trajectory

NAMES = ('shoulder', 'elbow', 'wrist')
# six terms summed in another order: values of order 1 to 1000
CLOSE = {'rtol': 1e-11, 'atol': 1e-11}


@pytest.fixture(params=backend.BACKENDS[1:])
def each_backend(request, monkeypatch):
    """Compile the formulas by each backend that is there."""
    if request.param == 'llvm':
        pytest.importorskip('llvmlite', reason='llvmlite is not installed')
    monkeypatch.setattr(loop_kernel, 'chosen_backend', lambda asked: request.param)
    loop_kernel._kernel.cache_clear()
    yield
    loop_kernel._kernel.cache_clear()


def points(seed, count=7):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 0.9, count))
    return times, *rng.normal(size=(3, count, 3))


def trajectories():
    """Return one of each kind: quintic, cubic, linear and held segments, a rest, other starts."""
    times, q, v, a = points(1)
    yield Trajectory(NAMES, times, q, v, a, start=1e3)
    yield Trajectory(NAMES, times, q, v)
    yield Trajectory(NAMES, times, q, interpolation='fields', start=-2.0)
    yield Trajectory(NAMES, times, q, v, a, interpolation='none')
    yield hold(NAMES, [1.0, 2.0, 3.0], start=5.0)
    v[3] = a[[2, 3]] = np.nan
    yield Trajectory(NAMES, times, q, v, a)


def test_a_sampler_agrees_with_the_trajectory_at_any_time_in_any_order(each_backend):
    out = np.zeros((3, 3))
    sampler = CycleSampler(out)
    rng = np.random.default_rng(4)
    for trajectory in [*trajectories(), *trajectories()]:
        knots = trajectory.start + trajectory.times
        ts = rng.permutation(np.concatenate([
            rng.uniform(knots[0] - 1.0, knots[-1] + 1.0, 200), knots, [-1e9, 1e9]]))
        for t in ts:
            sampler.sample(trajectory, float(t))
            np.testing.assert_allclose(out, trajectory.sample(t)[:3], **CLOSE)


def test_a_sampler_fills_the_callers_array_with_the_same_bits_at_the_same_time():
    times, q, v, a = points(1)
    trajectory = Trajectory(NAMES, times, q, v, a)
    out, found = np.full((3, 3), np.nan), []
    sampler = CycleSampler(out)
    for t in (times[3] + 0.07, times[3] + 0.57, times[3] + 0.07):
        sampler.sample(trajectory, t)
        found.append(out.tobytes())
    assert found[0] == found[2] != found[1]


def test_a_sampler_leaves_one_trajectory_for_another_in_the_middle_of_a_segment():
    out = np.zeros((3, 3))
    sampler = CycleSampler(out)
    times, q, v, a = points(2)
    first, second = Trajectory(NAMES, times, q, v, a), Trajectory(NAMES, times, -q, v, a)
    t = times[2] + 0.01
    for trajectory in (first, second, first):
        sampler.sample(trajectory, t)
        np.testing.assert_allclose(out, trajectory.sample(t)[:3], **CLOSE)


def test_the_quick_look_gives_cuts_and_refuses_what_the_slow_one_does(each_backend):
    limit = np.array([1.0, np.inf, 30.0])
    wanted = np.zeros(3)
    quick = TorqueOutput(NAMES, limit, np.full(3, np.inf), wanted)
    slow = TorqueOutput(NAMES, limit, np.full(3, np.inf))
    edge = np.nextafter(1.0, 2.0)
    rng = np.random.default_rng(6)
    cases = [[0.0, 0.0, 0.0], [1.0, 0.0, 30.0], [-1.0, 1e300, -30.0], [edge, 0.0, 0.0],
             [-edge, 0.0, 0.0], [0.0, 0.0, np.nextafter(-30.0, -40.0)], [0.0, np.nan, 0.0],
             [np.inf, 0.0, 0.0], [0.0, -np.inf, 0.0], [np.nan] * 3, [1e200, 1e200, 1e200],
             *rng.normal(size=(200, 3)) * [0.7, 1e3, 20.0]]
    for case in cases:
        wanted[:] = case
        assert quick.give(wanted, 0.002) == slow.give(wanted.copy(), 0.002), case
        assert quick.tau.tolist() == slow.tau.tolist(), case
    assert quick.saturated.tolist() == slow.saturated.tolist()
    assert quick.saturated[0] > 20 and quick.not_finite == slow.not_finite == 4


def test_new_limits_count_from_the_next_torque_on():
    wanted = np.array([0.5, 0.5, 0.5])
    output = TorqueOutput(NAMES, np.full(3, np.inf), np.full(3, np.inf), wanted)
    for limit, given in ((1.0, 0.5), (0.25, 0.25), (0.0, 0.0), (np.inf, 0.5)):
        output.set_limits(np.full(3, limit), np.full(3, np.inf))
        assert output.give(wanted, 0.002)
        assert output.tau.tolist() == [given] * 3


@pytest.mark.parametrize('names', [('a',), NAMES, ('j1', 'joint_22', 'x', 'yy', 'zzz', 'w_6')])
def test_message_bytes_say_what_the_messages_of_rclpy_say(names):
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    from rclpy.serialization import deserialize_message, serialize_message
    from kane_dynamics.nodes.messages.conversions import CommandsWriter, JointStateWriter
    from kane_dynamics.nodes.messages.message_bytes import CommandsBytes, StateBytes
    n = len(names)
    arrays = np.zeros((3, n))
    state, commands = StateBytes(names, *arrays), CommandsBytes(names, arrays[2])
    state_writer, commands_writer = JointStateWriter(names), CommandsWriter(names)
    for k, ns in enumerate((0, 1, 1_794_804_402_999_999_999)):
        arrays[:] = np.random.default_rng(k).normal(size=(3, n))
        state_writer.position[:], state_writer.velocity[:], state_writer.effort[:] = arrays
        commands_writer.data[:] = arrays[2]
        for data, message in ((state.stamped(ns), state_writer.stamped(ns)),
                              (commands.now(), commands_writer.message)):
            assert len(data) == len(serialize_message(message))     # its padding is not defined
            assert deserialize_message(data, type(message)) == message


def test_message_bytes_of_elastic_states_equal_the_messages_of_rclpy():
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    from geometry_msgs.msg import Vector3Stamped
    from rclpy.serialization import deserialize_message
    from sensor_msgs.msg import JointState
    from kane_dynamics.nodes.messages.message_bytes import StateBytes, VectorBytes
    names = ('link/bend_y_1', 'link/torsion_1', 'elbow/deflection')
    places, vector = np.zeros((2, 3)), np.zeros(3)
    state, tip = StateBytes(names, *places), VectorBytes('base_link', vector)
    places[:], vector[:] = [[1.0, -2.0, np.pi], [0.0, 1e-9, 4.0]], [3.0, 4.0, -5.0]
    message = deserialize_message(state.stamped(1_000_000_007), JointState)
    assert tuple(message.name) == names and not message.effort
    assert [message.position.tolist(), message.velocity.tolist()] == places.tolist()
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1, 7)
    message = deserialize_message(tip.stamped(2_000_000_001), Vector3Stamped)
    assert [message.vector.x, message.vector.y, message.vector.z] == [3.0, 4.0, -5.0]
    assert message.header.frame_id == 'base_link' and message.header.stamp.nanosec == 1
