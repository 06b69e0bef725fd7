# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Permanent-magnet DC motor (or a brushless one seen through its amplifier).

Third order, x = [angle, speed w, current i] (Vukobratovic and Potkonjak 1982, 3.9.1-4):

    J w' = C_M i - B w - load          L i' = u - R i - C_E w

With L = 0 the current follows at once, i = (u - C_E w) / R (3.9.6), and the model is of second
order; there the book prints + C_E C_M / (J R) as the coefficient of w (3.9.5): it brakes, -.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, TypeAlias

import numpy as np

from kane_dynamics.dynamics.friction import smooth_sign
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import check_quantities

Num: TypeAlias = Any    # a float or a FloatArray; the result is of the same kind


@dataclass(frozen=True)
class DcMotor:
    """Data sheet of a motor, at its shaft; infinite limits and zero parameters have no effect."""

    torque_constant: float                  # C_M [N m/A]
    resistance: float                       # R [ohm]
    inductance: float = 0.0                 # L [H]; 0: second order
    # C_E [V s/rad]; None: the torque constant, as in SI, which __post_init__ sets
    back_emf_constant: float = None         # type: ignore[assignment]
    rotor_inertia: float = 0.0              # J [kg m^2]
    viscous: float = 0.0                    # B [N m s/rad]
    coulomb: float = 0.0                    # dry friction of bearings and brushes [N m]
    max_voltage: float = math.inf           # of the amplifier [V]
    max_current: float = math.inf           # peak, of motor and amplifier [A]
    continuous_current: float = math.inf    # root mean square that the winding bears [A]
    max_speed: float = math.inf             # [rad/s]
    thermal_resistance: float = 0.0         # winding to ambient [K/W]
    thermal_time: float = 0.0               # time constant of the winding [s]
    max_temperature_rise: float = math.inf  # of the winding above ambient [K]
    smoothing_speed: float = 1e-2           # within it dry friction fades in [rad/s]

    def __post_init__(self) -> None:
        if self.back_emf_constant is None:
            object.__setattr__(self, 'back_emf_constant', self.torque_constant)
        check_quantities(self, 'motor', (
            'torque_constant', 'resistance', 'back_emf_constant', 'max_voltage', 'max_current',
            'continuous_current', 'max_speed', 'max_temperature_rise', 'smoothing_speed'))
        for name in ('torque_constant', 'resistance', 'back_emf_constant', 'inductance',
                     'rotor_inertia'):
            if math.isinf(getattr(self, name)):
                raise InputError(f'motor: {name} must be finite')

    @classmethod
    def from_catalogue(cls, voltage: float, stall_torque: float, no_load_speed: float,
                       **more: float) -> DcMotor:
        """Return the motor of a straight torque-speed line.

        voltage [V], stall_torque [N m] and no_load_speed [rad/s] at that voltage, without
        friction: C = U / w0, R = U C / stall_torque. `more`: any field; max_voltage is `voltage`
        unless given.
        """
        if not min(voltage, stall_torque, no_load_speed) > 0.0:
            raise InputError('motor: voltage, stall_torque and no_load_speed must be positive, '
                             f'got {voltage}, {stall_torque}, {no_load_speed}')
        constant = voltage / no_load_speed
        return cls(**{'torque_constant': constant, 'max_voltage': voltage,
                      'resistance': voltage * constant / stall_torque, **more})

    @property
    def order(self) -> int:
        """Return 3 with an inductance, 2 without."""
        return 3 if self.inductance > 0.0 else 2

    # -- motion to input ------------------------------------------------------------------------

    def friction(self, speed: Num) -> Num:
        """Return the friction torque [N m] at a speed [rad/s]."""
        return self.viscous * speed + self.coulomb * smooth_sign(speed, self.smoothing_speed**2)

    def current(self, speed: Num, acceleration: Num, load: Num) -> Num:
        """Return i [A] that moves the rotor so against a load torque [N m] on the shaft."""
        # C_M i = J w' + B w + load
        return (self.rotor_inertia * acceleration + self.friction(speed)
                + load) / self.torque_constant

    def voltage(self, current: Num, speed: Num, current_rate: Num = 0.0) -> Num:
        """Return u [V] for a current [A] that changes at a rate [A/s], at a speed [rad/s]."""
        return self.resistance * current + self.back_emf_constant * speed + (
            self.inductance * current_rate)

    # -- input to motion ------------------------------------------------------------------------

    def saturated(self, voltage: Num) -> Num:
        """Return the voltage that the amplifier can give (3.9.3)."""
        return np.clip(voltage, -self.max_voltage, self.max_voltage)

    def settled_current(self, voltage: Num, speed: Num) -> Num:
        """Return i [A] without inductance, within the amplifier's limits."""
        current = (self.saturated(voltage) - self.back_emf_constant * speed) / self.resistance
        return np.clip(current, -self.max_current, self.max_current)

    def current_rate(self, current: Num, voltage: Num, speed: Num) -> Num:
        """Return i' [A/s] with inductance; an amplifier at its current limit holds it there.

        A step of an integrator may pass the limit a little: from there the current falls back to
        it with the motor's own time constant L / R.
        """
        rate = (self.saturated(voltage) - self.resistance * current
                - self.back_emf_constant * speed) / self.inductance
        beyond = abs(current) - self.max_current
        if beyond >= 0.0 and rate * current > 0.0:
            return -np.sign(current) * beyond * self.resistance / self.inductance
        return rate

    # -- limits ---------------------------------------------------------------------------------

    def torque_limits(self, speed: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest torque C_M i [N m] at speeds [rad/s].

        The voltage lines from stall torque to no-load speed, cut by the current limit; beyond
        max_speed there is none (NaN). Friction and rotor inertia are inside: subtract them for the
        torque at the shaft.
        """
        speed = np.asarray(speed, dtype=float)
        emf = self.back_emf_constant * speed
        high = np.minimum((self.max_voltage - emf) / self.resistance, self.max_current)
        low = np.maximum((-self.max_voltage - emf) / self.resistance, -self.max_current)
        high, low = np.maximum(high, -self.max_current), np.minimum(low, self.max_current)
        allowed = np.abs(speed) <= self.max_speed
        return (np.where(allowed, low, np.nan) * self.torque_constant,
                np.where(allowed, high, np.nan) * self.torque_constant)

    def temperature_rise(self, t: FloatArray, current: FloatArray,
                         start: float = 0.0) -> FloatArray:
        """Return the winding's rise above ambient (N,) [K] along currents (N,) [A] at t (N,) [s].

        tau T' = R_th R i^2 - T, the loss taken constant between samples: exact steps of it. With
        thermal_time = 0 the winding is as hot as its present loss in the long run.
        """
        steady = self.thermal_resistance * self.resistance * np.square(current)
        if self.thermal_time == 0.0:
            return steady
        steps = np.exp(-np.diff(t) / self.thermal_time)
        rise = np.empty_like(steady)
        rise[0] = value = start
        for k, (stay, aim) in enumerate(zip(steps.tolist(),
                                            (0.5 * (steady[1:] + steady[:-1])).tolist()), 1):
            value = aim + (value - aim) * stay
            rise[k] = value
        return rise
