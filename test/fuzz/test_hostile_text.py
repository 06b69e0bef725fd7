# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Control characters in any word of any file: no error and no warning carries them further."""

from pathlib import Path
import re
import sys

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from targets import TARGETS   # noqa: E402, I100

pytest.importorskip('rosbags')
WORD = re.compile(rb'[A-Za-z0-9_./$:-]{2,}')
HOSTILE = (
    b'\x1b[2J\r\n[FATAL] forged\x07\x00',
    '\u202e\u2028\x9b31m\u200b'.encode(),                       # printed, they act on the line
    b'&#13;&#10;[FATAL] forged&#8238;',                         # of XML
    b'"\\x1b[2J\\r\\n[FATAL] forged\\u202e\\x9b"',              # of YAML
    b'x' * 5000)


@pytest.mark.parametrize('name', TARGETS)
def test_no_message_carries_control_characters_of_a_file(name):
    # Target.check asserts that every refusal and warning is printable and short
    target = TARGETS[name]()
    try:
        outcomes = {target.check(data) for seed in target.seeds[:2] for data in damaged(seed)}
    finally:
        target.close()
    assert 'refused' in outcomes


def damaged(seed):
    """Yield the seed with a word replaced by hostile text, each word in turn."""
    words = list({word.group(): word for word in WORD.finditer(seed)}.values())
    for k, word in enumerate(words[:60]):
        text = HOSTILE[k % len(HOSTILE)]
        yield seed[:word.start()] + text + seed[word.end():]
        if len(text) > len(word.group()) > 4:       # the same length: a binary file stays whole
            cut = (text * 3)[:len(word.group())]
            yield seed.replace(word.group(), cut)
