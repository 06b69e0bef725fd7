# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of an arm, generated and compiled when they are first called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import threading
from typing import Any, Literal

import numpy as np

from kane_dynamics.codegen.backend import (
    Backend, chosen_backend, Kernel, kernel_class, warn_of_compile_time)
from kane_dynamics.codegen.program import Input, OperationCount, Program
from kane_dynamics.codegen.signature import ARGUMENTS
from kane_dynamics.dynamics.programs.registry import FunctionName, program
from kane_dynamics.dynamics.recorded_arm import RecordedArm
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import numbers, require_plain, whole

# methods that a compiled entry replaces; their first arguments are exactly the inputs
_DIRECT = ('inverse', 'forward', 'mass_matrix', 'bias', 'gravity', 'inverse_derivatives',
           'regressor', 'reactions', 'momentum', 'mass_centre')


class CompiledFunctions:
    """Programs of a RecordedArm by name, compiled, with checks of their arguments.

    A method named in `_DIRECT` is replaced on the object, at its first call, by a compiled entry
    that needs no Python; `help` and `inspect.signature` read the same text there.

    Args:
        robot: the arm whose inertias and gravity count.
        arm: the RecordedArm that the programs are recorded from.
        backend: see `Dynamics`.
        parametric: whether inertias and gravity are read at run time.
    """

    def __init__(self, robot: Robot, arm: RecordedArm, backend: Backend, parametric: bool) -> None:
        self.backend: Literal['llvm', 'python'] = chosen_backend(backend)
        self.parametric = parametric
        self._arm, self._lock = arm, threading.RLock()
        self._kernels: dict[tuple[str, str | None], Kernel] = {}
        self._use(robot)

    def _share(self, robot: Robot, other: CompiledFunctions) -> None:
        """Share the compiled functions of another object."""
        self.backend, self.parametric = other.backend, other.parametric
        self._arm, self._kernels, self._lock = other._arm, other._kernels, other._lock
        self._use(robot)

    def _use(self, robot: Robot) -> None:
        self.robot = robot
        self._parameters = self._arm.parameters(robot) if self.parametric else None

    def bind(self, name: FunctionName, *arrays: FloatArray,
             frame: str | None = None) -> Callable[[], None]:
        """Return step(): computes `name` from and into these arrays, checked now and never again.

        For control loops: `step = dynamics.bind('inverse', q, qd, qdd, tau)`; write into q, qd
        and qdd, call step(), read tau. The last array is the output. All are contiguous float64.
        frame: the link that 'frame_pose' (3, 4), 'frame_jacobian' and the like are of.
        """
        kernel = self._kernel(name, frame)
        takes = [each for each in kernel.program.inputs if not each.shared]
        if len(arrays) != len(takes) + 1:
            names = [ARGUMENTS[each.name] for each in takes]
            raise InputError(f'bind({name!r}) takes {len(takes)} input arrays {names} and the '
                             f'output array, got {len(arrays)} arrays')
        shapes = [(each.size,) for each in takes] + [kernel.program.shape]
        for k, (array, shape) in enumerate(zip(arrays, shapes)):
            which = 'the output' if k == len(takes) else ARGUMENTS[takes[k].name]
            require_plain(array, shape, f'bind({name!r}): {which}', writeable=k == len(takes))
        return kernel.bound([*arrays[:-1], *self._shared(), arrays[-1]])

    def program(self, name: FunctionName, frame: str | None = None) -> Program:
        """Return the recorded program of a function."""
        return program(self._arm, name, frame)

    def operation_count(self, name: FunctionName, frame: str | None = None) -> OperationCount:
        """Return .mul .add .div .sqrt .sincos of one evaluation."""
        return self._kernel(name, frame).program.operation_count

    # -- inside -------------------------------------------------------------------------------

    def _kernel(self, name: str, frame: str | None = None) -> Kernel:
        if frame is not None and not isinstance(frame, str):
            raise InputError(f'{name}: the name of a link or frame comes first, got '
                             f'{type(frame).__name__}')
        key = (name, frame)
        kernel = self._kernels.get(key)
        if kernel is None:
            with self._lock:
                kernel = self._kernels.get(key)
                if kernel is None:
                    recorded = program(self._arm, name, frame)
                    warn_of_compile_time(recorded, self.robot.name, self.backend, stacklevel=4)
                    kernel = kernel_class(self.backend)(recorded)
                    self._kernels[key] = kernel
        return kernel

    def _shared(self) -> list[FloatArray]:
        return [] if self._parameters is None else [self._parameters]

    def _call(self, name: str, arguments: Sequence[ArrayLike], out: FloatArray | None,
              frame: str | None = None) -> FloatArray:
        """Compute with checks and conversions, and set a faster entry for the next call."""
        kernel = self._kernel(name, frame)
        takes = [each for each in kernel.program.inputs if not each.shared]
        arrays = [self._checked(name, each, value) for each, value in zip(takes, arguments)]
        shape = kernel.program.shape
        if out is None:
            out = np.empty(shape)
        else:
            require_plain(out, shape, f'{name}: out', writeable=True)
        kernel.fill(arrays + self._shared(), out.reshape(-1))
        if frame is None and name in _DIRECT and name not in self.__dict__:
            method = getattr(type(self), name)
            entry = kernel.entry(method.__get__(self), _documentation(name, method),
                                 self._shared())
            if entry is not None:
                self.__dict__[name] = entry
        return out

    def _call_many(self, name: str, arguments: Sequence[ArrayLike], out: FloatArray | None,
                   threads: int, frame: str | None = None) -> FloatArray:
        kernel = self._kernel(name, frame)
        takes = [each for each in kernel.program.inputs if not each.shared]
        arrays = [numbers(value, f'{name}_many: {ARGUMENTS[each.name]}')
                  for each, value in zip(takes, arguments)]
        count = len(arrays[0]) if np.ndim(arguments[0]) else 0
        for each, array in zip(takes, arrays):
            if array.shape != (count, each.size):
                given = np.shape(arguments[takes.index(each)])
                turned = len(given) == 2 and given[0] == each.size
                rows = count if len(given) == 2 and not turned else 'N'
                raise InputError(f'{name}_many: {ARGUMENTS[each.name]} has shape {given}, '
                                 f'expected ({rows}, {each.size}): a row per sample'
                                 + '; transpose it' * turned)
        shape = (count, *kernel.program.shape)
        if out is None:
            out = np.empty(shape)
        else:
            require_plain(out, shape, f'{name}_many: out', writeable=True)
        threads = whole(threads, f'{name}_many: threads', 1)
        # rows are written before others are read: what out overlaps is copied, as in numpy
        arrays = [array.copy() if np.may_share_memory(array, out) else array for array in arrays]
        flat = out.reshape(count, len(kernel.program.outputs))
        kernel.fill_many(arrays + self._shared(), flat, threads)
        return out

    def _checked(self, name: str, each: Input, value: ArrayLike) -> FloatArray:
        array = numbers(value, f'{name}: {ARGUMENTS[each.name]}')
        if np.shape(value) != (each.size,):
            robot, given = self.robot, np.shape(value)
            more = ', behind those of its floating base' * robot.floating_base
            if robot.n_modes and each.size > robot.n_joints:
                more += f', then {robot.n_modes} elastic coordinates (see static_sag)'
            if len(given) == 2 and given[1] == each.size and hasattr(self, f'{name}_many'):
                more += f'; for rows of samples there is {name}_many'
            raise InputError(f'{name}: {ARGUMENTS[each.name]} has shape {given}, '
                             f'expected ({each.size},) for {robot.name!r} with joints '
                             f'{list(robot.joint_names)}{more}')
        return array


def _documentation(name: str, method: Callable[..., Any]) -> str:
    """Return a text that help() and inspect.signature() understand."""
    arguments = method.__code__.co_varnames[1:method.__code__.co_argcount]
    listed = ', '.join('out=None' if each == 'out' else each for each in arguments)
    return f'{name}({listed})\n--\n\n{method.__doc__}'
