# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of an arm's bodies: energy, momentum, reactions, and frames of links."""

from __future__ import annotations

from typing import NamedTuple

from kane_dynamics.dynamics.compiled_functions import CompiledFunctions
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray


class Energy(NamedTuple):
    """Energies of an arm [J]; the potential is zero at the base origin."""

    kinetic: float
    potential: float
    strain: float = 0.0

    @property
    def total(self) -> float:
        """Return the sum."""
        return self.kinetic + self.potential + self.strain


class BodyFunctions(CompiledFunctions):
    """Functions of bodies and frames, as a part of `Dynamics`.

    frame: the name of a link of the URDF, also one behind a fixed joint.
    """

    def energy(self, q: ArrayLike, qd: ArrayLike) -> Energy:
        """Return the kinetic, potential and strain energy [J]; springs count as strain."""
        return Energy(*self._call('energy', (q, qd), None).tolist())

    def momentum(self, q: ArrayLike, qd: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """Return (6,) linear and angular momentum about the base origin, base axes."""
        return self._call('momentum', (q, qd), out)

    def mass_centre(self, q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """Return (3,) the mass centre of all that moves, base frame [m]."""
        return self._call('mass_centre', (q,), out)

    def reactions(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                  out: FloatArray | None = None) -> FloatArray:
        """Return (n_bodies, 6): force and moment through every joint onto its link, link axes."""
        return self._call('reactions', (q, qd, qdd), out)

    def reactions_many(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                       out: FloatArray | None = None, threads: int = 1) -> FloatArray:
        """Return reactions (N, n_bodies, 6) for N samples in rows."""
        return self._call_many('reactions', (q, qd, qdd), out, threads)

    def frame_pose(self, frame: str, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return R (3, 3) and p (3,) of a link in the base frame."""
        pose = self._call('frame_pose', (q,), None, frame)
        return pose[:, :3], pose[:, 3]

    def frame_jacobian(self, frame: str, q: ArrayLike,
                       out: FloatArray | None = None) -> FloatArray:
        """Return J (6, nv): partial velocities of a link's origin, linear first, base axes."""
        return self._call('frame_jacobian', (q,), out, frame)

    def frame_velocity(self, frame: str, q: ArrayLike, qd: ArrayLike,
                       out: FloatArray | None = None) -> FloatArray:
        """Return (6,) velocity and angular velocity of a link's origin, base axes."""
        return self._call('frame_velocity', (q, qd), out, frame)

    def frame_acceleration(self, frame: str, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                           out: FloatArray | None = None) -> FloatArray:
        """Return (6,) acceleration and angular acceleration of a link's origin, base axes."""
        return self._call('frame_acceleration', (q, qd, qdd), out, frame)

    def frame_deflection(self, frame: str, q: ArrayLike,
                         out: FloatArray | None = None) -> FloatArray:
        """Return (3,) how far bending moves a link's origin at q, base axes [m]."""
        return self._call('frame_deflection', (q,), out, frame)

    def frame_pose_many(self, frame: str, q: ArrayLike,
                        threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return R (N, 3, 3) and p (N, 3) of a link in the base frame for N samples in rows."""
        poses = self._call_many('frame_pose', (q,), None, threads, frame)
        return poses[:, :, :3], poses[:, :, 3]

    def frame_jacobian_many(self, frame: str, q: ArrayLike, out: FloatArray | None = None,
                            threads: int = 1) -> FloatArray:
        """Return J (N, 6, nv) for N samples in rows."""
        return self._call_many('frame_jacobian', (q,), out, threads, frame)

    def frame_acceleration_many(self, frame: str, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                                out: FloatArray | None = None, threads: int = 1) -> FloatArray:
        """Return accelerations (N, 6) of a link's origin for N samples in rows."""
        return self._call_many('frame_acceleration', (q, qd, qdd), out, threads, frame)
