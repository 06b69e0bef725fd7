# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A plant with its drives and sensors in discrete time: commands in, measured joints out.

Everything is counted in periods, so that the same calls give the same bits, whatever clock made
them. Plain Python and numpy: a node brings messages and time.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from kane_dynamics.exceptions import InputError

REACTIONS = ('brake', 'zero', 'last')


class Simulation:
    """Advance a Plant period by period under commands that take effect at stated periods.

    Args:
        plant: the arm.
        sensor: the Sensor that looks at it.
        command_delay: periods between a command and its effect.
        command_timeout: periods without a new command after which the reaction sets in; 0: never.
        reaction: what is done before the first command and after the timeout: 'brake' the joints,
            'zero' torque, or the 'last' torque (zero before the first command).
    """

    def __init__(self, plant, sensor, command_delay=0, command_timeout=0, reaction='brake'):
        self.plant, self.sensor = plant, sensor
        self.command_delay, self.command_timeout = command_delay, command_timeout
        self._reaction = _checked_reaction(reaction)
        self.period = 0             # the one that is next
        self.late = 0               # commands that came after their time
        self.timeouts = 0           # times that commands stayed away
        self.reset()

    def reset(self):
        """Put the plant and the sensors back to the start; commands and pushes are dropped.

        Counts and the number of the period go on.
        """
        self.plant.reset()
        self.sensor.restart()
        self._queue = deque()
        self._pushes = {}           # link -> the period in which its wrench ends, or None
        self._last = None           # the period of the last command that took effect
        self.measured = self._measure()
        self._apply_reaction()

    def set_reaction(self, reaction):
        """Change the reaction to missing commands; at once where they are missing."""
        self._reaction = _checked_reaction(reaction)
        if not self._driven:
            self._apply_reaction()

    def hold(self):
        """Brake the arm until the next command, whatever the reaction is."""
        self._driven = False
        self.plant.braked = True

    @property
    def driven(self):
        """Return whether commands drive the arm, and not the reaction to their absence."""
        return self._driven

    def command(self, tau, period=None):
        """Let torques tau (n_joints,) take effect `command_delay` after a period: default, now.

        A command for a period that is over takes effect at once. One that is not finite is
        refused.
        """
        tau = np.array(tau, dtype=float)
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
        if len(queue) > 1 and queue[-2][0] > due:          # not in order: seldom
            self._queue = deque(sorted(queue, key=lambda each: each[0]))

    def push(self, link, wrench, periods=0):
        """Apply a wrench (6,) at a link for a number of periods; 0: until the next one."""
        self.plant.push(link, wrench)
        self._pushes[link] = self.period + periods if periods and wrench is not None else None

    def advance(self):
        """Pass one period; `measured` (3, n) are then positions, velocities and efforts."""
        self._take_command()
        for link, end in self._pushes.items():
            if end is not None and end <= self.period:
                self.plant.push(link, None)
                self._pushes[link] = None
        self.plant.advance()
        self.period += 1
        self.measured = self._measure()

    def _measure(self):
        plant = self.plant
        return self.sensor.measure(plant.joint_positions, plant.joint_velocities, plant.tau)

    def _take_command(self):
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

    def _apply_reaction(self):
        self._driven = False
        self.plant.braked = self._reaction == 'brake'
        if self._reaction != 'last':
            self.plant.command(np.zeros(self.plant.robot.n_joints))


def _checked_reaction(reaction):
    if reaction not in REACTIONS:
        raise InputError(f'reaction {reaction!r} is not one of {list(REACTIONS)}')
    return reaction
