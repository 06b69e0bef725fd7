# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Feed mutated files to every reader for a while: python test/fuzz/fuzz.py --seconds 60.

Each input may take 5 s of CPU time and 2 GB, in a process of its own kind. What breaks the
invariant (see target.py), hangs or kills its process is saved in test/fuzz/found/, where a test
replays it. The inputs follow from the seed, which is printed: --seed repeats a run.
"""

from __future__ import annotations

import argparse
from collections import Counter
import hashlib
import multiprocessing
import os
from pathlib import Path
import random
import resource
import signal
import sys
import time

sys.path.insert(0, str(Path(__file__).resolve().parent))

from node_target import NODE_TARGETS   # noqa: E402, I100
from targets import TARGETS as FILE_TARGETS   # noqa: E402

TARGETS = {**FILE_TARGETS, **NODE_TARGETS}

FOUND = Path(__file__).resolve().parent / 'found'
SECONDS = 5             # of CPU time, of one input
MEMORY = 2 * 2**30      # [bytes] of a process
PATIENCE = 60           # [s] before a process that does not answer is ended
REPORTED = 200          # a process reports its counts after so many inputs


class TooSlowError(Exception):
    """An input that takes longer than SECONDS."""


def mutation(target, seed, number):
    """Return the bytes of one input; the same for the same seed and number."""
    rng = random.Random(f'{seed} {type(target).__name__} {number}')
    return target.mutated(target.chosen(rng), rng)


def problem_of(target, data):
    """Return (outcome of an input, '' or what is wrong)."""
    def too_slow(*_):
        raise TooSlowError(f'took more than {SECONDS} s')
    before = signal.signal(signal.SIGPROF, too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)       # other processes do not count
    try:
        return target.check(data), ''
    except Exception as error:      # whatever it is, it is no KaneDynamicsError
        return 'broken', f'{type(error).__name__}: {error}'
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def work(name, seed, first, until, step, current, results):
    """Check inputs first, first + step, ... until a time; report counts and problems."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)       # urdfdom and xacro print what they refuse
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    target, counts, number = TARGETS[name](), Counter(), first
    try:
        while time.monotonic() < until:
            current.value = number
            outcome, problem = problem_of(target, mutation(target, seed, number))
            counts[outcome] += 1
            if problem:
                results.put(('problem', number, problem))
            if counts.total() >= REPORTED:
                results.put(('counts', number, counts))
                counts = Counter()
            number += step
        results.put(('counts', number, counts))
        results.put(('done', number, time.process_time()))
    finally:
        target.close()


class Worker:
    """A process that checks every `step`-th input of a target, and what it reported."""

    def __init__(self, name, seed, first, seconds, step):
        self.counts, self.problems, self.cpu = Counter(), [], 0.0
        self.next, self.ended, self._step = first, False, step
        self._current, self._results = multiprocessing.Value('q', first), (
            multiprocessing.SimpleQueue())
        self._heard = time.monotonic()
        self._process = multiprocessing.Process(target=work, args=(
            name, seed, first, time.monotonic() + seconds, step, self._current, self._results))
        self._process.start()
        self._seen = first

    def poll(self):
        """Take what the process reports; end it where it hangs."""
        alive = self._process.is_alive()
        while not self._results.empty():
            kind, number, content = self._results.get()
            if kind == 'problem':
                self.problems.append((number, content))
            elif kind == 'counts':
                self.counts += content
            else:
                self.next, self.cpu, self.ended = number, content, True
        if self._current.value != self._seen:
            self._seen, self._heard = self._current.value, time.monotonic()
        if self.ended:
            self._process.join()
        elif not alive or time.monotonic() > self._heard + PATIENCE:
            how = (f'no answer for {PATIENCE} s' if alive
                   else f'the process ended with {self._process.exitcode}')
            self.problems.append((self._current.value, how))
            self.next, self.ended = self._current.value + self._step, True
            self._process.kill()
            self._process.join()


def turn(name, seed, numbers, seconds, processes):
    """Run one target in some processes; return counts, [(number, problem)] and CPU time [s]."""
    workers = [Worker(name, seed, numbers[k], seconds, processes) for k in range(processes)]
    while not all(worker.ended for worker in workers):
        for worker in workers:
            if not worker.ended:
                worker.poll()
        time.sleep(0.05)
    numbers[:] = [worker.next for worker in workers]
    return (sum((worker.counts for worker in workers), Counter()),
            [problem for worker in workers for problem in worker.problems],
            sum(worker.cpu for worker in workers))


def save(name, data):
    """Write an input that broke something; return its path."""
    path = FOUND / f'{name}-{hashlib.sha256(data).hexdigest()[:12]}'
    path.write_bytes(data)
    return path


def report(name, seed, problems, seen):
    """Print each new kind of problem, with the file that it is saved in."""
    for number, what in problems:
        kind = (name, what[:60])
        if kind not in seen:        # one file for each kind of problem
            seen.add(kind)
            target = TARGETS[name]()
            path = save(name, mutation(target, seed, number))
            target.close()
            print(f'{name} {number}: {what[:300]}\n  saved as {path}', flush=True)


def main():
    """Run the targets one after another; return 1 where something broke."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--seconds', type=float, default=60.0)
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument('--targets', nargs='+', choices=TARGETS, default=list(TARGETS))
    parser.add_argument('--processes', type=int, default=os.cpu_count())
    options = parser.parse_args()
    print(f'seed {options.seed}, {options.processes} processes', flush=True)
    seen, shares = set(), {name: TARGETS[name].share for name in options.targets}
    total, cpu = Counter(), 0.0
    for name, share in shares.items():
        seconds = options.seconds * share / sum(shares.values())
        numbers, counts, spent = list(range(options.processes)), Counter(), 0.0
        until = time.monotonic() + seconds
        # again with new processes where one was lost, until the target's time is over
        while (left := until - time.monotonic()) > 0.05 * seconds:
            found, problems, used = turn(name, options.seed, numbers, left, options.processes)
            counts, spent = counts + found, spent + used
            report(name, options.seed, problems, seen)
        print(f'{name:14} {counts.total():8d} inputs in {seconds:5.0f} s, {spent:5.0f} s of CPU '
              f'time ({counts.total() / max(spent, 1e-9):5.0f} per s): '
              + ', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())), flush=True)
        total, cpu = total + counts, cpu + spent
    print(f'{total.total()} inputs, {cpu:.0f} s of CPU time, {len(seen)} kinds of problems')
    return 1 if seen else 0


if __name__ == '__main__':
    sys.exit(main())
