# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Joint friction: viscous, Coulomb with a smooth sign, Stribeck, load-dependent, offset.

The law is written once (`friction_torque`) and runs on floats, numpy arrays and recording scalars:
`Friction` holds its parameters, `Transmission` compiles it for control loops and batches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.codegen.formula import apply_formula, bind_formula
from kane_dynamics.exceptions import InputError
from kane_dynamics.kane.scalar import AnyScalar, sqrt
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

SMALLEST_LOAD = 1e-6    # [N m or N]: |t| = sqrt(t^2 + SMALLEST_LOAD^2) has a slope at zero


class FrictionParameters(NamedTuple):
    """Parameters of the friction law: numbers or recording scalars of a joint, or arrays of many.

    A term whose parameter is None is left out.
    """

    viscous: AnyScalar                  # [N m s/rad or N s/m]
    coulomb: AnyScalar                  # [N m or N]
    smoothing: AnyScalar                # v_0^2 [rad^2/s^2 or m^2/s^2]
    rise: AnyScalar = None              # stiction - coulomb [N m or N]
    stribeck_speed: AnyScalar = None    # v_s [rad/s or m/s]
    load: AnyScalar = None              # fraction of the load, 0 ... < 1
    offset: AnyScalar = None            # [N m or N]


def smooth_sign(v: AnyScalar, smoothing: AnyScalar) -> AnyScalar:
    """Return v / sqrt(v^2 + v_0^2), a sign without a jump; smoothing = v_0^2."""
    return v / sqrt(v * v + smoothing)


def smooth_modulus(load: AnyScalar) -> AnyScalar:
    """Return |t| = sqrt(t^2 + SMALLEST_LOAD^2) of a load t, which has a slope everywhere."""
    return sqrt(load * load + SMALLEST_LOAD**2)


def stribeck_divisor(v: AnyScalar, stribeck_speed: AnyScalar) -> AnyScalar:
    """Return 1 + (v/v_s)^2, by which the rise to stiction has fallen at speed v."""
    ratio = v / stribeck_speed
    return 1.0 + ratio * ratio


def friction_level(v: AnyScalar, p: FrictionParameters) -> AnyScalar:
    """Return the level of dry friction at speed v, without its load-dependent part.

    coulomb + (stiction - coulomb) / (1 + (v/v_s)^2), Hess and Soom 1990.
    """
    if p.rise is None:
        return p.coulomb
    return p.coulomb + p.rise / stribeck_divisor(v, p.stribeck_speed)


def friction_torque(v: AnyScalar, load: AnyScalar, p: FrictionParameters) -> AnyScalar:
    """Return the friction torque at speed v under a load t behind the gear; see `Friction`.

    v and load are floats, arrays or recording scalars; load is not read where p.load is None.
    """
    level = friction_level(v, p)
    if p.load is not None:
        level = level + p.load * smooth_modulus(load)
    torque = p.viscous * v + level * smooth_sign(v, p.smoothing)
    return torque if p.offset is None else torque + p.offset


def load_under(tau: AnyScalar, v: AnyScalar, p: FrictionParameters) -> AnyScalar:
    """Return the load t that a motor torque tau leaves behind the gear at speed v.

    The exact solution of tau = t + friction(v, t). With r = tau - friction(v) without its
    load-dependent part, c = load s(v) and |c| < 1,

        r = t + c sqrt(t^2 + e^2)   ->   t = (r - c sqrt(r^2 + (1 - c^2) e^2)) / (1 - c^2)
    """
    rest = tau - friction_torque(v, 0.0, p._replace(load=None))
    if p.load is None:
        return rest
    c = p.load * smooth_sign(v, p.smoothing)
    left = 1.0 - c * c
    return (rest - c * sqrt(rest * rest + left * SMALLEST_LOAD**2)) / left


def load_slope(v: AnyScalar, load: AnyScalar, p: FrictionParameters) -> AnyScalar:
    """Return d tau/d t of tau = t + friction(v, t): 1 + load s(v) t / |t|."""
    if p.load is None:
        return 1.0
    return 1.0 + p.load * smooth_sign(v, p.smoothing) * (load / smooth_modulus(load))


@dataclass(frozen=True, eq=False, init=False)
class Friction:
    """Friction torques per joint, [N m] or [N], opposing the joint's speed v under a load t.

        tau = offset + viscous v
              + (coulomb + load |t| + (stiction - coulomb) / (1 + (v/v_s)^2)) v / sqrt(v^2 + v_0^2)

    The last factor is a sign without a jump: within v_0 of rest friction grows linearly. The
    Stribeck term falls with the square of the speed (Hess and Soom 1990) and needs no exponential.
    t is the torque behind the gear, of the arm and the rotor, which presses its teeth (Hamon,
    Gautier and Garrec 2010); |t| is sqrt(t^2 + (1e-6)^2) everywhere. offset is what a sensor or an
    uneven friction adds at any speed.

    Args:
        viscous: (n_joints,) [N m s/rad or N s/m].
        coulomb: (n_joints,) [N m or N].
        stiction: (n_joints,) breakaway level [N m or N]; None: the same as coulomb.
        stribeck_speed: v_s [rad/s or m/s], one number or (n_joints,).
        smoothing_speed: v_0 [rad/s or m/s].
        offset: (n_joints,) [N m or N], of either sign; None: zero.
        load: (n_joints,) fraction of the load, 0 ... < 1; None: zero.
    """

    viscous: FloatArray
    coulomb: FloatArray
    stiction: FloatArray | None
    stribeck_speed: FloatArray
    smoothing_speed: float
    offset: FloatArray | None
    load: FloatArray | None

    def __init__(self, viscous: ArrayLike, coulomb: ArrayLike, stiction: ArrayLike | None = None,
                 stribeck_speed: ArrayLike = 0.1, smoothing_speed: float = 1e-3,
                 offset: ArrayLike | None = None, load: ArrayLike | None = None) -> None:
        shape = np.shape(viscous)
        given = {'viscous': viscous, 'coulomb': coulomb, 'stiction': stiction, 'offset': offset,
                 'load': load, 'stribeck_speed': stribeck_speed}
        for name, values in given.items():
            object.__setattr__(self, name, _checked(name, values, shape))
        object.__setattr__(self, 'smoothing_speed', smoothing_speed)
        if self.load is not None and not (self.load < 1.0).all():
            raise InputError(f'friction: load must be below 1, or no torque moves the joint; '
                             f'got {self.load}')
        if not (self.stribeck_speed > 0.0).all():
            raise InputError(f'friction: stribeck_speed must be positive, '
                             f'got {self.stribeck_speed}')
        if not self.smoothing_speed > 0.0:
            raise InputError(f'friction: smoothing_speed must be positive, '
                             f'got {self.smoothing_speed}')

    @classmethod
    def of(cls, robot: Robot, **speeds: Any) -> Friction:
        """Return the friction of the URDF's <dynamics damping friction>, mimic joints included."""
        return cls(viscous=robot.reflected.damping, coulomb=robot.reflected.friction, **speeds)

    @cached_property
    def parameters(self) -> FrictionParameters:
        """Return the parameters of the law as arrays (n_joints,)."""
        found = FrictionParameters(self.viscous, self.coulomb, self.smoothing_speed**2,
                                   load=self.load, offset=self.offset)
        if self.stiction is None:
            return found
        return found._replace(rise=self.stiction - self.coulomb,
                              stribeck_speed=self.stribeck_speed)

    def joint_parameters(self, k: int) -> FrictionParameters:
        """Return the parameters of joint k as floats; a load of zero is left out."""
        numbers = [value if value is None or np.ndim(value) == 0 else float(value[k])
                   for value in self.parameters]
        found = FrictionParameters(*numbers)
        return found if found.load else found._replace(load=None)

    @property
    def depends_on_load(self) -> bool:
        """Return whether the friction of any joint depends on its load."""
        return self.load is not None and bool(self.load.any())

    def torque(self, qd: ArrayLike, load: ArrayLike | None = None) -> FloatArray:
        """Return the friction torques for joint speeds qd and loads (..., n_joints)."""
        if self.load is not None and load is None:
            raise InputError('friction: it depends on the load; give torque(qd, load)')
        return friction_torque(np.asarray(qd, dtype=float),
                               None if load is None else np.asarray(load, dtype=float),
                               self.parameters)

    def torque_under(self, tau: ArrayLike, qd: ArrayLike) -> FloatArray:
        """Return the friction torques that motor torques tau meet at speeds qd (..., n_joints)."""
        if self.load is None:
            return self.torque(qd)
        tau = np.asarray(tau, dtype=float)
        return tau - load_under(tau, np.asarray(qd, dtype=float), self.parameters)

    @property
    def acts(self) -> bool:
        """Return whether any joint has any friction at all."""
        return any(value is not None and value.any() for value in (
            self.viscous, self.coulomb, self.stiction, self.offset, self.load))


def refuse_load_dependent(friction: Friction | None, what: str, remedy: str) -> None:
    """Raise where the friction of an arm depends on its load, which `what` cannot compute."""
    if friction is not None and friction.depends_on_load:
        raise InputError(f'{what}: friction that depends on the load is not computed; {remedy}')


def _checked(name: str, values: ArrayLike | None, shape: tuple[int, ...]) -> FloatArray | None:
    """Return the values of a parameter as a read-only array of this shape, or raise."""
    if values is None:
        return None
    array = np.array(values, dtype=float)
    if name == 'stribeck_speed' and array.size == 1:       # one for all joints
        array = np.full(shape, array.item())
    if not np.isfinite(array).all() or array.shape != shape:
        raise InputError(f'friction: {name} must be a finite number for each joint, got {array}')
    if name != 'offset' and not (array >= 0.0).all():
        raise InputError(f'friction: {name} must not be negative, got {array}')
    array.flags.writeable = False
    return array


class Transmission:
    """Rotors and friction added to the torques of n joints, compiled for loops and batches.

        tau = t + friction(qd, t),    t = (torque of the links) + armature qdd

    friction: a Friction of the n joints, or None. armature: (n,) [kg m^2 or kg], or None.
    """

    def __init__(self, n: int, friction: Friction | None = None,
                 armature: ArrayLike | None = None) -> None:
        rows = np.zeros((1 + len(FrictionParameters._fields), n))
        if armature is not None:
            rows[0] = armature
        self.acts = bool(rows.any()) or (friction is not None and friction.acts)
        for name in ('smoothing', 'stribeck_speed'):    # divisors of terms that are zero
            rows[1 + FrictionParameters._fields.index(name)] = 1.0
        if friction is not None:
            for row, value in zip(rows[1:], friction.parameters):
                if value is not None:
                    row[:] = value
        self._parameters = rows

    def bind(self, qd: FloatArray, qdd: FloatArray, tau: FloatArray) -> Callable[[], None]:
        """Return step(): adds to tau (n,) for speeds and accelerations (n,) in these arrays."""
        return bind_formula(_transmitted, [tau, qd, qdd, self._parameters], tau)

    def add(self, qd: FloatArray, qdd: FloatArray, tau: FloatArray) -> None:
        """Add to tau (M, n) for speeds and accelerations (M, n) in rows, all contiguous."""
        apply_formula(_transmitted, [tau, qd, qdd], tau, shared=[self._parameters])


def _transmitted(tau: list[AnyScalar], qd: list[AnyScalar], qdd: list[AnyScalar],
                 parameters: list[AnyScalar]) -> list[AnyScalar]:
    """Return the torques of the joints as a formula of recording scalars."""
    n, out = len(tau), []
    for j in range(n):
        armature, *row = parameters[j::n]
        t = tau[j] + armature * qdd[j]
        out.append(t + friction_torque(qd[j], t, FrictionParameters(*row)))
    return out
