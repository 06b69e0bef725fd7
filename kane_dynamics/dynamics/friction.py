# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Friction of the joints: viscous, Coulomb with a smooth sign, Stribeck, load, offset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.kane.scalar import sqrt

SMALLEST_LOAD = 1e-6    # [N m or N]: |t| = sqrt(t^2 + SMALLEST_LOAD^2) has a slope at zero


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction torques per joint, [N m] or [N], opposing the joint's speed v under a load t.

        tau = offset + viscous v
              + (coulomb + load |t| + (stiction - coulomb) / (1 + (v/v_s)^2)) v / sqrt(v^2 + v_0^2)

    The last factor is a sign without a jump: within v_0 of rest friction grows linearly. The
    Stribeck term falls with the square of the speed (Hess and Soom 1990) and needs no exponential.
    t is the torque behind the gear, of the arm and the rotor, which presses its teeth (Hamon,
    Gautier and Garrec 2010); offset is what a sensor or an uneven friction adds at any speed.
    """

    viscous: np.ndarray             # (n_joints,) [N m s/rad or N s/m]
    coulomb: np.ndarray             # (n_joints,) [N m or N]
    stiction: np.ndarray | None = None   # breakaway level; None: the same as coulomb
    stribeck_speed: np.ndarray = 0.1     # v_s [rad/s or m/s], one number or (n_joints,)
    smoothing_speed: float = 1e-3   # v_0 [rad/s or m/s]
    offset: np.ndarray | None = None     # (n_joints,) [N m or N], of either sign; None: zero
    load: np.ndarray | None = None       # (n_joints,) share of the load, 0 ... < 1; None: zero

    def __post_init__(self):
        for name in ('viscous', 'coulomb', 'stiction', 'offset', 'load', 'stribeck_speed'):
            value = getattr(self, name)
            if value is None:
                continue
            value = np.array(value, dtype=float)
            if name == 'stribeck_speed':
                value = np.broadcast_to(value, self.viscous.shape).copy()
            if not np.isfinite(value).all() or value.shape != np.shape(self.viscous):
                raise InputError(f'friction: {name} must be a finite number for each joint, '
                                 f'got {value}')
            if name != 'offset' and not (value >= 0.0).all():
                raise InputError(f'friction: {name} must not be negative, got {value}')
            value.flags.writeable = False
            object.__setattr__(self, name, value)
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
    def of(cls, robot, **speeds):
        """Return the friction that the URDF's <dynamics damping friction> tags tell."""
        joints = [robot.joint(name) for name in robot.joint_names]
        return cls(viscous=[joint.damping for joint in joints],
                   coulomb=[joint.friction for joint in joints], **speeds)

    def torque_of_joint(self, k, v, load=0.0):
        """Return the friction of joint k at speed v and load, floats or recording scalars."""
        level = self.coulomb[k]
        if self.stiction is not None:
            ratio = v / float(self.stribeck_speed[k])
            level = level + (self.stiction[k] - level) / (1.0 + ratio * ratio)
        if self.load is not None:
            level = level + self.load[k] * sqrt(load * load + SMALLEST_LOAD**2)
        torque = self.viscous[k] * v + level * self._sign(v)
        return torque if self.offset is None else torque + self.offset[k]

    def load_of_joint(self, k, v, tau):
        """Return the load t that the motor torque tau of joint k leaves behind the gear.

        tau = t + friction(v, t). With t and tau - friction(v, 0) of one sign, which load < 1 sees
        to, t (1 + load s sign(t)) = tau - friction(v, 0), s the smooth sign of v.
        """
        rest = tau - self.torque_of_joint(k, v)
        if self.load is None or self.load[k] == 0.0:
            return rest
        direction = rest / sqrt(rest * rest + SMALLEST_LOAD**2)
        return rest / (1.0 + self.load[k] * self._sign(v) * direction)

    def torque(self, qd, load=None):
        """Return the friction torques for joint speeds qd and loads (..., n_joints)."""
        v = np.asarray(qd, dtype=float)
        level = self.coulomb
        if self.stiction is not None:
            level = level + (self.stiction - level) / (1.0 + (v / self.stribeck_speed)**2)
        if self.load is not None:
            if load is None:
                raise InputError('friction: it depends on the load; give torque(qd, load)')
            level = level + self.load * np.abs(load)
        torque = self.viscous * v + level * (v / np.sqrt(v * v + self.smoothing_speed**2))
        return torque if self.offset is None else torque + self.offset

    def torque_under(self, tau, qd):
        """Return the friction torques that motor torques tau meet at speeds qd (n_joints,)."""
        if self.load is None:
            return self.torque(qd)
        return np.array([t - self.load_of_joint(k, float(v), float(t))
                         for k, (t, v) in enumerate(zip(tau, qd))])

    @property
    def acts(self):
        """Return whether any joint has any friction at all."""
        return any(value is not None and value.any() for value in (
            self.viscous, self.coulomb, self.stiction, self.offset, self.load))

    def _sign(self, v):
        return v / sqrt(v * v + self.smoothing_speed**2)
