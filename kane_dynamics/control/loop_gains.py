# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stability of joint gains: the arm under sampled feedback, linear and in discrete time.

An arm at rest at a configuration q moves by a small displacement x (m,) of its coordinates, n
joints and then elastic ones, under joint torques u (n,):

    M(q) x'' + D x' + K x = S u,    S = [1 0]^T                                             (1)

D holds viscous friction and the dampers of links, K the springs of links and joints. The stiffness
of gravity is left out: it is slow compared with the loop, and feedforward carries the weight.

A torque is computed once per period T, acts `delay` periods later and is held for one period. With
the state s = [x, T x'] and time in periods, (1) is s' = A s + B u, and from sample to sample

    s[k+1] = Phi s[k] + Gamma u[k - delay],    exp [A B; 0 0] = [Phi Gamma; 0 1]            (2)
    A = [0 1; -T^2 M^-1 K  -T M^-1 D],    B = [0; T^2 M^-1 S]

without approximation (Van Loan 1978, IEEE Trans. Autom. Control 23, 395). The feedback of the
joint errors e = -x, with z[k+1] = z[k] + T e[k], has one of two laws:

    pd                  u = p e + d e' + i z            independent gains on joint torque   (3)
    inverse_dynamics    u = M (p e + d e' + i z)        computed torque                     (4)

(2) with (3) or (4) is one matrix per configuration. The loop is stable where the spectral radius,
the largest modulus of the eigenvalues, is below 1. An eigenvalue exp(w) has the damping ratio
-Re w / |w|.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import get_args, Literal, NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, ComplexArray, FloatArray

FeedbackLaw: TypeAlias = Literal['pd', 'inverse_dynamics']
Verdict: TypeAlias = Literal['error', 'warning', '']
LAWS: tuple[FeedbackLaw, ...] = get_args(FeedbackLaw)
ROUND_OFF = 1e-6        # in a spectral radius: a joint without gains has a double eigenvalue at 1
SLOW = 1e-4             # [rad per period]: slower eigenvalues have no damping ratio
GAIN_MARGIN = 2.0       # safe gains remain stable when they are raised by this factor
POOR_DAMPING = 0.1      # damping ratio below which `judge` warns
STEP = 0.8              # between the factors that `safe_factors` tries
SMALLEST = 1e-4         # the smallest of them


class Stability(NamedTuple):
    """Stability of a SampledLoop at the worst of its configurations.

    radius: spectral radius. damping: the least damping ratio of all eigenvalues. Each comes with
    the index of the joint whose feedback has the most power in the motion of that eigenvalue.
    """

    radius: float
    radius_joint: int
    damping: float
    damping_joint: int

    @property
    def stable(self) -> bool:
        """Return whether no motion grows."""
        return self.radius <= 1.0 + ROUND_OFF


class SampledLoop:
    """The closed loop of an arm at N configurations, sampled at a rate.

    Args:
        mass: (N, m, m) mass matrices; joints come first.
        rate: of the samples [Hz].
        n_joints: n; None: all coordinates are joints.
        damping, stiffness: (m,) or a number, the diagonals of D and K.
        law: 'pd' with gains in N m/rad, N m s/rad (N/m, N s/m), or 'inverse_dynamics' with gains
            in 1/s^2, 1/s. The latter follows the elastic coordinates by a model, so that the
            joints see the inertia that remains when links deflect: M_jj - M_je M_ee^-1 M_ej.
        delay: whole periods between a sample and the torque that answers it.
    """

    def __init__(self, mass: ArrayLike, rate: float, n_joints: int | None = None,
                 damping: ArrayLike = 0.0, stiffness: ArrayLike = 0.0, law: FeedbackLaw = 'pd',
                 delay: int = 1) -> None:
        if law not in LAWS:
            raise InputError(f'law {law!r} is not one of {list(LAWS)}')
        if not (math.isfinite(rate) and rate > 0.0):
            raise InputError(f'rate must be a positive number [Hz], got {rate!r}')
        if delay < 0 or delay != int(delay):
            raise InputError(f'delay must be a whole number of periods, got {delay!r}')
        M = np.asarray(mass, dtype=float)
        D, K = (np.broadcast_to(np.asarray(each, dtype=float), M.shape[-1:])
                for each in (damping, stiffness))
        n = M.shape[-1] if n_joints is None else n_joints
        if law == 'inverse_dynamics' and n < len(D):
            M, D, K = np.linalg.inv(np.linalg.inv(M)[:, :n, :n]), D[:n], K[:n]
        self.rate, self.n_joints, self.law, self.delay = float(rate), n, law, int(delay)
        self._mass = M
        # (n,) in the unit of d: friction, or the rate at which it slows a joint
        self._own_damping = D[:n] if law == 'pd' else (D / np.diagonal(M, 0, 1, 2)).min(axis=0)
        self._phi, self._gamma = _transition(M, D, K, n, 1.0 / rate)

    def matrices(self, p: ArrayLike, d: ArrayLike, i: ArrayLike = 0.0) -> FloatArray:
        """Return the closed loop (N, s, s) for gains p, d, i, each (n,) or a number.

        Its state is [x, T x', z / T (where there is an i), u[k - delay], ..., u[k - 1]].
        """
        n, size = self.n_joints, self._phi.shape[-1]
        F = self._feedback(p, d, i)
        past = F.shape[-1]                      # where the torques of past samples begin
        closed = np.zeros((len(F), past + n * self.delay, past + n * self.delay))
        closed[:, :size, :size] = self._phi
        z = np.arange(size, past)
        closed[:, z, z], closed[:, z, z - size] = 1.0, 1.0
        if not self.delay:
            closed[:, :size, :past] -= self._gamma @ F
            return closed
        closed[:, :size, past:past + n] = self._gamma
        older = np.arange(past, past + n * (self.delay - 1))
        closed[:, older, older + n] = 1.0
        closed[:, -n:, :past] = -F
        return closed

    def radii(self, p: ArrayLike, d: ArrayLike, i: ArrayLike = 0.0) -> FloatArray:
        """Return the spectral radius (N,) at each configuration."""
        return np.abs(_eigenvalues(self.matrices(p, d, i))).max(axis=-1)

    def stability(self, p: ArrayLike, d: ArrayLike, i: ArrayLike = 0.0) -> Stability:
        """Return the Stability under gains p, d, i, each (n,) or a number."""
        matrices, feedback = self.matrices(p, d, i), self._feedback(p, d, i)
        values = _eigenvalues(matrices)
        ratios = _damping_ratios(values)
        largest, poorest = (divmod(int(index), values.shape[1])
                            for index in (abs(values).argmax(), ratios.argmin()))
        joints = [self._busiest(matrices[k], feedback[k], values[k, index])
                  for k, index in (largest, poorest)]
        return Stability(float(abs(values[largest])), joints[0],
                         float(ratios[poorest]), joints[1])

    def safe_factors(self, p: ArrayLike, d: ArrayLike, i: ArrayLike = 0.0) -> FloatArray:
        """Return factors (n,), at most 1, by which the gains of each joint become safe.

        Safe gains are stable with a margin: GAIN_MARGIN times all of them is still stable. In each
        trial the gains of the joint that drives the unstable motion are lowered. 0: no factor of
        at least SMALLEST is safe.
        """
        factors, gains = np.ones(self.n_joints), [np.asarray(gain) for gain in (p, d, i)]
        for _ in range(self.n_joints * (2 + math.ceil(math.log(SMALLEST, STEP)))):
            with np.errstate(over='ignore'):
                found = self.stability(*(GAIN_MARGIN * factors * gain for gain in gains))
            if found.stable:
                return factors
            joint = found.radius_joint
            factors[joint] *= STEP if factors[joint] > SMALLEST else 0.0
        return np.zeros(self.n_joints)

    def judge(self, names: Sequence[str], p: ArrayLike, d: ArrayLike) -> tuple[Verdict, str]:
        """Return ('error' or 'warning', why) for unstable or poorly damped gains, else ('', '').

        names: of the n joints. Elastic coordinates have little damping of their own, so that for
        arms that have some only stability is judged.
        """
        p, d = self._per_joint(p), self._per_joint(d)
        found = self.stability(p, d)
        loop = (f'at {self.rate:g} Hz with torques delayed by '
                + ('one period' if self.delay == 1 else f'{self.delay} periods'))
        if not found.stable:
            return 'error', (
                f'gains.p, gains.d are unstable: joint {names[found.radius_joint]!r} has a '
                f'spectral radius of {found.radius:.4g} {loop}, where at most 1 is stable. '
                + self._safe_gains(names, p, d, self.safe_factors(p, d)))
        if found.damping >= POOR_DAMPING or self._phi.shape[-1] > 2 * self.n_joints:
            return '', ''
        factors = self.safe_factors(p, d)
        return 'warning', (
            f'gains.p, gains.d are poorly damped: joint {names[found.damping_joint]!r} has a '
            f'damping ratio of {found.damping:.2g} {loop}, expected at least {POOR_DAMPING:g}. '
            + ('Raise its gains.d, or lower its gains.p' if factors[found.damping_joint] == 1.0
               else self._safe_gains(names, p, d, factors)))

    def _safe_gains(self, names: Sequence[str], p: FloatArray, d: FloatArray,
                    factors: FloatArray) -> str:
        """Return the largest safe gains in words, for the joints whose gains are not safe."""
        # for slow motions the delay and the hold act as a damping of -(delay + 1/2) T p
        least = (self.delay + 0.5) * p / self.rate - self._own_damping
        return 'Safe: ' + '; '.join(
            f'{name!r} gains.d above {each:.3g}' if d_j < each else
            f'{name!r} at most gains.p {factor * p_j:.3g}, gains.d {factor * d_j:.3g}'
            for name, factor, p_j, d_j, each in zip(names, factors, p, d, least) if factor < 1.0)

    def _per_joint(self, gain: ArrayLike) -> FloatArray:
        return np.broadcast_to(np.asarray(gain, dtype=np.float64), (self.n_joints,))

    def _feedback(self, p: ArrayLike, d: ArrayLike, i: ArrayLike) -> FloatArray:
        """Return F (N, n, s) of u = -F [x, T x', z / T]."""
        n, size = self.n_joints, self._phi.shape[-1]
        p, d, i = (self._per_joint(gain) for gain in (p, d, i))
        joints = np.arange(n)
        F = np.zeros((len(self._phi), n, size + n * bool(i.any())))
        F[:, joints, joints] = p
        with np.errstate(over='ignore'):
            F[:, joints, size // 2 + joints] = d * self.rate
        if i.any():
            F[:, joints, size + joints] = i / self.rate
        return self._mass @ F if self.law == 'inverse_dynamics' else F

    def _busiest(self, matrix: FloatArray, F: FloatArray, eigenvalue: complex) -> int:
        """Return the joint whose feedback has the most power, |u x'|, in an eigenvalue's motion.

        matrix (s, s) and F (n, s) of one configuration. Where the matrix has overflown: the joint
        with the largest feedback.
        """
        if not np.isfinite(matrix).all():
            return int(abs(F).max(axis=-1).argmax())
        found, vectors = np.linalg.eig(matrix)
        vector = vectors[:, abs(found - eigenvalue).argmin()]
        first = self._phi.shape[-1] // 2
        rate = vector[first:first + self.n_joints]
        return int(abs(F @ vector[:F.shape[-1]] * rate).argmax())


def _transition(M: FloatArray, D: FloatArray, K: FloatArray, n: int,
                T: float) -> tuple[FloatArray, FloatArray]:
    """Return Phi (N, 2m, 2m) and Gamma (N, 2m, n) of (2)."""
    N, m, _ = M.shape
    inverse = np.linalg.inv(M)
    generator = np.zeros((N, 2 * m + n, 2 * m + n))
    generator[:, :m, m:2 * m] = np.eye(m)
    generator[:, m:2 * m, :m] = -T * T * inverse * K
    generator[:, m:2 * m, m:2 * m] = -T * inverse * D
    generator[:, m:2 * m, 2 * m:] = T * T * inverse[:, :, :n]
    exponential = _exponential(generator)
    return exponential[:, :2 * m, :2 * m], exponential[:, :2 * m, 2 * m:]


def _exponential(A: FloatArray) -> FloatArray:
    """Return exp A of matrices (N, k, k): Taylor series of A / 2^s, squared s times.

    With |A| / 2^s <= 1/2 the remainder after 14 terms is below 1e-16 (Moler and Van Loan 2003,
    SIAM Review 45, method 3).
    """
    norm = abs(A).sum(axis=-1).max()
    squarings = max(math.ceil(math.log2(2.0 * norm)), 0) if norm > 0.0 else 0
    A = A / 2.0**squarings
    unit = np.eye(A.shape[-1])
    result = unit + A / 14.0
    for k in range(13, 0, -1):
        result = unit + A @ result / k
    for _ in range(squarings):
        result = result @ result
    return result


def _eigenvalues(matrices: FloatArray) -> ComplexArray:
    """Return the eigenvalues (N, s) of matrices (N, s, s); infinite where one has overflown."""
    finite = np.isfinite(matrices).all(axis=(1, 2))
    values = np.full(matrices.shape[:2], np.inf, dtype=complex)
    values[finite] = np.linalg.eigvals(matrices[finite])
    return values


def _damping_ratios(values: ComplexArray) -> FloatArray:
    """Return -Re w / |w| of eigenvalues exp(w); 1 of those that are slow, or gone at once."""
    with np.errstate(divide='ignore', invalid='ignore'):
        w = np.log(values)
        ratio = -w.real / abs(w)
    return np.where((abs(w) > SLOW) & np.isfinite(w), ratio, 1.0)
