# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Phases and faults of a controller, and how much of the arm's state it knows."""

from __future__ import annotations

from enum import Enum, IntEnum


class Known(IntEnum):
    """Fresh measurements of all joints: the number of rows of [q, qd] that can be used."""

    NOTHING = 0
    POSITION = 1
    VELOCITY = 2        # positions and velocities

    @classmethod
    def of(cls, position: bool, velocity: bool) -> Known:
        """Return what is known where positions, and velocities, are fresh."""
        if not position:
            return NOTHING
        return VELOCITY if velocity else POSITION


# for loops: looking up a member takes ten times as long
NOTHING, POSITION, VELOCITY = Known


class Phase(Enum):
    """State of a controller; its value is a description for people."""

    IDLE = 'not enabled: no torque is given'
    WAITING = 'enabled, waiting for what the mode needs: no torque is given'
    RUNNING = 'giving the torque of the mode'
    DISABLED = 'disabled: holding against gravity'
    FAULT = 'fault: holding against gravity'
    ZERO = 'the state is lost: no torque'

    @property
    def gives_torque(self) -> bool:
        """Return whether torques are commanded."""
        return self not in (Phase.IDLE, Phase.WAITING)


class Fault(Enum):
    """Reason for which a controller left its mode; enabling it again clears the fault."""

    STATE_LOST = 'joint_states are stale'
    CLOCK_JUMP = 'the clock jumped'
    TORQUE_NOT_FINITE = 'the torque is not finite'
    CYCLE_FAILED = 'a cycle failed'
    STATE_FAILED = 'a joint state could not be taken'
