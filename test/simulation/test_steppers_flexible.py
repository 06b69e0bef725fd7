# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Time steps of flexible arms: stable with any mode, second order, energy kept."""

import functools
import re
import warnings

from flexible_arms import changed, free_motion, integrate, load, padilla, single_link, URDF
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.simulation.step_limit import fastest_mode, LIMITS, require_stable


@functools.cache
def spatial(stiffness=1.0, damping=0.01, gravity=True):
    """Return the spatial arm with two slender links, its tubes made softer or stiffer."""
    text = (URDF / 'flexible_3r.urdf').read_text(encoding='utf-8')
    text = re.sub(r'\b(E|G)="([^"]*)"',
                  lambda m: f'{m[1]}="{float(m[2]) * stiffness!r}"', text)
    text = text.replace('ratio="0.01"', f'ratio="{damping}"')
    text = text.replace('<modes bend_y="2" bend_z="2" torsion="1"/>',
                        '<modes bend_y="1" bend_z="1" torsion="1"/>')
    return kd.Dynamics(load(text, gravity=(0.0, 0.0, -9.81 if gravity else 0.0)))


POSE = np.array([0.3, 0.7, -1.1])


def pushed(dyn):
    """Return the state at static sag and a torque a tenth above what holds it."""
    q = kd.static_sag(dyn, POSE)
    return q, 1.1 * dyn.gravity(q)


def test_midpoint_is_stable_with_modes_of_five_kilohertz_at_two_milliseconds():
    dyn = spatial(600.0)
    assert kd.natural_frequencies(dyn, POSE, 'free')[-1] > 5600.0
    q, tau = pushed(dyn)
    q = np.concatenate([q[:3], np.zeros(dyn.robot.n_modes)])      # a harsh start: all modes ring
    for method in ('midpoint', 'generalized_alpha'):
        Q, Qd = dyn.rollout(q, np.zeros(dyn.robot.nv), tau, 2e-3, 500, method)
        assert np.isfinite(Q).all() and abs(Q[:, 3:]).max() < 1e-3
        # the joints move as those of the rigid arm do
        rigid = kd.Dynamics(dyn.robot.rigid())
        exact, _ = rigid.rollout(q[:3], np.zeros(3), tau[:3], 1e-4, 10000, 'rk4')
        np.testing.assert_allclose(Q[-1, :3], exact[-1], rtol=0, atol=2e-3)


def test_fastest_mode_is_the_highest_free_frequency():
    dyn = spatial(1.0, 0.01, False)
    q = np.concatenate([POSE, np.zeros(6)])
    highest = kd.natural_frequencies(dyn, q, 'free')[-1]
    assert fastest_mode(dyn, q) == pytest.approx(2 * np.pi * highest, rel=1e-6)
    rigid = kd.Dynamics(dyn.robot.rigid(), backend='python')
    assert fastest_mode(rigid, POSE) == 0.0


@pytest.mark.parametrize('method', ['rk4', 'semi_implicit'])
def test_limit_of_explicit_steps_is_where_they_blow_up(method):
    # a little below the limit a ringing arm stays, a quarter above it is gone
    dyn = spatial(1.0, 0, False)
    q = np.concatenate([POSE, np.full(6, 1e-6)])
    limit = LIMITS[method] / fastest_mode(dyn, q)
    ends = []
    for factor in (0.99, 1.25):
        Q, _ = dyn.rollout(q, np.zeros(9), np.zeros(9), factor * limit, 2000, method)
        ends.append(abs(Q[-1, 3:]).max())
    assert ends[0] < 1e-4 and not ends[1] < 1e-2
    require_stable(dyn, q, 0.99 * limit, method)
    with pytest.raises(kd.InputError, match=f"{method}: dt = .* too long.*method='midpoint'"):
        require_stable(dyn, q, 1.01 * limit, method)
    require_stable(dyn, q, 1.0, 'midpoint')
    with pytest.raises(kd.InputError, match='too long for the fastest elastic mode'):
        kd.simulate(dyn, q, np.zeros(9), duration=0.1, dt=1.01 * limit, method=method)


def test_explicit_steps_of_such_a_length_blow_up():
    # why the implicit ones are there
    dyn = spatial(600.0)
    q, tau = pushed(dyn)
    Q, _ = dyn.rollout(q, np.zeros(dyn.robot.nv), tau, 2e-3, 200, 'rk4')
    assert not np.isfinite(Q[-1]).all() or abs(Q[-1]).max() > 1e3


@functools.cache
def exact_end():
    dyn = spatial()
    q, tau = pushed(dyn)
    x = np.concatenate([q, np.zeros(dyn.robot.nv)])
    return integrate(free_motion(dyn, lambda t, q, qd: tau), x, 0.0, 0.4, rtol=1e-11,
                     atol=1e-13)[0].y[:dyn.robot.nq, -1]


@pytest.mark.parametrize(('method', 'order', 'steps'), [
    ('midpoint', 2, (200, 400, 800)), ('generalized_alpha', 2, (200, 400, 800)),
    ('rk4', 4, (1600, 3200)), ('semi_implicit', 1, (3200, 6400))])
def test_each_method_converges_with_its_order(method, order, steps):
    dyn = spatial()
    q, tau = pushed(dyn)
    errors = []
    for count in steps:
        Q, _ = dyn.rollout(q, np.zeros(dyn.robot.nv), tau, 0.4 / count, count, method)
        errors.append(abs(Q[-1] - exact_end()).max())
    for coarse, fine in zip(errors[:-1], errors[1:]):
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.25), errors


def test_midpoint_errs_on_padillas_arm_as_little_as_the_notes_say():
    # two tip-loaded modes per link, a torque step, 2 s at 1 ms: 4.8e-5 rad and 1.8e-5 m
    dyn = kd.Dynamics(padilla('<modes bend_y="2"/>'))
    tau = np.array([4.0, 0.8, 0.0, 0.0, 0.0, 0.0])
    q = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    exact = integrate(free_motion(dyn, lambda t, q, qd: tau), np.concatenate([q, np.zeros(6)]),
                      0.0, 2.0, rtol=1e-10, atol=1e-12)[0].y[:6, -1]
    Q, _ = dyn.rollout(q, np.zeros(6), tau, 1e-3, 2000, 'midpoint')
    assert abs(Q[-1] - exact)[:2].max() < 2e-4 and abs(Q[-1] - exact)[2:].max() < 5e-5


@pytest.mark.parametrize(('bent', 'drift'), [(0.0, 1e-7), (0.01, 0.05)])
def test_energy_of_an_undamped_arm_stays_for_a_minute(bent, drift):
    # Torque-free, 60 000 steps of 1 ms. Turning: bar 1e-7. Bent at the start, modes up to half the
    # step rate ring for ever: the rule itself changes their energy by some per cent.
    dyn = kd.Dynamics(changed('flexible_3r', ('ratio="0.01"', 'ratio="0"'), gravity=(0, 0, 0)))
    q = np.concatenate([POSE, [bent], np.zeros(9)])
    qd = np.concatenate([[0.5, -0.4, 0.6], np.zeros(10)])
    Q, Qd = dyn.rollout(q, qd, np.zeros(13), 1e-3, 60000, 'midpoint')

    def mean(steps):
        return np.mean([dyn.energy(Q[k], Qd[k]).total for k in steps])
    assert mean(range(59000, 60001, 7)) == pytest.approx(mean(range(0, 1000, 7)), rel=drift)
    if bent == 0.0:                                    # nor is it off at any instant between
        energies = [dyn.energy(Q[k], Qd[k]).total for k in range(0, 60001, 41)]
        np.testing.assert_allclose(energies, energies[0], rtol=drift)


def test_damped_energy_is_lost_in_the_dampers_only():
    dyn = spatial()
    q = kd.static_sag(dyn, POSE)
    n = dyn.robot.nv
    damping = np.zeros(n)
    damping[3:] = np.concatenate([link.body.damping for link in
                                  dyn.robot.flexible_links.values()])
    q[3] += 0.01
    dt, steps = 2e-4, 2500
    Q, Qd = dyn.rollout(q, np.zeros(n), np.zeros(n), dt, steps, 'midpoint')
    middle = (Qd[1:] + Qd[:-1]) / 2
    loss = dt * (middle**2 @ damping).sum()
    change = dyn.energy(Q[0], Qd[0]).total - dyn.energy(Q[-1], Qd[-1]).total
    assert loss > 0.005 and change == pytest.approx(loss, rel=1e-3)


def test_stepper_walks_as_rollout_does():
    dyn = spatial()
    q, tau = pushed(dyn)
    for method in ('midpoint', 'generalized_alpha'):
        stepper = dyn.stepper(1e-3, method)
        stepper.q[:], stepper.tau[:] = q, tau
        stepper.refresh()
        for _ in range(50):
            stepper.step()
        Q, Qd = dyn.rollout(q, np.zeros(dyn.robot.nv), tau, 1e-3, 50, method)
        np.testing.assert_allclose(stepper.q, Q[-1], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(stepper.qd, Qd[-1], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize('method', ['midpoint', 'generalized_alpha'])
def test_simulate_steps_flexible_arms_implicitly(method):
    # kd.simulate iterates to the end where rollout takes three passes: the same motion
    dyn = spatial()
    q, tau = pushed(dyn)
    solution = kd.simulate(dyn, q, np.zeros(dyn.robot.nv), tau, duration=0.1, dt=1e-3,
                           method=method, progress=False)
    Q, Qd = dyn.rollout(q, np.zeros(dyn.robot.nv), tau, 1e-3, 100, method)
    np.testing.assert_allclose(solution.q[-1], Q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(solution.qd[-1], Qd[-1], rtol=0, atol=1e-7)


def test_simulate_reports_a_link_that_leaves_the_range_of_its_model():
    dyn = kd.Dynamics(single_link(EI=20.0, modes='<modes bend_y="2"/>', damping=0.01))
    robot = dyn.robot
    rest, torque = np.zeros(robot.nv), np.zeros(robot.nv)
    run = functools.partial(kd.simulate, dyn, rest, rest, duration=0.2, dt=1e-3,
                            method='midpoint', progress=False)
    torque[0] = 20.0
    with pytest.warns(kd.KaneDynamicsWarning, match="simulate: link 'link' bends by") as said:
        solution = run(torque)
    exit_, = solution.out_of_range
    # sample by sample, with the function that the nodes use
    sizes = [kd.tip_deflections(robot, q)['link'].size for q in solution.q]
    first = next(k for k, size in enumerate(sizes) if size > exit_.allowed)
    assert 0 < first and exit_.time == solution.t[first] and exit_.link == 'link'
    assert exit_.deflection == pytest.approx(sizes[first], rel=1e-12)
    assert exit_.largest == pytest.approx(max(sizes), rel=1e-12)
    assert exit_.allowed == pytest.approx(0.05 * exit_.length)
    assert len(said) == 1 and f't = {exit_.time:.4g} s' in str(said[0].message)
    assert said[0].filename.endswith('test_steppers_flexible.py')
    # a twentieth of the torque: in range, no warning
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert run(torque / 20.0).out_of_range == ()


def test_elastic_state_along_a_motion_reports_a_link_out_of_range():
    dyn = kd.Dynamics(single_link(EI=20.0, modes='<modes bend_y="2"/>', damping=0.01))
    times = np.linspace(0.0, 0.2, 201)

    def turned(acceleration):
        def motion(t):
            return (acceleration / 2 * t[:, None]**2, acceleration * t[:, None],
                    np.full((len(t), 1), acceleration))
        return motion
    links = dyn.elastic_state(longest_step=1e-3)
    with pytest.warns(kd.KaneDynamicsWarning, match="elastic_state: link 'link' bends by"):
        q, _ = links.along(turned(200.0), times)
    assert max(kd.tip_deflections(dyn.robot, row)['link'].size for row in q) > 0.05
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        links.along(turned(1.0), times)


@pytest.mark.slow
def test_six_axis_arm_steps_to_second_order_from_sag_and_from_a_harsh_start():
    dyn = kd.Dynamics(changed('flexible_six_axis'))
    pose = np.array([0.2, 0.4, -0.6, 0.3, 0.5, 0.0])
    sag = kd.static_sag(dyn, pose)
    tau = 1.05 * dyn.gravity(sag)
    tau[6:] = 0.0
    straight = np.concatenate([pose, np.zeros(8)])
    for q in (sag, straight):
        x = np.concatenate([q, np.zeros(14)])
        exact = integrate(free_motion(dyn, lambda t, q, qd: tau), x, 0.0, 0.25, rtol=1e-10,
                          atol=1e-12)[0].y[:6, -1]
        errors = []
        for count in (500, 1000):
            Q, _ = dyn.rollout(q, np.zeros(14), tau, 0.25 / count, count, 'midpoint')
            errors.append(abs(Q[-1, :6] - exact).max())
        assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3), errors
