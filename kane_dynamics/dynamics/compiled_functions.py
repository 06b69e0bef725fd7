# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of an arm that are generated and compiled when they are first called."""

from __future__ import annotations

import threading

import numpy as np

from kane_dynamics.codegen.signature import ARGUMENTS
from kane_dynamics.dynamics.arrays import require_plain
from kane_dynamics.dynamics.backend import chosen_backend, kernel_class
from kane_dynamics.dynamics.programs import program
from kane_dynamics.exceptions import InputError

# methods that a compiled entry may stand in for; their first arguments are exactly the inputs
_DIRECT = ('inverse', 'forward', 'mass_matrix', 'bias', 'gravity', 'inverse_derivatives',
           'regressor', 'reactions', 'momentum', 'mass_centre')


class CompiledFunctions:
    """Compile the programs of an Arm by name, check what they are called with, and call them.

    Args:
        robot: whose inertias and gravity count.
        arm: an Arm, which the programs are recorded from.
        backend: see `Dynamics`.
        parametric: whether inertias and gravity are read at run time.
    """

    def __init__(self, robot, arm, backend, parametric):
        self.backend = chosen_backend(backend)
        self.parametric = parametric
        self._arm, self._kernels, self._lock = arm, {}, threading.RLock()
        self._use(robot)

    def _share(self, robot, other):
        """Begin with the compiled functions of another one."""
        self.backend, self.parametric = other.backend, other.parametric
        self._arm, self._kernels, self._lock = other._arm, other._kernels, other._lock
        self._use(robot)

    def _use(self, robot):
        self.robot = robot
        self._parameters = self._arm.parameters(robot) if self.parametric else None

    def _kernel(self, name, frame=None):
        if frame is not None and not isinstance(frame, str):
            raise InputError(f'{name}: the name of a link or frame comes first, got '
                             f'{type(frame).__name__}')
        key = (name, frame)
        kernel = self._kernels.get(key)
        if kernel is None:
            with self._lock:
                kernel = self._kernels.get(key)
                if kernel is None:
                    kernel = kernel_class(self.backend)(program(self._arm, name, frame))
                    self._kernels[key] = kernel
        return kernel

    def _shared(self):
        return [] if self._parameters is None else [self._parameters]

    def _call(self, name, arguments, out, frame=None):
        """Compute with checks and conversions, and leave a faster entry for the next call."""
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

    def _call_many(self, name, arguments, out, threads, frame=None):
        kernel = self._kernel(name, frame)
        takes = [each for each in kernel.program.inputs if not each.shared]
        arrays = [_numbers(f'{name}_many', *pair) for pair in zip(takes, arguments)]
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
        if threads < 1:
            raise InputError(f'{name}_many: threads must be at least 1, got {threads}')
        flat = out.reshape(count, len(kernel.program.outputs))
        kernel.fill_many(arrays + self._shared(), flat, threads)
        return out

    def _checked(self, name, each, value):
        array = _numbers(name, each, value)
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


def _numbers(name, each, value):
    """Return a contiguous array of floats for the Input `each` of the function `name`."""
    try:
        if np.iscomplexobj(value):                     # numpy would drop the imaginary part
            raise TypeError('its numbers are complex')
        return np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f'{name}: {ARGUMENTS[each.name]} is not an array of numbers: '
                         f'{error}') from None


def _documentation(name, method):
    """Return a text that help() and inspect.signature() understand."""
    arguments = method.__code__.co_varnames[1:method.__code__.co_argcount]
    listed = ', '.join('out=None' if each == 'out' else each for each in arguments)
    return f'{name}({listed})\n--\n\n{method.__doc__}'
