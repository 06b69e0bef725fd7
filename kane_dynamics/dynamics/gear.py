# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A gear between a motor and a joint: ratio, efficiency, and what it can bear."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from kane_dynamics.dynamics.quantity import check_quantities
from kane_dynamics.exceptions import InputError


@dataclass(frozen=True)
class Gear:
    """A reduction: motor speed = ratio x joint speed, [rad/rad] or, for a slide, [rad/m].

    A spindle of lead h [m per turn] has ratio 2 pi / h. The efficiency is the share of the power
    that passes, the same both ways: a motor that drives gives (efficiency x torque x ratio) to the
    joint, a joint that drives its motor leaves (efficiency x torque / ratio) to it. Vukobratovic
    and Potkonjak print the motor's torque as eta P / N (1982, 3.5.1); for a motor that drives it
    is P / (eta N), and so it is here. Around rest the loss fades in over `smoothing_speed`.
    """

    ratio: float
    efficiency: float = 1.0
    inertia: float = 0.0                 # at the motor's shaft [kg m^2]
    max_torque: float = math.inf         # at the joint, for moments [N m or N]
    rated_torque: float = math.inf       # at the joint, root mean square [N m or N]
    max_input_speed: float = math.inf    # of the motor's shaft [rad/s]
    smoothing_speed: float = 1e-3        # of the joint [rad/s or m/s]

    def __post_init__(self):
        check_quantities(self, 'gear', ('ratio', 'efficiency', 'max_torque', 'rated_torque',
                                        'max_input_speed', 'smoothing_speed'))
        if math.isinf(self.ratio):
            raise InputError('gear: ratio must be finite')
        if self.efficiency > 1.0:
            raise InputError(f'gear: efficiency is 0 to 1, got {self.efficiency:g}'
                             '; 85 % is 0.85')

    def transmission(self, torque, speed):
        """Return e: the joint gets e x (ratio x torque of the shaft).

        torque, speed: of the shaft or the joint, arrays or numbers: their signs count, and the
        joint's speed for the fading. e = efficiency where the motor drives, 1/efficiency where it
        is driven, 1 at rest.
        """
        sign = speed / np.sqrt(speed * speed + self.smoothing_speed**2)
        drives = torque * speed >= 0.0
        share = np.where(drives, self.efficiency - 1.0, 1.0 / self.efficiency - 1.0)
        return 1.0 + share * np.abs(sign)

    def shaft_torque(self, torque, speed):
        """Return the torque of the motor's shaft [N m] for a torque at the joint at its speed."""
        return torque / (self.ratio * self.transmission(torque, speed))

    def joint_torque(self, torque, speed):
        """Return the torque at the joint [N m or N] for one of the shaft, at the joint's speed."""
        return torque * self.ratio * self.transmission(torque, speed)
