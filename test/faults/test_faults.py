# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Each row of doc/faults.md once, over real processes and real DDS; `make faults` repeats it."""

from pathlib import Path
import sys

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')
sys.path.insert(0, str(Path(__file__).resolve().parent))

from command_watch import CommandWatch   # noqa: E402, I100
from fault_rig import CannotRunError, ROOT   # noqa: E402
from faults import Rigs, table   # noqa: E402
from rows import ROWS   # noqa: E402
from sensor_msgs.msg import JointState   # noqa: E402
from std_msgs.msg import Float64MultiArray   # noqa: E402

from kane_dynamics.nodes.messages.conversions import set_stamp   # noqa: E402

MARKS = {True: [pytest.mark.ros, pytest.mark.slow], False: [pytest.mark.ros]}


@pytest.fixture(scope='module')
def rigs():
    """Return the rigs that the rows share."""
    made = Rigs()
    yield made
    made.close_all()


@pytest.mark.parametrize('row', [pytest.param(row, id=name, marks=MARKS[row.slow])
                                 for name, row in ROWS.items()])
def test_the_reaction_to_a_fault_is_the_documented_one(rigs, row, record_property):
    try:
        messages, step = rigs.run(row)
    except CannotRunError as reason:
        pytest.skip(str(reason))
    if row.rig != 'own':
        assert messages > 50        # the watch saw the torques
        record_property('figure', f'{row.name}: {messages} torques, largest step '
                                  f'{100.0 * step:.0f} % of what the rate allows')


def test_the_table_of_the_document_is_that_of_the_suite():
    text = (ROOT / 'doc' / 'faults.md').read_text()
    assert text.partition('<!-- faults -->\n')[2].partition('<!-- /faults -->')[0] == table(), (
        'renew it with python3 test/faults/faults.py --table')


# -- the watch itself ----------------------------------------------------------------------------


def effort(ns, *tau):
    message = JointState(effort=[float(x) for x in tau])
    set_stamp(message.header.stamp, ns)
    return message


@pytest.mark.parametrize(('torques', 'words'), [
    ([(0, 1.0), (10_000_000, np.nan)], 'not finite'),
    ([(0, 1.0), (10_000_000, np.inf)], 'not finite'),
    ([(0, 4.0), (10_000_000, 5.1)], 'beyond the limit'),
    ([(0, 1.0), (10_000_000, 2.1)], 'a step'),              # 1.1 in 10 ms at 100 per s
    ([(0, -5.0), (10_000_000_000, 5.1)], 'beyond the limit'),
    ([(0, -5.0), (10_000_000_000, 5.0 + 1e-6)], 'beyond the limit'),
    ([(0, -4.9), (10_000_000_000, 4.9)], None),             # no more than 0.1 s count: 10 N m
    ([(0, 1.0), (-1_000_000_000, 1.1)], 'a step'),          # the clock went back
])
def test_the_watch_sees_every_broken_invariant(torques, words):
    watch = CommandWatch([5.0], [100.0])
    for ns, tau in torques[:-1]:
        watch.on_effort(effort(10**10 + ns, tau))
    assert watch.problems == []
    watch.on_effort(effort(10**10 + torques[-1][0], torques[-1][1]))
    assert len(watch.problems) == (words is not None)
    assert words is None or words in watch.problems[0]


def test_the_watch_accepts_what_is_allowed_and_a_new_process_from_zero():
    watch = CommandWatch([5.0], [10.0])
    for ns, tau in ((0, 1.0), (10_000_000, 1.1), (5_000_000_000, 2.1), (5_000_000_000, 2.1)):
        watch.on_effort(effort(10**10 + ns, tau))
    assert watch.problems == [] and watch.largest == pytest.approx(1.0)
    watch.on_commands(Float64MultiArray(data=[4.0]))
    watch.on_commands(Float64MultiArray(data=[2.9]))            # more than 10 per s in 0.1 s
    assert len(watch.problems) == 1
    watch.restart()
    watch.on_commands(Float64MultiArray(data=[0.1]))
    watch.on_effort(effort(2 * 10**10, 0.1))
    assert len(watch.problems) == 1
