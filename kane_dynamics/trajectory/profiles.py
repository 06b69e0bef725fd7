# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity profiles from point to point: s(x) from 0 to 1 for x from 0 to 1, rest to rest.

A path of length L run in time T by a profile s is L s(t / T): velocity L/T s', acceleration
L/T^2 s'', jerk L/T^3 s'''. Each profile has their peaks in closed form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray


@dataclass(frozen=True)
class Profile(ABC):
    """A velocity profile; peaks are the largest |s'|, |s''|, |s'''| (inf where s'' has steps)."""

    name: str
    peak_velocity: float
    peak_acceleration: float
    peak_jerk: float

    def evaluate(self, x: ArrayLike) -> FloatArray:
        """Return s, s', s'', s''' at x, and the rest outside [0, 1); (4,) + shape of x."""
        x = np.asarray(x, dtype=float)
        values = self._inside(np.clip(x, 0.0, 1.0))
        values[1:] *= (x >= 0.0) & (x < 1.0)
        return values

    def duration(self, length: ArrayLike, velocity: ArrayLike = math.inf,
                 acceleration: ArrayLike = math.inf, jerk: ArrayLike = math.inf) -> float:
        """Return the shortest time [s] for lengths within limits; of arrays, the longest."""
        length = np.abs(np.asarray(length, dtype=float))
        longest = 0.0
        for power, peak, limit in ((1, self.peak_velocity, velocity),
                                   (2, self.peak_acceleration, acceleration),
                                   (3, self.peak_jerk, jerk)):
            ratio = float(np.max(length / np.asarray(limit, dtype=float)))
            if ratio > 0.0:
                longest = max(longest, (peak * ratio) ** (1.0 / power))
        if math.isinf(longest):
            raise InputError(f'the {self.name} profile has steps in acceleration, so that no '
                             'limit of jerk can hold; use quasi_triangular or s_curve')
        return longest

    def pieces(self, count: int = 64) -> FloatArray:
        """Return the x between which cubics or quintics reproduce the profile."""
        return np.array([0.0, 1.0])

    @abstractmethod
    def _inside(self, x: FloatArray) -> FloatArray:
        """Return s, s', s'', s''' at x in [0, 1]."""


class PolynomialProfile(Profile):
    """The cubic or quintic profile.

    cubic: s = 3 x^2 - 2 x^3. Its velocity is the parabola that minimizes the integral of s''^2: 12
    against 16 for the triangular profile (Vukobratovic and Potkonjak 1982, 3.13: near parabolic).
    quintic: s = 10 x^3 - 15 x^4 + 6 x^5, accelerations zero at both ends (Padilla 1989, 4.2.1).
    """

    def _inside(self, x: FloatArray) -> FloatArray:
        if self.name == 'cubic':
            return np.array([x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x,
                             np.full(x.shape, -12.0)])
        return np.array([x ** 3 * (10.0 + x * (6.0 * x - 15.0)), 30.0 * (x * (1.0 - x)) ** 2,
                         60.0 * x * (1.0 + x * (2.0 * x - 3.0)), 60.0 + 360.0 * x * (x - 1.0)])


class CycloidalProfile(Profile):
    """The profile s = x - sin(2 pi x)/(2 pi): Nie 1988; Angeles, Ma and Rojas 1989, example 1."""

    def _inside(self, x: FloatArray) -> FloatArray:
        w = 2.0 * math.pi
        sine, cosine = np.sin(w * x), np.cos(w * x)
        return np.array([x - sine / w, 1.0 - cosine, w * sine, w * w * cosine])

    def pieces(self, count: int = 64) -> FloatArray:
        """Return equal steps; quintics between them err by (2 pi)^5 / (46080 count^6) in s."""
        return np.linspace(0.0, 1.0, count + 1)


@dataclass(frozen=True)
class PhaseProfile(Profile):
    """A profile of up to seven phases of constant jerk: speed up, cruise, slow down.

    ramp: fraction of the time spent speeding up, in (0, 1/2]; jerk: fraction of that ramp during
    which the acceleration grows (and, again, falls), in [0, 1/2]. By areas under trapezoids
      peak s' = 1/(1 - ramp),  peak s'' = peak s'/(ramp (1 - jerk)),  s''' = peak s''/(jerk ramp).
    """

    ramp: float = 0.5
    jerk: float = 0.0

    @classmethod
    def shaped(cls, name: str, ramp: float, jerk: float) -> PhaseProfile:
        """Return the profile of these fractions with its peaks."""
        if not 0.0 < ramp <= 0.5 or not 0.0 <= jerk <= 0.5:
            raise InputError(f'{name}: ramp must be in (0, 1/2] and jerk in [0, 1/2]; got {ramp} '
                             f'and {jerk}')
        velocity = 1.0 / (1.0 - ramp)
        acceleration = velocity / (ramp * (1.0 - jerk))
        third = acceleration / (jerk * ramp) if jerk > 0.0 else math.inf
        return cls(name, velocity, acceleration, third, ramp, jerk)

    @cached_property
    def _phases(self) -> tuple[FloatArray, FloatArray]:
        # where each phase begins (K,) and its cubic in powers of x since then (K, 4)
        a, g, r = self.peak_acceleration, self.jerk * self.ramp, self.ramp
        j = self.peak_jerk if self.jerk > 0.0 else 0.0
        begins, cubics, x, s, v = [], [], 0.0, 0.0, 0.0
        for span, acceleration, jerk in ((g, 0.0, j), (r - 2.0 * g, a, 0.0), (g, a, -j),
                                         (1.0 - 2.0 * r, 0.0, 0.0),
                                         (g, 0.0, -j), (r - 2.0 * g, -a, 0.0), (g, -a, j)):
            if span > 1e-12:
                begins.append(x)
                cubics.append((s, v, acceleration / 2.0, jerk / 6.0))
                x += span
                s += span * (v + span * (acceleration / 2.0 + span * jerk / 6.0))
                v += span * (acceleration + span * jerk / 2.0)
        return np.array(begins), np.array(cubics)

    def _inside(self, x: FloatArray) -> FloatArray:
        begins, cubics = self._phases
        k = np.searchsorted(begins, x, side='right') - 1
        s, v, a, j = np.moveaxis(cubics[k], -1, 0)
        x = x - begins[k]
        return np.array([s + x * (v + x * (a + x * j)), v + x * (2.0 * a + x * 3.0 * j),
                         2.0 * a + x * 6.0 * j, 6.0 * j])

    def pieces(self, count: int = 64) -> FloatArray:
        """Return the ends of the phases, whatever the count."""
        return np.append(self._phases[0], 1.0)


def triangular() -> Profile:
    """Return the triangular profile: v_max = 2 L/T, a = 4 L/T^2.

    Vukobratovic and Potkonjak 1982, figure 5.8.
    """
    return PhaseProfile.shaped('triangular', 0.5, 0.0)


def quasi_triangular(jerk: float = 0.25) -> Profile:
    """Return the triangular profile with its acceleration ramped, not stepped: v_max = 2 L/T.

    Vukobratovic and Potkonjak (1982, figure 3.39) adopt it for third-order motor models, which
    need the derivative of the torque. The figure was not available; ramps during a fraction `jerk`
    at either end of each half are our interpretation. a_max = 4 L/T^2 / (1 - jerk).
    """
    return PhaseProfile.shaped('quasi_triangular', 0.5, jerk)


def trapezoidal(ramp: float = 1.0 / 3.0) -> Profile:
    """Return the trapezoidal profile: v_max = L/T / (1 - ramp), a = v_max / (ramp T)."""
    return PhaseProfile.shaped('trapezoidal', ramp, 0.0)


def s_curve(ramp: float = 1.0 / 3.0, jerk: float = 0.25) -> Profile:
    """Return the profile of seven phases: the trapezoidal profile with bounded jerk."""
    return PhaseProfile.shaped('s_curve', ramp, jerk)


def cubic() -> Profile:
    """Return the cubic profile: v_max = 3/2 L/T, a_max = 6 L/T^2."""
    return PolynomialProfile('cubic', 1.5, 6.0, 12.0)


def quintic() -> Profile:
    """Return the quintic profile: v_max = 15/8 L/T, a_max = 10/sqrt(3) L/T^2."""
    return PolynomialProfile('quintic', 1.875, 10.0 / math.sqrt(3.0), 60.0)


def cycloidal() -> Profile:
    """Return the cycloidal profile: v_max = 2 L/T, a_max = 2 pi L/T^2."""
    return CycloidalProfile('cycloidal', 2.0, 2.0 * math.pi, 4.0 * math.pi ** 2)


PROFILES: dict[str, Callable[..., Profile]] = {make.__name__: make for make in (
    triangular, quasi_triangular, trapezoidal, s_curve, cubic, quintic, cycloidal)}


def as_profile(profile: str | Profile) -> Profile:
    """Return a profile given by its name in PROFILES or as a Profile, or raise InputError."""
    if isinstance(profile, Profile):
        return profile
    if not isinstance(profile, str):
        raise InputError(f'a profile must be one of {", ".join(PROFILES)} or a Profile; got '
                         f'{type(profile).__name__}')
    if profile not in PROFILES:
        raise InputError(f"profile '{profile}' is not known; choose one of {', '.join(PROFILES)}")
    return PROFILES[profile]()
