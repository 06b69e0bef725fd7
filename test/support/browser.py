# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A real browser without a display, for tests of pages."""

import html
import re
import shutil
import subprocess

import pytest

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
OPTIONS = ('--headless', '--no-sandbox', '--disable-gpu', '--use-angle=swiftshader',
           '--enable-unsafe-swiftshader', '--hide-scrollbars', '--no-first-run',
           '--disable-background-networking', '--disable-extensions',
           # nothing may be asked of the network
           '--host-resolver-rules=MAP * ~NOTFOUND')


def browser():
    """Return the path of a browser, or skip the test with the reason."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    pytest.skip(f'no browser on this machine: looked for {", ".join(NAMES)} '
                '(Debian: apt-get install chromium)')


def run(arguments, profile):
    """Run the browser with a profile of its own and return its output."""
    done = subprocess.run(
        [browser(), *OPTIONS, f'--user-data-dir={profile}', *arguments], capture_output=True,
        text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def opened(page, tmp_path, script='', size='1280,1600'):
    """Return the document (HTML) after a page, and then a script, have run in the browser."""
    path = tmp_path / 'opened.html'
    more = f'<script>{script}</script>' if script else ''
    path.write_text(page.replace('</body>', more + '</body>'), encoding='utf-8')
    return run([f'--window-size={size}', '--virtual-time-budget=5000', '--dump-dom',
                path.as_uri()], tmp_path / 'profile')


def attribute(document, name):
    """Return an attribute of <body>, or None."""
    body = re.search(r'<body[^>]*>', document).group()
    found = re.search(rf'\s{name}="([^"]*)"', body)
    return html.unescape(found[1]) if found else None


def screenshot(page, tmp_path, size='1280,1000'):
    """Return the path of a picture of a page."""
    path, picture = tmp_path / 'shot.html', tmp_path / 'shot.png'
    path.write_text(page, encoding='utf-8')
    run([f'--window-size={size}', '--virtual-time-budget=5000', f'--screenshot={picture}',
         path.as_uri()], tmp_path / 'profile')
    return picture
