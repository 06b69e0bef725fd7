# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The demo on the wall clock when one of its processes stands still for a while."""

import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

from simulated_arms import six_axis  # noqa: E402  after the question for rclpy

from kane_dynamics.nodes import demo  # noqa: E402
from kane_dynamics.nodes.demo_graph import DemoGraph, NODES  # noqa: E402
from kane_dynamics.nodes.patience import GRACE, Patience, SHORTEST  # noqa: E402

STALL = 0.3     # [s]
AFTER = 1.5     # [s] of the motion, in the middle of its fastest part


@pytest.mark.ros
@pytest.mark.parametrize('name', NODES)
def test_an_arm_whose_node_stood_still_stays_near_its_way_and_reaches_its_end(name):
    robot = six_axis()
    way = demo.trajectory(robot.joint_names)
    with DemoGraph(int(os.environ['ROS_DOMAIN_ID']), robot.joint_names) as graph:
        graph.start(*demo.parameters(robot, lock_step=False))
        start = graph.send(way, 0.5)
        time.sleep(max(start * 1e-9 + AFTER - time.time(), 0.0))
        process = graph._processes[NODES.index(name)]
        process.send_signal(signal.SIGSTOP)
        time.sleep(STALL)
        process.send_signal(signal.SIGCONT)
        # up to ten seconds at rest after the end: a busy machine may stall them again
        for rest in range(1, 11):
            stamps, positions = graph.follow(start, start + round((way.times[-1] + rest) * 1e9))
            error = abs(positions - way.sample_many((stamps - start) * 1e-9)[0])
            if error[-1].max() <= 0.01:
                break
        incidents = graph.incidents()
    # The reference moves by 0.3 rad meanwhile. A light wrist under the feedback that is held until
    # the brakes come may be off by some times that; a turn would be an arm that is thrown about.
    assert 0.01 < error.max() < 2.0 * np.pi
    assert error[-1].max() <= 0.01
    assert incidents and not any('gave up:' in each for each in incidents), incidents


def test_only_a_process_that_stood_still_and_had_fresh_states_is_excused_and_not_for_long():
    period = 2_000_000
    patience, now = Patience(period * 1e-9), 0
    for _ in range(5):
        now += period
        assert not patience.excuses(now, fresh=True)
    now += period
    assert not patience.excuses(now, fresh=False)       # the sender is late, not this process
    now += period
    assert not patience.excuses(now, fresh=True)
    now += SHORTEST + 1
    for _ in range(GRACE // period):
        assert patience.excuses(now, fresh=False)
        now += period
    assert not patience.excuses(now, fresh=False)
    now += SHORTEST + 1                                 # again, without a fresh state in between
    assert not patience.excuses(now, fresh=False)
    assert not patience.excuses(now, fresh=True)
    now += SHORTEST + 1
    patience.look(now)                                  # the other thread looks first
    assert patience.excuses(now + 1, fresh=False)
