# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a data sheet, checked when they are given."""

from __future__ import annotations

from dataclasses import fields
import math

from kane_dynamics.exceptions import InputError


def check_quantities(part, what, positive=(), skip=()):
    """Make every field of a frozen data sheet a float, not negative; those named, positive.

    what: how the part is called in messages. A field that is None, or named in `skip`, is left
    alone.
    """
    for field in fields(part):
        value = getattr(part, field.name)
        if value is None or field.name in skip:
            continue
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise InputError(f'{what}: {field.name} must be a number, got {value!r}') from None
        least = 'positive' if field.name in positive else 'not negative'
        if math.isnan(value) or value < 0.0 or (value == 0.0 and field.name in positive):
            raise InputError(f'{what}: {field.name} must be {least}, got {value:g}')
        object.__setattr__(part, field.name, value)
