# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Friction of the joints: viscous, Coulomb with a smooth sign, Stribeck."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.kane.scalar import sqrt


@dataclass(frozen=True)
class Friction:
    """Friction torques per joint, [N m] or [N], opposing the joint's speed v.

        tau = viscous v + (coulomb + (stiction - coulomb) / (1 + (v/v_s)^2)) v / sqrt(v^2 + v_0^2)

    The last factor is a sign without a jump: within v_0 of rest friction grows linearly. The
    Stribeck term falls with the square of the speed (Hess and Soom 1990) and needs no exponential.
    """

    viscous: np.ndarray             # (n_joints,) [N m s/rad or N s/m]
    coulomb: np.ndarray             # (n_joints,) [N m or N]
    stiction: np.ndarray | None = None   # breakaway level; None: the same as coulomb
    stribeck_speed: float = 0.1     # v_s [rad/s or m/s]
    smoothing_speed: float = 1e-3   # v_0 [rad/s or m/s]

    def __post_init__(self):
        for name in ('viscous', 'coulomb', 'stiction'):
            value = getattr(self, name)
            if value is None:
                continue
            value = np.array(value, dtype=float)
            if not (np.isfinite(value).all() and (value >= 0.0).all()):
                raise InputError(f'friction: {name} must be finite and not negative, got {value}')
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        for name in ('stribeck_speed', 'smoothing_speed'):
            if not getattr(self, name) > 0.0:
                raise InputError(f'friction: {name} must be positive, got {getattr(self, name)}')

    @classmethod
    def of(cls, robot, **speeds):
        """Return the friction that the URDF's <dynamics damping friction> tags tell."""
        joints = [robot.joint(name) for name in robot.joint_names]
        return cls(viscous=[joint.damping for joint in joints],
                   coulomb=[joint.friction for joint in joints], **speeds)

    def torque_of_joint(self, k, v):
        """Return the friction of joint k at speed v, a float or a recording scalar."""
        level = self.coulomb[k]
        if self.stiction is not None:
            ratio = v / self.stribeck_speed
            level = level + (self.stiction[k] - level) / (1.0 + ratio * ratio)
        return self.viscous[k] * v + level * (v / sqrt(v * v + self.smoothing_speed**2))

    def torque(self, qd):
        """Return the friction torques for joint speeds qd (..., n_joints)."""
        v = np.asarray(qd, dtype=float)
        level = self.coulomb
        if self.stiction is not None:
            level = level + (self.stiction - level) / (1.0 + (v / self.stribeck_speed)**2)
        return self.viscous * v + level * (v / np.sqrt(v * v + self.smoothing_speed**2))
