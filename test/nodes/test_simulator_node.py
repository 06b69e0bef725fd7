# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node over a real middleware: in a process, driven by messages."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: pip install -r requirements/ros.txt')

from ros_graph import ROOT, wait  # noqa: E402  after the question for rclpy
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from simulated_arms import double_pendulum, six_axis  # noqa: E402
from simulator_rig import FIRST, SimulatorRig, stamp_of  # noqa: E402
from std_msgs.msg import Float64MultiArray, MultiArrayDimension  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.nodes.common.diagnostics import OK, Report  # noqa: E402
from kane_dynamics.nodes.messages.conversions import set_stamp  # noqa: E402
from kane_dynamics.nodes.simulator.arm_setup import SimulatorSetup  # noqa: E402
from kane_dynamics.nodes.simulator.command_reader import CommandReader  # noqa: E402
from kane_dynamics.nodes.simulator.reports import SimulatorReports  # noqa: E402
from kane_dynamics.nodes.simulator.settings import SCHEMA  # noqa: E402
from kane_dynamics.simulation.plant.plant import Plant  # noqa: E402
from kane_dynamics.simulation.plant.robot_in_time import Simulation  # noqa: E402
from kane_dynamics.simulation.plant.sensor import Sensor  # noqa: E402

pytestmark = pytest.mark.ros

PERIOD = 5_000_000      # [ns] at the 200 Hz that most tests run at
HOME = [0.4, -0.3]
BASE = {'update_rate': 200.0, 'initial_positions': HOME, 'model_check.samples': 0}


@pytest.fixture(scope='module')
def wall():
    """Return a simulator on the wall clock that brakes without commands."""
    with SimulatorRig(double_pendulum(), {**BASE, 'command_timeout': 0.2}) as rig:
        yield rig


@pytest.fixture
def arm(wall):
    """Return the simulator, braked at its start."""
    wall.pause(False)
    wall.trigger('reset')
    begin = len(wall.states)
    wall.wait_for_states(begin + 3)
    return wall


# -- on the wall clock --------------------------------------------------------------------------


def test_joint_states_are_complete_equally_spaced_and_in_the_time_of_the_system(arm):
    begin = len(arm.states)
    arm.wait_for_states(begin + 100)
    published = arm.states[begin:]
    assert published[0].name == ['one', 'two']
    for each in published:
        assert len(each.position) == len(each.velocity) == len(each.effort) == 2
    steps = np.diff([stamp_of(each) for each in published])
    # whole periods; more than one where the machine was late
    assert (steps % PERIOD == 0).mean() > 0.9 and np.median(steps) == PERIOD
    assert abs(stamp_of(published[-1]) - time.time_ns()) < 2e9


def test_a_rigid_arm_has_no_elastic_topics(arm):
    assert not arm.topics() & {'elastic_states', 'tip_deflection', 'markers'}


def test_arm_is_braked_exactly_before_the_first_command(arm):
    begin = len(arm.states)
    arm.wait_for_states(begin + 40)
    for each in arm.states[begin:]:
        assert list(each.position) == HOME and list(each.velocity) == [0.0, 0.0]
    assert arm.status('Commands')[2]['driven by'] == 'no commands: brake'


@pytest.mark.parametrize('way', ['commands', 'effort'])
def test_efforts_move_the_arm_and_the_watchdog_brakes_it(arm, way):
    timeouts = int(arm.status('Commands')[2]['timeouts'])
    if way == 'commands':
        arm.command([3.0, 0.5], label='one,two')
    else:
        arm.effort([0.5, 3.0], names=['two', 'one'])       # by name, in any order
    wait(lambda: list(arm.states[-1].effort) == [3.0, 0.5], 'the effort in joint_states')
    wait(lambda: arm.states[-1].velocity[0] != 0.0, 'motion')
    wait(lambda: list(arm.states[-1].velocity) == [0.0, 0.0], 'the brake')
    assert list(arm.states[-1].position) != HOME
    assert list(arm.states[-1].effort) == [0.0, 0.0]
    assert int(arm.status('Commands')[2]['timeouts']) == timeouts + 1


def test_pause_stops_time_and_a_step_passes_one_period(arm):
    assert arm.pause(True).success
    time.sleep(0.1)
    begin, last = len(arm.states), stamp_of(arm.states[-1])
    time.sleep(0.1)
    assert len(arm.states) == begin
    answer = arm.trigger('step')
    assert answer.success and answer.message.startswith('at ')
    arm.wait_for_states(begin + 1)
    assert stamp_of(arm.states[-1]) - last == PERIOD
    assert 'paused' in arm.status('Loop')[1].split('; ')    # and cycles missed before
    assert arm.pause(False).message == 'running'
    arm.wait_for_states(begin + 20)
    assert not arm.trigger('step').success
    # stamps are the system's time again: the pause is not caught up with
    assert abs(stamp_of(arm.states[-1]) - time.time_ns()) < 2e9


def test_reset_goes_back_to_the_start_and_time_goes_on(arm):
    arm.command([2.0, 0.0])
    wait(lambda: list(arm.states[-1].position) != HOME, 'motion')
    before = stamp_of(arm.states[-1])
    assert arm.trigger('reset').success
    begin = len(arm.states)
    arm.wait_for_states(begin + 5)
    assert list(arm.states[-1].position) == HOME and list(arm.states[-1].velocity) == [0.0, 0.0]
    assert stamp_of(arm.states[-1]) > before


def test_wrench_on_a_link_moves_the_arm_for_its_time(arm):
    begin = len(arm.states)
    arm.peer.set_parameters(arm.node, without_commands='zero', wrench_timeout=0.05)
    arm.push('lower', [0.0, 0.0, 0.0], [0.0, 4.0, 0.0])    # about the joint axis, 4 N m
    wait(lambda: arm.states[-1].velocity[1] > 0.2, 'motion')
    arm.push('hand', [1.0, 0.0, 0.0])
    arm.process.wait_for_log("wrench on 'hand': no such link")
    arm.peer.set_parameters(arm.node, without_commands='brake')
    assert len(arm.states) > begin


def test_arm_that_flies_apart_stands_still_says_why_and_is_reset(arm):
    arm.peer.set_parameters(arm.node, without_commands='zero')
    arm.push('lower', [0.0, 0.0, 0.0], [0.0, 1e300, 0.0])
    arm.process.wait_for_log('the simulation is stopped, call ~/reset')
    level, message, _ = arm.status('Loop')
    assert level == 2 and 'is stopped' in message
    refused = arm.pause(False)
    assert not refused.success and 'call ~/reset first' in refused.message
    arm.peer.set_parameters(arm.node, without_commands='brake')
    assert arm.trigger('reset').success
    begin = len(arm.states)
    arm.wait_for_states(begin + 5)
    assert list(arm.states[-1].position) == HOME


def test_a_step_in_which_the_arm_flies_apart_is_answered(arm):
    assert arm.pause(True).success
    arm.peer.set_parameters(arm.node, without_commands='zero')
    arm.push('lower', [0.0, 0.0, 0.0], [0.0, 1e300, 0.0])
    answers = []

    def failed():                           # the wrench may come after the first steps
        answers.append(arm.trigger('step'))
        return not answers[-1].success
    wait(failed, 'the failure')
    assert 'is not finite after' in answers[-1].message
    level, message, _ = arm.status('Loop')
    assert level == 2 and 'is stopped' in message
    assert 'call ~/reset first' in arm.trigger('step').message
    arm.peer.set_parameters(arm.node, without_commands='brake')
    assert arm.trigger('reset').success


def test_bad_commands_are_refused_and_change_nothing(arm):
    refused = int(arm.status('Commands')[2]['refused'])
    arm.command([1.0])
    arm.command([1.0, np.nan])
    arm.command([1.0, 2.0], label='two,one')
    arm.effort([1.0], names=['one'])
    arm.effort([1.0], names=['one', 'two'])
    arm.process.wait_for_log('~/commands has 1 values, expected 2 for')
    wait(lambda: int(arm.status('Commands')[2]['refused']) == refused + 5, 'five refusals')
    assert 'commands were refused' in arm.status('Commands')[1]
    assert list(arm.states[-1].position) == HOME


def test_reader_names_what_is_wrong_with_a_command():
    reader = CommandReader(['b', 'a'], np.array([1, 0]))   # the arm's order is a, b
    good = Float64MultiArray(data=[2.0, 1.0])
    assert reader.from_array(good).tolist() == [1.0, 2.0]
    good.layout.dim = [MultiArrayDimension(label='b,a')]
    assert reader.from_array(good).tolist() == [1.0, 2.0]
    state = JointState(name=['c', 'a', 'b'], effort=[9.0, 1.0, 2.0])
    assert reader.from_joint_state(state).tolist() == [1.0, 2.0]
    wrong = Float64MultiArray(data=[2.0, 1.0])
    wrong.layout.dim = [MultiArrayDimension(label='a,b')]
    for read, message, words in (
            (reader.from_array, Float64MultiArray(data=[1.0]), '1 values, expected 2'),
            (reader.from_array, wrong, r"labelled \['a', 'b'\], expected \['b', 'a'\]"),
            (reader.from_joint_state, JointState(name=['a'], effort=[1.0]), "'b' is missing"),
            (reader.from_joint_state, JointState(name=['a', 'b'], effort=[1.0]),
             '1 efforts for 2 names'),
            (reader.from_joint_state, JointState(name=['a', 'b', 'a'], effort=[1.0] * 3),
             'more than once')):
        with pytest.raises(kd.InputError, match=words):
            read(message)


def test_diagnostics_tell_of_energy_and_of_the_loop(arm):
    _, _, values = arm.status('Arm')
    assert abs(float(values['energy drift [J]'])) < 1e-6
    assert values['method'] == 'rk4'
    _, _, values = arm.status('Loop')
    assert values['time'] == 'wall clock' and float(values['measured rate [Hz]']) > 100.0
    assert arm.status('Model')[2]['robot'] == 'double_pendulum'


def test_energy_and_work_in_a_report_are_those_of_one_period():
    lock = threading.RLock()

    class Plant:
        account = SimpleNamespace(work=0.0, friction_loss=0.0, impact_loss=0.0)
        contacts = substeps = 0
        method = 'rk4'

        @staticmethod
        def energy_drift():
            return 0.0 if lock._is_owned() else 1.0     # another period has begun

    node = SimpleNamespace(
        lock=lock, configured=True, simulation=SimpleNamespace(plant=Plant),
        elastic=SimpleNamespace(report=lambda *_: None),
        diagnostics=SimpleNamespace(add=lambda name, part: None))
    report = Report('Arm')
    SimulatorReports(node).parts()['Arm'](report)
    assert (report.level, report.values[0].value) == (OK, '0')


def test_parameters_that_are_fixed_are_refused_and_others_take_effect(arm):
    refused, taken = arm.peer.set_parameters(arm.node, update_rate=100.0, command_timeout=0.3)
    assert not refused.successful and 'fixed while the node is configured' in refused.reason
    assert taken.successful
    bad, = arm.peer.set_parameters(arm.node, without_commands='fly')
    assert not bad.successful and "['brake', 'zero', 'last']" in bad.reason


def test_lifecycle_goes_round_and_services_refuse_outside(arm):
    assert arm.peer.change_state(arm.node, 'deactivate')
    answer = arm.pause(True)
    assert not answer.success and 'inactive' in answer.message
    begin = len(arm.states)
    time.sleep(0.1)
    assert len(arm.states) - begin <= 1
    for transition in ('cleanup', 'configure', 'activate'):
        assert arm.peer.change_state(arm.node, transition)
    wait(lambda: len(arm.states) > begin + 5, 'states again')


# -- lock-step: the same bits -------------------------------------------------------------------


def efforts(count, seed=3):
    rng = np.random.default_rng(seed)
    return 4.0 * rng.uniform(-1.0, 1.0, (count, 2))


SENSOR = {'sensor.position_noise': [1e-3], 'sensor.velocity_resolution': [0.01],
          'sensor.delay': 0.01, 'sensor.seed': 5}
ROUGH = {**BASE, **SENSOR, 'friction': 'parameters', 'friction_parameters.coulomb': [0.5, 0.3],
         'friction_parameters.viscous': [0.05], 'friction_parameters.stiction': [0.6, 0.4],
         'restitution': [0.5]}


def local(robot=None, periods=None, commands=()):
    """Return what the classes behind the node give: (N, 3, n), for commands {period: tau}."""
    robot = robot or double_pendulum()
    plant = Plant(robot, PERIOD * 1e-9, q0=HOME, stops=kd.Stops.of(robot, 0.5),
                  friction=kd.Friction([0.05] * 2, [0.5, 0.3], [0.6, 0.4]),
                  effort_limits=robot.limits.effort)
    sensor = Sensor(2, {'position': 1e-3}, {'velocity': 0.01}, delay=2, seed=5)
    simulation = Simulation(plant, sensor, command_timeout=20)
    published = [simulation.measured.copy()]
    for k in range(periods):
        if k in commands:
            simulation.command(commands[k])
        simulation.advance()
        published.append(simulation.measured.copy())
    return np.array(published)


def test_lock_step_is_bit_for_bit_what_the_classes_compute_run_after_run():
    count = 300
    torques = efforts(count)
    runs = []
    for run in range(2):
        with SimulatorRig(double_pendulum(), {**ROUGH, 'lock_step': True}) as rig:
            for k, tau in enumerate(torques):
                if run == 0:
                    rig.effort(tau, FIRST + k * PERIOD)     # a recording, all at once
                else:
                    rig.command(tau)                        # one after the other
                    rig.wait_for_stamp(FIRST + (k + 1) * PERIOD)
            rig.wait_for_stamp(FIRST + count * PERIOD)
            stamps, published = rig.arrays()
            clocks = [each.clock.sec * 10**9 + each.clock.nanosec for each in rig.clocks]
        assert stamps[-1] == FIRST + count * PERIOD and set(stamps) <= set(clocks)
        assert (np.diff(stamps) == PERIOD).all()
        runs.append(dict(zip(stamps, published)))
    expected = local(periods=count, commands=dict(enumerate(torques)))
    for ns, published in runs[0].items():
        assert np.array_equal(published, expected[(ns - FIRST) // PERIOD]), ns
    for ns in set(runs[0]) & set(runs[1]):
        assert np.array_equal(runs[0][ns], runs[1][ns])
    assert len(set(runs[0]) & set(runs[1])) > count - 5


def test_lock_step_passes_gaps_with_the_last_command_and_drops_what_is_old():
    torques = efforts(3)
    with SimulatorRig(double_pendulum(), {**ROUGH, 'lock_step': True}) as rig:
        rig.effort(torques[0], FIRST)
        rig.wait_for_stamp(FIRST + PERIOD)
        time.sleep(0.1)
        assert stamp_of(rig.states[-1]) == FIRST + PERIOD   # it waits
        rig.effort(torques[1], FIRST + 10 * PERIOD)         # no command for 1 .. 9 can come now
        rig.wait_for_stamp(FIRST + 11 * PERIOD)
        rig.effort(torques[0], FIRST + 2 * PERIOD)          # old
        rig.effort(torques[2], FIRST + 11 * PERIOD)
        rig.wait_for_stamp(FIRST + 12 * PERIOD)
        rig.effort(torques[2], FIRST + 3600 * 10**9)
        rig.process.wait_for_log('ahead of simulated time; does its sender use_sim_time?')
        stamps, published = rig.arrays()
        assert int(rig.status('Commands')[2]['late']) == 1
        # a single step while paused takes no command, and none is lost
        rig.pause(True)
        rig.effort(torques[0], FIRST + 12 * PERIOD)
        time.sleep(0.1)
        assert stamp_of(rig.states[-1]) == FIRST + 12 * PERIOD
        rig.trigger('step')
        rig.wait_for_stamp(FIRST + 13 * PERIOD)
        # their sender is gone: a warning, and services answer
        assert rig.pause(False).success
        wait(lambda: 'waiting for the command at 1.065' in rig.status('Loop')[1], 'the warning')
        rig.command(torques[0])
        wait(lambda: rig.status('Loop')[1] == 'OK', 'an end of the warning')
    expected = local(periods=12, commands={0: torques[0], 10: torques[1], 11: torques[2]})
    for ns, row in zip(stamps, published):
        assert np.array_equal(row, expected[(ns - FIRST) // PERIOD])


def test_before_its_first_command_a_lock_step_arm_stands_while_time_may_pass():
    with SimulatorRig(double_pendulum(), {**BASE, 'lock_step': True,
                                          'without_commands': 'zero'}) as rig:
        time.sleep(0.5)
        assert not rig.states                               # no one could answer
        rig.peer.node.create_publisher(JointState, f'{rig.node}/effort', 10)
        rig.wait_for_stamp(FIRST)                           # someone could ...
        rig.wait_for_stamp(FIRST + 3 * PERIOD)              # ... but does not
        assert list(rig.states[-1].position) == HOME
        assert 'waiting for the first command' in rig.status('Loop')[1]
        rig.command([1.0, 0.0])
        wait(lambda: rig.states[-1].velocity[0] != 0.0, 'motion')


# -- on a clock from outside --------------------------------------------------------------------


def test_a_reset_before_the_first_clock_succeeds_without_a_state():
    with SimulatorRig(double_pendulum(), {**ROUGH, 'use_sim_time': True}) as rig:
        answer = rig.trigger('reset')
        assert answer.success, answer.message
        assert not rig.states


def test_states_follow_the_clock_and_stamped_commands_act_at_their_stamps():
    torques = efforts(60)
    start = 100 * 10**9
    with SimulatorRig(double_pendulum(), {**ROUGH, 'use_sim_time': True,
                                          'command_time': 'stamp'}) as rig:
        def clock(ns):
            message = Clock()
            set_stamp(message.clock, ns)
            rig.peer.publish(message, '/clock', 10)

        def tick(ns):                                       # best effort: again until it works
            def arrived():
                clock(ns)
                time.sleep(0.01)
                return rig.states and stamp_of(rig.states[-1]) >= ns
            wait(arrived, f'the state at {ns}', lambda: rig.process.log)

        clock(start - 1)
        # the timer of the node begins with the clock: let it tick
        ns = start
        while not rig.states:
            ns += PERIOD
            clock(ns)
            time.sleep(0.02)
        origin = stamp_of(rig.states[0]) - PERIOD
        current = stamp_of(rig.states[-1])
        first = (current - origin) // PERIOD + 2
        for k, tau in enumerate(torques):                   # all of them, long before their time
            rig.effort(tau, origin + (first + k) * PERIOD)
        wait(lambda: int(rig.status('Commands')[2]['received']) == 60, 'the commands')
        tick(origin + (first + 30) * PERIOD)                # in two great leaps
        tick(origin + (first + 60) * PERIOD)
        stamps, published = rig.arrays()
        clock(start - 10**9)                                # back in time: it goes on from there
        rig.process.process.poll()
    expected = local(periods=int(first) + 60,
                     commands={first + k: tau for k, tau in enumerate(torques)})
    assert stamps[-1] == origin + (first + 60) * PERIOD
    for ns, row in zip(stamps, published):
        assert np.array_equal(row, expected[(ns - origin) // PERIOD]), (ns - origin) // PERIOD


# -- what cannot be -----------------------------------------------------------------------------


def test_impossible_settings_leave_the_node_unconfigured_with_the_reason():
    with SimulatorRig(double_pendulum(), {**BASE, 'initial_positions': [4.0, 0.0]},
                      active=False) as rig:
        rig.process.wait_for_log('cannot configure')
        assert "joint 'one' starts at 4, beyond its stops" in rig.process.log
        assert rig.peer.state(rig.node) == 'unconfigured'


def setup(robot, **changes):
    return SimulatorSetup(robot, SCHEMA.read({name.replace('__', '.'): value
                                              for name, value in changes.items()}))


@pytest.mark.parametrize(('parameters', 'words'), [
    ({'real_time_factor': 2.0}, 'requires publish_clock'),
    ({'joints': ('one', 'three')}, "no moving joint 'three'; it has"),
    ({'joints': ('one',)}, "joint 'two' is missing"),
])
def test_impossible_settings_are_named(parameters, words):
    with pytest.raises(kd.InputError, match=words):
        setup(double_pendulum(), **parameters)


def test_lists_come_in_the_order_of_joints_and_times_in_periods():
    made = setup(double_pendulum(), joints=('two', 'one'), initial_positions=(0.2, 0.1),
                 effort_limits=(20.0, 10.0), friction='parameters', update_rate=250.0,
                 friction_parameters__coulomb=(2.0, 1.0), sensor__delay=0.001,
                 command_delay=0.0121)
    plant = made.plant()
    assert plant.joint_positions.tolist() == [0.1, 0.2]
    assert plant.breakaway.tolist() == [1.0, 2.0]
    plant.command([99.0, 99.0])
    assert plant.tau.tolist() == [10.0, 20.0]
    assert made.period == 4_000_000
    assert made.simulation(plant).command_delay == 3
    assert made.periods(0.001) == 1 and made.periods(0.0) == 0
    assert setup(six_axis(), friction='none').plant().friction is None
    lopsided = double_pendulum(lower=0.5)                  # zero is no place between its stops
    assert setup(lopsided).plant().joint_positions.tolist() == [0.5, 0.5]


def test_six_axis_arm_starts_from_its_file_with_friction_and_stops_and_compares_itself():
    with SimulatorRig(six_axis(), {'update_rate': 1000.0}) as rig:
        assert 'friction, stops; rk4' in rig.process.log and 'Pinocchio' in rig.process.log
        assert rig.process.end() == 0


def test_every_parameter_has_a_description_and_lists_name_their_unit():
    for name, entry in SCHEMA.entries.items():
        assert entry.description, name
        if entry.kind == 'floats' and name != 'restitution':
            assert entry.unit, name


def test_the_document_lists_the_parameters_as_they_are_and_its_code_runs(monkeypatch):
    text = (ROOT / 'doc' / 'simulator.md').read_text(encoding='utf-8')
    table = text.split('<!-- parameters -->\n')[1].split('<!-- /parameters -->')[0]
    assert table == SCHEMA.markdown(), (
        'python -m kane_dynamics.nodes.simulator.settings prints it')
    monkeypatch.chdir(ROOT)
    code = text.split('```python\n')[1].split('```')[0]
    names = {}
    exec(compile(code, 'doc/simulator.md', 'exec'), names)
    assert len(names['found']) == 2001 and names['plant'].periods == 1
