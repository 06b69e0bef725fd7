# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Plant with delayed commands and sensors in discrete time: torques in, measurements out.

All times are counted in periods, so that the same calls give the same bits on any clock. Plain
Python and numpy: a node adds messages and time.
"""

from __future__ import annotations

from collections import deque
from typing import cast, get_args, Literal, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.plant.plant import Plant
from kane_dynamics.simulation.plant.sensor import Sensor

Reaction: TypeAlias = Literal['brake', 'zero', 'last']
REACTIONS = get_args(Reaction)


class Simulation:
    """Advance a Plant period by period under commands that take effect at stated periods.

    Args:
        plant: the arm.
        sensor: the Sensor that measures it.
        command_delay: periods between a command and its effect.
        command_timeout: periods without a new command after which the reaction starts; 0: never.
        reaction: before the first command and after the timeout, 'brake' the joints, apply
            'zero' torque, or hold the 'last' torque (zero before the first command).
    """

    def __init__(self, plant: Plant, sensor: Sensor, command_delay: int = 0,
                 command_timeout: int = 0, reaction: str = 'brake') -> None:
        self.plant, self.sensor = plant, sensor
        self.command_delay, self.command_timeout = command_delay, command_timeout
        self._reaction = _checked_reaction(reaction)
        self.period = 0             # index of the next one
        self.late = 0               # commands for a period that was over
        self.timeouts = 0           # starts of the reaction for lack of commands
        self.reset()

    def reset(self) -> None:
        """Return the plant and the sensors to the start; commands and pushes are dropped.

        Counts and the index of the period continue.
        """
        self.plant.reset()
        self.sensor.restart()
        self._queue: deque[tuple[int, FloatArray]] = deque()
        self._pushes: dict[str, int | None] = {}    # the period in which a link's wrench ends
        self._last = 0              # the period of the last command that took effect
        self.measured = self._measure()
        self._apply_reaction()

    def set_reaction(self, reaction: str) -> None:
        """Change the reaction to missing commands; at once where they are missing."""
        self._reaction = _checked_reaction(reaction)
        if not self._driven:
            self._apply_reaction()

    def hold(self) -> None:
        """Brake the arm until the next command, whatever the reaction is."""
        self._driven = False
        self.plant.braked = True

    @property
    def driven(self) -> bool:
        """Return whether commands drive the arm, and not the reaction to their absence."""
        return self._driven

    def command(self, torques: ArrayLike, period: int | None = None) -> None:
        """Apply torques (n_joints,) from `command_delay` after a period on, by default the next.

        A command for a period that is over takes effect at once. One that is not finite is
        refused.
        """
        tau = np.array(torques, dtype=float)
        if tau.shape != (self.plant.robot.n_joints,):
            raise InputError(f'a command has {self.plant.robot.n_joints} torques, for '
                             f'{list(self.plant.robot.joint_names)}; got shape {tau.shape}')
        if not np.isfinite(tau).all():
            raise InputError(f'command refused: it is not finite: {tau.tolist()}')
        due = (self.period if period is None else period) + self.command_delay
        if due < self.period:
            self.late += 1
        queue = self._queue
        queue.append((due, tau))
        if len(queue) > 1 and queue[-2][0] > due:          # out of order: rare
            self._queue = deque(sorted(queue, key=lambda each: each[0]))

    def push(self, link: str, wrench: ArrayLike | None, periods: int = 0) -> None:
        """Apply a wrench (6,) at a link for a number of periods; 0: until the next one."""
        self.plant.push(link, wrench)
        self._pushes[link] = self.period + periods if periods and wrench is not None else None

    def advance(self) -> None:
        """Advance by one period and measure positions, velocities and efforts (3, n)."""
        self._take_command()
        for link, end in self._pushes.items():
            if end is not None and end <= self.period:
                self.plant.push(link, None)
                self._pushes[link] = None
        self.plant.advance()
        self.period += 1
        self.measured = self._measure()

    def _measure(self) -> FloatArray:
        plant = self.plant
        return self.sensor.measure(plant.joint_positions, plant.joint_velocities, plant.tau)

    def _take_command(self) -> None:
        queue, tau = self._queue, None
        while queue and queue[0][0] <= self.period:
            tau = queue.popleft()[1]
        if tau is not None:
            self.plant.command(tau)
            self.plant.braked = False
            self._last, self._driven = self.period, True
        elif (self._driven and self.command_timeout
              and self.period - self._last >= self.command_timeout):
            self.timeouts += 1
            self._apply_reaction()

    def _apply_reaction(self) -> None:
        self._driven = False
        self.plant.braked = self._reaction == 'brake'
        if self._reaction != 'last':
            self.plant.command(np.zeros(self.plant.robot.n_joints))


def _checked_reaction(reaction: str) -> Reaction:
    if reaction not in REACTIONS:
        raise InputError(f'reaction {reaction!r} is not one of {list(REACTIONS)}')
    return cast(Reaction, reaction)
