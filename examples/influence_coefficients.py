# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bend a tube by influence coefficients: Vukobratovic and Potkonjak 1982, chapter 4.

The book's links are cantilevers whose mass sits half at each end; their ends deflect by alpha F
under a force (4.5.14-17). The tube of its examples (figure 5.10: AlMg3, 20 and 15 mm) is held
level, 1 m long, in more and more segments, without and with the 5 kg of its payload. Closed
forms for comparison: w L^4 / 8 EI, F L^3 / 3 EI, 3.5160 sqrt(EI / m L^3). A single segment
per link, as in the book, overestimates the sag under its own weight by a third. The second method
are the modes of this package.
"""

import signal

import numpy as np

import kane_dynamics as kd

# figure 5.10: [kg/m^3], [Pa], [m]; 4.5: Poisson's ratio
DENSITY, YOUNG, POISSON, OUTER, INNER = 2700.0, 7.848e10, 0.29, 0.020, 0.015
LENGTH, PAYLOAD, WEIGHT = 1.0, 5.0, 9.81
FIRST = 3.5160153                   # (1.8751041)^2, the first frequency of a bare cantilever
PIECES = (1, 2, 4, 8)
AREA, SECOND = np.pi * (OUTER**2 - INNER**2), np.pi / 4 * (OUTER**4 - INNER**4)
BENDING, MASS = YOUNG * SECOND, DENSITY * AREA * LENGTH


def arm(payload):
    """Return the level tube as a Robot, with a payload [kg] at its tip."""
    shear = YOUNG / 2 / (1 + POISSON)
    load = f"""<inertial><mass value="{payload}"/><inertia ixx="0.0004" iyy="0.0005"
      izz="0.0006" ixy="0" ixz="0" iyz="0"/></inertial>"""    # small: nearly a point
    across = MASS * LENGTH**2 / 12 + DENSITY * SECOND * LENGTH
    return kd.load_urdf(f"""<robot name="tube"><link name="base"/>
      <link name="tube"><inertial><origin xyz="{LENGTH / 2} 0 0"/><mass value="{MASS}"/>
        <inertia ixx="{2 * DENSITY * SECOND * LENGTH}" iyy="{across}" izz="{across}"
                 ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="tip">{load if payload else ''}</link>
      <joint name="clamp" type="fixed"><parent link="base"/><child link="tube"/></joint>
      <joint name="end" type="fixed"><parent link="tube"/><child link="tip"/>
        <origin xyz="{LENGTH} 0 0"/></joint>
      <flexible_link reference="tube"><beam axis="1 0 0" normal="0 0 1" length="{LENGTH}"/>
        <section shape="tube" outer_radius="{OUTER}" inner_radius="{INNER}" E="{YOUNG}"
                 G="{shear}" density="{DENSITY}"/>
        <modes bend_z="4"/></flexible_link></robot>""")


def found(robot, pieces=None):
    """Return sag of the tip [m] and first frequency [rad/s]; by modes without `pieces`."""
    none = np.zeros(0)
    if pieces:
        model = kd.InfluenceModel(robot, pieces)
        return -model.quasi_static(none)['tip'].u[2], 2 * np.pi * model.frequencies(none)[0]
    dyn = kd.Dynamics(robot, backend='python')
    _, tip = dyn.frame_pose('tip', kd.static_sag(dyn, none))
    return -tip[2], 2 * np.pi * kd.natural_frequencies(dyn, none)[0]


def closed_form(payload):
    """Return sag [m] and first frequency [rad/s], None where it is no closed form."""
    sag = LENGTH**3 / BENDING * WEIGHT * (MASS / 8 + payload / 3)
    return sag, None if payload else FIRST * np.sqrt(BENDING / MASS / LENGTH**3)


def main():
    """Print the tables."""
    print(f'tube of figure 5.10: {MASS:.5f} kg/m, I = {SECOND:.4e} m^4, EI = {BENDING:.1f} N m^2')
    print(f'alpha = l^3 / 3 EI = {LENGTH**3 / 3 / BENDING:.4e} m/N\n')
    print(f'{"":<26}{"sag [mm]":>12}{"":>12}{"first frequency [rad/s]":>26}')
    print(f'{"":<26}{"bare":>12}{"with 5 kg":>12}{"bare":>14}{"with 5 kg":>12}')
    arms = arm(0.0), arm(PAYLOAD)
    rows = [('book, one piece per link', [found(each, 1) for each in arms])]
    rows += [(f'book, {n} pieces', [found(each, n) for each in arms]) for n in PIECES[1:]]
    rows += [('modes of this package', [found(each) for each in arms]),
             ('closed form', [closed_form(0.0), closed_form(PAYLOAD)])]
    for name, ((bare, first), (loaded, second)) in rows:
        last = '' if second is None else f'{second:.2f}'
        print(f'{name:<26}{1e3 * bare:>12.4f}{1e3 * loaded:>12.4f}{first:>14.2f}{last:>12}')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
