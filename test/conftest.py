# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What every test shares: a ROS graph of its own, so that no test ever talks to a real robot."""

import os
import random
import socket


def _take_ros_domain():
    """Return a ROS domain of this machine that no other test run holds, and the lock on it."""
    # Domains 1..100 keep their ports below Linux's ephemeral range; the lock is a bound TCP port.
    for domain in random.SystemRandom().sample(range(1, 101), 100):
        lock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            lock.bind(('127.0.0.1', 22400 + domain))
        except OSError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError('all ROS domains 1..100 are taken by other test runs on this machine')


# Before any test imports rclpy, and inherited by every process that a test starts.
_domain, _domain_lock = _take_ros_domain()
os.environ['ROS_DOMAIN_ID'] = str(_domain)
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
