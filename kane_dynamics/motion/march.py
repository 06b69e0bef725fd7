# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The march through time: steps, and the contacts and events between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError

CONTACTS_AT_ONCE = 16       # changes of contact in one step after which joints are blocked
GUARD_ROUNDING = 1e-12      # [rad, rad/s, N m, m, ...]: how far a joint may pass a limit unseen


class Event(NamedTuple):
    """Where an event function crossed zero: its place in the list, time [s] and state."""

    index: int
    t: float
    q: np.ndarray
    qd: np.ndarray


class March:
    """Carry a state through time with a stepper, across contacts and events.

    t and y are the time and the state that are reached; `found` lists the events; `ended_by` is
    the index of the terminal event that stopped the march, or None. A recorder has
    between(t, at), called with the end of each stretch while at(time) gives states within it, and
    end(t, y), called when the state at that end is final.
    """

    def __init__(self, equation, stepper, t, y, t_bound=np.inf, events=(),
                 contacts_at_once=CONTACTS_AT_ONCE):
        self._contacts_at_once = contacts_at_once
        self.equation, self.stepper, self.t_bound = equation, stepper, t_bound
        self._events = [_checked_event(event) for event in events]
        self.found, self.ended_by, self.contacts = [], None, 0
        self.forget()
        self.stand(t, y)

    @property
    def t(self):
        """Return the time that is reached [s]."""
        return self.stepper.t

    @property
    def y(self):
        """Return the state there; see `StateEquation`."""
        return self.stepper.y

    def forget(self):
        """Drop what is remembered of contacts before: for a time that begins anew."""
        self._window, self._in_window = -np.inf, 0

    def stand(self, t, y):
        """Go on from another state y at time t [s]."""
        self.equation.settle(t, y)
        self.stepper.restart(t, y, self.t_bound)
        self._values = self._event_values(t, y)

    def advance(self, limit, recorder=None):
        """Walk to the time `limit` [s], or to a terminal event.

        A stepper with a fixed step stops exactly there, the others with the step that passes it.
        """
        stepper, equation = self.stepper, self.equation
        while stepper.t < limit and self.ended_by is None:
            stepper.step(limit)
            t, y = stepper.t, stepper.y
            if not np.isfinite(y).all():
                raise KaneDynamicsError(
                    f'the state is not finite any more at t = {t:g} s: take a shorter step, and '
                    'see that the torques are finite and do not feed energy in for ever')
            guards = equation.guards(t, y)
            contact = guards is not None and guards.min() < 0.0
            if contact:
                t, y, guards = self._first_violation(guards)
            if self._events:
                t_end = self._pass_events(t, y)
                if t_end is not None:
                    t, y, contact = t_end, stepper.at(t_end), False
            if recorder is not None:
                recorder.between(t, stepper.at)
            if contact:
                self._change_contact(t, y, guards)
            elif self.ended_by is not None:
                stepper.restart(t, y, self.t_bound)
            elif guards is not None:
                equation.unblock()
                if equation.settle(t, y):
                    stepper.restart(t, y, self.t_bound)
            if recorder is not None:
                recorder.end(t, stepper.y)

    # -- contacts -------------------------------------------------------------------------------

    def _first_violation(self, guards):
        """Return time, state and guards just after the first guard turned negative in a step."""
        equation, at = self.equation, self.stepper.at
        watched = guards < 0.0

        def least(t):
            return equation.guards(t, at(t))[watched].min()
        t = _crossing(least, self.stepper.t_old, self.stepper.t, guards[watched].min(),
                      GUARD_ROUNDING)
        y = at(t) if t < self.stepper.t else self.stepper.y.copy()
        return t, y, equation.guards(t, y)

    def _change_contact(self, t, y, guards):
        """Put joints at their stops or to rest, let them hit, and go on from there."""
        equation = self.equation
        self.contacts += 1
        equation.snap(y, guards)
        if t > self._window + self.stepper.contact_window:
            self._window, self._in_window = t, 0
        self._in_window += 1
        if self._in_window > self._contacts_at_once:
            equation.block(y, (guards < 0.0).any(axis=0))
        equation.settle(t, y)
        self.stepper.restart(t, y, self.t_bound)
        self._values = self._event_values(t, y)

    # -- events ---------------------------------------------------------------------------------

    def _event_values(self, t, y):
        return [self._value(k, t, y) for k in range(len(self._events))]

    def _value(self, k, t, y):
        nq, n = self.equation.nq, self.equation.n_state
        value = self._events[k][0](t, y[:nq].copy(), y[nq:n].copy())
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InputError(f'events[{k}](t, q, qd) must return a number, got '
                             f'{type(value).__name__} at t = {t:g} s') from None

    def _pass_events(self, t, y):
        """Find the events up to time t of the last step; return the time of a terminal one."""
        nq, n, at = self.equation.nq, self.equation.n_state, self.stepper.at
        values, crossed = self._event_values(t, y), []
        for k, (old, new) in enumerate(zip(self._values, values)):
            direction = self._events[k][1]
            if (old < 0.0 <= new and direction >= 0) or (old > 0.0 >= new and direction <= 0):
                sign = 1.0 if old > 0.0 else -1.0
                # zero itself counts as crossed
                moment = _crossing(lambda s, k=k: sign * self._value(k, s, at(s)) or -0.5e-300,
                                   self.stepper.t_old, t, sign * new or -0.5e-300)
                crossed.append((moment, k))
        self._values = values
        for moment, k in sorted(crossed):
            state = at(moment) if moment < t else y
            self.found.append(Event(k, moment, state[:nq].copy(), state[nq:n].copy()))
            if self._events[k][2]:
                self.ended_by = k
                return moment
        return None


def _crossing(function, low, high, value, close=0.0):
    """Return a time just after function turns negative; value = function(high) < 0.

    Just after: within rounding, or where the function is not below -close. By the Illinois rule
    (Dowell and Jarratt 1971), with a bisection now and then, which also copes with a function
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


def _checked_event(event):
    """Return (function, direction, terminal); the last two are attributes, as in SciPy."""
    if not callable(event):
        raise InputError('an event is a function event(t, q, qd) that crosses zero; '
                         f'got {type(event).__name__}')
    return event, getattr(event, 'direction', 0), bool(getattr(event, 'terminal', False))
