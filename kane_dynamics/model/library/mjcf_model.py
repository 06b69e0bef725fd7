# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled MuJoCo models: access by names, and refusal of effects that a Robot does not have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from kane_dynamics.exceptions import MissingDependencyError, ModelError
from kane_dynamics.io.limits import XML_BYTES
from kane_dynamics.io.text import clean, PATH, show
from kane_dynamics.model.structure.links_and_joints import MAX_ANGLE, MAX_LENGTH
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import from_quaternion

Unsupported: TypeAlias = Literal['refuse', 'warn']
JointType: TypeAlias = Literal['free', 'ball', 'slide', 'hinge']
TYPES: tuple[JointType, ...] = ('free', 'ball', 'slide', 'hinge')     # in the order of mjtJoint
FLAGS = ('gravity', 'damper', 'spring', 'frictionloss', 'equality')


class CompiledModel:
    """An mjModel with the names of its bodies and joints.

    left_out: descriptions of the effects that were left out, with unsupported='warn'.
    """

    def __init__(self, path: str | Path, unsupported: Unsupported) -> None:
        self.path = Path(path).expanduser()
        self.source = clean(self.path.name, PATH)
        self.mujoco, self.model = self._compile()
        self.left_out: list[str] = []
        self._unsupported = unsupported
        model, bits = self.model, self.mujoco.mjtDisableBit
        self.enabled = {name: not model.opt.disableflags & int(
            getattr(bits, f'mjDSBL_{name.upper()}')) for name in FLAGS}
        self.bodies = _names(model.nbody, model.body, 'body')
        self.joints = _names(model.njnt, model.joint, 'joint')
        self.types = [TYPES[kind] for kind in model.jnt_type]

    def _compile(self) -> tuple[Any, Any]:
        """Return the mujoco module and the mjModel of the file."""
        try:
            import mujoco
        except ImportError:
            raise MissingDependencyError(
                f'{self.source}: reading MJCF needs the mujoco package; install it with '
                "'pip install mujoco'") from None
        if not self.path.is_file():
            problem = 'is a folder' if self.path.is_dir() else 'no such file'
            raise ModelError(f'{show(str(self.path), PATH)}: {problem}; expected the path of an '
                             'MJCF file')
        if self.path.stat().st_size > XML_BYTES.value:
            self.fail(XML_BYTES.exceeded)
        try:
            # absolute, so that the model has absolute paths of its meshes
            model = mujoco.MjModel.from_xml_path(str(self.path.resolve()))
            bytes(model.names).decode('utf-8')
        except UnicodeDecodeError:
            self.fail('a name in it is not UTF-8 text')
        except (ValueError, mujoco.FatalError) as error:
            self.fail(f'mujoco cannot read it: {clean(error)}')
        return mujoco, model

    @property
    def name(self) -> str:
        """Return the name of the model, or of the file where the model has none."""
        name = bytes(self.model.names).split(b'\0')[0].decode('utf-8', 'replace')
        return name or self.path.stem

    def named(self, kind: str, k: int) -> str:
        """Return the words for an equality, actuator or tendon in a message."""
        name = self.mujoco.mj_id2name(
            self.model, getattr(self.mujoco.mjtObj, f'mjOBJ_{kind.upper()}'), k)
        return f'{kind} {show(name)}' if name else f'{kind} number {k}'

    def reference(self, joint: int) -> float:
        """Return the position of a hinge or slide in which the body has its pose in the file."""
        value = float(self.model.qpos0[self.model.jnt_qposadr[joint]])
        most, unit = (MAX_LENGTH, 'm') if self.types[joint] == 'slide' else (MAX_ANGLE, 'rad')
        if not abs(value) <= most:
            self.fail(f'joint {show(self.joints[joint])}: ref: expected at most {most:g} {unit}, '
                      f'got {value:g}')
        return value

    def row(self, field: str, k: int, count: int = 1) -> FloatArray:
        """Return rows of an array, zeros where this version of mujoco does not have it."""
        return np.asarray(getattr(self.model, field, np.zeros(k + count)))[k:k + count]

    def refuse(self, effect: str) -> None:
        """Refuse an effect that a Robot does not have, or with unsupported='warn' note it."""
        if self._unsupported == 'refuse':
            self.fail(f'{effect}: not supported; delete it, or load the rest with '
                      "unsupported='warn'")
        self.left_out.append(effect)

    def fail(self, message: str) -> NoReturn:
        """Refuse the file."""
        raise ModelError(f'{self.source}: {message}') from None


def rotation(wxyz: FloatArray) -> FloatArray:
    """Return R (3, 3) of a quaternion in MuJoCo's order."""
    w, x, y, z = wxyz
    return from_quaternion((x, y, z, w))


def free_name(name: str, taken: set[str]) -> str:
    """Return name, or name_2, name_3 ... where it is taken, and add it to the taken ones."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f'{name}_{number}'
    taken.add(found)
    return found


def _names(count: int, of: Callable[[int], Any], kind: str) -> list[str]:
    """Return the names of all bodies or joints, made up where the file has none."""
    names = [of(k).name for k in range(count)]
    taken = set(names)
    return [name or free_name(f'{kind}_{k}', taken) for k, name in enumerate(names)]
