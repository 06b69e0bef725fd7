# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF reader: a Robot from a file that the mujoco package compiles.

MuJoCo reads the file, with its defaults, includes and the inertias of its geoms; this module
reads the compiled mjModel. Effects that a Robot does not have are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
from pathlib import Path
from typing import get_args
import warnings

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, ModelError
from kane_dynamics.io.text import show
from kane_dynamics.model.inertia_checks import enforce, Unphysical
from kane_dynamics.model.library.mjcf_joints import actuator_effects, couplings
from kane_dynamics.model.library.mjcf_model import CompiledModel, free_name, rotation, Unsupported
from kane_dynamics.model.library.mjcf_unsupported import refuse_unsupported
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.robot import gravity_vector, Robot
from kane_dynamics.model.structure.links_and_joints import (
    Colour, Inertial, Joint, Limits, Link, Shape)
from kane_dynamics.model.structure.springs import JointSpring
from kane_dynamics.model.structure.topology import JointKind
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.rotations import turned

DRAWN_GROUPS = 3        # the viewer of MuJoCo shows the geom groups 0, 1 and 2
NO_COLOUR = (0.5, 0.5, 0.5, 1.0)        # MuJoCo's default, which a material replaces


def load_mjcf(path: str | Path, gravity: ArrayLike | None = None,
              unphysical: Unphysical = 'refuse', unsupported: Unsupported = 'refuse') -> Robot:
    """
    Return the Robot that a MuJoCo model describes; needs the mujoco package.

    path: an MJCF file (.xml). gravity: (3,) in the world's axes [m/s^2]; None: that of the file.
    unphysical: see `load_urdf`. unsupported: 'refuse' a file with forces or constraints that a
    Robot does not have, or 'warn' and leave them out.

    Bodies become links with the same names and frames, named sites become massless links, and the
    world is the root. Read are inertias; hinges and slides with axis, position, ref, range,
    armature, damping, frictionloss and spring, also several of one body; one free joint below the
    world, as the floating base; linear joint equalities, as mimic joints, and constant ones, as
    locked joints; effort limits from actuatorfrcrange, forcerange and, of motors, ctrlrange;
    armature and damping of actuators on joints; geoms of the groups 0, 1 and 2, as visuals, and
    those that make contact, as collision shapes. Sensors and control are not part of a Robot.

    Refused are ball joints, free joints elsewhere and flexes. Refused, or left out, are
    polynomial springs and damping, gravity compensation, tendons with forces or limits, fluid
    forces, passive plugins and other equalities: a `Loop` of `ConstrainedDynamics` closes a
    connect or weld.
    """
    if unsupported not in get_args(Unsupported):
        raise InputError(f"unsupported: expected 'refuse' or 'warn', got {show(unsupported)}")
    compiled = CompiledModel(path, unsupported)
    refuse_unsupported(compiled)
    if gravity is not None:
        gravity = gravity_vector(gravity)
    try:
        if gravity is None:
            gravity = compiled.model.opt.gravity if compiled.enabled['gravity'] else np.zeros(3)
        tree = _Bodies(compiled)
        robot = Robot(compiled.name, tuple(tree.links), tuple(tree.joints),
                      gravity_vector(gravity), source=compiled.source,
                      folder=str(compiled.path.resolve().parent), springs=tuple(tree.springs))
        robot = lock_joints(robot, tree.locked)
    except (InputError, ModelError) as error:
        compiled.fail(str(error).removeprefix(f'{compiled.source}: '))
    notes = [f'left out: {"; ".join(compiled.left_out)}'] if compiled.left_out else []
    for note in (*notes, *robot.limit_conflicts):
        warnings.warn(f'{compiled.source}: {note}', KaneDynamicsWarning, stacklevel=2)
    return enforce(robot, unphysical, stacklevel=2)


class _Bodies:
    """Links and joints of the bodies and sites of a compiled model."""

    def __init__(self, compiled: CompiledModel) -> None:
        self._compiled, self._model = compiled, compiled.model
        self._actuators = actuator_effects(compiled)
        self._mimics, self.locked = couplings(compiled)
        self._link_names, self._joint_names = set(compiled.bodies), set(compiled.joints)
        self.links = [Link(name, self._inertial(k), tuple(self._shapes(k, self._drawn)),
                           tuple(self._shapes(k, self._collides)))
                      for k, name in enumerate(compiled.bodies)]
        self.joints: list[Joint] = []
        self.springs: list[JointSpring] = []
        for k in range(1, self._model.nbody):
            self._add_joints(k)
        for k in range(self._model.nsite):
            if self._model.site(k).name:
                self._add_fixed(compiled.bodies[self._model.site_bodyid[k]],
                                self._new_link(self._model.site(k).name),
                                rotation(self._model.site_quat[k]), self._model.site_pos[k])

    def _inertial(self, k: int) -> Inertial | None:
        model = self._model
        if not (model.body_mass[k] or model.body_inertia[k].any()):
            return None
        R = rotation(model.body_iquat[k])
        return Inertial(float(model.body_mass[k]), model.body_ipos[k],
                        R @ np.diag(model.body_inertia[k]) @ R.T)

    def _add_joints(self, k: int) -> None:
        """Add the joints from the parent of body k to its link, massless links between them.

        MuJoCo moves a body by each of its joints in turn, about the anchor a of the joint:
          X = X_0 prod_j T(a_j) X_j(q_j - ref_j) T(-a_j).
        Here the frame of a joint is at its anchor, and the link of the body follows at T(-a).
        """
        compiled, model = self._compiled, self._model
        parent, body = compiled.bodies[model.body_parentid[k]], compiled.bodies[k]
        R, p = rotation(model.body_quat[k]), np.array(model.body_pos[k])
        moving = range(model.body_jntadr[k], model.body_jntadr[k] + model.body_jntnum[k])
        for j in moving:
            if compiled.types[j] == 'free':
                self.joints.append(Joint(compiled.joints[j], 'floating', parent, body))
                return
            slides = compiled.types[j] == 'slide'
            anchor = np.zeros(3) if slides else np.array(model.jnt_pos[j])
            axis, reference = np.array(model.jnt_axis[j]), compiled.reference(j)
            p = p + R @ (-reference * axis if slides else anchor)
            R = R if slides else R @ turned(axis, np.array([-reference]))[0]
            last = j == moving[-1] and not anchor.any()
            child = body if last else self._new_link(f'{body}/{compiled.joints[j]}')
            self.joints.append(self._moving_joint(j, parent, child, R, p))
            if last:
                return
            parent, R, p = child, np.eye(3), -anchor
        self._add_fixed(parent, body, R, p)

    def _moving_joint(self, j: int, parent: str, child: str, R: FloatArray,
                      p: FloatArray) -> Joint:
        model, enabled, dof = self._model, self._compiled.enabled, self._model.jnt_dofadr[j]
        limited = bool(model.jnt_limited[j])
        lower, upper = model.jnt_range[j] if limited else (-math.inf, math.inf)
        if enabled['spring'] and model.jnt_stiffness[j]:
            rest = float(model.qpos_spring[model.jnt_qposadr[j]])
            self.springs.append(JointSpring(joint=self._compiled.joints[j], rest=rest,
                                            stiffness=float(model.jnt_stiffness[j])))
        damping = float(model.dof_damping[dof] + self._actuators.damping[j])
        friction = float(model.dof_frictionloss[dof])
        kind: JointKind = 'prismatic' if self._compiled.types[j] == 'slide' else (
            'revolute' if limited else 'continuous')
        return Joint(
            self._compiled.joints[j], kind, parent, child, R, p, np.array(model.jnt_axis[j]),
            Limits(float(lower), float(upper), effort=float(self._actuators.effort[j])),
            damping=damping if enabled['damper'] else 0.0,
            friction=friction if enabled['frictionloss'] else 0.0,
            armature=float(model.dof_armature[dof] + self._actuators.armature[j]),
            mimic=self._mimics.get(j))

    def _new_link(self, name: str) -> str:
        """Add a massless link and return its name."""
        self.links.append(Link(free_name(name, self._link_names)))
        return self.links[-1].name

    def _add_fixed(self, parent: str, child: str, R: FloatArray, p: FloatArray) -> None:
        name = free_name(f'{child}_fixed', self._joint_names)
        self.joints.append(Joint(name, 'fixed', parent, child, R, p))

    def _drawn(self, g: int) -> bool:
        return bool(self._model.geom_group[g] < DRAWN_GROUPS and self._model.geom_rgba[g, 3])

    def _collides(self, g: int) -> bool:
        return bool(self._model.geom_contype[g] or self._model.geom_conaffinity[g])

    def _shapes(self, k: int, chosen: Callable[[int], bool]) -> Iterator[Shape]:
        """Yield the shapes of the chosen geoms of a body."""
        model, shapes = self._model, self._compiled.mujoco.mjtGeom
        for g in range(model.body_geomadr[k], model.body_geomadr[k] + model.body_geomnum[k]):
            if not chosen(g):
                continue
            colour = self._colour(g)
            shape, (a, b, c) = model.geom_type[g], (float(size) for size in model.geom_size[g])
            R, p = rotation(model.geom_quat[g]), np.array(model.geom_pos[g])
            if shape == shapes.mjGEOM_BOX:
                yield Shape('box', (2.0 * a, 2.0 * b, 2.0 * c), R, p, colour=colour)
            elif shape == shapes.mjGEOM_SPHERE:
                yield Shape('sphere', (a,), R, p, colour=colour)
            elif shape == shapes.mjGEOM_CYLINDER:
                yield Shape('cylinder', (a, 2.0 * b), R, p, colour=colour)
            elif shape == shapes.mjGEOM_CAPSULE:
                yield Shape('capsule', (a, 2.0 * b), R, p, colour=colour)
            elif shape == shapes.mjGEOM_MESH and model.mesh_pathadr[model.geom_dataid[g]] >= 0:
                yield self._mesh(int(model.geom_dataid[g]), R, p, colour)

    def _colour(self, g: int) -> Colour:
        """Return the colour of a geom: its own, or where it has none that of its material."""
        rgba, material = self._model.geom_rgba[g], int(self._model.geom_matid[g])
        if material >= 0 and np.allclose(rgba, NO_COLOUR):
            rgba = self._model.mat_rgba[material]
        red, green, blue, opacity = (round(float(value), 6) for value in rgba)
        return red, green, blue, opacity

    def _mesh(self, mesh: int, R: FloatArray, p: FloatArray, colour: Colour) -> Shape:
        """Return the mesh of a geom at R, p; MuJoCo has moved it to its centre and its axes."""
        model = self._model
        path = bytes(model.paths)[model.mesh_pathadr[mesh]:].split(b'\0')[0]
        R = R @ rotation(model.mesh_quat[mesh]).T
        return Shape('mesh', tuple(model.mesh_scale[mesh]), R, p - R @ model.mesh_pos[mesh],
                     path.decode('utf-8', 'replace'), colour)
