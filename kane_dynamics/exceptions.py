# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The errors of kane_dynamics: each says who, what was expected, what came and what to do."""


class KaneDynamicsError(Exception):
    """Be the root of every error that this package raises on purpose."""


class ModelError(KaneDynamicsError, ValueError):
    """Report an arm that cannot be computed: the file, the element and the reason."""


class InputError(KaneDynamicsError, ValueError):
    """Report an argument of the wrong name, shape, type or range."""


class MissingDependencyError(KaneDynamicsError, ImportError):
    """Report an optional package that a call needs, with the command that installs it."""


class KaneDynamicsWarning(UserWarning):
    """Tell of something that can be computed but that its author should look at."""
