# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The peers: each does the same job on the same URDF in its own best way from Python."""

from __future__ import annotations

from pathlib import Path
import subprocess
import tempfile

import numpy as np

THREE_R = """<robot name="three_r"><link name="base"/>{}</robot>""".format(''.join(f"""
<link name="link{k}"><inertial><origin xyz="{0.1 * k} 0.02 {0.05 * k}"/><mass value="{4 - k}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0.002" iyz="0.0015"/></inertial></link>
<joint name="joint{k}" type="continuous"><parent link="{'base' if k == 1 else f'link{k - 1}'}"/>
<child link="link{k}"/><origin xyz="0.2 0.1 0.3" rpy="{0.4 * k} 0 0"/><axis xyz="0 0 1"/></joint>
""" for k in (1, 2, 3)))


class Pinocchio:
    """The `pin` wheel."""

    def __init__(self, text):
        import pinocchio as pin
        self.pin, self.model = pin, pin.buildModelFromXML(text)
        self.data = self.model.createData()

    def inverse(self, q, u, a):
        """Call rnea."""
        return self.pin.rnea(self.model, self.data, q, u, a)

    def forward(self, q, u, tau):
        """Call aba."""
        return self.pin.aba(self.model, self.data, q, u, tau)

    def mass_matrix(self, q):
        """Call crba."""
        return self.pin.crba(self.model, self.data, q)

    def derivatives(self, q, u, a):
        """Call computeRNEADerivatives."""
        return self.pin.computeRNEADerivatives(self.model, self.data, q, u, a)

    def _batch(self, function, arrays, count):
        pool = self.pin.ModelPool(self.model, 1)
        columns = [np.asfortranarray(array[:count].T) for array in arrays]
        out = np.asfortranarray(np.empty((self.model.nv, count)))
        return lambda: function(1, pool, *columns, out)

    def inverse_batch(self, q, u, a, count):
        """Return a call of rneaInParallel on one thread, column-major as it likes it."""
        return self._batch(self.pin.rneaInParallel, (q, u, a), count)

    def forward_batch(self, q, u, tau, count):
        """Return a call of abaInParallel on one thread."""
        return self._batch(self.pin.abaInParallel, (q, u, tau), count)

    def simulate(self, q, u, tau, dt, steps):
        """Step by semi-implicit Euler in a Python loop."""
        aba, model, data = self.pin.aba, self.model, self.data
        q, u = q.copy(), u.copy()
        for _ in range(steps):
            u += dt * aba(model, data, q, u, tau)
            q += dt * u
        return q

    def simulate_rk4(self, q, u, tau, dt, steps):
        """Step by Runge-Kutta in a Python loop."""
        aba, model, data = self.pin.aba, self.model, self.data
        for _ in range(steps):
            k1 = aba(model, data, q, u, tau)
            u2 = u + 0.5 * dt * k1
            k2 = aba(model, data, q + 0.5 * dt * u, u2, tau)
            u3 = u + 0.5 * dt * k2
            k3 = aba(model, data, q + 0.5 * dt * u2, u3, tau)
            u4 = u + dt * k3
            k4 = aba(model, data, q + dt * u3, u4, tau)
            q = q + dt / 6.0 * (u + 2.0 * (u2 + u3) + u4)
            u = u + dt / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
        return q


class MuJoCo:
    """MuJoCo with contacts and constraints off: the same equations as ours."""

    def __init__(self, text):
        import mujoco
        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(text)
        self.model.opt.disableflags |= (mujoco.mjtDisableBit.mjDSBL_CONTACT
                                        | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self.data = mujoco.MjData(self.model)

    def inverse(self, q, u, a):
        """Return a call of mj_inverse."""
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, u, a
        return lambda: self.mujoco.mj_inverse(self.model, data)

    def simulation(self, q, u, tau, dt, steps):
        """Return a call that steps in C (its semi-implicit Euler)."""
        self.model.opt.timestep = dt
        data = self.data

        def run():
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, u, tau
            self.mujoco.mj_step(self.model, data, nstep=steps)
        return run


def casadi_inverse(dynamics, q, u, a):
    """Return a call of CasADi's generated C, or None where CasADi or gcc is missing.

    The `pin` wheel has no CasADi binding, so the expression is our own `kane` on SX symbols, in
    the URDF's frames: what a CasADi user gets from a plain recursion.
    """
    try:
        import casadi
        subprocess.run(['gcc', '--version'], capture_output=True, check=True)
    except (ImportError, FileNotFoundError, subprocess.CalledProcessError):
        return None
    from kane_dynamics.kane.equations import kane
    from kane_dynamics.model.tree_of_robot import tree_of
    robot = dynamics.robot
    symbols = [casadi.SX.sym(name, robot.nv) for name in ('q', 'u', 'a')]
    tau, _ = kane(tree_of(robot), *(casadi.vertsplit(each) for each in symbols), robot.gravity)
    function = casadi.Function('inverse', symbols, [casadi.vertcat(*tau)])
    folder = Path(tempfile.mkdtemp(prefix='kane_bench_'))
    function.generate('inverse.c', {'with_header': False})
    Path('inverse.c').replace(folder / 'inverse.c')
    subprocess.run(['gcc', '-O3', '-march=native', '-shared', '-fPIC', 'inverse.c', '-o',
                    'inverse.so'], cwd=folder, check=True)
    compiled = casadi.external('inverse', str(folder / 'inverse.so'))
    buffer, call = compiled.buffer()
    out, inputs = np.empty(robot.nv), [np.array(value) for value in (q, u, a)]
    for k, value in enumerate(inputs):
        buffer.set_arg(k, memoryview(value))
    buffer.set_res(0, memoryview(out))
    call()
    np.testing.assert_allclose(out, dynamics.inverse(q, u, a), rtol=0, atol=1e-10)
    return lambda keep=(buffer, compiled, inputs, out): call()


def sympy_inverse(robot, q, u, a):
    """Return a call of SymPy's Kane equations of a 3R arm, lambdified with cse."""
    import sympy
    from sympy.physics import mechanics
    symbols = mechanics.dynamicsymbols('q1:4')
    speeds = mechanics.dynamicsymbols('u1:4')
    torques = sympy.symbols('t1:4')
    frame = ground = mechanics.ReferenceFrame('N')
    point = mechanics.Point('O')
    point.set_vel(ground, 0)
    bodies, loads = [], []
    for k, joint in enumerate(robot.moving_joints):
        placed = frame.orientnew(f'P{k}', 'DCM', sympy.Matrix(joint.rotation))
        turned = placed.orientnew(f'B{k}', 'Axis', (symbols[k], placed.z))
        turned.set_ang_vel(placed, speeds[k] * placed.z)
        origin = point.locatenew(f'J{k}', _vector(frame, joint.position))
        origin.v2pt_theory(point, ground, frame)
        inertial = robot.link(joint.child).inertial
        centre = origin.locatenew(f'C{k}', _vector(turned, inertial.com))
        centre.v2pt_theory(origin, ground, turned)
        inertia = inertial.inertia
        dyadic = mechanics.inertia(turned, inertia[0, 0], inertia[1, 1], inertia[2, 2],
                                   inertia[0, 1], inertia[1, 2], inertia[0, 2])
        bodies.append(mechanics.RigidBody(f'L{k}', centre, turned, inertial.mass,
                                          (dyadic, centre)))
        loads += [(centre, inertial.mass * _vector(ground, robot.gravity)),
                  (turned, torques[k] * placed.z)]
        if k:
            loads.append((frame, -torques[k] * placed.z))
        frame, point = turned, origin
    rates = [s.diff() - v for s, v in zip(symbols, speeds)]
    method = mechanics.KanesMethod(ground, q_ind=symbols, u_ind=speeds, kd_eqs=rates)
    active, inertia_forces = method.kanes_equations(bodies, loads)
    accelerations = sympy.symbols('a1:4')
    rows = (active + inertia_forces).subs(dict(zip([v.diff() for v in speeds], accelerations)))
    rows = rows.subs(dict(zip([s.diff() for s in symbols], speeds)))
    needed = sympy.Matrix([torques[k] - rows[k] for k in range(3)])
    plain = sympy.symbols('x1:4 v1:4')
    needed = needed.subs(dict(zip([*speeds, *symbols], [*plain[3:], *plain[:3]])))
    function = sympy.lambdify([*plain, *accelerations], list(needed.subs(
        {torque: 0 for torque in torques})), cse=True)
    arguments = [*q.tolist(), *u.tolist(), *a.tolist()]
    import kane_dynamics as kd
    np.testing.assert_allclose(function(*arguments), kd.Dynamics(robot).inverse(q, u, a),
                               rtol=0, atol=1e-9)
    return lambda: function(*arguments)


def _vector(frame, components):
    return sum((float(value) * axis for value, axis in
                zip(components, (frame.x, frame.y, frame.z))), 0 * frame.x)
