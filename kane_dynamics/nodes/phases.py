# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a controller does, and why it may have given up doing it."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What a controller does."""

    IDLE = 'not enabled: no torque is given'
    WAITING = 'enabled, waiting for what the mode needs: no torque is given'
    RUNNING = 'giving the torque of the mode'
    DISABLED = 'disabled: holding against gravity'
    FAULT = 'fault: holding against gravity'
    ZERO = 'the state is lost: no torque'

    @property
    def gives_torque(self):
        """Return whether torques go out."""
        return self not in (Phase.IDLE, Phase.WAITING)


class Fault(Enum):
    """Why a controller gave up its mode; `~/enable` with true takes it up again."""

    STATE_LOST = 'joint_states are stale'
    CLOCK_JUMP = 'the clock jumped'
    TORQUE_NOT_FINITE = 'the torque is not finite'
    CYCLE_FAILED = 'a cycle failed'
