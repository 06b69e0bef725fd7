# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The flat-plate wing of Abdelaziz, Helaly and Atta 2004 (3.2): loads on segments, divergence.

A clamped steel plate in an air stream at one degree of incidence. Lift acts ahead of the axis that
the plate twists about, so twist makes more lift and lift more twist: above a certain speed the
plate diverges. The plate is a chain of rigid segments with springs, in bending and in torsion;
each segment is loaded by forces that follow from its own motion.

Printed are: four links of L = 0.085725 m, B = 0.001455 m, m = 0.124 kg each, E = 2e11 N/m^2, "a
divergence speed of about 110 m/s", damped oscillation at 60 and growing oscillation at 100 m/s.
Assumptions for the rest:

chord      Not printed. Steel of 7850 kg/m^3 makes a plate of L x B with 0.124 kg 0.127 m wide: 5
           inches; with 4 L = 13.5 inches of span it is a wing of aspect ratio 2.7 per side.
stiffness  E, nu = 0.3: EI = E c B^3 / 12, GJ = G c B^3 / 3 (thin plate). B is taken as thickness.
           Springs: 1/k = int dx/EI at the middle of each element (second order). The paper's K =
           EI/L at the start of each link (first order) makes the same plate softer.
air        1.225 kg/m^3; strip theory, quasi-steady (Bisplinghoff, Ashley and Halfman 1955): each
           segment has its own lift 2 pi alpha at the quarter chord, alpha = incidence + twist -
           (speed of the 3/4 chord point)/V, and pi rho b^2 V (rate of twist) at the 3/4 chord. The
           paper has an unsteady vortex lattice; strips neither lose lift at the tip nor lag.
damping    1 % of critical in the plate; its own weight acts too.

Strips without lag let bending and torsion feed each other: just above 60 m/s oscillations begin to
grow (flutter), at 100 m/s within a tenth of a second, as in the paper's figure 8; the static
divergence itself lies at 116 m/s.

    python examples/wing_divergence.py [--plot wing_divergence.png]
"""

import argparse
import signal

import numpy as np

import kane_dynamics as kd

SPAN, CHORD, THICKNESS = 4 * 0.085725, 0.127, 0.001455     # m
E, NU, DENSITY, AIR = 2e11, 0.3, 7850.0, 1.225
INCIDENCE = np.radians(1.0)
FAR = np.radians(20.0)                                     # of twist: strip theory ends here
EI = E * CHORD * THICKNESS**3 / 12                         # N m^2
GJ = E / (2 * (1 + NU)) * CHORD * THICKNESS**3 / 3
MASS = DENSITY * CHORD * THICKNESS                         # kg/m
POLAR = DENSITY * (THICKNESS * CHORD**3 + CHORD * THICKNESS**3) / 12


def wing(segments=4):
    """Return the Robot: a plate along x, clamped at x = 0, leading edge toward y, lift along z."""
    m, polar = MASS * SPAN, POLAR * SPAN
    side = m * SPAN**2 / 12
    return kd.load_urdf(f"""<robot name="wing"><link name="tunnel"/>
      <link name="wing"><inertial><origin xyz="{SPAN / 2} 0 0"/><mass value="{m!r}"/>
        <inertia ixx="{polar!r}" iyy="{side + polar / 2!r}" izz="{side + polar / 2!r}"
        ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="clamp" type="fixed"><parent link="tunnel"/><child link="wing"/></joint>
      <flexible_link reference="wing"><beam length="{SPAN!r}" mass_per_length="{MASS!r}"
        EI_y="{EI!r}" GJ="{GJ!r}" polar_inertia_per_length="{POLAR!r}"/>
        <segments count="{segments}"/><damping ratio="0.01"/></flexible_link></robot>""")


class Air:
    """The lift on each segment as a function of its state."""

    def __init__(self, dyn, speed, incidence=INCIDENCE):
        self.dyn, self.speed, self.incidence = dyn, speed, incidence
        chain = dyn.robot.flexible_links['wing'].segments
        self.pieces = [(f'wing/{k}', piece.end - piece.start)
                       for k, piece in enumerate(chain.pieces) if k > 0]

    def forces(self, q, qd):
        """Return the generalized forces of the lift, (nv,)."""
        tau = np.zeros(self.dyn.robot.nv)
        pressure = 0.5 * AIR * self.speed**2
        for name, length in self.pieces:
            R, _ = self.dyn.frame_pose(name, q)
            J = self.dyn.frame_jacobian(name, q)
            v, w = np.split(J @ qd, 2)
            rear = v + np.cross(w, R @ [length / 2, -CHORD / 4, 0.0])     # 3/4 chord
            normal = R[:, 2]
            # the plate's own plane against the stream, which blows along -y
            alpha = self.incidence + np.arctan2(-normal[1], normal[2]) - rear @ normal / self.speed
            for size, y in (
                    (pressure * CHORD * length * 2 * np.pi * alpha, CHORD / 4),
                    (np.pi * AIR * (CHORD / 2)**2 * self.speed * (w @ R[:, 0]) * length,
                     -CHORD / 4)):
                force = size * normal
                moment = np.cross(R @ [length / 2, y, 0.0], force)
                tau += J.T @ np.concatenate([force, moment])
        return tau


def closed_form_speed():
    """Return the divergence speed of the uniform plate [m/s]: q = (pi/2)^2 GJ / (l^2 c e a)."""
    pressure = (np.pi / 2)**2 * GJ / (SPAN**2 * CHORD * CHORD / 4 * 2 * np.pi)
    return np.sqrt(2 * pressure / AIR)


def divergence_speed(dyn):
    """Return the speed at which springs and lift balance for any twist: K q = V^2 (dL/dq) q."""
    n = dyn.robot.nv
    still, h = np.zeros(n), 1e-5
    K = np.array([(dyn.gravity(row) - dyn.gravity(-row)) / (2 * h) for row in h * np.eye(n)])
    air = Air(dyn, 1.0, 0.0)
    lift = np.array([(air.forces(row, still) - air.forces(-row, still)) / (2 * h)
                     for row in h * np.eye(n)]).T
    ratios = np.linalg.eigvals(np.linalg.solve(K, lift)).real
    return 1.0 / np.sqrt(ratios.max())


def growth(dyn, speed):
    """Return rate [1/s] and frequency [Hz] of the fastest growing mode near the flat plate."""
    n, h = dyn.robot.nv, 1e-5
    still, air = np.zeros(n), Air(dyn, speed, 0.0)
    A = kd.linearize(dyn, still).A.copy()
    rows = h * np.eye(n)
    by_q = [(air.forces(row, still) - air.forces(-row, still)) / (2 * h) for row in rows]
    by_qd = [(air.forces(still, row) - air.forces(still, -row)) / (2 * h) for row in rows]
    A[n:] += np.linalg.solve(dyn.mass_matrix(still), np.hstack([np.transpose(by_q),
                                                                np.transpose(by_qd)]))
    eigenvalues = np.linalg.eigvals(A)
    first = eigenvalues[np.argmax(eigenvalues.real)]
    return first.real, abs(first.imag) / (2 * np.pi)


def first_order_speed(segments=4):
    """Return the divergence speed of a chain with springs GJ/h at the start of each link."""
    h = SPAN / segments
    twist = GJ / h * 4 * np.sin(np.pi / (2 * (2 * segments + 1)))**2     # softest twist
    return np.sqrt(2 * twist / (h * CHORD * CHORD / 4 * 2 * np.pi) / AIR)


def blown(dyn, speed, duration=1.0):
    """Return the Solution from the flat plate at rest, with the stream switched on."""
    air = Air(dyn, speed)

    def far(t, q, qd):
        return FAR - abs(tip(dyn, q)[1])
    far.terminal = True
    n = dyn.robot.nv
    return kd.simulate(dyn, np.zeros(n), np.zeros(n), lambda t, q, qd: air.forces(q, qd),
                       duration=duration, dt=1e-3, method='DOP853', rtol=1e-5, atol=1e-8,
                       events=[far], progress=False)


def tip(dyn, q):
    """Return deflection [m] and twist [rad] of the last segment."""
    last = len(dyn.robot.flexible_links['wing'].segments.springs)
    R, p = dyn.frame_pose(f'wing/{last}', q)
    return p[2] + R[2, 0] * SPAN / (2 * last), np.arctan2(R[2, 1], R[1, 1])


def history(dyn, solution):
    """Return t, deflection and twist of the tip."""
    values = np.array([tip(dyn, q) for q in solution.q])
    return solution.t, *values.T


def main():
    """Print divergence speeds and what happens at three speeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--plot', metavar='FILE', help='draw the motion of the tip')
    arguments = parser.parse_args()
    print(f'plate {SPAN:.4f} x {CHORD} x {THICKNESS} m: EI {EI:.4g}, GJ {GJ:.4g} N m^2')
    print(f'divergence speed [m/s]: uniform plate, closed form {closed_form_speed():.1f}')
    for segments in (2, 4, 8):
        dyn = kd.Dynamics(wing(segments), backend='python')
        print(f'  {segments} segments, springs in the middle         {divergence_speed(dyn):.1f}')
    print(f'  4 links, springs at their start (paper)   {first_order_speed():.1f}')
    print('  wind tunnel, as the paper quotes it       about 110\n')
    dyn = kd.Dynamics(wing())
    limit = divergence_speed(dyn)
    runs = []
    print(f'{"V [m/s]":>8}{"growth":>12}{"Hz":>8}{"twist [deg]":>12}   twist after 1 s')
    for speed in (30.0, 60.0, 100.0, 1.05 * limit):
        rate, frequency = growth(dyn, speed)
        t, deflection, twist = history(dyn, blown(dyn, speed))
        end = (f'{np.degrees(twist[-1]):.2f}' if t[-1] > 0.999
               else f'beyond {np.degrees(FAR):.0f} after {t[-1]:.2f} s')
        print(f'{speed:8.1f}{rate:12.2f}{frequency:8.1f}{np.degrees(abs(twist).max()):12.2f}   '
              f'{end}')
        runs.append((speed, t, deflection, twist))
    if arguments.plot:
        draw(runs, arguments.plot)


def draw(runs, path):
    """Draw deflection and twist of the tip in time."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 3.0 * len(runs)), layout='constrained')
    for (speed, t, deflection, twist), row in zip(runs, figure.subplots(len(runs), 2)):
        row[0].plot(t, 1e3 * deflection, color='#1f6feb')
        row[0].set_ylabel(f'{speed:.0f} m/s\ndeflection [mm]')
        row[1].plot(t, np.degrees(twist), color='#c2410c')
        row[1].set_ylabel('twist [deg]')
        for panel in row:
            panel.set_xlabel('t [s]')
            panel.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    print(f'written: {path}')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
