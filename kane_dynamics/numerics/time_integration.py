# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Coefficients of time integration rules: Runge-Kutta tableaus and generalized-alpha."""

from __future__ import annotations

from typing import Any, NamedTuple


class Tableau(NamedTuple):
    """Explicit Runge-Kutta rule: nodes c, rows of A below the diagonal, weights b.

    estimate: weights of the error estimate h (e . k), empty where there is none.
    """

    nodes: tuple[float, ...]
    stages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    estimate: tuple[float, ...] = ()


# Order 4 (Kutta 1901).
RK4 = Tableau(nodes=(0.0, 0.5, 0.5, 1.0),
              stages=((0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
              weights=(1 / 6, 1 / 3, 1 / 3, 1 / 6))

# Order 4 with an error estimate from the same five stages (Merson 1957): the estimate
# h (2 k1 - 9 k3 + 8 k4 - k5) / 30 is exact for linear equations and conservative for others.
KUTTA_MERSON = Tableau(nodes=(0.0, 1 / 3, 1 / 3, 0.5, 1.0),
                       stages=((1 / 3,), (1 / 6, 1 / 6), (1 / 8, 0.0, 3 / 8),
                               (0.5, 0.0, -1.5, 2.0)),
                       weights=(1 / 6, 0.0, 0.0, 2 / 3, 1 / 6),
                       estimate=(2 / 30, 0.0, -9 / 30, 8 / 30, -1 / 30))


class AlphaCoefficients(NamedTuple):
    """Coefficients of the generalized-alpha method (Chung and Hulbert 1993).

    am and af weight the start of the step in the accelerations and in the state at which the
    equations hold; gamma and beta are Newmark's.
    """

    am: float
    af: float
    gamma: float
    beta: float

    @classmethod
    def of(cls, spectral_radius: float) -> AlphaCoefficients:
        """Return the coefficients with the least damping of slow modes for a spectral radius.

        The radius, 0 to 1, is the factor by which one step reduces infinitely fast modes.
        """
        r = spectral_radius
        # am = (2 r - 1) / (r + 1), af = r / (r + 1), gamma = 1/2 - am + af,
        # beta = (1 - am + af)^2 / 4
        am, af = (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)
        gamma = 0.5 - am + af
        return cls(am, af, gamma, 0.25 * (gamma + 0.5)**2)

    def newton_weights(self, h: Any) -> tuple[float, Any, Any]:
        """Return the weights of M, D and K in the Newton matrix of a step h [s].

        h: a number or a recording scalar. With the equations at af, am between the ends,
        S = (1 - am) M + (1 - af) gamma h D + (1 - af) beta h^2 K.
        """
        am, af, gamma, beta = self
        return 1.0 - am, (1.0 - af) * gamma * h, (1.0 - af) * beta * h * h


GENERALIZED_ALPHA = AlphaCoefficients.of(spectral_radius=0.8)
