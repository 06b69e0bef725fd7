# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The generated arms have every kind of member, and the combinations that failed once."""

from collections import Counter

from generated_arms import arms
from hypothesis import given, settings

EXPECTED = {
    *(f'{kind} joint' for kind in ('revolute', 'continuous', 'prismatic', 'fixed', 'floating')),
    'mimic, multiplier 0', 'mimic, multiplier -1', 'mimic of a mimic', 'floating base by option',
    'massless link', 'point mass', 'payload', 'rotor', 'moved base', 'segments', 'modes',
    'flexible joint before a flexible link', 'side joints of a flexible link',
    'slider on a flexible link', 'flexible revolute joint', 'flexible prismatic joint',
    'flexible fixed joint', '<section of a beam', '<station of a beam', 'order="3" of a beam',
    'spin= of a beam',
    *(f'friction: {name}' for name in ('viscous', 'coulomb', 'stiction', 'stribeck_speed',
                                       'offset', 'load', 'smoothing_speed'))}


def members(arm):
    """Yield the kinds of members that an arm has."""
    robot, friction = arm.robot, arm.options.friction
    joints = {joint.child: joint for joint in robot.joints}
    yield from (f'{joint.kind} joint' for joint in robot.joints)
    yield from (f'mimic, multiplier {joint.mimic.multiplier:g}' for joint in robot.joints
                if joint.mimic is not None and joint.mimic.multiplier in (0.0, -1.0))
    # the robot has the leaders of chains; the text has the chains
    followers = {line.split('"')[1] for line in arm.text.splitlines() if '<mimic' in line}
    if any(f'<mimic joint="{name}"' in arm.text for name in followers):
        yield 'mimic of a mimic'
    if arm.options.floating_base:
        yield 'floating base by option'
    yield from ('massless link' for link in robot.links[1:]
                if link.inertial is None or not link.inertial.mass)
    yield from ('point mass' for link in robot.links if link.inertial is not None
                and link.inertial.mass and not link.inertial.inertia.any())
    if 'payload' in {joint.name for joint in robot.joints}:
        yield 'payload'
    if any(joint.armature for joint in robot.joints):
        yield 'rotor'
    if any(robot.base_position) or not (robot.base_rotation.diagonal() == 1.0).all():
        yield 'moved base'
    for name, link in robot.flexible_links.items():
        yield 'segments' if link.segments is not None else 'modes'
        yield from (f'{word} of a beam' for word in ('<section', '<station', 'order="3"', 'spin=')
                    if word in arm.text)
        if joints.get(name) is not None and joints[name].name in robot.flexible_joints:
            yield 'flexible joint before a flexible link'
        children = [joint for joint in robot.joints if joint.parent == name]
        if len(children) > 1:
            yield 'side joints of a flexible link'
        if any(joint.kind == 'prismatic' for joint in children):
            yield 'slider on a flexible link'
    yield from (f'flexible {robot.joint(name).kind} joint' for name in robot.flexible_joints)
    if friction is not None:
        yield from (f'friction: {name}' for name in friction)


def test_a_thousand_arms_have_every_kind_of_member():
    seen = Counter()

    # Each property is checked on 200 arms, the properties together on thousands. The rarest kinds
    # are in 1 of 100 arms. Hypothesis draws constants of the modules that are loaded, so the arms
    # depend on the tests that ran before.
    @settings(max_examples=1000)
    @given(arms())
    def draw(arm):
        seen.update(set(members(arm)))
    draw()
    assert EXPECTED - set(seen) == set(), sorted(seen.items())
