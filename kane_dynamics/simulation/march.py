# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Time marching: steps, and the contacts and events between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.equations.state import StateEquation
from kane_dynamics.simulation.rules.steppers import Stepper

CONTACTS_AT_ONCE = 16       # changes of contact in one step after which joints are blocked
GUARD_ROUNDING = 1e-12      # [rad, rad/s, N m, m, ...]: how far a joint may pass a limit unseen
TOUCHED = -0.5e-300         # stands for a value of zero, which counts as crossed

EventFunction: TypeAlias = 'Callable[[float, FloatArray, FloatArray], float]'


@dataclass(frozen=True, eq=False)
class Event:
    """Zero crossing of an event function: its index in the list, time [s] and state."""

    index: int
    t: float
    q: FloatArray
    qd: FloatArray


class Recorder(Protocol):
    """Observer of a march: both methods are called for each stretch between two contacts."""

    def between(self, t: float, at: Callable[[float], FloatArray]) -> None:
        """Take the end t [s] of a stretch, while at(time) returns the states within it."""

    def end(self, t: float, y: FloatArray) -> None:
        """Take the final state y at the end of the stretch."""


class _CheckedEvent(NamedTuple):
    function: EventFunction
    direction: int
    terminal: bool


class March:
    """Carry a state through time with a stepper, across contacts and events.

    t and y are the time and the state reached; `found` lists the events; `ended_by` is the index
    of the terminal event that stopped the march, or None.
    """

    def __init__(self, equation: StateEquation, stepper: Stepper, t: float, y: FloatArray,
                 t_bound: float = np.inf, events: Iterable[EventFunction] = (),
                 contacts_at_once: int = CONTACTS_AT_ONCE) -> None:
        self._contacts_at_once = contacts_at_once
        self.equation, self.stepper, self.t_bound = equation, stepper, t_bound
        self._events = [_checked_event(event) for event in events]
        self.found: list[Event] = []
        self.ended_by: int | None = None
        self.contacts = 0
        self.forget_contacts()
        self.start_from(t, y)

    @property
    def t(self) -> float:
        """Return the time reached [s]."""
        return self.stepper.t

    @property
    def y(self) -> FloatArray:
        """Return the state reached; see `StateEquation`."""
        return self.stepper.y

    def forget_contacts(self) -> None:
        """Forget earlier contacts, for a time that starts over."""
        self._window, self._in_window = -np.inf, 0

    def start_from(self, t: float, y: FloatArray) -> None:
        """Continue from another state y at time t [s]."""
        self.equation.settle(t, y)
        self.stepper.restart(t, y, self.t_bound)
        self._values = self._event_values(t, y)

    def advance(self, limit: float, recorder: Recorder | None = None) -> None:
        """Advance to the time `limit` [s], or to a terminal event.

        A stepper with a fixed step stops exactly there, the others with the step that passes it.
        """
        stepper, equation = self.stepper, self.equation
        while stepper.t < limit and self.ended_by is None:
            stepper.step(limit)
            t, y = stepper.t, stepper.y
            if not np.isfinite(y).all():
                raise KaneDynamicsError(
                    f'the state is not finite at t = {t:g} s: take a shorter step, and check that '
                    'the torques are finite and do not add energy without bound')
            guards = equation.guards(t, y)
            violated = None
            if guards is not None and guards.min() < 0.0:
                t, y, violated = self._first_violation(guards)
            if self._events:
                t_end = self._pass_events(t, y)
                if t_end is not None:
                    t, y, violated = t_end, stepper.at(t_end), None
            if recorder is not None:
                recorder.between(t, stepper.at)
            if violated is not None:
                self._change_contact(t, y, violated)
            elif self.ended_by is not None:
                stepper.restart(t, y, self.t_bound)
            elif guards is not None:
                equation.unblock()
                if equation.settle(t, y):
                    stepper.restart(t, y, self.t_bound)
            if recorder is not None:
                recorder.end(t, stepper.y)

    # -- contacts -------------------------------------------------------------------------------

    def _first_violation(self, guards: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return time, state and guards just after the first guard turned negative in a step."""
        at, watched = self.stepper.at, guards < 0.0

        def least(t: float) -> float:
            return float(self._guards(t, at(t))[watched].min())
        t = _crossing(least, self.stepper.t_old, self.stepper.t, float(guards[watched].min()),
                      GUARD_ROUNDING)
        y = at(t) if t < self.stepper.t else self.stepper.y.copy()
        return t, y, self._guards(t, y)

    def _guards(self, t: float, y: FloatArray) -> FloatArray:
        guards = self.equation.guards(t, y)
        assert guards is not None       # asked only of equations that had some at the step's end
        return guards

    def _change_contact(self, t: float, y: FloatArray, guards: FloatArray) -> None:
        """Move joints onto their stops or to rest, let them hit, and continue from there."""
        equation = self.equation
        self.contacts += 1
        equation.snap(y, guards)
        if t > self._window + self.stepper.contact_window:
            self._window, self._in_window = t, 0
        self._in_window += 1
        if self._in_window > self._contacts_at_once:
            equation.block(y, np.logical_or.reduce(guards < 0.0, axis=0))
        equation.settle(t, y)
        self.stepper.restart(t, y, self.t_bound)
        self._values = self._event_values(t, y)

    # -- events ---------------------------------------------------------------------------------

    def _event_values(self, t: float, y: FloatArray) -> list[float]:
        return [self._value(k, t, y) for k in range(len(self._events))]

    def _value(self, k: int, t: float, y: FloatArray) -> float:
        nq, n = self.equation.nq, self.equation.n_state
        value = self._events[k].function(t, y[:nq].copy(), y[nq:n].copy())
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InputError(f'events[{k}](t, q, qd) must return a number, got '
                             f'{type(value).__name__} at t = {t:g} s') from None

    def _pass_events(self, t: float, y: FloatArray) -> float | None:
        """Find the events up to time t of the last step; return the time of a terminal one."""
        nq, n, at = self.equation.nq, self.equation.n_state, self.stepper.at
        values, crossed = self._event_values(t, y), []
        for k, (old, new) in enumerate(zip(self._values, values)):
            direction = self._events[k].direction
            if (old < 0.0 <= new and direction >= 0) or (old > 0.0 >= new and direction <= 0):
                sign = 1.0 if old > 0.0 else -1.0

                def signed(s: float, k: int = k, sign: float = sign) -> float:
                    return sign * self._value(k, s, at(s)) or TOUCHED
                crossed.append((_crossing(signed, self.stepper.t_old, t, sign * new or TOUCHED),
                                k))
        self._values = values
        for instant, k in sorted(crossed):
            state = at(instant) if instant < t else y
            self.found.append(Event(k, instant, state[:nq].copy(), state[nq:n].copy()))
            if self._events[k].terminal:
                self.ended_by = k
                return instant
        return None


def _crossing(function: Callable[[float], float], low: float, high: float, value: float,
              close: float = 0.0) -> float:
    """Return a time just after function turns negative; value = function(high) < 0.

    Just after: within rounding, or where the function is not below -close. By the Illinois rule
    (Dowell and Jarratt 1971), with a bisection every fifth time, which also copes with a function
    that is zero at the start.
    """
    rounding = 1e-13 * (high - low) + 4.0 * np.spacing(max(abs(low), abs(high)))
    at_low, at_high, side = max(function(low), 0.0), value, 0
    for k in range(1, 200):
        if high - low <= rounding:
            break
        t = 0.5 * (low + high)
        if at_low > 0.0 and k % 5:
            t = low + (high - low) * at_low / (at_low - at_high)
            t = min(max(t, low + 0.5 * rounding), high - 0.5 * rounding)
        found = function(t)
        if found < 0.0:
            high, at_high, at_low = t, found, at_low * (0.5 if side < 0 else 1.0)
            side = -1
            if found >= -close:
                break
        else:
            low, at_low, at_high = t, found, at_high * (0.5 if side > 0 else 1.0)
            side = 1
    return high


def _checked_event(event: EventFunction) -> _CheckedEvent:
    """Return an event with its direction and terminal flag: attributes, as in SciPy."""
    if not callable(event):
        raise InputError('an event is a function event(t, q, qd) that crosses zero; '
                         f'got {type(event).__name__}')
    return _CheckedEvent(event, getattr(event, 'direction', 0),
                         bool(getattr(event, 'terminal', False)))
