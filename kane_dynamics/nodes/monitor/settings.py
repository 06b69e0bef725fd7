# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the monitor node: its parameters, in the order of doc/monitor.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from kane_dynamics.nodes.common.arm import CalibrationFile
from kane_dynamics.nodes.common.node_parameters import NodeSettings
from kane_dynamics.nodes.common.parameters import Floats, Names, Parameter, Schema

TORQUE = 'N m or N'
PER_JOINT: dict[str, Any] = {'lengths': ('joints',)}


@dataclass(frozen=True)
class PayloadSettings:
    """Load that the arm carries."""

    mass: Annotated[float, Parameter(
        'mass of a load fixed to `payload.link`', unit='kg', low=0.0)] = 0.0
    com: Annotated[Floats, Parameter(
        'center of mass of the load in the frame of the link', unit='m',
        lengths=(3,))] = (0.0, 0.0, 0.0)
    link: Annotated[str, Parameter(
        'link that carries the load; not set: the only end link')] = ''


@dataclass(frozen=True)
class ContactSettings:
    """Detection of contact."""

    threshold: Annotated[Floats, Parameter(
        'sudden change of the residual that counts as contact', unit=TORQUE, above=0.0,
        **PER_JOINT)] = (5.0,)
    uncertainty: Annotated[float, Parameter(
        'error of the model as a fraction of a change of torque; it raises the threshold', low=0.0,
        high=1.0)] = 0.1
    limit: Annotated[Floats, Parameter(
        'residual that counts as contact even if it grows slowly; not set: no limit', unit=TORQUE,
        above=0.0, **PER_JOINT)] = ()
    release: Annotated[float, Parameter(
        'fraction of the threshold below which a contact ends', above=0.0, high=1.0)] = 0.5
    release_time: Annotated[float, Parameter(
        'time for which the residual must stay below the release level before the contact ends',
        unit='s', low=0.0, high=10.0)] = 0.1
    baseline_time: Annotated[float, Parameter(
        'time constant of the baseline; faster changes of the residual are sudden', unit='s',
        above=0.0, high=60.0)] = 0.25
    settling_time: Annotated[float, Parameter(
        'time after the start during which no contact is detected', unit='s', low=0.0,
        high=60.0)] = 0.5


@dataclass(frozen=True)
class MonitorSettings(NodeSettings):
    """The parameters of the monitor node."""

    # -- arm
    calibration_file: CalibrationFile = ''
    joints: Annotated[Names, Parameter(
        'joints of `joint_states` in the order of all lists and outputs; not set: all that are '
        'not locked, in the order of the URDF')] = ()
    locked_joints: Annotated[Names, Parameter(
        'joints at rest that are not in `joint_states`')] = ()
    locked_positions: Annotated[Floats, Parameter(
        'positions of the locked joints: one value for all or one per joint',
        unit='rad or m')] = (0.0,)
    gravity: Annotated[Floats, Parameter(
        'gravity vector in the axes of the root link', lengths=(3,), unit='m/s^2', low=-100.0,
        high=100.0)] = (0.0, 0.0, -9.81)
    payload: PayloadSettings = PayloadSettings()
    effort_without_gravity: Annotated[bool, Parameter(
        'whether the effort in `joint_states` excludes a gravity torque that the robot adds '
        'itself')] = False

    # -- observer
    gain: Annotated[float, Parameter(
        'gain of the momentum observer: the residual reaches 63 % of a constant external torque '
        'after 1/gain', unit='1/s', above=0.0, high=10_000.0)] = 100.0
    max_gap: Annotated[float, Parameter(
        'longest time between two states; a longer one resets the observer', unit='s', above=0.0,
        high=10.0)] = 0.1
    frame: Annotated[str, Parameter(
        'link at whose origin `~/wrench` is estimated; not set: no wrench')] = ''

    # -- contact
    contact: ContactSettings = ContactSettings()


SCHEMA = Schema(MonitorSettings)

if __name__ == '__main__':      # the table of doc/monitor.md
    print(SCHEMA.markdown(), end='')
