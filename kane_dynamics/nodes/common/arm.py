# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arm of a node: its robot with the calibration applied, its tip link, the order of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Annotated, Any, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.dynamics.calibration import Calibration, load_calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, MissingDependencyError, ModelError
from kane_dynamics.io.text import show
from kane_dynamics.nodes.common.parameters import Parameter
from kane_dynamics.nodes.messages.conversions import joint_order
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.nodes.common.description import Source
    from kane_dynamics.nodes.common.message_limits import MessageLimits

CalibrationFile: TypeAlias = Annotated[str, Parameter(
    'file of `kane identify` with friction, rotor inertias and link inertias; not set: those of '
    'the URDF', why_fixed='the model is compiled from it')]
TipLink: TypeAlias = Annotated[str, Parameter(
    'flexible arms: link whose deflection `~/tip_deflection` reports; not set: the end link with '
    'the most joints between it and the base')]


@dataclass(frozen=True)
class ModelCheckSettings:
    """Comparison with Pinocchio at configuration."""

    tolerance: Annotated[float, Parameter(
        'largest relative difference from the torques of Pinocchio, if it is installed; a larger '
        'one fails the configuration', above=0.0)] = 1e-6
    samples: Annotated[int, Parameter(
        'number of random states to compare at; 0: no comparison', low=0, high=10_000)] = 20


@dataclass(frozen=True)
class Arm:
    """The robot of a Source: as described, with its calibration, and the Calibration or None."""

    source: Source
    described: Robot
    robot: Robot
    calibration: Calibration | None = None

    @classmethod
    def load(cls, source: Source, calibration_file: str, limits: MessageLimits,
             rigid: bool = False) -> Arm:
        """Return the arm of a Source; '' as calibration_file leaves it as described.

        rigid: drop the flexibility first, because the calibration may be that of a rigid arm.
        """
        robot = source.load()
        limits.check_joints(robot)
        if rigid:
            robot = robot.rigid()
        if not calibration_file:
            return cls(source, robot, robot)
        calibration = load_calibration(calibration_file)
        return cls(source, robot, calibration.apply(robot), calibration)

    def check(self, dynamics: Dynamics, settings: ModelCheckSettings,
              logger: Any) -> ModelCheck | None:
        """Compare with Pinocchio; log and return the result, None if it is not asked for.

        dynamics: that of the robot. Pinocchio parses the URDF, so that a calibrated arm is
        compared as described. Raises ModelError beyond the tolerance.
        """
        if not settings.samples:
            return None
        compared = dynamics if self.calibration is None else Dynamics(self.described)
        check = check_model(compared, self.source, settings.samples)
        logger.info(check.message)
        check.require(settings.tolerance)
        return check


class JointLists:
    """The order of the parameter `joints`, and lists in it as arrays in the order of the arm.

    names: the joints in the order of the parameter. arm_order (n,): indices in it of the joints of
    the arm; command_order (n,): the reverse.

    Args:
        given: value of the parameter; empty: the order of the arm.
        arm: the n joints in the order of the arm.
    """

    def __init__(self, given: Sequence[str], arm: Sequence[str]) -> None:
        self.names = tuple(given or arm)
        self.arm_order = joint_order(arm, self.names, 'joints')
        self.command_order = joint_order(self.names, arm, 'joints')

    def array(self, values: Sequence[float], default: ArrayLike = 0.0) -> FloatArray:
        """Convert a list of values to the order of the arm.

        values: one per joint, one for all, or none for the default, scalar or (n,) in that order.
        """
        if len(values) > 1:
            return np.array(values, dtype=float)[self.arm_order]
        filled = np.broadcast_to(values[0] if values else default, (len(self.names),))
        return np.array(filled, dtype=float)


def tip_link(robot: Robot, given: str) -> str:
    """Return the link `given`, or the tip of the robot for ''."""
    if given and given not in robot.link_names:
        raise InputError(f'tip_link: {show(given)} is no link of {robot.name!r}; there are '
                         f'{list(robot.link_names)}')
    return given or robot.tip()


@dataclass(frozen=True)
class ModelCheck:
    """Result of a comparison with Pinocchio: the largest relative error, NaN if not compared."""

    error: float
    message: str

    def require(self, tolerance: float) -> None:
        """Raise ModelError if the torques were compared and differ by more than the tolerance."""
        if not (math.isnan(self.error) or self.error <= tolerance):
            raise ModelError(f'{self.message}; model_check.tolerance is {tolerance:g}')


def check_model(dynamics: Dynamics, source: Source, samples: int = 20,
                seed: int = 1) -> ModelCheck:
    """Compare the torques of a Dynamics with those of Pinocchio, if it is installed.

    source: the Source of the arm. Pinocchio parses its XML, or the URDF that we write of it.
    """
    try:
        from kane_dynamics.dynamics.oracle.cross_check import cross_check
        report = cross_check(dynamics, source.xml(), samples=samples, seed=seed,
                             functions=('inverse',))
    except MissingDependencyError as missing:
        return ModelCheck(math.nan, f'not compared with Pinocchio: {missing}')
    error = report.error('inverse')
    return ModelCheck(error, f'torques differ from those of Pinocchio {report.version} by at most '
                             f'{error:.1e} of the largest, at {samples} random states'
                      + (f' ({report.note})' if report.note else ''))
