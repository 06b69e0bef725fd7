# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run feedforward, simulator and monitor at 1 kHz with random goals, and watch their resources.

    python3 benchmark/soak.py --minutes 60

Once a second memory, file descriptors, threads, missed cycles and drift of each node are noted.
At the end they are written to out/soak.csv and drawn in out/soak.png, and judged: after the first
five minutes (`--settle`) memory stays within 1 %, descriptors and threads are constant, and no
node has ended. Missed cycles depend on the machine and are reported only.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
import random
import sys
import threading
import time

sys.path.insert(0, str(Path(__file__).resolve().parent))

from node_rates import NodeProcess, ROOT  # noqa: E402, I100
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402, I100
import numpy as np  # noqa: E402
import rclpy  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.analysis.pictures.figure_file import new_figure, save_picture  # noqa: E402
from kane_dynamics.io.files import whole_file  # noqa: E402
from kane_dynamics.nodes.common.polled_subscription import Polled, take_waiting  # noqa: E402
from kane_dynamics.nodes.messages.conversions import joint_order, nanoseconds  # noqa: E402
from kane_dynamics.nodes.messages.trajectory_cdr import encode  # noqa: E402

NODES = ('feedforward', 'simulator', 'monitor')
FLAT = 0.01             # of the memory: largest change after the settling time
START = [0.0, -0.8, 1.2, 0.0, 0.6, 0.0]     # [rad]
GAINS = {'gains__p': '[2500.0, 2500.0, 2500.0, 5000.0, 6000.0, 20000.0]',
         'gains__d': '[80.0, 80.0, 80.0, 40.0, 20.0, 10.0]'}     # of ros2_control_effort.yaml
TIMEOUT = 0.5           # [s] of states and commands: no robot is at risk, the machine may be busy
PAUSE = 0.5             # [s] from the end of a goal to the reading of its error
RESOURCES = {'memory [MB]': 'memory', 'file descriptors': 'descriptors', 'threads': 'threads'}
COLOURS = dict(zip(NODES, ('#2563a8', '#c2410c', '#15803d')))


def resources(pid):
    """Return memory [MB], the number of file descriptors and that of threads of a process."""
    fields = dict(line.split(':', 1) for line in
                  Path(f'/proc/{pid}/status').read_text().splitlines() if ':' in line)
    return {'memory': int(fields['VmRSS'].split()[0]) / 1024.0,
            'descriptors': len(list(Path(f'/proc/{pid}/fd').iterdir())),
            'threads': int(fields['Threads'])}


class Graph:
    """The three nodes at a rate [Hz], and a node here that sends goals and reads diagnostics."""

    def __init__(self, urdf, rate):
        self.robot, self.rate = kd.load_urdf(urdf), rate
        self.diagnostics, self.stamps, self._goal = {}, {}, None
        self.goals = 0
        self.error = float('nan')       # [rad] of the last goal, at its end
        self.nodes = {
            'simulator': NodeProcess('simulator', urdf, update_rate=rate, initial_positions=START,
                                     command_timeout=TIMEOUT,
                                     remaps=['/simulator/commands:=/feedforward/commands']),
            'feedforward': NodeProcess('feedforward', urdf, update_rate=rate,
                                       mode='computed_torque', feedback='inverse_dynamics',
                                       limits__effort_rate='[2000.0]', state_timeout=TIMEOUT,
                                       **GAINS),
            'monitor': NodeProcess('monitor', urdf)}
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('soak', context=self.context)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._states = self.node.create_subscription(     # taken only where one is wanted
            JointState, '/joint_states', lambda message: None, 1, callback_group=Polled())
        self._sender = self.node.create_publisher(JointTrajectory, '/feedforward/joint_trajectory',
                                                  10)
        self._enable = self.node.create_client(SetBool, '/feedforward/enable')
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._spinner = threading.Thread(target=self._executor.spin, daemon=True)
        self._spinner.start()

    def until_active(self):
        """Wait for all nodes, and for their diagnostics."""
        for node in self.nodes.values():
            node.start_time()
        while not all(f'{name}: Model' in self.diagnostics for name in NODES):
            time.sleep(0.1)

    def _on_diagnostics(self, message):
        for status in message.status:
            self.diagnostics[status.name] = {each.key: each.value for each in status.values}
            self.stamps[status.name] = nanoseconds(message.header.stamp) * 1e-9

    @property
    def faults(self):
        """Return how often the feedforward node left its mode."""
        return sum(int(value) for key, value in self.diagnostics['feedforward: Torque'].items()
                   if key.startswith('faults: '))

    def drive(self, rng):
        """Send a random goal after the last one ended; enable the node after a fault."""
        if self.diagnostics['feedforward: Torque'].get('phase') in ('FAULT', 'ZERO'):
            self._enable.call_async(SetBool.Request(data=True))
            self._goal = None
        now = time.monotonic()
        if self._goal is not None:
            end, target, faults = self._goal
            if now < end + PAUSE:
                return
            if faults == self.faults:       # else the goal was dropped
                self.error = self._error(target)
        limits = self.robot.limits
        lower, upper = np.maximum(limits.lower, -3.0), np.minimum(limits.upper, 3.0)
        target = lower + (upper - lower) * [rng.uniform(0.1, 0.9) for _ in lower]
        # a quintic from rest to rest peaks at 1.875 times its mean velocity
        duration = max(1.875 * np.max((upper - lower) / np.minimum(limits.velocity, 2.0)), 1.0)
        rest = np.zeros((1, len(target)))
        self._sender.publish(encode(self.robot.joint_names, [duration],
                                    [target[None], rest, rest, None]))
        self._goal, self.goals = (now + duration, target, self.faults), self.goals + 1

    def _error(self, target):
        message = None
        for message in take_waiting(self._states):
            pass
        if message is None:
            return float('nan')
        order = joint_order(self.robot.joint_names, message.name, 'joint_states')
        return float(np.max(np.abs(np.array(message.position)[order] - target)))

    def row(self, t):
        """Return {column: value} of the present state, t [s] after the start."""
        row = {'t [s]': round(t, 2)}
        for name, node in self.nodes.items():
            code = node.process.poll()
            if code is not None:
                raise RuntimeError(f'{name} ended with {code} after {t:.0f} s\n{node.log()}')
            row |= {f'{name} {key}': value for key, value in resources(node.process.pid).items()}
            row[f'{name} cpu [s]'] = node.cpu()
            loop = self.diagnostics.get(f'{name}: Loop', {})
            if 'cycles' in loop:
                cycles, missed = int(loop['cycles']), int(loop['missed cycles'])
                row |= {f'{name} cycles': cycles, f'{name} missed': missed,
                        f'{name} loop time [s]': (cycles + missed) / self.rate,
                        f'{name} clock [s]': self.stamps[f'{name}: Loop']}
        states = self.diagnostics.get('monitor: Joint states', {})
        row['monitor messages'] = int(states.get('messages', 0))
        arm = self.diagnostics.get('simulator: Arm', {})
        row['energy drift, relative'] = float(arm.get('energy drift, relative', 'nan'))
        row |= {'goal error [rad]': self.error, 'goals': self.goals, 'faults': self.faults}
        return row

    def close(self):
        """End all; return the exit codes."""
        for node in self.nodes.values():
            if node.process.poll() is None:
                node.close()
        self._executor.shutdown()
        self._spinner.join(5.0)
        rclpy.shutdown(context=self.context)
        return {name: node.process.returncode for name, node in self.nodes.items()}


def drift(rows, name):
    """Return (N,) [ms]: time of a node's loop, missed cycles included, less that of the clock."""
    offset = column(rows, f'{name} loop time [s]') - column(rows, f'{name} clock [s]')
    return 1e3 * (offset - offset[np.isfinite(offset)][0])


def column(rows, key):
    """Return a column as an array (N,), NaN where it is missing."""
    return np.array([row.get(key, np.nan) for row in rows], dtype=float)


def judge(rows, settle):
    """Return [(what, verdict, whether it is as it should be)] of the rows after settle [s]."""
    late = [row for row in rows if row['t [s]'] >= settle]
    if len(late) < 2:
        return [('samples after the settling time', f'{len(late)}', False)]
    found = []
    for name in NODES:
        memory = column(late, f'{name} memory')
        change = np.ptp(memory) / memory[0]
        found.append((f'{name}: memory', f'{memory[0]:.1f} MB, then {memory.min():.1f} to '
                      f'{memory.max():.1f} MB ({100.0 * change:.2f} %)', change <= FLAT))
        for key in ('descriptors', 'threads'):
            least, most = (int(each(column(late, f'{name} {key}'))) for each in (min, max))
            found.append((f'{name}: {key}', f'{least} to {most}', least == most))
    return found


def figures(rows):
    """Return [(what, value)] of what is reported but not judged."""
    last, found = rows[-1], []
    for name in NODES[:2]:
        cycles, missed = (last.get(f'{name} {key}', 0) for key in ('cycles', 'missed'))
        share = missed / max(cycles + missed, 1)
        found.append((f'{name}: missed cycles', f'{missed} of {cycles + missed} '
                                                f'({100.0 * share:.2f} %)'))
        late = drift(rows, name)
        found.append((f'{name}: loop time less clock', f'{np.nanmin(late):.0f} to '
                                                       f'{np.nanmax(late):.0f} ms'))
    for name in NODES:
        cpu = (last[f'{name} cpu [s]'] - rows[0][f'{name} cpu [s]']) / max(last['t [s]'], 1.0)
        found.append((f'{name}: processor', f'{100.0 * cpu:.0f} % of a core'))
    errors = column(rows, 'goal error [rad]')
    errors = errors[np.isfinite(errors)]
    found += [('goals', f'{last["goals"]}'), ('faults, then enabled again', f'{last["faults"]}'),
              ('energy drift of the simulator', f'{last["energy drift, relative"]:.1e} of the '
                                                'energy exchanged')]
    if len(errors):
        found.append(('error at the end of a goal', f'median {np.median(errors):.1e}, largest '
                                                    f'{errors.max():.1e} rad'))
    return found


def draw(rows, settle, path):
    """Write the picture."""
    minutes = column(rows, 't [s]') / 60.0
    figure = new_figure(10.0, 13.0)
    panels = figure.subplots(6, 1, sharex=True)
    for panel, (label, key) in zip(panels, RESOURCES.items()):
        for name in NODES:
            panel.plot(minutes, column(rows, f'{name} {key}'), color=COLOURS[name], lw=1.2,
                       label=name)
        panel.set_ylabel(label)
    for name in NODES[:2]:
        missed, cycles = (column(rows, f'{name} {key}') for key in ('missed', 'cycles'))
        with np.errstate(invalid='ignore'):
            share = 100.0 * np.diff(missed) / np.maximum(np.diff(cycles) + np.diff(missed), 1.0)
        panels[3].plot(minutes[1:], share, color=COLOURS[name], lw=0.6)
        panels[4].plot(minutes, drift(rows, name), color=COLOURS[name], lw=1.2)
    panels[3].set_ylabel('missed cycles [%]')
    panels[4].set_ylabel('loop time - clock [ms]')
    panels[5].semilogy(minutes, column(rows, 'energy drift, relative'), color='#444444', lw=1.2,
                       label='energy drift of the simulator, relative')
    panels[5].semilogy(minutes, column(rows, 'goal error [rad]'), color='#999999', lw=0.6,
                       label='error at the end of a goal [rad]')
    panels[5].set_xlabel('time [min]')
    for panel in panels:
        panel.axvline(settle / 60.0, color='#888888', lw=0.8, ls=':')
        panel.grid(alpha=0.3)
    panels[0].legend(ncols=3, fontsize=9)
    panels[5].legend(fontsize=9)
    figure.suptitle(f'Nodes at 1 kHz, random goals, {minutes[-1]:.0f} min; dotted: end of the '
                    'settling time', fontsize=11)
    save_picture(figure, path)


def write(rows, settle, folder):
    """Write soak.csv and soak.png."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with whole_file(folder / 'soak.csv') as temporary, temporary.open('w', newline='') as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, settle, folder / 'soak.png')
    print(f'written: {folder / "soak.csv"}, {folder / "soak.png"}')


def soak(graph, seconds, rng):
    """Drive the nodes for a time; return the rows, once a second, and the failure or ''."""
    rows, failure = [], ''
    graph.until_active()
    start = time.monotonic()
    try:
        while (t := time.monotonic() - start) < seconds:
            graph.drive(rng)
            rows.append(graph.row(t))
            time.sleep(max(start + len(rows) - time.monotonic(), 0.0))
            if len(rows) % 60 == 0:
                memory = ', '.join(f'{name} {rows[-1][f"{name} memory"]:.1f} MB' for name in NODES)
                print(f'{len(rows) // 60} min: {memory}, {graph.goals} goals', flush=True)
    except RuntimeError as error:
        failure = str(error)
    except KeyboardInterrupt:
        failure = 'interrupted'
    return rows, failure


def main():
    """Run, write and judge; return 1 where something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--minutes', type=float, default=10.0)
    parser.add_argument('--settle', type=float, default=5.0,
                        help='minutes before memory, descriptors and threads are judged')
    parser.add_argument('--rate', type=float, default=1000.0, help='[Hz]')
    parser.add_argument('--urdf', default=str(ROOT / 'urdf' / 'six_axis.urdf'))
    parser.add_argument('--seed', type=int, default=1, help='of the goals')
    parser.add_argument('--out', type=Path, default=Path('out'))
    options = parser.parse_args()
    settle = 60.0 * min(options.settle, 0.5 * options.minutes)
    graph = Graph(options.urdf, options.rate)
    try:
        rows, failure = soak(graph, 60.0 * options.minutes, random.Random(options.seed))
    finally:
        codes = graph.close()
    if len(rows) > 1:
        write(rows, settle, options.out)
        for what, value in figures(rows):
            print(f'{what:34} {value}')
    found = [*judge(rows, settle), ('exit codes', str(codes), not any(codes.values())),
             ('run', failure or f'{options.minutes:g} min', not failure)]
    for what, value, right in found:
        print(f'{what:34} {value:44} {"ok" if right else "NOT OK"}')
    return 0 if all(right for *_, right in found) else 1


if __name__ == '__main__':
    sys.exit(main())
