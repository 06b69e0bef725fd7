# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
Torque control of an arm in MuJoCo at 500 Hz: tracking error with and without feedforward.

    python examples/drive_mujoco.py
"""

from pathlib import Path
import re
import signal

import mujoco
import numpy as np

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'six_axis.urdf'
PERIOD, SUBSTEPS = 2e-3, 4      # [s] of a control cycle, and simulation steps in it
FREQUENCY = 40.0                # [rad/s] of the position loop, critically damped


def mujoco_arm(robot):
    """Return MuJoCo's model of the same arm, without stops, friction and contact."""
    text = re.sub(r'<limit [^>]*/>|<dynamics [^>]*/>|<visual>.*?</visual>', '', robot.to_urdf())
    model = mujoco.MjModel.from_xml_string(text.replace('revolute', 'continuous'))
    model.opt.timestep = PERIOD / SUBSTEPS
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return model


def tracking_error(feedforward):
    """Return the largest position error [rad] in a motion of 2 s under PD control."""
    arm = kd.Dynamics(kd.load_urdf(URDF))
    model = mujoco_arm(arm.robot)
    data = mujoco.MjData(model)
    start, end = np.array([[0.0, -0.4, 0.8, 0.0, 0.4, 0.0], [1.2, 0.3, 0.2, 0.9, -0.5, 1.0]])
    inertia = np.diag(arm.mass_matrix(start))
    controller = kd.Controller.of(arm, p=FREQUENCY**2 * inertia, d=2.0 * FREQUENCY * inertia,
                                  feedforward=feedforward, lead_time=0.5 * PERIOD)
    path = kd.Trajectory(arm.robot.joint_names, [0.0, 2.0], [start, end], np.zeros((2, 6)),
                         np.zeros((2, 6)))
    data.qpos[:], errors = start, []
    controller.torque(0.0, data.qpos, data.qvel)        # the first state: hold here
    controller.follow(path)
    for k in range(round(2.0 / PERIOD)):
        data.qfrc_applied[:] = controller.torque(k * PERIOD, data.qpos, data.qvel)
        mujoco.mj_step(model, data, SUBSTEPS)
        errors.append(abs(path.sample((k + 1) * PERIOD)[0] - data.qpos).max())
    return max(errors)


def main():
    """Print the errors."""
    for words, feedforward in (('PD alone', 0.0), ('PD and feedforward', 1.0)):
        print(f'{words:<20}{1e3 * tracking_error(feedforward):10.3f} mrad')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
