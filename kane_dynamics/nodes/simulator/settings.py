# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the simulator node: its parameters, in the order of doc/simulator.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from kane_dynamics.nodes.common.arm import CalibrationFile, ModelCheckSettings, TipLink
from kane_dynamics.nodes.common.node_parameters import NodeSettings
from kane_dynamics.nodes.common.parameters import DAY, Floats, Names, Parameter, Schema
from kane_dynamics.simulation.plant.plant import PlantMethod
from kane_dynamics.simulation.plant.robot_in_time import Reaction

FrictionSource: TypeAlias = Literal['urdf', 'parameters', 'none']
InitialDeflection: TypeAlias = Literal['sag', 'straight']
CommandTime: TypeAlias = Literal['arrival', 'stamp']
PER_JOINT: dict[str, Any] = {'lengths': ('joints',)}
POSITION, SPEED, TORQUE = 'rad or m', 'rad/s or m/s', 'N m or N'


@dataclass(frozen=True)
class FrictionSettings:
    """Friction of the joints."""

    viscous: Annotated[Floats, Parameter(
        'viscous coefficient', unit='N m s/rad or N s/m', low=0.0, **PER_JOINT)] = (0.0,)
    coulomb: Annotated[Floats, Parameter(
        'Coulomb friction', unit=TORQUE, low=0.0, **PER_JOINT)] = (0.0,)
    stiction: Annotated[Floats, Parameter(
        'breakaway friction; not set: equal to coulomb', unit=TORQUE, low=0.0, **PER_JOINT)] = ()
    stribeck_speed: Annotated[float, Parameter(
        'speed at which half of the difference between stiction and coulomb is gone', unit=SPEED,
        above=0.0)] = 0.1


@dataclass(frozen=True)
class SensorSettings:
    """Errors of the joint sensors."""

    seed: Annotated[int, Parameter(
        'seed of the noise; equal seeds give equal noise', low=0, high=1_000_000)] = 1
    delay: Annotated[float, Parameter(
        'age of the values in `joint_states`, rounded to whole periods', unit='s', low=0.0,
        high=10.0)] = 0.0
    position_noise: Annotated[Floats, Parameter(
        'standard deviation of the measured position', unit=POSITION, low=0.0,
        **PER_JOINT)] = (0.0,)
    velocity_noise: Annotated[Floats, Parameter(
        'standard deviation of the measured velocity', unit=SPEED, low=0.0, **PER_JOINT)] = (0.0,)
    effort_noise: Annotated[Floats, Parameter(
        'standard deviation of the measured effort', unit=TORQUE, low=0.0, **PER_JOINT)] = (0.0,)
    position_resolution: Annotated[Floats, Parameter(
        'quantization step of the measured position; 0: none', unit=POSITION, low=0.0,
        **PER_JOINT)] = (0.0,)
    velocity_resolution: Annotated[Floats, Parameter(
        'quantization step of the measured velocity; 0: none', unit=SPEED, low=0.0,
        **PER_JOINT)] = (0.0,)


@dataclass(frozen=True)
class MarkerSettings:
    """Drawing of flexible links."""

    rate: Annotated[float, Parameter(
        'flexible arms: rate of `~/markers` in wall time; 0: not published', unit='Hz', low=0.1,
        high=200.0, or_zero=True)] = 20.0
    exaggeration: Annotated[float, Parameter(
        'factor of the deflection in `~/markers`', above=0.0, high=10_000.0)] = 1.0


@dataclass(frozen=True)
class SimulatorSettings(NodeSettings):
    """The parameters of the simulator node."""

    # -- time
    update_rate: Annotated[float, Parameter(
        'periods per second of simulated time; each applies the newest command and publishes '
        '`joint_states`', unit='Hz', low=0.1, high=5000.0)] = 500.0
    substeps: Annotated[int, Parameter(
        'integration steps per period; 0: as many as the damping of the joints requires, each at '
        'most 1 ms', low=0, high=1000)] = 0
    method: Annotated[PlantMethod, Parameter(
        'integrator: rk4; midpoint for stiff arms, conserves energy; generalized_alpha damps '
        'modes faster than its steps. auto: midpoint for flexible arms, else rk4. rk4 is refused '
        'if a mode is too fast for it')] = 'auto'
    real_time_factor: Annotated[float, Parameter(
        'simulated seconds per second; a value other than 1 requires `publish_clock`', low=1e-3,
        high=1000.0)] = 1.0
    publish_clock: Annotated[bool, Parameter(
        'publish simulated time, starting at 1 s, on `/clock` and in the stamps; false: stamps '
        'are the time of the node')] = False
    lock_step: Annotated[bool, Parameter(
        'simulate a period only when its command has arrived: every run is bit-identical. Other '
        'nodes follow `/clock`')] = False
    realtime_priority: Annotated[int, Parameter(
        'SCHED_FIFO priority to request; 0: default scheduling', low=0, high=99)] = 0
    start_paused: Annotated[bool, Parameter(
        'start paused, until `~/pause` with false or `~/step`')] = False

    # -- arm
    calibration_file: CalibrationFile = ''
    joints: Annotated[Names, Parameter(
        'all joints in the order of `~/commands`, `joint_states` and every list below; not set: '
        'the order of the URDF')] = ()
    initial_positions: Annotated[Floats, Parameter(
        'positions at the start and after a reset; not set: zero, or the nearest position within '
        'the stops', unit=POSITION, **PER_JOINT)] = ()
    initial_velocities: Annotated[Floats, Parameter(
        'velocities at the start and after a reset', unit=SPEED, **PER_JOINT)] = (0.0,)
    gravity: Annotated[Floats, Parameter(
        'gravity vector in the axes of the root link', lengths=(3,), unit='m/s^2', low=-100.0,
        high=100.0)] = (0.0, 0.0, -9.81)
    stops: Annotated[bool, Parameter(
        'the position limits of the URDF are hard stops')] = True
    restitution: Annotated[Floats, Parameter(
        'coefficient of restitution of the stops', low=0.0, high=1.0, **PER_JOINT)] = (0.0,)
    friction: Annotated[FrictionSource, Parameter(
        'Coulomb and viscous friction of the joints: of the calibration if there is one, else '
        '`<dynamics damping friction>` of the URDF; of the parameters below; or none')] = 'urdf'
    friction_parameters: FrictionSettings = FrictionSettings()
    effort_limits: Annotated[Floats, Parameter(
        'largest effort of a command; not set: `<limit effort>` of the URDF; inf: no limit',
        unit=TORQUE, above=0.0, infinite=True, **PER_JOINT)] = ()

    # -- elastic
    initial_deflection: Annotated[InitialDeflection, Parameter(
        'flexible arms at the start and after a reset: static sag under gravity, or '
        'undeformed')] = 'sag'
    tip_link: TipLink = ''
    markers: MarkerSettings = MarkerSettings()

    # -- input
    command_time: Annotated[CommandTime, Parameter(
        'period in which a command on `~/effort` takes effect: the next one, or the one that '
        'starts at its stamp')] = 'arrival'
    command_delay: Annotated[float, Parameter(
        'additional delay of the effect of a command, rounded to whole periods', unit='s', low=0.0,
        high=10.0)] = 0.0
    command_timeout: Annotated[float, Parameter(
        'simulated time without a command after which `without_commands` applies; 0: never',
        unit='s', low=0.0, high=DAY, runtime=True)] = 0.1
    without_commands: Annotated[Reaction, Parameter(
        'before the first command and after the timeout: the joints are stopped and held, have '
        'no torque, or keep the last one', runtime=True)] = 'brake'
    wrench_timeout: Annotated[float, Parameter(
        'simulated time for which a wrench acts; 0: until the next one', unit='s', low=0.0,
        high=DAY, runtime=True)] = 0.1

    # -- sensor
    sensor: SensorSettings = SensorSettings()

    # -- check
    model_check: ModelCheckSettings = ModelCheckSettings()


SCHEMA = Schema(SimulatorSettings)

if __name__ == '__main__':      # the table of doc/simulator.md
    print(SCHEMA.markdown(), end='')
