# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A joint driven by a DC motor through a gear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kane_dynamics.dynamics.dc_motor import DcMotor
from kane_dynamics.dynamics.gear import Gear
from kane_dynamics.exceptions import InputError

CONTROLS = {'voltage': 'V', 'current': 'A'}


class MotorDemand(NamedTuple):
    """What a motion asks of a motor, each (N,)."""

    speed: np.ndarray        # of the shaft [rad/s]
    torque: np.ndarray       # C_M i [N m]: load, friction and rotor inertia
    current: np.ndarray      # [A]
    voltage: np.ndarray      # [V]
    power: np.ndarray        # electric, u i [W]; negative while it brakes
    copper_loss: np.ndarray  # R i^2 [W]
    gear_loss: np.ndarray    # [W]


@dataclass(frozen=True)
class DcDrive:
    """A motor and its gear at a joint.

    control: what its input is, 'voltage' [V], or 'current' [A] where the amplifier holds the
    current (as far as its voltage reaches).
    """

    motor: DcMotor
    gear: Gear
    control: str = 'voltage'

    def __post_init__(self):
        if self.control not in CONTROLS:
            raise InputError(f'drive: control {self.control!r} is unknown; there are '
                             f'{list(CONTROLS)}')

    @property
    def input_unit(self):
        """Return the unit of the input."""
        return CONTROLS[self.control]

    @property
    def state_names(self):
        """Return the names of what the drive remembers beside position and speed."""
        return ('current',) if self.control == 'voltage' and self.motor.order == 3 else ()

    @property
    def rotating_inertia(self):
        """Return the inertia of rotor and gear seen at the joint, ratio^2 J [kg m^2 or kg]."""
        return self.gear.ratio**2 * (self.motor.rotor_inertia + self.gear.inertia)

    # -- motion to input ------------------------------------------------------------------------

    def demand(self, t, tau, q, qd, qdd):
        """Return the MotorDemand of a motion of the joint, each array (N,).

        tau [N m or N]: at the joint, without the rotor's inertia, which is added here on the
        motor's side of the gear. The rate of the current is that of the samples.
        """
        motor, gear = self.motor, self.gear
        speed = gear.ratio * np.asarray(qd, dtype=float)
        shaft = gear.shaft_torque(tau, qd)
        spinning = gear.ratio * np.asarray(qdd, dtype=float)
        current = motor.current(speed, spinning, shaft + gear.inertia * spinning)
        rate = 0.0
        if motor.order == 3 and len(current) > 2:
            rate = np.gradient(current, t, edge_order=2)
        voltage = motor.voltage(current, speed, rate)
        return MotorDemand(speed, motor.torque_constant * current, current, voltage,
                           voltage * current, motor.resistance * current**2,
                           shaft * speed - tau * qd)

    def initial(self, tau, q, qd, qdd):
        """Return the input and the states (n,) that go with a motion of the joint, numbers."""
        found = self.demand(None, *(np.array([value], dtype=float)
                                    for value in (tau, q, qd, qdd)))
        current, voltage = float(found.current[0]), float(found.voltage[0])
        return (current if self.control == 'current' else voltage,
                np.full(len(self.state_names), current))

    # -- input to motion ------------------------------------------------------------------------

    def current(self, qd, x, u):
        """Return the motor's current [A] for a joint speed, the states x and the input u."""
        if len(x):
            return min(max(x[0], -self.motor.max_current), self.motor.max_current)
        speed = self.gear.ratio * qd
        if self.control == 'voltage':
            return self.motor.settled_current(u, speed)
        low, high = self.motor.torque_limits(speed)
        wanted = u * self.motor.torque_constant
        # beyond max_speed the amplifier gives nothing
        return np.nan_to_num(np.clip(wanted, low, high)) / self.motor.torque_constant

    def effort(self, q, qd, x, u):
        """Return the torque at the joint [N m or N] but for gear loss and rotor inertia."""
        motor = self.motor
        torque = motor.torque_constant * self.current(qd, x, u)
        return self.gear.ratio * (torque - motor.friction(self.gear.ratio * qd))

    def inertia(self, q):
        """Return the inertia on the motor's side, seen at the joint [kg m^2 or kg]."""
        return self.rotating_inertia

    def transmission(self, torque, qd):
        """Return the share of a torque of the motor's side that reaches the joint."""
        return self.gear.transmission(torque, qd)

    def rate(self, q, qd, x, u, out):
        """Fill out with the rates of the states x."""
        if len(x):
            out[0] = self.motor.current_rate(x[0], u, self.gear.ratio * qd)
