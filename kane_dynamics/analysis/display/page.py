# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pages: HTML in one file, for a browser tab, a notebook or a folder."""

from __future__ import annotations

from html import escape
import os
from pathlib import Path
import re
import sys
import tempfile
import webbrowser

from kane_dynamics.io.files import write_text

INLINE_HEIGHT = 560     # in a notebook [pixels]


class Page:
    """An HTML page without references to other files or the network.

    html: its text; path: the file it was written to, None before `save` or `open`.
    """

    def __init__(self, title: str, html: str) -> None:
        self.title, self.html = title, html
        self.path: Path | None = None

    def __repr__(self) -> str:
        where = '' if self.path is None else f', {str(self.path)!r}'
        return f'Page({self.title!r}, {len(self.html) // 1000} kB{where})'

    def _repr_html_(self) -> str:
        """Return the page for Jupyter, in a frame of its own."""
        return (f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" '
                'sandbox="allow-scripts" style="width: 100%; border: 0; '
                f'height: {INLINE_HEIGHT}px"></iframe>')

    def save(self, path: str | Path) -> Path:
        """Write the page to a file and return its path."""
        self.path = Path(path)
        write_text(self.path, self.html)
        return self.path

    def open(self) -> None:
        """Open the page in a browser tab; without a browser print the path of its file.

        The file is new, in the folder for temporary files, and readable by its owner only.
        """
        path = self.save(private_file(self.title)) if self.path is None else self.path
        if not webbrowser.open(path.resolve().as_uri()):
            print(f'no browser could be started; open {path}')


def private_file(title: str) -> Path:
    """Return the path of a new temporary .html file that only its owner can read."""
    name = re.sub(r'\W+', '_', title, flags=re.ASCII).strip('_')[:80]
    handle, path = tempfile.mkstemp(prefix=f'kane_{name}_', suffix='.html')
    os.close(handle)
    return Path(path)


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, which shows a Page inline."""
    shell = getattr(sys.modules.get('IPython'), 'get_ipython', lambda: None)()
    return getattr(shell, 'kernel', None) is not None
