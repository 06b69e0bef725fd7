# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Every property on thousands of arms, each arm loaded once for all properties of its kind."""

import os
from pathlib import Path

from generated_arms import arms, GeneratedArm
from hypothesis import given, seed, settings
import pytest
import test_changed_arms
import test_derivatives
import test_equations_of_motion
import test_frames_and_reactions
import test_generated_code
import test_pinocchio

KEPT = sorted((Path(__file__).parent / 'kept').glob('*.urdf'))
EQUATIONS = (test_equations_of_motion, test_frames_and_reactions, test_pinocchio)   # on floats
REBUILT = (test_changed_arms, test_derivatives, test_generated_code)  # load or record once more
# in 5 minutes on two cores; KANE_EXAMPLES=5000 draws 5000 of both kinds
GIVEN = os.environ.get('KANE_EXAMPLES')
EXAMPLES = {EQUATIONS: int(GIVEN or 2000), REBUILT: int(GIVEN or 400)}
SHARES = 2      # of the examples of one kind: tests of their own, so that they share the cores


def properties(modules):
    """Return {options of `arms`: {name: function of an arm}} of the properties in modules."""
    found = {}
    for module in modules:
        for name, test in vars(module).items():
            if hasattr(test, 'options') and 'machine_code' not in name:
                options = tuple(sorted(test.options.items()))
                found.setdefault(options, {})[name] = test.hypothesis.inner_test
    return found


CASES = [pytest.param(modules, options, share, id='-'.join(
    ['equations' if modules is EQUATIONS else 'rebuilt', *(f'{key}={value}' for key, value in
                                                           options), str(share)]))
         for modules in EXAMPLES for options in properties(modules) for share in range(SHARES)]


@pytest.mark.slow
@pytest.mark.parametrize('modules, options, share', CASES)
def test_every_property_holds_for_thousands_of_arms(modules, options, share):
    wanted = properties(modules)[options]

    @seed(share)
    @settings(max_examples=EXAMPLES[modules] // SHARES)
    @given(arms(**dict(options)))
    def every_property(arm):
        for holds in wanted.values():
            holds(arm)
    every_property()


@pytest.mark.parametrize('path', KEPT, ids=lambda path: path.stem)
def test_every_property_holds_for_an_arm_that_failed_once(path):
    arm = GeneratedArm(path.read_text(encoding='utf-8'), seed=1)
    asked = {'flexible': bool(arm.robot.extensions), 'floating': arm.robot.floating_base,
             'truncated': any(word in arm.text for word in ('consistent<', 'ruthless<'))}
    for options, tests in properties((*EQUATIONS, *REBUILT)).items():
        allowed = {'flexible': True, 'floating': True, 'truncated': False, **dict(options)}
        if all(allowed[key] or not asked[key] for key in asked):
            for holds in tests.values():
                holds(arm)
