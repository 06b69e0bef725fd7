# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a machine takes away from bare Python: deadlines in a thread, a pipe there and back."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np


def bare_turn(rate, seconds):
    """Return the stamps [ns] of a bare loop in a process of its own."""
    done = subprocess.run([sys.executable, '-c', BARE_LOOP, str(rate), str(seconds)], check=True,
                          capture_output=True)
    return np.frombuffer(done.stdout, dtype=np.int64)


# the deadlines of WallLoop, in a thread beside one that waits, as a node has it
BARE_LOOP = """
import array, sys, threading, time
rate, seconds = map(float, sys.argv[1:])
stamps = array.array('q')
def run():
    t0, k = time.perf_counter(), 0
    while k < rate * seconds:
        k += 1
        time.sleep(max(t0 + k / rate - time.perf_counter(), 0.0))
        k += max(int((time.perf_counter() - t0) * rate) - k, 0)
        stamps.append(time.time_ns())
thread = threading.Thread(target=run)
thread.start()
thread.join()
sys.stdout.buffer.write(stamps.tobytes())
"""


def bare_latency(rate, seconds):
    """Return median and p99 [ms] of a stamp through a pipe to another process and back."""
    echo = subprocess.Popen([sys.executable, '-c', BARE_ECHO], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, bufsize=0)
    delays = []

    def receive():
        while data := echo.stdout.read(8):
            delays.append((time.time_ns() - int.from_bytes(data, 'little')) * 1e-6)
    receiver = threading.Thread(target=receive)
    receiver.start()
    t0 = time.perf_counter()
    for k in range(1, int(rate * seconds)):
        time.sleep(max(t0 + k / rate - time.perf_counter(), 0.0))
        echo.stdin.write(time.time_ns().to_bytes(8, 'little'))
    echo.stdin.close()
    receiver.join()
    echo.wait()
    return np.median(delays), np.percentile(delays, 99)


BARE_ECHO = """
import os
while data := os.read(0, 8):
    os.write(1, data)
"""
