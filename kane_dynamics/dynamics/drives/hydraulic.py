# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Electro-hydraulic actuator: a servovalve and a cylinder, at a slide or a hinge.

Fifth order, x = [l, l', p, Q, Q'] (Vukobratovic and Potkonjak 1982, 3.9.7-8):

    m l'' = A p - B l' - force
    p'    = 4 beta / V (Q - A l' - (k_c + C_l) p)
    Q''   = k_q u - c_1 Q - c_2 Q'

A valve much faster than the rest has Q = k_q u / c_1: third order. There the book prints
+ 4 beta A / V for the piston's speed and k_q / C_l (3.9.9); the fifth-order form decides: -, c_1.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, NamedTuple

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import check_quantities


class HydraulicDemand(NamedTuple):
    """Speeds, forces, pressures and flows of a cylinder along a motion, each (N,)."""

    stroke_speed: FloatArray  # l' [m/s]
    force: FloatArray         # A p [N]
    pressure: FloatArray      # p [Pa], the difference over the piston
    flow: FloatArray          # Q [m^3/s]
    input: FloatArray         # u [A]
    power: FloatArray         # hydraulic, p Q [W]


@dataclass(frozen=True)
class Crank:
    """A cylinder between a point of each link, at distances a and b [m] from the hinge.

    l^2 = a^2 + b^2 - 2 a b cos(q + offset), offset [rad] being the angle between the two arms at
    q = 0; the torque is the force times dl/dq.
    """

    a: float
    b: float
    offset: float

    def __post_init__(self) -> None:
        if not (self.a > 0.0 and self.b > 0.0 and math.isfinite(self.offset)):
            raise InputError(f'crank: a and b must be positive and offset finite, got {self}')

    def lever(self, q: ArrayLike) -> tuple[Any, Any]:
        """Return dl/dq [m] and d2l/dq2 [m]; zero where cylinder and hinge are in line."""
        angle = np.asarray(q, dtype=float) + self.offset
        product = self.a * self.b
        length = np.sqrt(self.a**2 + self.b**2 - 2.0 * product * np.cos(angle))
        # l dl = a b sin(angle) dq,  dl^2 + l d2l = a b cos(angle) dq^2
        first = product * np.sin(angle) / length
        return first, (product * np.cos(angle) - first**2) / length


@dataclass(frozen=True)
class HydraulicDrive:
    """Data of a servovalve and a cylinder; its input u is the valve's current [A]."""

    piston_area: float             # A [m^2]
    piston_mass: float             # m [kg], with all that moves with the piston alone
    volume: float                  # V [m^3] of both chambers, valve and pipes
    bulk_modulus: float            # beta [Pa]
    flow_gain: float               # k_q / c_1 [m^3/s per A]: flow of the open valve
    flow_pressure: float = 0.0     # k_c [m^3/s per Pa]
    leakage: float = 0.0           # C_l = internal + external / 2 [m^3/s per Pa]
    viscous: float = 0.0           # B [N s/m]
    valve_frequency: float | None = None   # sqrt(c_1) [rad/s]; None: third order
    valve_damping: float = 0.7     # c_2 / (2 sqrt(c_1))
    max_input: float = math.inf    # [A]
    supply_pressure: float = math.inf      # largest difference over the piston [Pa]
    crank: Crank | None = None     # how it moves a hinge; None: it moves a slide, l = q

    def __post_init__(self) -> None:
        check_quantities(self, 'hydraulic drive', (
            'piston_area', 'volume', 'bulk_modulus', 'flow_gain', 'valve_frequency', 'max_input',
            'supply_pressure'), skip=('crank',))

    @property
    def order(self) -> int:
        """Return 5, or 3 for a valve without dynamics of its own."""
        return 3 if self.valve_frequency is None else 5

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of the drive's states in addition to position and speed."""
        return ('pressure',) if self.order == 3 else ('pressure', 'flow', 'flow_rate')

    def _lever(self, q: ArrayLike) -> tuple[Any, Any]:
        return (1.0, 0.0) if self.crank is None else self.crank.lever(q)

    # -- motion to input ------------------------------------------------------------------------

    def demand(self, t: FloatArray | None, tau: FloatArray, q: FloatArray, qd: FloatArray,
               qdd: FloatArray) -> HydraulicDemand:
        """Return the HydraulicDemand of a motion of the joint; tau, q, qd, qdd (N,), t (N,) [s].

        Rates of pressure and flow are those of the samples.
        """
        tau, q, qd, qdd = (np.asarray(value, dtype=float) for value in (tau, q, qd, qdd))
        lever, turn = self._lever(q)
        if np.any(np.abs(lever) < 1e-9):
            raise InputError('hydraulic drive: the motion passes a position where cylinder and '
                             'hinge are in line and no force turns the joint')
        speed, acceleration = lever * qd, lever * qdd + turn * qd**2
        force = tau / lever + self.viscous * speed + self.piston_mass * acceleration
        pressure = force / self.piston_area
        flow = (self.piston_area * speed + (self.flow_pressure + self.leakage) * pressure
                + self.volume / (4.0 * self.bulk_modulus) * _rate(pressure, t))
        u = flow / self.flow_gain
        if self.valve_frequency is not None:
            w, first = self.valve_frequency, _rate(flow, t)
            u = u + (2.0 * self.valve_damping / w * first
                     + _rate(first, t) / w**2) / self.flow_gain
        return HydraulicDemand(speed, force, pressure, flow, u, pressure * flow)

    def initial(self, tau: float, q: float, qd: float, qdd: float) -> tuple[float, FloatArray]:
        """Return the input and the states (n,) that go with a motion of the joint, numbers."""
        found = self.demand(None, *(np.array([value], dtype=float)
                                    for value in (tau, q, qd, qdd)))
        states = [found.pressure[0], found.flow[0], 0.0][:len(self.state_names)]
        return float(found.input[0]), np.array(states)

    # -- input to motion ------------------------------------------------------------------------

    def effort(self, q: float, qd: float, x: FloatArray, u: float) -> float:
        """Return the torque or force at the joint but for the piston's inertia."""
        lever, turn = self._lever(q)
        return lever * (self.piston_area * x[0] - self.viscous * lever * qd
                        - self.piston_mass * turn * qd * qd)

    def inertia(self, q: float) -> float:
        """Return the piston's inertia seen at the joint [kg m^2 or kg]."""
        lever, _ = self._lever(q)
        return self.piston_mass * lever * lever

    def transmission(self, torque: float, qd: float) -> float:
        """Return 1: no gear."""
        return 1.0

    def rate(self, q: float, qd: float, x: FloatArray, u: float, out: FloatArray) -> None:
        """Fill out with the rates of the states x = [p] or [p, Q, Q']."""
        u = min(max(u, -self.max_input), self.max_input)
        lever, _ = self._lever(q)
        flow = self.flow_gain * u if self.order == 3 else x[1]
        out[0] = 4.0 * self.bulk_modulus / self.volume * (
            flow - self.piston_area * lever * qd
            - (self.flow_pressure + self.leakage) * x[0])
        if self.valve_frequency is not None:
            w = self.valve_frequency
            out[1] = x[2]
            out[2] = w * w * (self.flow_gain * u - x[1]) - 2.0 * self.valve_damping * w * x[2]


def _rate(values: FloatArray, t: FloatArray | None) -> FloatArray:
    """Return the rates of samples; zero where there are fewer than three."""
    if t is None or len(values) < 3:
        return np.zeros_like(values)
    return np.gradient(values, t, edge_order=2)
