# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of files and folders.

A file is written under a temporary name in the same folder and renamed when it is complete. An
interrupt, a full disk or a power cut leaves the old file, or none; two processes that write the
same file do not mix. Nobody else can foresee the temporary name, nor read the file under it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
import os
from pathlib import Path
import secrets
import shutil

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import did_you_mean

LONGEST = 60    # characters of the name that a temporary name repeats
MOST_NEIGHBOURS = 1000      # files of a folder among which a similar name is searched


@contextmanager
def whole_file(path: str | Path, overwrite: bool = True) -> Iterator[Path]:
    """Yield a temporary path to write to, renamed to `path` when the block succeeds.

    The temporary name has the same ending. A symbolic link is followed, an existing file keeps
    its permissions, a device or pipe is written to directly. overwrite: replace an existing file;
    otherwise it raises an InputError, also if another process wrote it meanwhile.
    """
    asked = Path(path)
    target = asked.resolve() if asked.is_symlink() else asked
    if target.exists() and not target.is_file():
        yield target
        return
    _refuse_existing(target, overwrite)
    temporary = target.with_name(f'{_temporary_stem(target)}{target.suffix}')
    try:
        mode = _create(temporary)
        yield temporary
        _complete(temporary, target.stat().st_mode & 0o777 if target.exists() else mode)
        if overwrite:
            os.replace(temporary, target)
        else:
            _rename_unless_exists(temporary, target)
    except OSError as error:
        if str(error.filename) != str(temporary):
            raise
        raise OSError(error.errno, error.strerror, str(asked)) from None
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path for a folder, renamed to `path` when the block succeeds.

    The last part of the path is the same, for contents that repeat the folder's name. An existing
    folder raises an InputError, also if another process wrote it meanwhile.
    """
    target = Path(path)
    _refuse_existing(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(_temporary_stem(target))
    try:
        temporary.mkdir(mode=0o700)
        yield temporary / target.name
        _refuse_existing(target, meanwhile=True)
        try:
            os.rename(temporary / target.name, target)
        except OSError:
            _refuse_existing(target, meanwhile=True)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: str | Path, text: str, overwrite: bool = True) -> None:
    """Write text in UTF-8 with Unix line ends, atomically; see `whole_file`."""
    with whole_file(path, overwrite) as temporary:
        temporary.write_text(text, encoding='utf-8', newline='\n')


def near_file(path: str | Path) -> str:
    """Return '; did you mean X?' for a missing file with a similar one in its folder, else ''."""
    path = Path(path)
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, MOST_NEIGHBOURS)]
    except (OSError, ValueError):
        return ''
    return '' if path.name in names else did_you_mean(path.name, sorted(names))


def require_folder(path: str | Path) -> None:
    """Refuse a file to write whose folder does not exist, before work begins."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f'{path}: there is no folder {folder}; create it, or name another file')


def _temporary_stem(target: Path) -> str:
    return f'.{target.stem[:LONGEST]}.{secrets.token_hex(8)}'


def _create(path: Path) -> int:
    """Create a new, private file; return the permissions that the umask would give it."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    mode = path.stat().st_mode & 0o777
    os.chmod(path, 0o600)       # it is empty until here
    return mode


def _complete(temporary: Path, mode: int) -> None:
    """Flush the data to the disk before the rename, and give the file its permissions."""
    with open(temporary, 'rb') as stream:
        os.fsync(stream.fileno())
    os.chmod(temporary, mode)


def _rename_unless_exists(temporary: Path, target: Path) -> None:
    try:
        os.link(temporary, target)      # a rename would overwrite
    except OSError:
        _refuse_existing(target, meanwhile=True)
        os.replace(temporary, target)   # a file system without hard links


def _refuse_existing(target: Path, overwrite: bool = False, meanwhile: bool = False) -> None:
    if target.exists() and not overwrite:
        when = ': another process wrote it meanwhile' if meanwhile else ''
        raise InputError(f'{target} exists already{when}; name another one, or remove it')
