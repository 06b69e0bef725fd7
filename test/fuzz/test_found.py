# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs that broke a reader once are refused by name, or read; seeds are read."""

from pathlib import Path
import sys

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzz import FOUND, mutation, problem_of   # noqa: E402, I100
from targets import TARGETS   # noqa: E402

pytest.importorskip('rosbags')
FILES = sorted(path for path in FOUND.iterdir() if path.name.rpartition('-')[0] in TARGETS)


@pytest.fixture
def target(request):
    """Return a target, its folder removed in the end."""
    made = TARGETS[request.param]()
    yield made
    made.close()


@pytest.mark.parametrize('path, target', [(path, path.name.rpartition('-')[0]) for path in FILES],
                         indirect=['target'], ids=[path.name for path in FILES])
def test_what_was_found_stays_repaired(path, target):
    outcome, problem = problem_of(target, path.read_bytes())
    assert not problem
    assert outcome in ('refused', 'read')


@pytest.mark.parametrize('target', TARGETS, indirect=True)
def test_every_seed_is_read_and_mutations_reach_both_ends(target):
    for seed in target.seeds:
        assert target.check(seed) == 'read'
    outcomes = [problem_of(target, mutation(target, 1, number)) for number in range(30)]
    assert [problem for _, problem in outcomes if problem] == []
    assert {'refused'} <= {outcome for outcome, _ in outcomes}
