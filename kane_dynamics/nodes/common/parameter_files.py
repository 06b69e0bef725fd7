# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Detection of parameter files without a section for a node, which rcl silently ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
import re

import yaml

PARAMETERS = 'ros__parameters'
# rcl's wildcards: one part of a name, or any number of parts
WILDCARDS = {'*': '/[^/]+', '**': '(?:/[^/]+)*'}


def unmatched_files(arguments: Sequence[str], node: str) -> Iterator[str]:
    """Yield a warning for each --params-file among the arguments that has nothing for a node.

    node: its fully qualified name.
    """
    for flag, path in zip(arguments, arguments[1:]):
        if flag != '--params-file':
            continue
        try:
            content = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
        except (OSError, ValueError, yaml.YAMLError):
            continue        # rcl refuses what cannot be read
        names = list(_sections(content, ''))
        if not any(applies(name, node) for name in names):
            yield (f'{path}: no section applies to {node}, so all of its parameters are '
                   f'ignored; it has {names}, expected /**/{node.rpartition("/")[2]} or /**')


def applies(section: str, node: str) -> bool:
    """Return whether a section's name, wildcards included, stands for a fully qualified name."""
    parts = (WILDCARDS.get(part, '/' + re.escape(part)) for part in section.split('/') if part)
    return re.fullmatch(''.join(parts), node) is not None


def _sections(content: object, prefix: str) -> Iterator[str]:
    """Yield the names of all sections, nested namespaces joined."""
    if isinstance(content, dict):
        for key, value in content.items():
            if key == PARAMETERS:
                yield prefix
            else:
                yield from _sections(value, f'{prefix}/{str(key).strip("/")}')
