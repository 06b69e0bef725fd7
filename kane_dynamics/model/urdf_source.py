# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sources of URDF text: files, xacro files, bytes and the text itself."""

from __future__ import annotations

from pathlib import Path

from kane_dynamics.exceptions import InputError, MissingDependencyError, ModelError
from kane_dynamics.io.files import near_file
from kane_dynamics.io.limits import XML_BYTES
from kane_dynamics.io.text import clean, PATH, show

UNNAMED = ('<bytes>', '<text>')     # sources that are no files, in messages


def is_xml(text: str) -> bool:
    """Return whether text begins like XML."""
    return text.lstrip('\ufeff \t\r\n').startswith('<')


def read_source(source: str | bytes | Path) -> tuple[str | bytes, str]:
    """Return the bytes or text of a source and its name for messages."""
    if isinstance(source, bytes):
        return source, UNNAMED[0]
    if isinstance(source, str) and is_xml(source):
        return source, UNNAMED[1]
    if not isinstance(source, (str, Path)):
        raise InputError('load_urdf: expected a path or XML text, '
                         f'got {type(source).__name__}')
    try:
        path = Path(source).expanduser()
        name = clean(path.name, PATH)
        if not path.is_file():
            problem = 'is a folder;' if path.is_dir() else 'no such file' + (
                near_file(path) or ';')
            raise ModelError(f'{show(str(source), PATH)}: {problem} '
                             'expected the path of a URDF or its XML text')
        if path.suffix == '.xacro':
            return _expand_xacro(path, name), name
        with path.open('rb') as file:
            return file.read(XML_BYTES.value + 1), name
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f'{show(str(source), PATH)}: cannot be read: '
                         f'{clean(error, PATH)}') from None


def _expand_xacro(path: Path, name: str) -> str:
    """Return the URDF text of a file expanded by the xacro package."""
    try:
        import xacro
    except ImportError:
        raise MissingDependencyError(
            f'{name}: reading xacro needs the xacro package; install it with '
            "'pip install xacro' or 'apt install ros-$ROS_DISTRO-xacro'") from None
    try:
        return str(xacro.process_file(str(path)).toxml())
    except Exception as error:  # of any type, also from expressions in the file
        raise ModelError(
            f'{name}: xacro failed: {type(error).__name__}: {clean(error, 300)}; a file that '
            f'needs arguments or packages is expanded first: xacro {name} NAME:=VALUE > arm.urdf'
        ) from error


def urdf_text(path: str | Path) -> str | None:
    """Return the XML text of a URDF file; None for xacro and for encodings other than UTF-8."""
    path = Path(path).expanduser()
    try:
        return None if path.suffix == '.xacro' else path.read_text(encoding='utf-8-sig')
    except UnicodeDecodeError:
        return None
