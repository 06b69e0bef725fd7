# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the monitor node, in the order in which its document lists them."""

from __future__ import annotations

from kane_dynamics.nodes import calibrated_arm
from kane_dynamics.nodes.parameters import Parameter, Schema

TORQUE = 'N m or N'
PER_JOINT = {'lengths': ('joints',)}

ARM = calibrated_arm.SCHEMA + Schema(
    Parameter('joints', 'strs', (), 'the joints of `joint_states`, in the order of all lists and '
              'outputs; not set: all that are not locked, in the order of the URDF'),
    Parameter('locked_joints', 'strs', (), 'joints that stand still and are not told of'),
    Parameter('locked_positions', 'floats', (0.0,), 'where they stand, one for all or one each',
              unit='rad or m'),
    Parameter('gravity', 'floats', (0.0, 0.0, -9.81), 'in the axes of the root link', lengths=(3,),
              unit='m/s^2', low=-100.0, high=100.0),
    Parameter('payload.mass', 'float', 0.0, 'of what the arm holds', unit='kg', low=0.0),
    Parameter('payload.com', 'floats', (0.0, 0.0, 0.0), 'its centre in the frame of the link',
              unit='m', lengths=(3,)),
    Parameter('payload.link', 'str', '', 'the link that holds it; not set: the only end'),
    Parameter('effort_without_gravity', 'bool', False, 'the effort in `joint_states` is what the '
              'robot adds to a gravity torque of its own'),
)

OBSERVER = Schema(
    Parameter('gain', 'float', 100.0, 'of the momentum observer: the residual has reached 63 % of '
              'an external torque after 1/gain', unit='1/s', above=0.0, high=10_000.0),
    Parameter('max_gap', 'float', 0.1, 'longest time between two states; after a longer one '
              'observation begins anew', unit='s', above=0.0, high=10.0),
    Parameter('frame', 'str', '', 'the link at whose origin `~/wrench` is estimated; not set: '
              'none is'),
)

CONTACT = Schema(
    Parameter('contact.threshold', 'floats', (5.0,), 'sudden change of the residual that is a '
              'contact', unit=TORQUE, above=0.0, **PER_JOINT),
    Parameter('contact.uncertainty', 'float', 0.1, 'share of a change of torque that the model '
              'may be off by; it raises the threshold', low=0.0, high=1.0),
    Parameter('contact.limit', 'floats', (), 'residual that is a contact however slowly it came; '
              'not set: none', unit=TORQUE, above=0.0, **PER_JOINT),
    Parameter('contact.release', 'float', 0.5, 'share of the threshold below which a contact '
              'ends', above=0.0, high=1.0),
    Parameter('contact.release_time', 'float', 0.1, 'that it must stay below', unit='s', low=0.0,
              high=10.0),
    Parameter('contact.baseline_time', 'float', 0.25, 'what changes within it is sudden',
              unit='s', above=0.0, high=60.0),
    Parameter('contact.settling_time', 'float', 0.5, 'after the start before contacts are told',
              unit='s', low=0.0, high=60.0),
)

SCHEMA = ARM + OBSERVER + CONTACT

if __name__ == '__main__':      # the table of doc/monitor.md
    from kane_dynamics.nodes import managed_node
    print((managed_node.SCHEMA + SCHEMA).markdown(), end='')
