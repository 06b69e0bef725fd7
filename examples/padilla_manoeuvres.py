# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The manoeuvres of Padilla 1989 on his two-link flexible arm, in four models.

The arm is driven open loop by the torques that its rigid twin would need for a smooth motion, at
several speeds (alpha scales time). The thesis compared three models of the flexible links:

consistent    all terms of first order in the deflections, foreshortening of the links included
inconsistent  the same without foreshortening
ruthless      the inertia of the undeformed arm

and found that the first two broke down in fast manoeuvres, which it attributed to the conditioning
of the mass matrix. In the full model the mass matrix is a product of partial velocities, so that
it is symmetric and positive definite at any deflection, and completes every run. The cause of the
failures is the truncation: its mass matrix is not symmetric and becomes singular.

Each run is printed with the statement of the thesis (4.3; per cent: deflection of link 2), each
frequency with table 3.1. The thesis's own "consistent" runs differ in detail, because the
diagonal of its matrix mu is wrong: with it, T1 at alpha = 2 and T2 at alpha = 1 are completed.

    python examples/padilla_manoeuvres.py [--plot padilla_manoeuvres.png]
"""

import argparse
from pathlib import Path
import signal
import warnings

import numpy as np

import kane_dynamics as kd

FILE = Path(__file__).resolve().parents[1] / 'urdf' / 'padilla_two_link.urdf'
MODELS = ('full', 'consistent', 'inconsistent', 'ruthless')
# start and end of shoulder and elbow [rad], nominal duration [s]
T1 = ((0.0, 0.0873), (np.pi, 0.0), 8.0)
T2 = ((-1.570796, 2.96706), (0.2617994, 0.8726646), 4.0)
RUNS = (('T1, half a turn', T1, 0.4197), ('T1, half a turn', T1, 2.0),
        ('T2, deployment', T2, 0.1685), ('T2, deployment', T2, 1.0), ('T2, deployment', T2, 1.2))
# statement of the thesis for each run: consistent, inconsistent, ruthless
DONE, FAILS = 'completes', 'fails'
THESIS = ((DONE, 'chatters', DONE), (DONE + ', 10 %', FAILS, DONE + ', 10 %'),
          (DONE, DONE, DONE), (DONE, FAILS, DONE), (FAILS, FAILS, DONE + ', 4 %'))
# table 3.1, four modes per link: elbow [deg], lowest frequencies [rad/s] with joints locked, free
TABLE_3_1 = ((0, (3.03, 7.36, 62.2, 120.7), (42.9, 68.1, 153.7, 224.3)),
             (45, (3.15, 6.82, 62.0, 120.7), (42.8, 68.0, 153.6, 224.3)),
             (90, (3.53, 5.90, 61.6, 120.7), (42.7, 68.0, 153.5, 224.3)),
             (135, (4.08, 5.32, 61.6, 120.7), (42.8, 68.0, 153.6, 224.3)),
             (180, (4.35, 5.19, 61.8, 120.8), (42.9, 68.1, 153.7, 224.3)))


def dynamics(model):
    """Return the Dynamics of the arm with another model of its links."""
    text = FILE.read_text(encoding='utf-8')
    return kd.Dynamics(kd.load_urdf(text.replace('<damping', f'<model>{model}</model><damping')))


def print_frequencies():
    """Print table 3.1 of the thesis next to the computed values."""
    text = FILE.read_text(encoding='utf-8').replace('bend_y="2"', 'bend_y="4"')
    dyn = kd.Dynamics(kd.load_urdf(text.replace('nodes="8"', 'nodes="12"')))
    print('natural frequencies [rad/s], four modes per link: published (table 3.1) / computed')
    for elbow, *published in TABLE_3_1:
        for joints, values in zip(('locked', 'free'), published):
            pose = [0.0, np.radians(elbow)]
            found = 2 * np.pi * kd.natural_frequencies(dyn, pose, joints=joints)
            pairs = '   '.join(f'{old:>5g} / {new:<8.5g}' for old, new in zip(values, found))
            print(f'  elbow {elbow:>3} deg, {joints:<6}   {pairs}')
    print()


def quintic(t, T, start, end):
    """Return q, qd, qdd from rest to rest in a time T (Padilla 1989, 4.3.2.1, corrected)."""
    s, way = min(t / T, 1.0), np.subtract(end, start)
    return (start + way * s**3 * (10 - 15 * s + 6 * s**2), way / T * 30 * s**2 * (1 - s)**2,
            way / T**2 * 60 * s * (1 - s) * (1 - 2 * s))


def run(dyn, rigid, manoeuvre, alpha):
    """Return the Solution up to 1.25 of the duration, or to where the mass matrix is singular."""
    start, end, duration = manoeuvre
    T, tau = duration / alpha, np.zeros(dyn.robot.nv)

    def torque(t, q, qd):
        tau[:2] = rigid.inverse(*quintic(t, T, start, end))
        return tau

    def singular(t, q, qd):
        return np.linalg.det(dyn.mass_matrix(q))
    singular.terminal = True
    rest = np.zeros(dyn.robot.n_modes)
    return kd.simulate(dyn, np.concatenate([start, rest]), np.zeros(dyn.robot.nv), torque,
                       duration=1.25 * T, dt=T / 400, method='DOP853', rtol=1e-7, atol=1e-9,
                       events=[singular], progress=False)


def deflections(robot, q):
    """Return the largest tip deflections of both links, of their length."""
    sizes = [[each.size / each.length for each in kd.tip_deflections(robot, row).values()]
             for row in q]
    return np.max(sizes, axis=0)


def main():
    """Print published and computed results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--plot', metavar='FILE', help='draw the elbow in the fastest runs')
    arguments = parser.parse_args()
    arms = {model: dynamics(model) for model in MODELS}
    rigid = kd.Dynamics(arms['full'].robot.rigid())
    # links leave the range of their models on purpose; the table prints how far
    warnings.simplefilter('ignore', kd.KaneDynamicsWarning)
    print_frequencies()
    drawn = []
    for (name, manoeuvre, alpha), words in zip(RUNS, THESIS):
        target = manoeuvre[1]
        print(f'{name}, alpha = {alpha}: to {target[0]:.4f}, {target[1]:.4f} rad in '
              f'{manoeuvre[2] / alpha:.2f} s\n  {"model":<14}{"published":<18}computed')
        for (model, dyn), word in zip(arms.items(), ('-', *words)):
            duration = 1.25 * manoeuvre[2] / alpha
            try:
                solution = run(dyn, rigid, manoeuvre, alpha)
            except kd.KaneDynamicsError as problem:        # the step fell below round-off
                print(f'  {model:<14}{word:<18}breaks down: {problem}')
                continue
            t, q = solution.t, solution.q
            if t[-1] < duration * (1 - 1e-9):
                print(f'  {model:<14}{word:<18}breaks down at {t[-1]:.3f} s: singular mass matrix')
            else:
                bent = ', '.join(f'{size:.2%}' for size in deflections(dyn.robot, q[::4]))
                print(f'  {model:<14}{word:<18}ends at {q[-1, 0]:.4f}, {q[-1, 1]:.4f}; '
                      f'links bend by {bent}')
            if alpha > 1.0:
                drawn.append((f'{name}, alpha {alpha}', model, t, q))
    if arguments.plot:
        draw(drawn, arguments.plot)


def draw(runs, path):
    """Draw the elbow angle of each model in time."""
    from matplotlib.figure import Figure
    titles = sorted({title for title, *_ in runs})
    colours = dict(zip(MODELS, ('#1f6feb', '#c2410c', '#8a8f98', '#2da44e')))
    figure = Figure(figsize=(10, 4), layout='constrained')
    for title, panel in zip(titles, figure.subplots(1, len(titles))):
        for name, model, t, q in runs:
            if name == title:
                shown = abs(q[:, 1]) < 4.0
                panel.plot(t[shown], q[shown, 1], color=colours[model], label=model)
        panel.set_title(title)
        panel.set_xlabel('t [s]')
        panel.set_ylabel('elbow [rad]')
        panel.grid(alpha=0.3)
        panel.legend(frameon=False)
    figure.savefig(path, dpi=110)
    print(f'written: {path}')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
