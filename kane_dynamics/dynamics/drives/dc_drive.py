# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""DC motor and gear as the drive of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args, Literal, NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.dynamics.drives.dc_motor import DcMotor
from kane_dynamics.dynamics.drives.gear import Gear
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray

DcControl: TypeAlias = Literal['voltage', 'current']
CONTROLS: tuple[DcControl, ...] = get_args(DcControl)


class MotorDemand(NamedTuple):
    """Speeds, torques, currents, voltages and powers of a motor along a motion, each (N,)."""

    speed: FloatArray        # of the shaft [rad/s]
    torque: FloatArray       # C_M i [N m]: load, friction and rotor inertia
    current: FloatArray      # [A]
    voltage: FloatArray      # [V]
    power: FloatArray        # electric, u i [W]; negative while it brakes
    copper_loss: FloatArray  # R i^2 [W]
    gear_loss: FloatArray    # [W]


@dataclass(frozen=True)
class DcDrive:
    """A motor and its gear at a joint.

    control: the kind of its input, 'voltage' [V], or 'current' [A] where the amplifier holds the
    current (as far as its voltage reaches).
    """

    motor: DcMotor
    gear: Gear
    control: DcControl = 'voltage'

    def __post_init__(self) -> None:
        if self.control not in CONTROLS:
            raise InputError(f'drive: control {self.control!r} is unknown; there are '
                             f'{list(CONTROLS)}')

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of the drive's states in addition to position and speed."""
        return ('current',) if self.control == 'voltage' and self.motor.order == 3 else ()

    @property
    def rotating_inertia(self) -> float:
        """Return the inertia of rotor and gear seen at the joint, ratio^2 J [kg m^2 or kg]."""
        return self.gear.ratio**2 * (self.motor.rotor_inertia + self.gear.inertia)

    # -- motion to input ------------------------------------------------------------------------

    def demand(self, t: FloatArray | None, tau: FloatArray, q: FloatArray, qd: FloatArray,
               qdd: FloatArray) -> MotorDemand:
        """Return the MotorDemand of a motion of the joint, each array (N,).

        tau [N m or N]: at the joint, without the rotor's inertia, which is added here on the
        motor's side of the gear. The rate of the current is that of the samples.
        """
        motor, gear = self.motor, self.gear
        speed = gear.ratio * np.asarray(qd, dtype=float)
        shaft = gear.shaft_torque(tau, qd)
        spinning = gear.ratio * np.asarray(qdd, dtype=float)
        current = motor.current(speed, spinning, shaft + gear.inertia * spinning)
        rate = (np.gradient(current, t, edge_order=2)
                if motor.order == 3 and t is not None and len(current) > 2 else 0.0)
        voltage = motor.voltage(current, speed, rate)
        return MotorDemand(speed, motor.torque_constant * current, current, voltage,
                           voltage * current, motor.resistance * current**2,
                           shaft * speed - tau * qd)

    def initial(self, tau: float, q: float, qd: float, qdd: float) -> tuple[float, FloatArray]:
        """Return the input and the states (n,) that go with a motion of the joint, numbers."""
        found = self.demand(None, *(np.array([value], dtype=float)
                                    for value in (tau, q, qd, qdd)))
        current, voltage = float(found.current[0]), float(found.voltage[0])
        return (current if self.control == 'current' else voltage,
                np.full(len(self.state_names), current))

    # -- input to motion ------------------------------------------------------------------------

    def current(self, qd: float, x: FloatArray, u: float) -> float:
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

    def effort(self, q: float, qd: float, x: FloatArray, u: float) -> float:
        """Return the torque at the joint [N m or N] but for gear loss and rotor inertia."""
        motor = self.motor
        torque = motor.torque_constant * self.current(qd, x, u)
        return self.gear.ratio * (torque - motor.friction(self.gear.ratio * qd))

    def inertia(self, q: float) -> float:
        """Return the inertia on the motor's side, seen at the joint [kg m^2 or kg]."""
        return self.rotating_inertia

    def transmission(self, torque: float, qd: float) -> float:
        """Return the fraction of a torque of the motor's side that reaches the joint."""
        return float(self.gear.transmission(torque, qd))

    def rate(self, q: float, qd: float, x: FloatArray, u: float, out: FloatArray) -> None:
        """Fill out with the rates of the states x."""
        if len(x):
            out[0] = self.motor.current_rate(x[0], u, self.gear.ratio * qd)
