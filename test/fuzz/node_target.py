# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Running nodes under attack: mutated messages as raw CDR bytes, over a real middleware.

The invariant: the nodes live and answer, torques are finite, within limits and rate, and no log
holds a traceback or unprintable text. An input is the index of a topic and a serialized message.
"""

from functools import cached_property
from importlib.util import find_spec
import os
from pathlib import Path
import struct
import sys

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'test' / name) for name in ('support', 'faults', 'fuzz')]
os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

from mutations import mutated_bytes   # noqa: E402, I100

DOUBLES = (float('nan'), float('inf'), -float('inf'), 1e308, -1e300, 5e-324, 0.0, -0.0, 1e18, 1e9,
           -1.0, 0.3)
LENGTHS = (0, 1, 2, 3, 5, 255, 65_535, 2**31 - 1, 2**31, 2**32 - 1)
SHORTEST = 4            # bytes: the header
LONGEST_LINE = 2000     # characters of a log
JOINTS, HOME = ['shoulder', 'elbow'], [0.3, 0.4]


def mutated_message(data, rng):
    """Return an input with numbers, lengths or bytes of its message changed."""
    topic, body = data[:1], data[1:]
    for _ in range(rng.choice((1, 1, 2, 3))):
        how = rng.randrange(3)
        if how == 0:
            body = mutated_bytes(body, rng)
        elif how == 1:
            body = _overwritten(body, struct.pack('<d', rng.choice(DOUBLES)), rng)
        else:
            body = _overwritten(body, struct.pack('<I', rng.choice(LENGTHS)), rng)
    return topic + body.ljust(SHORTEST, b'\0')


def _overwritten(body, number, rng):
    """Return a message with an aligned number overwritten."""
    size = len(number)
    places = (len(body) - SHORTEST) // size
    if places < 1:
        return body
    at = SHORTEST + size * rng.randrange(places)
    return body[:at] + number + body[at + size:]


class Messages:
    """The topics of feedforward, simulator and monitor, which run in one graph on /clock."""

    mutated = staticmethod(mutated_message)
    share = 1.0

    def __init__(self):
        self._graph = None      # started with the seeds, and again after a failure

    @cached_property
    def seeds(self):
        """Return one valid message of each topic and some that are refused."""
        from message_graph import MessageGraph, seed_messages, TOPICS
        from rclpy.serialization import serialize_message
        if self._graph is None:         # here, because the time of an input is limited
            self._graph = MessageGraph()
        return [bytes([list(TOPICS).index(topic)]) + bytes(serialize_message(message))
                for topic, message in seed_messages()]

    def chosen(self, rng):
        """Return one of the seeds."""
        return rng.choice(self.seeds)

    def check(self, data):
        """Send an input; raise an AssertionError where the invariant is broken."""
        from message_graph import MessageGraph
        if self._graph is None:
            self._graph = MessageGraph()
        try:
            sent = self._graph.send(data[0], data[1:])
        except BaseException:
            self.close()        # the next input meets nodes that it alone disturbs
            raise
        return 'sent' if sent else 'not sent'

    def close(self):
        """End the nodes."""
        graph, self._graph = self._graph, None
        if graph is not None:
            graph.close()


NODE_TARGETS = {'messages': Messages} if find_spec('rclpy') else {}
