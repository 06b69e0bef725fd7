# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Cause faults of running nodes: python test/faults/faults.py --repeat 20 --load 4.

Each row of rows.py disturbs real processes over a real middleware. Every torque is checked as it
arrives (command_watch.py), and the reaction must be the documented one. --load starts so many
processes that compute without a pause. --table prints the table of doc/faults.md.
"""

import argparse
import os
from pathlib import Path
import subprocess
import sys
import time
import traceback

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / 'support'), str(HERE)]
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

from fault_rig import CannotRunError, DisturbedError, FaultRig   # noqa: E402, I100
from rows import ROWS   # noqa: E402

BURN = 'while True: pass'
PATIENCE = 10       # runs of a row until one is not disturbed


def table():
    """Return the table of doc/faults.md."""
    lines = ['| fault | commands | afterwards | name |', '|---|---|---|---|']
    lines += [f'| {each.fault} | {each.commands} | {each.afterwards} | `{each.name}` |'
              for each in ROWS.values()]
    return '\n'.join(lines) + '\n'


class Rigs:
    """The rigs that rows share, made when a row needs one, and again after a failure."""

    def __init__(self):
        self._rigs, self.disturbed = {}, 0

    def run(self, row):
        """Run a row once; return (messages watched, largest step as a fraction of the allowed).

        A run that the machine itself disturbed is repeated.
        """
        for _ in range(PATIENCE):
            try:
                return self._run(row)
            except DisturbedError as error:
                self.disturbed += 1
                last = error
        raise AssertionError(f'{PATIENCE} runs were disturbed by the machine: {last}')

    def _run(self, row):
        if row.rig == 'own':
            row.run(None)
            return 0, 0.0
        if row.rig == 'network':
            return in_namespace(row)
        if row.rig not in self._rigs:
            self._rigs[row.rig] = FaultRig(simulated=row.rig == 'simulated')
        rig = self._rigs[row.rig]
        try:
            return run_on(rig, row)
        except (CannotRunError, DisturbedError):
            raise
        except BaseException:
            self.close(row.rig)
            raise

    def close(self, kind):
        """End a rig."""
        rig = self._rigs.pop(kind, None)
        if rig is not None:
            rig.close()

    def close_all(self):
        """End all rigs."""
        for kind in list(self._rigs):
            self.close(kind)


def run_on(rig, row):
    """Run a row once on a rig; return (messages, largest step)."""
    rig.begin()
    before, rig.watch.largest = rig.watch.messages, 0.0
    row.run(rig)
    rig.until_running()
    rig.judge()
    return rig.watch.messages - before, rig.watch.largest


def in_namespace(row):
    """Run a row in a process with a network of its own, without shared memory between nodes."""
    inner = [sys.executable, str(HERE / 'faults.py'), '--inside', row.name]
    script = 'ip link set lo up && exec "$@"'
    # with the range LOCALHOST, rmw_fastrtps uses shared memory in any case
    environment = {**os.environ, 'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4',
                   'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET', 'ROS_STATIC_PEERS': '127.0.0.1'}
    probe = subprocess.run(['unshare', '--net', 'ip', 'link', 'set', 'lo', 'up'],
                           capture_output=True, text=True)
    if probe.returncode:
        raise CannotRunError(f'no network namespace: {probe.stderr.strip()}')
    done = subprocess.run(['unshare', '--net', 'sh', '-c', script, 'sh', *inner],
                          capture_output=True, text=True, env=environment, timeout=300.0)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    messages, largest = done.stdout.split()[-2:]
    return int(messages), float(largest)


def inside(name):
    """Run a row on a rig of its own; print the messages and the largest step."""
    rig = FaultRig()
    try:
        print(*run_on(rig, ROWS[name]))
    finally:
        rig.close()


def repeat(rigs, row, count):
    """Run a row some times; return (passed, messages, largest step, seconds, [failure])."""
    passed, messages, largest, failures, began = 0, 0, 0.0, [], time.monotonic()
    for _ in range(count):
        try:
            seen, step = rigs.run(row)
        except CannotRunError as reason:
            return None, 0, 0.0, 0.0, [str(reason)]
        except Exception:
            failures.append(traceback.format_exc())
            continue
        passed, messages, largest = passed + 1, messages + seen, max(largest, step)
    return passed, messages, largest, time.monotonic() - began, failures


def main():
    """Run rows and print a table; return 1 where a reaction was another one."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--rows', nargs='+', choices=ROWS, default=list(ROWS))
    parser.add_argument('--repeat', type=int, default=1)
    parser.add_argument('--load', type=int, default=0, help='processes that compute meanwhile')
    parser.add_argument('--table', action='store_true', help='print the table of doc/faults.md')
    parser.add_argument('--inside', choices=ROWS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.table:
        print(table(), end='')
        return 0
    if options.inside:
        inside(options.inside)
        return 0
    burners = [subprocess.Popen([sys.executable, '-c', BURN]) for _ in range(options.load)]
    rigs, broken = Rigs(), 0
    print(f'{"fault":22} {"as documented":>14} {"torques":>9} {"largest step":>13} {"time":>8}',
          flush=True)
    try:
        for name in options.rows:
            passed, messages, largest, seconds, failures = repeat(rigs, ROWS[name], options.repeat)
            result = 'skipped' if passed is None else f'{passed} of {options.repeat}'
            print(f'{name:22} {result:>14} {messages:9d} {100.0 * largest:11.1f} % '
                  f'{seconds:6.1f} s', flush=True)
            for failure in failures:
                print(failure, flush=True)
            broken += passed is not None and passed < options.repeat
    finally:
        rigs.close_all()
        for burner in burners:
            burner.kill()
            burner.wait()
    print(f'load average {os.getloadavg()[0]:.1f}; runs repeated because the machine stalled: '
          f'{rigs.disturbed}; largest step: of what limits.effort_rate allows')
    return 1 if broken else 0


if __name__ == '__main__':
    sys.exit(main())
