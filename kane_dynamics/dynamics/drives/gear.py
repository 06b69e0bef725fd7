# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Gears between motors and joints: ratio, efficiency and limits."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from kane_dynamics.dynamics.drives.dc_motor import Num
from kane_dynamics.dynamics.friction import smooth_sign
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.validation import check_quantities


@dataclass(frozen=True)
class Gear:
    """A reduction: motor speed = ratio x joint speed, [rad/rad] or, for a slide, [rad/m].

    A spindle of lead h [m per turn] has ratio 2 pi / h. The efficiency is the fraction of the
    power that passes, the same in both directions: a motor that drives gives (efficiency x torque
    x ratio) to the joint, a joint that drives its motor leaves (efficiency x torque / ratio) to
    it. Vukobratovic and Potkonjak print the motor's torque as eta P / N (1982, 3.5.1); for a motor
    that drives it is P / (eta N), which is used here. The loss fades in over `smoothing_speed`.
    """

    ratio: float
    efficiency: float = 1.0
    inertia: float = 0.0                 # at the motor's shaft [kg m^2]
    max_torque: float = math.inf         # at the joint, peak [N m or N]
    rated_torque: float = math.inf       # at the joint, root mean square [N m or N]
    max_input_speed: float = math.inf    # of the motor's shaft [rad/s]
    smoothing_speed: float = 1e-3        # of the joint [rad/s or m/s]

    def __post_init__(self) -> None:
        check_quantities(self, 'gear', ('ratio', 'efficiency', 'max_torque', 'rated_torque',
                                        'max_input_speed', 'smoothing_speed'))
        if math.isinf(self.ratio):
            raise InputError('gear: ratio must be finite')
        if self.efficiency > 1.0:
            raise InputError(f'gear: efficiency is 0 to 1, got {self.efficiency:g}'
                             '; 85 % is 0.85')

    def transmission(self, torque: Num, speed: Num) -> Num:
        """Return e: the joint gets e x (ratio x torque of the shaft).

        torque, speed: of the shaft or the joint, arrays or numbers: their signs count, and the
        joint's speed for the fading. e = efficiency where the motor drives, 1/efficiency where it
        is driven, 1 at rest.
        """
        sign = smooth_sign(speed, self.smoothing_speed**2)
        drives = torque * speed >= 0.0
        change = np.where(drives, self.efficiency - 1.0, 1.0 / self.efficiency - 1.0)
        return 1.0 + change * np.abs(sign)

    def shaft_torque(self, torque: Num, speed: Num) -> Num:
        """Return the torque of the motor's shaft [N m] for a torque at the joint at its speed."""
        return torque / (self.ratio * self.transmission(torque, speed))
