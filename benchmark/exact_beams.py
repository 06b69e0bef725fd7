# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible arms in Exudyn, of geometrically exact cables (ANCF): what others compute them with.

Run as a program it prints the torques that `test/dynamics/test_dynamics_flexible_feedforward.py`
compares with.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings

import numpy as np

TIMES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5)   # [s]


def exudyn_modules():
    """Return Exudyn, its build without range checks, and the module of its items."""
    sys.exudynFast = True
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        import exudyn
        from exudyn import itemInterface
    return exudyn, itemInterface


class Arm:
    """A system with cables in a plane; `solve` runs it from its initial state."""

    def __init__(self):
        self.exu, self.items = exudyn_modules()
        self._container = self.exu.SystemContainer()
        self.mbs = self._container.AddSystem()
        self.ground = self.mbs.AddNode(self.items.NodePointGround())

    def position_marker(self, node):
        """Return a marker that position joints hold."""
        return self.mbs.AddMarker(self.items.MarkerNodePosition(nodeNumber=node))

    def cable(self, start, length, elements, gravity=0.0, **properties):
        """Return the nodes of a cable along x; properties as ObjectANCFCable2D names them."""
        items, mbs, h = self.items, self.mbs, length / elements
        nodes = [mbs.AddNode(items.NodePoint2DSlope1(
            referenceCoordinates=[start + i * h, 0.0, 1.0, 0.0])) for i in range(elements + 1)]
        for pair in zip(nodes[:-1], nodes[1:]):
            element = mbs.AddObject(items.ObjectANCFCable2D(
                length=h, nodeNumbers=list(pair), **properties))
            if gravity:
                mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=element))
                mbs.AddLoad(items.LoadMassProportional(markerNumber=mass,
                                                       loadVector=[0.0, -gravity, 0.0]))
        return nodes

    def sensor(self, kind, output, **what):
        """Return a sensor that keeps its values in memory."""
        return self.mbs.AddSensor(getattr(self.items, kind)(
            storeInternal=True, writeToFile=False,
            outputVariableType=getattr(self.exu.OutputVariableType, output), **what))

    def ready(self, duration, dt, tolerance, every=0.01):
        """Assemble, and set steps by generalized-alpha with Newton's relative tolerance."""
        self.mbs.Assemble()
        self.settings = self.exu.SimulationSettings()
        integration = self.settings.timeIntegration
        integration.endTime, integration.numberOfSteps = duration, round(duration / dt)
        integration.newton.relativeTolerance = tolerance
        integration.newton.absoluteTolerance = 0.1 * tolerance
        integration.generalizedAlpha.spectralRadius = 0.9
        integration.verboseMode = 0
        self.settings.solution.file.write = False
        self.settings.solution.sensors.writePeriod = every

    def solve(self):
        """Run from the start to the end."""
        self.mbs.SolveDynamic(self.settings)


class DoublePendulum(Arm):
    """Two equal links, hinged, released horizontal from rest."""

    def __init__(self, link, elements, dt, tolerance, duration):
        """Take link: dict of length, mass_per_length, EI_z, EA; elements: per link."""
        super().__init__()
        properties = {'massPerLength': link['mass_per_length'],
                      'bendingStiffness': link['EI_z'], 'axialStiffness': link['EA']}
        end = self.position_marker(self.ground)
        for k in range(2):
            nodes = self.cable(k * link['length'], link['length'], elements, 9.81, **properties)
            self.mbs.AddObject(self.items.ObjectJointRevolute2D(
                markerNumbers=[end, self.position_marker(nodes[0])]))
            end = self.position_marker(nodes[-1])
        self._tip = self.sensor('SensorNode', 'Position', nodeNumber=nodes[-1])
        self.ready(duration, dt, tolerance)

    def tip_path(self):
        """Return the tip's (x, y) every 10 ms, of a run."""
        self.solve()
        return np.array(self.mbs.GetSensorStoredData(self._tip))[:, 1:3]


def turn(t):
    """Return angle and speed of a turn by 1 rad in 1 s, rest to rest, of degree five."""
    s = min(max(t, 0.0), 1.0)
    return 10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 - 60 * s**3 + 30 * s**4


class TurnedLink(Arm):
    """The single link of urdf/flexible_single_link.urdf whose hub follows `turn`."""

    def __init__(self, EI, EA, elements, dt, tolerance=1e-7, duration=1.6):
        super().__init__()
        items, mbs = self.items, self.mbs
        hub = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[0.0, 0.0, 0.0]))
        body = mbs.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=0.1, nodeNumber=hub))
        nodes = self.cable(0.0, 1.0, elements, massPerLength=0.5,
                           bendingStiffness=EI, axialStiffness=EA)
        mbs.AddObject(items.ObjectMassPoint2D(mass=0.25, nodeNumber=nodes[-1]))
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[
            self.position_marker(self.ground),
            mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body))]))
        mbs.AddObject(items.ObjectJointGeneric(
            markerNumbers=[mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body)),
                           mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0]))],
            constrainedAxes=[1, 1, 0, 0, 0, 1]))
        drive = mbs.AddObject(items.ObjectConnectorCoordinate(
            markerNumbers=[mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
                           for node, k in ((self.ground, 0), (hub, 2))],
            offsetUserFunction=lambda mbs, t, item, offset: turn(t)[0],
            offsetUserFunction_t=lambda mbs, t, item, offset: turn(t)[1]))
        self._drive = self.sensor('SensorObject', 'Force', objectNumber=drive)
        self.ready(duration, dt, tolerance)

    def torques(self):
        """Return the torque on the hub at TIMES [N m], of a run."""
        self.solve()
        t, force = np.array(self.mbs.GetSensorStoredData(self._drive))[:, :2].T
        # the force acts on the constraint: positive torque accelerates the hub at first
        force = force * np.sign(force[10])
        return force[[np.argmin(abs(t - time)) for time in TIMES]]


def main():
    """Print the torques of the stiff and the soft link, converging."""
    print('t [s]'.ljust(28), *(f'{t:8.1f}' for t in TIMES))
    for EI, EA in ((100.0, 1e6), (10.0, 1e5)):
        for elements, dt in ((8, 5e-4), (8, 1e-4), (16, 5e-5)):
            torques = TurnedLink(EI, EA, elements, dt).torques()
            print(f'EI {EI:g}, {elements} elements, {dt * 1e3:g} ms'.ljust(28),
                  *(f'{value:8.5f}' for value in torques), flush=True)


if __name__ == '__main__':
    main()
