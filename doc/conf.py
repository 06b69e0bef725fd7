# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration of the documentation site; `make doc` builds it."""

from importlib.util import find_spec
from pathlib import Path
import re
import sys

# rosdoc2 executes this file from a wrapper elsewhere, which names its path.
HERE = Path(__file__).resolve()
wrapped = re.search(r'exec\(open\("(.+)"\)', HERE.read_text(encoding='utf-8'))
ROOT = (Path(wrapped[1]) if wrapped else HERE).parents[1]
sys.path.insert(0, str(ROOT))

import kane_dynamics  # noqa: E402, I100

project = 'kane_dynamics'
author = 'The kane_dynamics authors'
copyright = '2026, The kane_dynamics authors'  # noqa: A001
version = release = kane_dynamics.__version__

# rosdoc2 adds myst_parser, which excludes myst_nb, and need not have requirements/doc.txt.
NOTEBOOKS = not wrapped and find_spec('myst_nb') is not None
extensions = ['sphinx.ext.autodoc', 'sphinx.ext.napoleon',
              'myst_nb' if NOTEBOOKS else 'myst_parser']
if find_spec('sphinx_copybutton'):
    extensions.append('sphinx_copybutton')
# The .rst files are those that rosdoc2 generates; this site has its own index and API pages.
exclude_patterns = ['_build', 'index.rst', 'modules.rst', '__*', 'kane_dynamics*.rst']
if not NOTEBOOKS:
    exclude_patterns.append('tutorials/*.ipynb')
highlight_language = 'none'
default_role = 'code'
toc_object_entries_show_parents = 'hide'

html_theme = 'furo' if find_spec('furo') else 'sphinx_rtd_theme'
html_title = f'kane_dynamics {version}'
html_static_path = ['_static']
html_css_files = ['site.css']
html_show_sphinx = False

myst_heading_anchors = 3

# Notebooks are stored without output and executed while the site is built.
nb_execution_mode = 'force'
nb_execution_raise_on_error = True
nb_execution_timeout = 300

autodoc_default_options = {'members': True, 'undoc-members': False, 'member-order': 'bysource'}
autodoc_typehints = 'signature'
autodoc_typehints_format = 'short'
autodoc_class_signature = 'mixed'
autodoc_preserve_defaults = True


def _escaped(line):
    """Return a line of a docstring whose text outside of backticks has no reST markup."""
    parts = re.split(r'(`[^`]*`)', line)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r'([*|\\])', r'\\\1', parts[k])
        parts[k] = re.sub(r'(\w)_(?=\W|$)', r'\1\\_', parts[k])
    return ''.join(parts)


def plain_text(app, what, name, obj, options, lines):
    """Turn a docstring (plain text, indented formulas, `Args:`) into reStructuredText."""
    done, arguments, literal = [], False, False
    for line in lines:
        indented = line.startswith((' ', '\t'))
        if line.strip() and not indented:
            arguments = line.strip() in ('Args:', 'Returns:', 'Raises:')
        if indented and not arguments:
            if not literal:
                done += ['', '::', '']
                literal = True
            done.append(line)
            continue
        if line.strip():
            if literal:
                done.append('')
            literal = False
        done.append(line if literal else _escaped(line))
    lines[:] = done


def setup(app):
    """Read docstrings as plain text, before napoleon looks for their sections."""
    app.connect('autodoc-process-docstring', plain_text, priority=400)
