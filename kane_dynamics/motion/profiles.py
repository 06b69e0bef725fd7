# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of motion from point to point: s(x) from 0 to 1 while x goes from 0 to 1, rest to rest.

A path of length L run in time T by a law s is L s(t / T): velocity L/T s', acceleration L/T^2 s'',
jerk L/T^3 s'''. Each law knows the largest of each in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math

import numpy as np

from kane_dynamics.exceptions import InputError


@dataclass(frozen=True)
class Law:
    """A law of motion; peaks are the largest |s'|, |s''|, |s'''| (inf where s'' has steps)."""

    name: str
    peak_velocity: float
    peak_acceleration: float
    peak_jerk: float

    def evaluate(self, x):
        """Return s, s', s'', s''' at x, and the rest outside [0, 1); (4,) + shape of x."""
        x = np.asarray(x, dtype=float)
        values = self._inside(np.clip(x, 0.0, 1.0))
        values[1:] *= (x >= 0.0) & (x < 1.0)
        return values

    def duration(self, length, velocity=math.inf, acceleration=math.inf, jerk=math.inf):
        """Return the shortest time [s] for lengths within limits; of arrays, the longest."""
        length = np.abs(np.asarray(length, dtype=float))
        longest = 0.0
        for power, peak, limit in ((1, self.peak_velocity, velocity),
                                   (2, self.peak_acceleration, acceleration),
                                   (3, self.peak_jerk, jerk)):
            ratio = np.max(length / np.asarray(limit, dtype=float))
            if ratio > 0.0:
                longest = max(longest, (peak * ratio) ** (1.0 / power))
        if math.isinf(longest):
            raise InputError(f'the {self.name} law has steps in acceleration and keeps no limit '
                             'of jerk; use quasi_triangular or s_curve')
        return float(longest)

    def pieces(self, count=64):
        """Return the x where to cut the law so that cubics or quintics between reproduce it."""
        return np.array([0.0, 1.0])

    def _inside(self, x):
        raise NotImplementedError


class PolynomialLaw(Law):
    """The cubic or quintic law.

    cubic: s = 3 x^2 - 2 x^3. Its velocity is the parabola that minimizes the integral of s''^2: 12
    against 16 for the triangular law (Vukobratovic and Potkonjak 1982, 3.13: near parabolic).
    quintic: s = 10 x^3 - 15 x^4 + 6 x^5, accelerations zero at both ends (Padilla 1989, 4.2.1).
    """

    def _inside(self, x):
        if self.name == 'cubic':
            return np.array([x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x,
                             np.full(x.shape, -12.0)])
        return np.array([x ** 3 * (10.0 + x * (6.0 * x - 15.0)), 30.0 * (x * (1.0 - x)) ** 2,
                         60.0 * x * (1.0 + x * (2.0 * x - 3.0)), 60.0 + 360.0 * x * (x - 1.0)])


class CycloidalLaw(Law):
    """The law s = x - sin(2 pi x)/(2 pi): Nie 1988; Angeles, Ma and Rojas 1989, example 1."""

    def _inside(self, x):
        w = 2.0 * math.pi
        sine, cosine = np.sin(w * x), np.cos(w * x)
        return np.array([x - sine / w, 1.0 - cosine, w * sine, w * w * cosine])

    def pieces(self, count=64):
        """Return equal shares; quintics between them err by (2 pi)^5 / (46080 count^6) in s."""
        return np.linspace(0.0, 1.0, count + 1)


@dataclass(frozen=True)
class PhaseLaw(Law):
    """A law of up to seven phases of constant jerk: speed up, cruise, slow down.

    ramp: share of the time that speeding up takes, in (0, 1/2]; jerk: share of that ramp during
    which the acceleration grows (and, again, falls), in [0, 1/2]. By areas under trapezoids
      peak s' = 1/(1 - ramp),  peak s'' = peak s'/(ramp (1 - jerk)),  s''' = peak s''/(jerk ramp).
    """

    ramp: float = 0.5
    jerk: float = 0.0

    @classmethod
    def shaped(cls, name, ramp, jerk):
        """Return the law of these shares with its peaks."""
        if not 0.0 < ramp <= 0.5 or not 0.0 <= jerk <= 0.5:
            raise InputError(f'{name}: ramp must be in (0, 1/2] and jerk in [0, 1/2]; got {ramp} '
                             f'and {jerk}')
        velocity = 1.0 / (1.0 - ramp)
        acceleration = velocity / (ramp * (1.0 - jerk))
        third = acceleration / (jerk * ramp) if jerk > 0.0 else math.inf
        return cls(name, velocity, acceleration, third, ramp, jerk)

    @cached_property
    def _phases(self):
        # where each phase begins (K,) and its cubic in powers of the share since then (K, 4)
        a, g, r = self.peak_acceleration, self.jerk * self.ramp, self.ramp
        j = self.peak_jerk if self.jerk > 0.0 else 0.0
        begins, cubics, x, s, v = [], [], 0.0, 0.0, 0.0
        for share, acceleration, jerk in ((g, 0.0, j), (r - 2.0 * g, a, 0.0), (g, a, -j),
                                          (1.0 - 2.0 * r, 0.0, 0.0),
                                          (g, 0.0, -j), (r - 2.0 * g, -a, 0.0), (g, -a, j)):
            if share > 1e-12:
                begins.append(x)
                cubics.append((s, v, acceleration / 2.0, jerk / 6.0))
                x += share
                s += share * (v + share * (acceleration / 2.0 + share * jerk / 6.0))
                v += share * (acceleration + share * jerk / 2.0)
        return np.array(begins), np.array(cubics)

    def _inside(self, x):
        begins, cubics = self._phases
        k = np.searchsorted(begins, x, side='right') - 1
        s, v, a, j = np.moveaxis(cubics[k], -1, 0)
        x = x - begins[k]
        return np.array([s + x * (v + x * (a + x * j)), v + x * (2.0 * a + x * 3.0 * j),
                         2.0 * a + x * 6.0 * j, 6.0 * j])

    def pieces(self, count=64):
        """Return the ends of the phases, whatever the count."""
        return np.append(self._phases[0], 1.0)


def triangular():
    """Return the triangular law: v_max = 2 L/T, a = 4 L/T^2 (Vukobratovic-Potkonjak 1982, 5.8)."""
    return PhaseLaw.shaped('triangular', 0.5, 0.0)


def quasi_triangular(jerk=0.25):
    """Return the triangular law with its acceleration ramped, not stepped: v_max = 2 L/T.

    Vukobratovic and Potkonjak (1982, figure 3.39) adopt it for third-order motor models, which
    need the derivative of the torque. Their figure is not at hand; this reading, ramps during a
    share `jerk` at either end of each half, is ours. a_max = 4 L/T^2 / (1 - jerk).
    """
    return PhaseLaw.shaped('quasi_triangular', 0.5, jerk)


def trapezoidal(ramp=1.0 / 3.0):
    """Return the trapezoidal law: v_max = L/T / (1 - ramp), a = v_max / (ramp T)."""
    return PhaseLaw.shaped('trapezoidal', ramp, 0.0)


def s_curve(ramp=1.0 / 3.0, jerk=0.25):
    """Return the law of seven phases: the trapezoidal law with bounded jerk."""
    return PhaseLaw.shaped('s_curve', ramp, jerk)


def cubic():
    """Return the cubic law: v_max = 3/2 L/T, a_max = 6 L/T^2."""
    return PolynomialLaw('cubic', 1.5, 6.0, 12.0)


def quintic():
    """Return the quintic law: v_max = 15/8 L/T, a_max = 10/sqrt(3) L/T^2."""
    return PolynomialLaw('quintic', 1.875, 10.0 / math.sqrt(3.0), 60.0)


def cycloidal():
    """Return the cycloidal law: v_max = 2 L/T, a_max = 2 pi L/T^2."""
    return CycloidalLaw('cycloidal', 2.0, 2.0 * math.pi, 4.0 * math.pi ** 2)


LAWS = {make.__name__: make for make in (
    triangular, quasi_triangular, trapezoidal, s_curve, cubic, quintic, cycloidal)}
