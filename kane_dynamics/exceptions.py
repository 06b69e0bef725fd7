# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Errors and warnings of kane_dynamics.

A message names the object, what was expected, what was found, and what to do.
"""


class KaneDynamicsError(Exception):
    """Base class of all errors raised by this package."""


class ModelError(KaneDynamicsError, ValueError):
    """An arm that cannot be computed: the file, the element and the reason."""


class InputError(KaneDynamicsError, ValueError):
    """An argument of the wrong name, shape, type or range."""


class MissingDependencyError(KaneDynamicsError, ImportError):
    """An optional package that a call needs, with the command that installs it."""


class KaneDynamicsWarning(UserWarning):
    """Input that can be computed but is probably a mistake."""
