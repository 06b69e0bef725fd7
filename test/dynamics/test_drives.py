# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motors, gears and cylinders: closed forms, another integrator, and where the energy goes."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from simulated_arms import double_pendulum, six_axis, slider

import kane_dynamics as kd
from kane_dynamics.dynamics.drives.dc_drive import DcDrive
from kane_dynamics.dynamics.drives.dc_motor import DcMotor
from kane_dynamics.dynamics.drives.drives import Drives
from kane_dynamics.dynamics.drives.gear import Gear
from kane_dynamics.dynamics.drives.hydraulic import Crank, HydraulicDrive
from kane_dynamics.trajectory.moves import plan_move

# the motor of Vukobratovic and Potkonjak 1982, 3.12, as seen at the joint; L is not printed
BOOK = DcMotor(torque_constant=4.31, resistance=2.45, back_emf_constant=7.0, rotor_inertia=1.52,
               viscous=1.5)
SMALL = DcMotor(torque_constant=0.05, resistance=0.6, inductance=4e-4, rotor_inertia=1e-5,
                viscous=1e-5, max_voltage=48.0, max_current=20.0)
CYLINDER = HydraulicDrive(piston_area=8e-4, piston_mass=1.5, volume=4e-4, bulk_modulus=7e8,
                          flow_gain=0.02, flow_pressure=1e-12, leakage=2e-12, viscous=300.0)


def wheel(inertia=0.3):
    """Return a disc on a hinge without gravity."""
    return kd.load_urdf(f"""<robot name="wheel"><link name="base"/><link name="disc"><inertial>
      <mass value="1"/><inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0"
      iyz="0"/></inertial></link><joint name="axle" type="continuous"><parent link="base"/>
      <child link="disc"/><axis xyz="0 0 1"/></joint></robot>""", gravity=(0, 0, 0))


def run(robot, drives, inputs, q0=None, qd0=None, method='DOP853', **more):
    zero = np.zeros(robot.nv)
    return kd.simulate(kd.Dynamics(robot), zero if q0 is None else q0,
                       zero if qd0 is None else qd0, inputs, drives=drives, method=method, **more)


def linear_response(A, b, u, t):
    """Return x(t) of x' = A x + b u from rest, by the matrix exponential."""
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, np.ravel(b) * u
    return np.array([(expm(whole * moment) @ np.eye(n + 1)[n])[:n] for moment in t])


# -- DC motor ------------------------------------------------------------------------------------

def test_a_second_order_motor_runs_up_by_its_exponential():
    robot, u = wheel(), 10.0
    drives = Drives(robot, {'axle': DcDrive(BOOK, Gear(1.0))})
    found = run(robot, drives, [u], duration=0.5, dt=0.05, rtol=1e-10, atol=1e-12)
    J = 0.3 + BOOK.rotor_inertia
    damping = BOOK.viscous + BOOK.torque_constant * BOOK.back_emf_constant / BOOK.resistance
    w = u * BOOK.torque_constant / BOOK.resistance / damping * (
        1.0 - np.exp(-damping / J * found.t))
    assert abs(found.qd[:, 0] - w).max() < 1e-8 * w.max()


def test_the_coefficients_of_the_book_follow_with_the_minus_that_its_print_lost():
    # x' = alpha x + beta u + gamma P with x the speed (3.9.5); gamma is that of its joints 1, 2
    motor = DcMotor(4.31, 2.45, back_emf_constant=7.0, rotor_inertia=1.52)

    def acceleration(speed, u, load):
        return (motor.torque_constant * motor.settled_current(u, speed) - load) / 1.52
    assert acceleration(1.0, 0.0, 0.0) == pytest.approx(-4.31 * 7.0 / (1.52 * 2.45))
    assert acceleration(0.0, 1.0, 0.0) == pytest.approx(4.31 / (1.52 * 2.45))
    assert acceleration(0.0, 0.0, 1.0) == pytest.approx(-0.66, abs=0.005)


def test_a_third_order_motor_behind_a_gear_follows_the_matrix_exponential():
    robot, N, u = wheel(), 50.0, 12.0
    drives = Drives(robot, {'axle': DcDrive(SMALL, Gear(N, inertia=2e-6))})
    found = run(robot, drives, [u], duration=0.04, dt=0.002, rtol=1e-11, atol=1e-13)
    J = 0.3 + N**2 * (SMALL.rotor_inertia + 2e-6)
    A = [[-N**2 * SMALL.viscous / J, N * SMALL.torque_constant / J],
         [-SMALL.torque_constant * N / SMALL.inductance, -SMALL.resistance / SMALL.inductance]]
    x = linear_response(A, [0.0, 1.0 / SMALL.inductance], u, found.t)
    # the solver's interpolation within steps is coarser than the steps
    assert abs(found.qd[:, 0] - x[:, 0]).max() < 1e-7 * x[:, 0].max()
    assert abs(found.drive_states[:, 0] - x[:, 1]).max() < 1e-6 * x[:, 1].max()


@pytest.mark.parametrize('method', ['rk4', 'kutta_merson', 'DOP853', 'Radau'])
def test_every_method_carries_the_current_within_its_tolerance(method):
    robot, N, u = wheel(), 50.0, 12.0
    drives = Drives(robot, {'axle': DcDrive(SMALL, Gear(N))})
    found = run(robot, drives, [u], duration=0.02, dt=1e-4, method=method)
    J = 0.3 + N**2 * SMALL.rotor_inertia
    A = [[-N**2 * SMALL.viscous / J, N * SMALL.torque_constant / J],
         [-SMALL.torque_constant * N / SMALL.inductance, -SMALL.resistance / SMALL.inductance]]
    x = linear_response(A, [0.0, 1.0 / SMALL.inductance], u, found.t[-1:])[0]
    # rk4: R h / L = 0.15, whose fifth power over 5! is 6e-7 per step and decays with the current
    assert found.drive_states[-1, 0] == pytest.approx(x[1], rel=2e-6)
    assert found.qd[-1, 0] == pytest.approx(x[0], rel=2e-6)


def test_the_third_order_motor_becomes_the_second_order_one_as_its_inductance_falls():
    robot, u = wheel(), lambda t, q, qd: [5.0 * np.sin(20.0 * t)]
    plain = run(robot, Drives(robot, {'axle': DcDrive(BOOK, Gear(1.0))}), u, duration=0.5, dt=0.1)
    gaps = []
    for L in (0.02, 0.01, 0.005):
        motor = DcMotor(4.31, 2.45, L, 7.0, 1.52, 1.5)
        found = run(robot, Drives(robot, {'axle': DcDrive(motor, Gear(1.0))}), u, duration=0.5,
                    dt=0.1)
        gaps.append(abs(found.qd - plain.qd).max())
    # the gap is of first order in L
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.1)
    assert gaps[1] / gaps[2] == pytest.approx(2.0, rel=0.05)


def test_a_motor_from_a_catalogue_line_has_that_line():
    motor = DcMotor.from_catalogue(voltage=24.0, stall_torque=1.2, no_load_speed=300.0)
    low, high = motor.torque_limits([0.0, 150.0, 300.0])
    assert high == pytest.approx([1.2, 0.6, 0.0])
    assert low == pytest.approx([-1.2, -1.8, -2.4])         # braking adds the back EMF


def test_the_envelope_is_cut_by_current_and_speed():
    motor = DcMotor(0.1, 1.0, max_voltage=20.0, max_current=10.0, max_speed=180.0)
    low, high = motor.torque_limits([0.0, 100.0, 150.0, 181.0])
    assert high[:3] == pytest.approx([1.0, 1.0, 0.5]) and np.isnan(high[3])
    assert low[:3] == pytest.approx([-1.0, -1.0, -1.0])


def test_voltage_and_current_saturate_in_the_simulation():
    robot = wheel()
    motor = DcMotor(0.1, 1.0, max_voltage=20.0, max_current=8.0)
    for u in ([500.0], [20.0]):
        found = run(robot, Drives(robot, {'axle': DcDrive(motor, Gear(1.0))}), u, duration=40.0,
                    dt=1.0)
        assert found.tau[0, 0] == pytest.approx(0.8)        # the current limit at the start
        assert found.qd[-1, 0] < 200.0                      # the no-load speed is never passed
    fast = DcMotor(0.1, 1.0, 1e-3, max_voltage=20.0, max_current=8.0)
    found = run(robot, Drives(robot, {'axle': DcDrive(fast, Gear(1.0))}), [500.0], duration=0.1,
                dt=0.001, method='rk4')
    assert found.tau.max() == pytest.approx(0.8)
    assert found.drive_states[-1] == pytest.approx(8.0, rel=1e-6)
    held = run(robot, Drives(robot, {'axle': DcDrive(motor, Gear(1.0), 'current')}), [3.0],
               duration=1.0, dt=0.1)
    assert held.tau == pytest.approx(0.3)                   # the amplifier holds the current


def test_the_winding_heats_by_its_exponential():
    motor = DcMotor(0.1, 2.0, thermal_resistance=3.0, thermal_time=40.0)
    t = np.linspace(0.0, 100.0, 33)
    rise = motor.temperature_rise(t, np.full(33, 1.5))
    assert rise == pytest.approx(3.0 * 2.0 * 1.5**2 * (1.0 - np.exp(-t / 40.0)), rel=1e-12)


# -- gear ----------------------------------------------------------------------------------------

def test_a_gear_takes_power_whichever_way_it_flows_and_undoes_itself():
    gear = Gear(80.0, 0.7)
    torque, speed = (each.ravel() for each in np.meshgrid([-3.0, -0.1, 0.2, 5.0],
                                                          [-2.0, -0.5, 0.4, 3.0]))
    shaft = gear.shaft_torque(torque, speed)
    power_in, power_out = shaft * 80.0 * speed, torque * speed
    driving = power_out > 0.0
    # the loss fades in over 1e-3 rad/s: 1e-6 / (2 speed^2) of it is missing
    assert power_out[driving] == pytest.approx(0.7 * power_in[driving], rel=5e-6)
    assert power_in[~driving] == pytest.approx(0.7 * power_out[~driving], rel=5e-6)
    assert shaft * gear.ratio * gear.transmission(shaft, speed) == pytest.approx(torque, rel=1e-12)
    assert gear.shaft_torque(5.0, 0.0) == pytest.approx(5.0 / 80.0)      # at rest nothing is lost


def test_a_joint_that_drives_its_motor_through_a_lossy_gear_stops_it_sooner():
    # a spinning wheel against a shorted motor: the loss helps to brake
    robot, N = wheel(), 20.0
    motor = DcMotor(0.05, 0.5, rotor_inertia=2e-5)
    speeds = {}
    for eta in (1.0, 0.6):
        found = run(robot, Drives(robot, {'axle': DcDrive(motor, Gear(N, eta))}), [0.0],
                    qd0=[2.0], duration=0.2, dt=0.1)
        speeds[eta] = found.qd[-1, 0]
        # (I + N^2 J / eta) w' = -N^2 K^2 / (R eta) w
        decay = N**2 * 0.05**2 / 0.5 / eta / (0.3 + N**2 * 2e-5 / eta)
        assert found.qd[-1, 0] == pytest.approx(2.0 * np.exp(-0.2 * decay), rel=1e-5)
    assert speeds[0.6] < speeds[1.0]


# -- arm and actuators together ------------------------------------------------------------------

def two_drives(robot, eta=1.0, motor=SMALL):
    return Drives(robot, {name: DcDrive(motor, Gear(ratio, eta))
                          for name, ratio in zip(robot.joint_names, (60.0, 40.0))})


def test_the_complete_model_is_the_book_s_with_its_missing_factor():
    # (3.8.8-11): P = (1 - W T F)^-1 [W T (C x + D u) + ...], x' = C x + F P + D u, state [q, qd]
    robot = double_pendulum()
    motor = DcMotor(0.05, 0.6, rotor_inertia=1e-5, viscous=2e-5)
    dyn, drives = kd.Dynamics(robot), two_drives(robot, motor=motor)
    rng = np.random.default_rng(5)
    for _ in range(5):
        q, qd, u = rng.uniform(-2, 2, 2), rng.uniform(-3, 3, 2), rng.uniform(-20, 20, 2)
        N = np.array([60.0, 40.0])
        J, B = N**2 * 1e-5, N**2 * 2e-5
        K2 = N**2 * 0.05**2 / 0.6
        # the actuators alone: qdd = C qd + F P + D u
        C, F, D = -(B + K2) / J, -1.0 / J, N * 0.05 / 0.6 / J
        W, U = dyn.mass_matrix(q), -dyn.bias(q, qd)
        P = np.linalg.solve(np.eye(2) - W @ np.diag(F), W @ (C * qd + D * u) - U)
        found = kd.simulate(dyn, q, qd, u, drives=drives, duration=1e-3, dt=1e-3)
        assert found.tau[0] == pytest.approx(P, rel=1e-10)
        assert found.accelerations()[0] == pytest.approx(C * qd + F * P + D * u, rel=1e-8)


def test_arm_and_motors_move_as_another_program_integrates_them():
    pinocchio = pytest.importorskip('pinocchio')
    robot = double_pendulum()
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    data, N = model.createData(), np.array([60.0, 40.0])

    def rate(t, y):
        q, qd, i = y[:2], y[2:4], y[4:]
        u = np.array([8.0 * np.sin(3.0 * t), -5.0])
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T + np.diag(N**2 * SMALL.rotor_inertia)
        h = pinocchio.rnea(model, data, q, qd, np.zeros(2))
        tau = N * (SMALL.torque_constant * i - SMALL.viscous * N * qd)
        di = (u - SMALL.resistance * i - SMALL.torque_constant * N * qd) / SMALL.inductance
        return np.concatenate([qd, np.linalg.solve(M, tau - h), di])
    start = np.array([0.3, -0.4, 0.0, 0.0, 0.5, -0.2])
    other = solve_ivp(rate, (0.0, 0.5), start, method='Radau', rtol=1e-10, atol=1e-12)
    found = run(robot, two_drives(robot), lambda t, q, qd: [8.0 * np.sin(3.0 * t), -5.0],
                q0=start[:2], duration=0.5, drive_states=start[4:], rtol=1e-10, atol=1e-12)
    assert found.q[-1] == pytest.approx(other.y[:2, -1], abs=1e-7)
    assert found.drive_states[-1] == pytest.approx(other.y[4:, -1], abs=1e-6)


@pytest.mark.parametrize('eta', [1.0, 0.75])
def test_electric_energy_goes_to_the_arm_the_rotors_the_copper_and_the_gears(eta):
    robot = double_pendulum()
    drives = two_drives(robot, eta)
    t_end, dt = 0.4, 1e-4
    found = run(robot, drives, lambda t, q, qd: [6.0 * np.sin(9.0 * t), 4.0], q0=[0.4, -0.2],
                duration=t_end, dt=dt, rtol=1e-9, atol=1e-11)
    N = np.array([60.0, 40.0])
    i, w = found.drive_states, N * found.qd
    electric = _integral((found.inputs * i).sum(1), dt)
    copper = _integral(SMALL.resistance * (i**2).sum(1), dt)
    bearings = _integral(SMALL.viscous * (w**2).sum(1), dt)
    stored = 0.5 * SMALL.inductance * (i[-1]**2).sum() + (
        0.5 * SMALL.rotor_inertia * (w[-1]**2).sum())
    qdd = found.accelerations()
    shaft = SMALL.torque_constant * i - SMALL.viscous * w - SMALL.rotor_inertia * N * qdd
    gears = _integral((shaft * w - found.tau * found.qd).sum(1), dt)
    assert gears == pytest.approx(0.0, abs=1e-9) if eta == 1.0 else gears > 0.01
    # the sums are by the trapezoidal rule: dt^2 / 12 of the second derivatives
    assert electric == pytest.approx(copper + bearings + stored + gears + found.work[-1],
                                     rel=1e-5)
    assert abs(found.balance().drift) < 1e-8


def _integral(values, dt):
    return float(dt * (values.sum() - 0.5 * (values[0] + values[-1])))


@pytest.mark.parametrize('motor', [
    SMALL, DcMotor(0.05, 0.6, rotor_inertia=1e-5, coulomb=0.01, smoothing_speed=1.0)],
    ids=['third order', 'second order'])
def test_the_inputs_of_a_motion_bring_that_motion_back(motor):
    robot = six_axis()
    dyn = kd.Dynamics(robot, kd.Friction.of(robot))
    drives = Drives(robot, {name: DcDrive(motor, Gear(120.0, 0.8)) for name in robot.joint_names})
    move = plan_move(np.array([0.0, -0.5, 0.5, 0.0, 0.5, 0.0]),
                     np.array([0.4, -0.3, 0.4, 0.5, 0.1, 0.4]), duration=0.25, profile='quintic')
    t = np.linspace(0.0, 0.25, 5001)
    q, qd, qdd = move.sample_many(t)
    tau = dyn.inverse_many(q, qd, qdd)
    demand = drives.demand(t, tau, q, qd, qdd)
    inputs = np.column_stack([demand[name].voltage for name in robot.joint_names])
    _, states = drives.initial(dyn.gravity(q[0]), q[0])
    found = kd.simulate(dyn, q[0], qd[0], lambda time, *_: inputs[round(time / t[1])],
                        drives=drives, drive_states=states, duration=0.25, dt=1e-4)
    # at the samples the inputs are exact but for the rate of the current (dt^2); RK4 asks halfway,
    # where the nearest sample is half a step off
    assert abs(found.q[-1] - q[-1]).max() < 2e-4
    assert abs(found.tau[:-1] - tau[::2][:-1]).max() < 0.3


def test_the_inputs_of_the_second_order_motor_are_exact_at_any_time():
    robot = six_axis()
    dyn = kd.Dynamics(robot)
    motor = DcMotor(0.05, 0.6, rotor_inertia=1e-5, viscous=1e-5)
    # the loss fades in slowly enough for the fixed step
    gear = Gear(120.0, 0.8, smoothing_speed=0.05)
    drives = Drives(robot, {name: DcDrive(motor, gear) for name in robot.joint_names})
    move = plan_move(np.zeros(6), np.array([0.8, 0.1, 0.2, 0.9, -0.5, 1.0]), duration=1.0,
                     profile='quintic')

    def inputs(t, q, qd):
        q, qd, qdd = move.sample(t)
        return drives.initial(dyn.inverse(q, qd, qdd), q, qd, qdd)[0]
    found = run(robot, drives, inputs, duration=1.0, dt=2e-3, method='rk4')
    assert abs(found.q - move.sample_many(found.t)[0]).max() < 1e-7


# -- hydraulics ----------------------------------------------------------------------------------

def test_a_cylinder_settles_at_the_speed_of_its_flow_and_leakage():
    robot, u = slider(axis='1 0 0', upper=1e9), 0.01
    found = run(robot, Drives(robot, {'rail': CYLINDER}), [u], duration=0.25, dt=5e-4,
                method='rk4')
    leak, A, B = 3e-12, CYLINDER.piston_area, CYLINDER.viscous
    speed = CYLINDER.flow_gain * u * A / (A**2 + B * leak)
    assert found.qd[-1, 0] == pytest.approx(speed, rel=1e-5)
    assert found.drive_states[-1, 0] == pytest.approx(B * speed / A, rel=1e-5)


@pytest.mark.parametrize('frequency', [None, 600.0], ids=['third order', 'fifth order'])
def test_a_cylinder_follows_the_matrix_exponential(frequency):
    robot, u, m = slider(axis='1 0 0', upper=1e9), 0.01, 2.0 + CYLINDER.piston_mass
    drive = HydraulicDrive(8e-4, 1.5, 4e-4, 7e8, 0.02, 1e-12, 2e-12, 300.0, frequency, 0.6)
    found = run(robot, Drives(robot, {'rail': drive}), [u], duration=0.05, dt=0.005, rtol=1e-10,
                atol=1e-9)
    A, stiff = 8e-4, 4.0 * 7e8 / 4e-4
    if frequency is None:
        matrix = [[-300.0 / m, A / m], [-stiff * A, -stiff * 3e-12]]
        b = [0.0, stiff * 0.02]
    else:
        w = frequency
        matrix = [[-300.0 / m, A / m, 0, 0], [-stiff * A, -stiff * 3e-12, stiff, 0],
                  [0, 0, 0, 1], [0, 0, -w * w, -1.2 * w]]
        b = [0, 0, 0, w * w * 0.02]
    x = linear_response(matrix, b, u, found.t)
    assert abs(found.qd[:, 0] - x[:, 0]).max() < 1e-7 * abs(x[:, 0]).max()
    assert abs(found.drive_states[:, 0] - x[:, 1]).max() < 1e-7 * abs(x[:, 1]).max()


def test_a_cylinder_at_a_crank_has_the_lever_of_its_triangle():
    crank, h = Crank(0.3, 0.12, 1.1), 1e-5
    q = np.linspace(-0.8, 1.5, 9)

    def length(angle):
        # the two points in the plane of the hinge
        points = np.array([0.3, 0.0]), 0.12 * np.array([np.cos(angle + 1.1), np.sin(angle + 1.1)])
        return np.linalg.norm(points[1] - points[0])
    for angle in q:
        first, second = crank.lever(angle)
        assert first == pytest.approx((length(angle + h) - length(angle - h)) / (2 * h), rel=1e-7)
        assert second == pytest.approx(
            (length(angle + h) - 2 * length(angle) + length(angle - h)) / h**2, abs=1e-5)


def test_a_cylinder_at_a_crank_holds_its_link_while_the_next_one_swings():
    robot = double_pendulum()
    dyn = kd.Dynamics(robot)
    drives = Drives(robot, {
        'one': HydraulicDrive(8e-4, 1.5, 4e-4, 7e8, 0.02, 1e-12, 2e-12, 300.0,
                              crank=Crank(0.3, 0.12, 1.4))}, passive=('two',))
    assert drives.joint_names == ('one',) and drives.state_names == ('one/pressure',)
    u, x = drives.initial(dyn.gravity([0.2, -0.2]), [0.2, -0.2])
    found = kd.simulate(dyn, [0.2, 0.7], [0.0, 0.0], u, drives=drives, drive_states=x,
                        duration=0.5, dt=2e-4)
    # the valve's flow makes up for the leakage at rest; the oil gives by V / (4 beta A^2) per
    # force, and what other pressures leak adds up
    lever = drives.drives['one'].crank.lever(0.2)[0]
    force = np.ptp(found.tau[:, 0]) / lever
    give = force / lever * (4e-4 / (4 * 7e8) + 0.5 * 3e-12) / 8e-4**2
    assert np.ptp(found.q[:, 1]) > 0.5
    assert np.ptp(found.q[:, 0]) < give < 2e-3


def test_the_pressure_and_flow_of_a_motion_bring_it_back():
    robot = slider(axis='1 0 0', upper=1e9)
    dyn = kd.Dynamics(robot)
    t = np.linspace(0.0, 0.4, 4001)
    move = plan_move([0.0], [0.3], duration=0.4, profile='quintic')
    q, qd, qdd = move.sample_many(t)
    drives = Drives(robot, {'rail': CYLINDER})
    u = drives.demand(t, dyn.inverse_many(q, qd, qdd), q, qd, qdd)['rail'].input
    found = run(robot, drives, lambda time, *_: [np.interp(time, t, u)], duration=0.4, dt=2e-4,
                method='rk4')
    assert abs(found.q[:, 0] - move.sample_many(found.t)[0][:, 0]).max() < 1e-6


# -- refusals ------------------------------------------------------------------------------------

@pytest.mark.parametrize(('make', 'words'), [
    (lambda: DcMotor(0.0, 1.0), 'torque_constant must be positive'),
    (lambda: DcMotor(1.0, 'two'), 'resistance must be a number'),
    (lambda: DcMotor(1.0, 1.0, viscous=-1.0), 'viscous must be not negative'),
    (lambda: Gear(100.0, 85.0), '0.85'),
    (lambda: Gear(0.0), 'ratio must be positive'),
    (lambda: DcDrive(SMALL, Gear(1.0), 'torque'), "there are ['voltage', 'current']"),
    (lambda: Drives(wheel(), {}), "['axle'] have no drive"),
    (lambda: Drives(wheel(), {'hub': DcDrive(SMALL, Gear(1.0))}), "there are ['axle']"),
    (lambda: Drives(wheel(), {'axle': SMALL}), 'is no drive'),
    (lambda: Crank(0.0, 1.0, 0.0), 'must be positive'),
    (lambda: DcMotor.from_catalogue(24.0, 0.0, 300.0), 'stall_torque'),
])
def test_a_wrong_data_sheet_is_refused_by_name(make, words):
    with pytest.raises(kd.InputError) as error:
        make()
    assert words in str(error.value)


def test_a_simulation_says_what_it_cannot_do_with_drives():
    robot = wheel()
    drives = Drives(robot, {'axle': DcDrive(SMALL, Gear(1.0))})
    with pytest.raises(kd.InputError, match='midpoint'):
        run(robot, drives, [1.0], duration=1.0, dt=0.1, method='midpoint')
    with pytest.raises(kd.InputError, match='axle/current'):
        run(robot, drives, [1.0], duration=1.0, dt=0.1, drive_states=[1.0, 2.0])
    with pytest.raises(kd.InputError, match='shape'):
        run(robot, drives, np.ones((3, 1)), duration=1.0, dt=0.1)
    crank = HydraulicDrive(8e-4, 1.5, 4e-4, 7e8, 0.02, crank=Crank(0.3, 0.1, 0.0))
    with pytest.raises(kd.InputError, match='in line'):
        crank.demand(None, np.ones(1), np.zeros(1), np.zeros(1), np.zeros(1))
