# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arms drawn by hypothesis: URDF text with our extension, in every combination of its members.

An arm is one text: the URDF, and what a URDF cannot express (gravity, base, friction) as JSON in a
comment of its first line. A failing example is printed as that text and can be kept as a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
import json
from types import SimpleNamespace
import warnings

from hypothesis import given, reject, strategies as st
import numpy as np

import kane_dynamics as kd
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.structure.tree import moments, moved
from kane_dynamics.numerics.rotations import from_rpy

# refusals that a generator cannot foresee without doing the geometry of the package again
EXPECTED_REFUSALS = ('slides', 'has mass: give it')
BEND = 0.03     # [m, rad] standard deviation of the elastic coordinates
TRUNCATED = ('consistent', 'inconsistent', 'ruthless')


@dataclass(frozen=True, repr=False)
class GeneratedArm:
    """A robot with its friction and a random state: everything that a property needs."""

    text: str     # URDF, with the options in a comment of the first line
    seed: int     # of the state

    @cached_property
    def options(self):
        """Return gravity, floating_base, base_rpy, base_position and friction."""
        first = self.text.partition('\n')[0]
        return SimpleNamespace(**json.loads(first[len('<!--'):-len('-->')]))

    @property
    def robot(self):
        """Return the Robot."""
        return _robot(self.text)

    @cached_property
    def friction(self):
        """Return the Friction, or None."""
        values = self.options.friction
        return None if values is None else kd.Friction(
            **{name: np.array(value) if isinstance(value, list) else value
               for name, value in values.items()})

    @cached_property
    def rng(self):
        """Return the generator of further random numbers of this example."""
        return np.random.default_rng([self.seed, 1])

    @property
    def state(self):
        """Return q, qd, qdd."""
        robot, rng = self.robot, np.random.default_rng(self.seed)
        q = rng.uniform(-2.0, 2.0, robot.nq)
        q[robot.modes_q] = BEND * rng.normal(size=robot.n_modes)
        if robot.floating_base:
            q[3:7] /= np.linalg.norm(q[3:7])
        return q, rng.uniform(-2.0, 2.0, robot.nv), rng.uniform(-3.0, 3.0, robot.nv)

    def __repr__(self):
        return f'GeneratedArm(seed={self.seed}, text="""\\\n{self.text}""")'

    def _repr_pretty_(self, printer, cycle):
        """Print whole lines where hypothesis shows a failing example."""
        printer.text(repr(self))


def load_quietly(text, **options):
    """Return the robot of a URDF text, without remarks on odd inertias."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', kd.KaneDynamicsWarning)
        return kd.load_urdf(text, **options)


@lru_cache(maxsize=4)
def _robot(text):
    options = GeneratedArm(text, 0).options
    robot = load_quietly(text, gravity=options.gravity, floating_base=options.floating_base)
    return robot.with_base(from_rpy(options.base_rpy), options.base_position)


# ---- numbers --------------------------------------------------------------------------------

COORDINATES = (0.0, 0.1, -0.1, 0.5, -0.5, 0.3, -0.7, 1.0)
ANGLES = (0.0, np.pi / 2, -np.pi / 2, np.pi, 0.3, -1.1, 2.0, -2.6)
SPRINGS = ((30.0, 0.0, 0.0), (30.0, 0.4, 5.0), (0.0, 0.0, -20.0))   # stiffness, rest, preload
SIDES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)


def _triples(values, more_zeros=0):
    """Return triples of values in one draw, which is cheaper than three."""
    size = len(values)
    triples = [(values[k % size], values[k // size % size], values[k // size**2])
               for k in range(size**3)]
    return st.integers(0, size**3 + more_zeros - 1).map(
        lambda k: triples[k] if k < size**3 else triples[0])


POSITIONS = _triples(COORDINATES)
ORIENTATIONS = _triples(ANGLES, more_zeros=512)
BOXES = _triples(SIDES)
AXES = st.one_of(
    st.sampled_from([(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1), (0, -1, 0), (-1, 0, 0)]),
    POSITIONS.filter(any))
NOT_NEGATIVE = st.integers(0, 20).map(lambda k: k / 10)
POSITIVE = st.integers(1, 20).map(lambda k: k / 10)
SOMETIMES = st.integers(0, 3).map(lambda k: k == 3)     # shrinks to False
RARELY = st.integers(0, 9).map(lambda k: k == 9)


# ---- the arm --------------------------------------------------------------------------------


@st.composite
def arms(draw, flexible=True, floating=True, truncated=False, most_joints=4):
    """Draw a GeneratedArm.

    flexible, floating: False leaves them out. truncated: models of Padilla 1989 among them, whose
    M is not symmetric and has no energy.
    """
    base = draw(st.sampled_from(['fixed', 'fixed', 'option', 'joint'] if floating else ['fixed']))
    count = draw(st.integers(1, most_joints))
    joints = [_Joint(draw, k, count) for k in range(1, count + 1)]
    _draw_mimics(draw, joints)
    if draw(SOMETIMES):
        joints.append(_Joint(draw, count + 1, count + 1, kind='fixed', name='payload'))
    carried = {joint.parent for joint in joints}
    bodies = [_Body(draw, k, must_weigh=base == 'option' if k == 0 else
                    k not in carried and joints[k - 1].kind != 'fixed')
              for k in range(len(joints) + 1)]
    if base == 'joint':      # its massless root stands before link 0
        joints[:0] = [_Joint(draw, 0, 0, kind='floating', name='float')]
        bodies[0] = _Body(draw, 0, must_weigh=True)
    if flexible:
        for k, body in enumerate(bodies):
            if draw(SOMETIMES if k else RARELY) and sum(b.beam is not None for b in bodies) < 2:
                body.make_flexible(draw, joints, truncated)
        for joint in joints:
            if joint.mimic is None and joint.kind != 'floating' and draw(SOMETIMES):
                joint.make_flexible(draw)
    springs = _springs(draw, joints, bodies)
    options = dict(
        gravity=draw(st.one_of(st.just((0.0, 0.0, -9.81)), POSITIONS)),
        floating_base=base == 'option',
        base_rpy=draw(ORIENTATIONS), base_position=draw(st.one_of(
            st.just((0.0, 0.0, 0.0)), POSITIONS)),
        friction=_friction(draw, sum(joint.independent for joint in joints)))
    root = '<link name="world"/>\n' if base == 'joint' else ''
    parts = [part.urdf() for part in (*bodies, *joints)]
    parts += [part.extension for part in (*bodies, *joints) if part.extension]
    parts += springs
    text = (f'<!--{json.dumps(options)}-->\n<robot name="generated">\n{root}'
            + '\n'.join(parts) + '\n</robot>\n')
    arm = GeneratedArm(text, draw(st.integers(0, 2**16)))
    try:
        arm.robot
    except kd.ModelError as error:
        if any(words in str(error) for words in EXPECTED_REFUSALS):
            reject()
        raise
    return arm


def holds_for(**options):
    """Make a property of an arm a test on arms(**options); `test.options` are these."""
    def decorate(function):
        test = given(arms(**options))(function)
        test.options = options
        return test
    return decorate


def _text(values):
    return ' '.join(repr(float(value)) for value in values)


class _Joint:
    """Joint k, which moves link k; link 0 is the base."""

    def __init__(self, draw, k, count, kind=None, name=None):
        self.k, self.name = k, name or f'joint_{k}'
        self.kind = kind or draw(st.sampled_from(
            ['revolute', 'continuous', 'prismatic', 'revolute', 'fixed']))
        # shrinks to a chain
        self.parent = 'world' if kind == 'floating' else k - 1 - min(
            k - 1, draw(st.sampled_from([0, 0, 0, 1, 2])))
        self.position, self.rpy = draw(POSITIONS), draw(ORIENTATIONS)
        self.axis = draw(AXES) if self.moves else None
        self.dynamics = ''
        if self.moves and draw(SOMETIMES):
            self.dynamics = draw(st.sampled_from([
                '<dynamics damping="0.5" friction="0.2"/>',
                '<dynamics damping="0" armature="0.3"/>',
                '<dynamics damping="0.1" rotor_inertia="0.002" gear_ratio="-9"/>']))
        self.limit = ''
        if self.kind in ('revolute', 'prismatic'):
            self.limit = '<limit lower="-9" upper="9" effort="90" velocity="9"/>'
        self.mimic, self.extension = None, ''

    @property
    def moves(self):
        return self.kind not in ('fixed', 'floating')

    @property
    def independent(self):
        return self.moves and self.mimic is None

    def make_flexible(self, draw):
        """Put a spring behind the motor, or into a fixed joint."""
        stiffness, damping = draw(st.sampled_from([100, 5, 2000])), draw(NOT_NEGATIVE)
        more = f'motor_inertia="{draw(POSITIVE)}"'
        if self.kind == 'fixed':
            kind = draw(st.sampled_from(['revolute', 'prismatic']))
            more = f'type="{kind}" axis="{_text(draw(AXES))}"'
        self.extension = (f'<flexible_joint reference="{self.name}" stiffness="{stiffness}" '
                          f'damping="{damping}" {more}/>')

    def urdf(self):
        """Return the element."""
        parent = self.parent if self.parent == 'world' else f'link_{self.parent}'
        motion = ''
        if self.moves:
            motion = f'<axis xyz="{_text(self.axis)}"/>{self.limit}{self.dynamics}'
        return (
            f'<joint name="{self.name}" type="{self.kind}"><parent link="{parent}"/>'
            f'<child link="link_{self.k}"/>'
            f'<origin xyz="{_text(self.position)}" rpy="{_text(self.rpy)}"/>'
            f'{motion}{self.mimic or ""}</joint>')


def _draw_mimics(draw, joints):
    """Let some joints follow others: forward or backward in the tree, never in a circle.

    In a row, each follows the one before it: mimics of mimics.
    """
    moving = [joint for joint in joints if joint.moves]
    if draw(st.booleans()):
        moving.reverse()
    in_a_row = draw(SOMETIMES)
    for k, joint in enumerate(moving):
        if k and (in_a_row or draw(SOMETIMES)):
            leader = moving[k - 1 if in_a_row else draw(st.integers(0, k - 1))]
            ratio = draw(st.sampled_from([1.0, -1.0, 0.5, -2.0, 0.0]))
            joint.mimic = (f'<mimic joint="{leader.name}" multiplier="{ratio}" '
                           f'offset="{draw(st.sampled_from(COORDINATES))}"/>')


def _springs(draw, joints, bodies):
    """Return <spring> elements on a joint and between two links that are not flexible."""
    elements = []
    moving = [joint.name for joint in joints if joint.moves]
    law = 'stiffness="{}" rest="{}" preload="{}"'
    if moving and draw(SOMETIMES):
        elements.append(f'<spring joint="{draw(st.sampled_from(moving))}" '
                        f'{law.format(*draw(st.sampled_from(SPRINGS)))}/>')
    leader = {body.k: body.k for body in bodies}        # the first link of each rigid group
    for joint in joints:
        if joint.kind == 'fixed' and not joint.extension:
            leader[joint.k] = leader[joint.parent]
    rigid = [body.k for body in bodies if body.beam is None]
    pairs = [(a, b) for a in rigid for b in rigid if leader[a] < leader[b]]
    if pairs and draw(SOMETIMES):
        first, second = draw(st.sampled_from(pairs))
        elements.append(
            f'<spring {law.format(*draw(st.sampled_from(SPRINGS)))}>'
            f'<end link="link_{first}" xyz="{_text(draw(POSITIONS))}"/>'
            f'<end link="link_{second}" xyz="0.37 -0.23 0.41"/></spring>')
    return elements


class _Body:
    """Link k: its mass, and the beam that it may be."""

    def __init__(self, draw, k, must_weigh):
        self.k, self.beam, self.extension = k, None, ''
        # (m, h, S) in the axes of the link; None where there is no <inertial>
        self.moments = None
        self.rpy, self.principal, self.com, self.mass = (0, 0, 0), None, None, 0.0
        kind = draw(st.sampled_from(['body', 'body', 'body', 'point', 'none', 'zero']))
        if kind in ('body', 'point') or must_weigh:
            self.mass, self.com = draw(POSITIVE), draw(POSITIONS)
            if kind == 'point' and not must_weigh:
                self.principal = (0.0, 0.0, 0.0)
            else:
                # of a box: any three sides keep the triangle inequality
                x, y, z = draw(BOXES)
                self.principal = tuple(self.mass / 12 * side for side in (
                    y * y + z * z, x * x + z * z, x * x + y * y))
                self.rpy = draw(ORIENTATIONS)
        elif kind == 'zero':
            self.com = self.principal = (0.0, 0.0, 0.0)

    def make_flexible(self, draw, joints, truncated):
        """Make the link a beam with its rigid rest at the root, and put children on the beam."""
        length = draw(st.sampled_from([0.8, 1.0, 0.5]))
        root, turn = np.array(draw(POSITIONS)), from_rpy(draw(ORIENTATIONS))
        attributes, inside, self.beam = _beam(draw, length)
        m, h, S = moved(*self.beam.moments(), turn, root)
        if self.principal is not None:
            R = from_rpy(self.rpy)
            rest = moments(kd.Inertial(self.mass, self.com, R @ np.diag(self.principal) @ R.T))
            m, h, S = m + rest[0], h + rest[1], S + rest[2]
        self.mass, self.com, self.rpy = m, h / m, (0, 0, 0)
        S = S - np.outer(h, h) / m
        self.principal = np.trace(S) * np.eye(3) - S
        for joint in joints:
            if joint.parent == self.k and not draw(SOMETIMES):
                at = draw(st.sampled_from([1.0, 0.5, 0.0, 0.25]))
                joint.position = root + turn[:, 0] * (length * at)
        self.extension = (
            f'<flexible_link reference="link_{self.k}"><beam root="{_text(root)}" '
            f'axis="{_text(turn[:, 0])}" normal="{_text(turn[:, 2])}" length="{length}" '
            f'{attributes}/>{inside}{_deformation(draw, truncated)}</flexible_link>')

    def urdf(self):
        """Return the element."""
        if self.principal is None:
            return f'<link name="link_{self.k}"/>'
        I = np.array(self.principal, dtype=float)  # noqa: E741  the letter of every handbook
        I = np.diag(I) if I.ndim == 1 else I  # noqa: E741
        inertia = ' '.join(f'i{"xyz"[i]}{"xyz"[j]}="{float(I[i, j])!r}"' for i, j in zip(
            *np.triu_indices(3)))
        return (f'<link name="link_{self.k}"><inertial><origin xyz="{_text(self.com)}" '
                f'rpy="{_text(self.rpy)}"/><mass value="{float(self.mass)!r}"/>'
                f'<inertia {inertia}/></inertial></link>')


def _beam(draw, length):
    """Return attributes of <beam>, further elements, and the Beam."""
    kind = draw(st.sampled_from(['uniform', 'uniform', 'section', 'tapered', 'stations']))
    values = dict(mass_per_length=draw(st.sampled_from([1.0, 0.3])), EI_y=40.0, EI_z=60.0,
                  GJ=30.0, EA=1e4, polar_inertia_per_length=draw(st.sampled_from([1e-3, 0.02])))
    if kind == 'uniform':
        return _attributes(values), '', Beam.uniform(length, **values)
    if kind == 'stations':
        thin = {name: 0.5 * value for name, value in values.items()}
        return '', ''.join(f'<station x="{x}" {_attributes(row)}/>' for x, row in (
            (0.0, values), (length, thin))), Beam(
                length, [0.0, length], {name: [values[name], thin[name]] for name in values})
    material = dict(E=70e9, G=26e9, density=2700.0)
    if kind == 'section':
        shape, sizes = draw(st.sampled_from([
            ('round', {'radius': 0.006}), ('tube', {'outer_radius': 0.01, 'inner_radius': 0.009}),
            ('rectangle', {'width': 0.01, 'height': 0.02}),
            ('rectangular_tube', {'width': 0.02, 'height': 0.03, 'wall': 0.001})]))
        return '', f'<section shape="{shape}" {_attributes({**sizes, **material})}/>', (
            Beam.of_section(length, shape, **sizes, **material))
    return '', ''.join(f'<station x="{x}" shape="round" radius="{r}" {_attributes(material)}/>'
                       for x, r in ((0.0, 0.01), (length, 0.005))), Beam(
        length, [0.0, length], {'radius': [0.01, 0.005], **{
            name: [value] * 2 for name, value in material.items()}}, 'round')


def _attributes(values):
    return ' '.join(f'{name}="{value!r}"' for name, value in values.items())


def _deformation(draw, truncated):
    """Return <modes> or <segments>, <damping> and <model>."""
    damping = draw(st.sampled_from(['', '<damping ratio="0"/>', '<damping ratio="0.05"/>']))
    if draw(SOMETIMES) and not truncated:
        return f'<segments count="{draw(st.integers(1, 2))}"/>{damping}'
    counts = draw(st.sampled_from([
        dict(bend_y=1), dict(bend_z=1), dict(torsion=1), dict(stretch=1), dict(bend_y=2),
        dict(bend_y=1, bend_z=1), dict(bend_z=1, torsion=1),
        dict(bend_y=1, bend_z=1, torsion=1, stretch=1)]))
    shapes = draw(st.sampled_from(['tip_loaded', 'clamped_free', 'craig_bampton']))
    more = draw(st.sampled_from(['', ' nodes="4"', ' spin="5"']))
    if shapes == 'craig_bampton':
        more = more.replace(' spin="5"', '')
    model = draw(st.sampled_from(['', '<model order="3"/>', *(
        f'<model>{name}</model>' for name in TRUNCATED if truncated)]))
    return f'<modes {_attributes(counts)} shapes="{shapes}"{more}/>{damping}{model}'.replace(
        "'", '')


def _friction(draw, n):
    """Return the arguments of Friction, or None."""
    if not draw(SOMETIMES):
        return None

    def row():
        return [draw(NOT_NEGATIVE) for _ in range(n)]
    values = {'viscous': row(), 'coulomb': row()}
    if draw(st.booleans()):
        values['stiction'] = [c + more for c, more in zip(values['coulomb'], row())]
        values['stribeck_speed'] = draw(POSITIVE)
    if draw(st.booleans()):
        values['offset'] = [draw(st.sampled_from(COORDINATES)) for _ in range(n)]
    if draw(st.booleans()):
        values['load'] = [value / 4 for value in row()]
    values['smoothing_speed'] = draw(st.sampled_from([1e-3, 0.1]))
    return values
