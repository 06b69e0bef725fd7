# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Raw bytes on every topic of running nodes: found ones stay repaired, and new ones are sent."""

from pathlib import Path
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')
sys.path.insert(0, str(Path(__file__).resolve().parent))

from node_target import Messages, mutated_message   # noqa: E402, I100
from fuzz import FOUND, mutation   # noqa: E402, I100
from message_graph import TOPICS   # noqa: E402
from ros_graph import wait   # noqa: E402

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def target():
    """Return running nodes that take bytes."""
    made = Messages()
    yield made
    made.close()


def test_the_seeds_are_of_every_topic_and_reach_the_nodes(target):
    assert {seed[0] for seed in target.seeds} == set(range(len(TOPICS)))
    for seed in target.seeds:
        assert target.check(seed) == 'sent'
    peer, space = target._graph.peer, target._graph.space
    wait(lambda: peer.state(f'{space}/monitor') == 'active', 'the description at the monitor')


@pytest.mark.parametrize('path', sorted(FOUND.glob('messages-*')), ids=lambda path: path.name)
def test_what_was_found_stays_repaired(target, path):
    assert target.check(path.read_bytes()) == 'sent'


def test_mutated_messages_leave_the_nodes_alive_and_the_torques_within_limits(target):
    outcomes = [target.check(mutation(target, 1, number)) for number in range(100)]
    assert outcomes.count('sent') > 50


def test_a_mutation_keeps_the_topic_and_at_least_a_header():
    class Same:
        @staticmethod
        def randrange(*_):
            return 0

        @staticmethod
        def choice(options):
            return options[0]
    assert mutated_message(b'\x03', Same) == b'\x03\x00\x00\x00\x00'
