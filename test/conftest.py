# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the whole test run: a private ROS domain, options and printed values."""

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


# Small matrices gain nothing from threads, and on a busy machine the threads wait for each other.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

# Before any test imports rclpy, and inherited by every process that a test starts.
_domain, _domain_lock = _take_ros_domain()
os.environ['ROS_DOMAIN_ID'] = str(_domain)
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'


def pytest_addoption(parser):
    """Let generated texts that are kept in the repository be written anew."""
    parser.addoption('--update-golden', action='store_true',
                     help='rewrite kept generated texts; look at the difference before committing')


def pytest_terminal_summary(terminalreporter):
    """Print what tests recorded with record_property('figure', text)."""
    figures = [value for reports in terminalreporter.stats.values() for report in reports
               if getattr(report, 'when', '') == 'call'
               for name, value in report.user_properties if name == 'figure']
    if figures:
        terminalreporter.section('figures')
    for figure in figures:
        terminalreporter.line(figure)
