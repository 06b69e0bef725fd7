# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Closed mechanisms and point masses with closed forms, for the tests of constraints."""

import warnings

import numpy as np

import kane_dynamics as kd

ROD = """<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="{2}"/>
 <inertia ixx="{4}" iyy="{3}" izz="{3}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HINGE = """<joint name="{1}_joint" type="continuous"><parent link="{0}"/><child link="{1}"/>
 <origin xyz="{2} 0 0"/><axis xyz="0 -1 0"/></joint>"""
RAIL = """<joint name="{1}_rail" type="prismatic"><parent link="{0}"/><child link="{1}"/>
 <axis xyz="{2}"/><limit lower="-10" upper="10" effort="1e3" velocity="1e3"/></joint>"""


def rod(name, length, mass):
    """Return the URDF text of a uniform rod along x."""
    return ROD.format(name, length / 2, mass, mass * length ** 2 / 12, mass * 1e-4)


def four_bar(gravity=(0, 0, -9.81)):
    """Return crank 0.2, coupler 0.6, rocker 0.4 m in the x-z plane; pivots 0.5 m apart, open."""
    return kd.load_urdf(
        '<robot name="four_bar"><link name="base"/>' + rod('crank', 0.2, 0.5)
        + rod('coupler', 0.6, 1.5) + rod('rocker', 0.4, 1.0) + HINGE.format('base', 'crank', 0)
        + HINGE.format('crank', 'coupler', 0.2) + HINGE.format('base', 'rocker', 0.5)
        + '</robot>', gravity=gravity)


def five_bar(gravity=(0, 0, -9.81)):
    """Return two cranks of 0.25 m, pivots 0.3 m apart, with couplers of 0.4 m, open."""
    return kd.load_urdf(
        '<robot name="five_bar"><link name="base"/>' + rod('left', 0.25, 0.8)
        + rod('left_coupler', 0.4, 0.6) + rod('right', 0.25, 0.7) + rod('right_coupler', 0.4, 0.5)
        + HINGE.format('base', 'left', 0) + HINGE.format('left', 'left_coupler', 0.25)
        + HINGE.format('base', 'right', 0.3) + HINGE.format('right', 'right_coupler', 0.25)
        + '</robot>', gravity=gravity)


def point_mass(gravity=(0, 0, -9.81)):
    """Return 2 kg that slide in x, y and z: q is the place."""
    text = ('<robot name="point"><link name="base"/><link name="a"/><link name="b"/>'
            '<link name="mass"><inertial><mass value="2"/><inertia ixx="0.02" iyy="0.03" '
            'izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            + RAIL.format('base', 'a', '1 0 0') + RAIL.format('a', 'b', '0 1 0')
            + RAIL.format('b', 'mass', '0 0 1') + '</robot>')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', kd.KaneDynamicsWarning)    # rails without mass
        return kd.load_urdf(text, gravity=gravity)


def circles_meet(a, b, ra, rb, side):
    """Return where two circles in the plane (complex numbers) meet, left or right of a -> b."""
    d = b - a
    size = (d * np.conj(d)).real
    along = (ra ** 2 - rb ** 2 + size) / (2 * size)
    across = np.sqrt(ra ** 2 / size - along ** 2)
    return a + d * (along + side * 1j * across)


def five_bar_posture(left, right):
    """Return all four joint angles of the closed five-bar, couplers meeting above."""
    a, b = 0.25 * np.exp(1j * left), 0.3 + 0.25 * np.exp(1j * right)
    tip = circles_meet(a, b, 0.4, 0.4, +1)
    return np.array([left, np.angle((tip - a) * np.exp(-1j * left)), right,
                     np.angle((tip - b) * np.exp(-1j * right))])


def four_bar_posture(crank):
    """Return all three joint angles of the closed four-bar, coupler end above."""
    a = 0.2 * np.exp(1j * crank)
    tip = circles_meet(a, 0.5 + 0j, 0.6, 0.4, +1)
    return np.array([crank, np.angle((tip - a) * np.exp(-1j * crank)), np.angle(tip - 0.5)])


class Reduced:
    """A mechanism in its independent coordinates: q = posture(x), by differences of that alone.

    M_x = P' M P, with P = dq/dx; M x'' = F - dV/dx - (dM/dt x' - d(T)/dx): Lagrange's equations.
    Only energies of the open tree enter, so that no equation of constraints is used.
    """

    def __init__(self, dynamics, posture, step=1e-3):
        self._dynamics, self._posture, self._h = dynamics, posture, step

    def partial(self, x):
        """Return P (n, k) by differences of sixth order."""
        return _slope(lambda y: self._posture(*y), x, self._h)

    def mass(self, x):
        """Return M_x (k, k)."""
        P = self.partial(x)
        return P.T @ self._dynamics.mass_matrix(self._posture(*x)) @ P

    def acceleration(self, x, xd, tau=None):
        """Return x'' under joint torques tau (n,) of the tree."""
        dM = _slope(lambda y: self.mass(y).reshape(-1), x, self._h)      # (k * k, k)
        k = len(x)
        dM = dM.reshape(k, k, k)                                         # d M_ij / d x_l
        gravity = self.partial(x).T @ self._dynamics.gravity(self._posture(*x))
        turning = np.einsum('ijl,l,j->i', dM, xd, xd) - 0.5 * np.einsum('jki,j,k->i', dM, xd, xd)
        force = 0.0 if tau is None else self.partial(x).T @ tau
        return np.linalg.solve(self.mass(x), force - gravity - turning)


def _slope(function, x, h):
    columns = []
    for e in np.eye(len(x)) * h:
        d = [function(x + k * e) - function(x - k * e) for k in (1, 2, 3)]
        columns.append((45 * d[0] - 9 * d[1] + d[2]) / (60 * h))
    return np.array(columns).T
