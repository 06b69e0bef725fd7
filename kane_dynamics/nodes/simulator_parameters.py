# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the simulator node, in the order in which its document lists them."""

from __future__ import annotations

from kane_dynamics.motion.plant import METHODS
from kane_dynamics.motion.simulation import REACTIONS
from kane_dynamics.nodes import calibrated_arm, tip_link
from kane_dynamics.nodes.parameters import Parameter, Schema

FRICTIONS = ('urdf', 'parameters', 'none')
DEFLECTIONS = ('sag', 'straight')
COMMAND_TIMES = ('arrival', 'stamp')
PER_JOINT = {'lengths': ('joints',)}
POSITION, SPEED, TORQUE = 'rad or m', 'rad/s or m/s', 'N m or N'

TIME = Schema(
    Parameter('update_rate', 'float', 500.0, 'periods per second of simulated time; each takes '
              'the newest command and publishes `joint_states`', unit='Hz', above=0.0,
              high=5000.0),
    Parameter('substeps', 'int', 0, 'integration steps per period; 0: as many as the damping of '
              'the joints needs, and none longer than 1 ms', low=0, high=1000),
    Parameter('method', 'str', 'auto', 'rk4; midpoint, for stiff arms, keeps their energy; '
              'generalized_alpha quiets modes faster than its steps. auto takes midpoint for '
              'flexible arms; rk4 is refused where a mode is too fast for it',
              choices=METHODS),
    Parameter('real_time_factor', 'float', 1.0, 'simulated seconds per second; other than 1 needs '
              '`publish_clock`', above=0.0, high=1000.0),
    Parameter('publish_clock', 'bool', False, 'publish simulated time, from 1 s on, on `/clock` '
              'and stamp with it; false: the time of the node'),
    Parameter('lock_step', 'bool', False, 'pass a period only when its command is there; every '
              'run then gives the same bits. Other nodes follow `/clock`'),
    Parameter('realtime_priority', 'int', 0, 'ask for SCHED_FIFO at this priority; 0 does not',
              low=0, high=99),
    Parameter('start_paused', 'bool', False, 'wait for `~/pause` with false, or for `~/step`'),
)

ARM = calibrated_arm.SCHEMA + Schema(
    Parameter('joints', 'strs', (), 'all joints, in the order of `~/commands`, `joint_states` and '
              'every list below; not set: the order of the URDF'),
    Parameter('initial_positions', 'floats', (), 'not set: zero, or the nearest within the stops',
              unit=POSITION, **PER_JOINT),
    Parameter('initial_velocities', 'floats', (0.0,), 'at the start and after a reset', unit=SPEED,
              **PER_JOINT),
    Parameter('gravity', 'floats', (0.0, 0.0, -9.81), 'in the axes of the root link', lengths=(3,),
              unit='m/s^2', low=-100.0, high=100.0),
    Parameter('stops', 'bool', True, 'the position limits of the URDF are hard stops'),
    Parameter('restitution', 'floats', (0.0,), 'speed that a stop gives back: 0 none, 1 all',
              low=0.0, high=1.0, **PER_JOINT),
    Parameter('friction', 'str', 'urdf', 'dry and viscous friction of the joints: `<dynamics '
              'damping friction>` of the URDF or the calibration, where there is one; the '
              'parameters below; or none', choices=FRICTIONS),
    Parameter('friction_parameters.viscous', 'floats', (0.0,), 'damping',
              unit='N m s/rad or N s/m', low=0.0, **PER_JOINT),
    Parameter('friction_parameters.coulomb', 'floats', (0.0,), 'level while sliding', unit=TORQUE,
              low=0.0, **PER_JOINT),
    Parameter('friction_parameters.stiction', 'floats', (), 'breakaway level; not set: as coulomb',
              unit=TORQUE, low=0.0, **PER_JOINT),
    Parameter('friction_parameters.stribeck_speed', 'float', 0.1, 'where stiction has half gone',
              unit=SPEED, above=0.0),
    Parameter('effort_limits', 'floats', (), 'commands are cut to it; not set: `<limit effort>` '
              'of the URDF; inf: no limit', unit=TORQUE, above=0.0, infinite=True, **PER_JOINT),
)

INPUT = Schema(
    Parameter('command_time', 'str', 'arrival', 'when a command on `~/effort` takes effect: in '
              'the next period, or in the one that begins at its stamp', choices=COMMAND_TIMES),
    Parameter('command_delay', 'float', 0.0, 'from then to its effect, in whole periods', unit='s',
              low=0.0, high=10.0),
    Parameter('command_timeout', 'float', 0.1, 'simulated time without a command after which '
              '`without_commands` sets in; 0: never', unit='s', low=0.0, runtime=True),
    Parameter('without_commands', 'str', 'brake', 'before the first command and after the '
              'timeout: joints are stopped and held, get no torque, or the last one',
              choices=REACTIONS, runtime=True),
    Parameter('wrench_timeout', 'float', 0.1, 'simulated time that a wrench acts; 0: until the '
              'next one', unit='s', low=0.0, runtime=True),
)

SENSOR = Schema(
    Parameter('sensor.seed', 'int', 1, 'of the noise; the same seed gives the same noise',
              low=0, high=1_000_000),
    Parameter('sensor.delay', 'float', 0.0, 'age of what `joint_states` tell, in whole periods',
              unit='s', low=0.0, high=10.0),
    Parameter('sensor.position_noise', 'floats', (0.0,), 'standard deviation', unit=POSITION,
              low=0.0, **PER_JOINT),
    Parameter('sensor.velocity_noise', 'floats', (0.0,), 'standard deviation', unit=SPEED,
              low=0.0, **PER_JOINT),
    Parameter('sensor.effort_noise', 'floats', (0.0,), 'standard deviation', unit=TORQUE, low=0.0,
              **PER_JOINT),
    Parameter('sensor.position_resolution', 'floats', (0.0,), 'step of the told values; 0: none',
              unit=POSITION, low=0.0, **PER_JOINT),
    Parameter('sensor.velocity_resolution', 'floats', (0.0,), 'step of the told values; 0: none',
              unit=SPEED, low=0.0, **PER_JOINT),
)

ELASTIC = Schema(
    Parameter('initial_deflection', 'str', 'sag', 'flexible arms, at the start and after a reset: '
              'bent by their weight, or straight', choices=DEFLECTIONS),
) + tip_link.SCHEMA + Schema(
    Parameter('markers.rate', 'float', 20.0, 'flexible arms: `~/markers` per second of wall time; '
              '0: none', unit='Hz', low=0.0, high=200.0),
    Parameter('markers.exaggeration', 'float', 1.0, 'of the deflection in `~/markers`', above=0.0,
              high=10_000.0),
)

MODEL = Schema(
    Parameter('model_check.tolerance', 'float', 1e-6, 'largest relative difference from '
              'Pinocchio, where it is installed; beyond it the node is not configured',
              above=0.0),
    Parameter('model_check.samples', 'int', 20, 'random states to compare at; 0 compares none',
              low=0, high=10_000),
)

SCHEMA = TIME + ARM + ELASTIC + INPUT + SENSOR + MODEL

if __name__ == '__main__':      # the table of doc/simulator.md
    from kane_dynamics.nodes import managed_node
    print((managed_node.SCHEMA + SCHEMA).markdown(), end='')
