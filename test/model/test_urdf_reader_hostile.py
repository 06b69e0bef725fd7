# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Files from strangers: whatever they hold, load_urdf returns a Robot or raises a ModelError."""

import os
from pathlib import Path
import random
import sys
import warnings

from example_robots import example_urdf
import numpy as np
import pytest

from kane_dynamics.exceptions import InputError, ModelError
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.urdf_reader import load_urdf, parse_urdf

LAUGHS = '<!DOCTYPE robot [<!ENTITY a "ha">' + ''.join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip('abcdefghi', 'bcdefghij')
) + ']><robot name="x"><link name="&j;"/></robot>'


def refused(source, *words):
    with pytest.raises(ModelError) as refusal:
        load_urdf(source)
    message = str(refusal.value)
    assert all(word in message for word in words), message
    # whatever the file held, the message is one that a terminal can show
    assert message.isprintable() and len(message) < 1000


def test_entity_bombs_and_external_entities_are_refused_unread(tmp_path):
    secret = tmp_path / 'secret'
    secret.write_text('password')
    refused(LAUGHS, 'DOCTYPE')
    refused(f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{secret}">]>'
            '<robot name="x"><link name="&x;"/></robot>', 'DOCTYPE')
    refused(f'<!DOCTYPE robot SYSTEM "file://{secret}"><robot name="x"/>', 'DOCTYPE')
    refused('<robot name="x"><link name="&undefined;"/></robot>', 'undefined entity')


@pytest.mark.parametrize('name', ['arm.urdf', 'arm.urdf.xacro'])
def test_text_is_never_the_name_of_a_file(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_text('<robot name="r"><link name="a"/></robot>')
    monkeypatch.chdir(tmp_path)
    opened = []
    sys.addaudithook(lambda event, arguments: event == 'open' and str(arguments[0]) in (
        name, str(path)) and opened.append(arguments[0]))
    for text in (str(path), name, f'  {path}\n', str(path).encode(), f'file://{path}', ''):
        with pytest.raises(ModelError, match='expected the XML text|not well-formed'):
            parse_urdf(text)
    assert not opened
    assert parse_urdf(path.read_text()).root == parse_urdf(path.read_bytes()).root == 'a'
    assert opened       # the hook sees what is opened


def test_the_refusal_of_text_that_is_no_xml_is_short_and_printable():
    for text in ('x' * 5_000_000, '\x1b[31m\n[FATAL] forged' * 1000, '\u202e' * 500):
        with pytest.raises(ModelError) as refusal:
            parse_urdf(text)
        message = str(refusal.value)
        assert len(message) < 700 and message.isprintable() and message.isascii()
    with pytest.raises(InputError, match='expected XML text, got PosixPath|WindowsPath'):
        parse_urdf(Path('arm.urdf'))


def test_depth_bombs_wide_files_and_long_attributes_are_refused(monkeypatch):
    refused('<robot name="x">' + '<a>' * 100_000, 'more than 64 levels of nested elements')
    monkeypatch.setenv('KANE_MAX_XML_ELEMENTS', '1000')
    refused('<robot name="x">' + '<a/>' * 1001 + '</robot>', 'more than 1000 elements')
    monkeypatch.setenv('KANE_MAX_LINKS', '10')
    refused('<robot name="x">' + '<link name="a"/>' * 11 + '</robot>', 'more than 10 links')
    refused('<robot name="' + 'x' * 20_000 + '"/>', 'more than 10000 characters')
    refused('<robot ' + ' '.join(f'a{i}="1"' for i in range(100)) + '/>', '64 attributes')


def test_a_file_that_is_too_large_is_refused_without_reading_it_all(tmp_path, monkeypatch):
    monkeypatch.setenv('KANE_MAX_XML_BYTES', '1000')
    path = tmp_path / 'big.urdf'
    path.write_text('<robot name="x">' + ' ' * 5000 + '<link name="a"/></robot>')
    refused(path, 'more than 1000 bytes', 'KANE_MAX_XML_BYTES raises it')


@pytest.mark.skipif(sys.platform == 'win32', reason='Windows has no named pipes in the file tree')
def test_a_pipe_is_refused_rather_than_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'pipe.urdf')
    refused(tmp_path / 'pipe.urdf', 'no such file')


def test_a_deep_serial_chain_is_no_depth_bomb():
    n = 2000  # deeper than Python's recursion limit
    inertial = ('<inertial><mass value="1"/><inertia ixx="1" iyy="1.5" izz="1.2" ixy="0" ixz="0" '
                'iyz="0"/></inertial>')
    links = ''.join(f'<link name="l{i}">{inertial}</link>' for i in range(n + 1))
    joints = ''.join(f'<joint name="j{i}" type="revolute"><parent link="l{i}"/>'
                     f'<child link="l{i + 1}"/></joint>' for i in range(n))
    assert load_urdf(f'<robot name="chain">{links}{joints}</robot>').n_joints == n


@pytest.mark.parametrize('name', [
    'a&#10;b', 'a&#13;', 'a&#9;b', 'x&quot;; import os', "x'y", 'a&lt;b', 'a\\b', '*/ x',
    '`id`', '$(id)', '{x}', 'x;y', 'a%b', '', ' ', ' x', 'a' * 201, 'a&#x202e;b', 'a&#x200b;b',
    'a&#x7f;', '&#xfeff;a'])
def test_hostile_names_are_refused(name):
    body = '<link name="{}"/>'
    refused('<robot name="r">' + body.replace('{}', name) + '</robot>', '<text>:1:', 'not a name')
    refused(f'<robot name="{name}"><link name="a"/></robot>', '<text>:1:', 'not a name')


def test_the_names_of_real_robots_are_no_hostile_names():
    names = ['base link', 'iris__/imu_link', 'wrist_3_link-tool0_fixed_joint', 'link_11.0',
             'J1+', 'arm:left', 'Gelenk_\u00fc', '\u30a2\u30fc\u30e0']
    links = ''.join(f'<link name="{name}"/>' for name in ['root'] + names)
    joints = ''.join(f'<joint name="{name}" type="fixed"><parent link="root"/>'
                     f'<child link="{name}"/></joint>' for name in names)
    robot = load_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert list(robot.link_names[1:]) == names


def test_encodings_that_lie_are_refused():
    body = '<robot name="r"><link name="a"/></robot>'
    refused(f'<?xml version="1.0" encoding="no-such"?>{body}'.encode(), 'encoding')
    refused(f'<?xml version="1.0" encoding="utf-16"?>{body}'.encode(), 'not well-formed')
    refused(b'<robot name="\xff\xfe"/>', 'not well-formed')
    refused('<robot name="\ud800"/>', 'not valid text')
    # text is decoded already: what it says of its encoding no longer matters
    assert load_urdf(f'<?xml version="1.0" encoding="utf-16"?>{body}').root == 'a'


SPICE = ['nan', 'inf', '1e308', '-1', '0', '', '<', '>', '"', '&', '\0', '\ud800', '&#0;',
         '1e-320', '<link name="x"/>', '</robot>', 'floating', 'planar', 'prismatic', 'fixed',
         '<mimic/>', 'xyz', ' 1', '9' * 400, '<!--', ']]>', '<![CDATA[', '<?x?>', 'base', 'link',
         'panda_link1']


def mutated(text, rng):
    """Return text with some stretches cut, doubled, swapped or spiced."""
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(text))
        j = min(len(text), i + rng.choice([1, 1, 3, 10, 100]))
        how = rng.randrange(5)
        if how == 0:
            text = text[:i] + text[j:]
        elif how == 1:
            text = text[:i] + text[i:j] + text[i:]
        elif how == 2:
            text = text[:i] + rng.choice(SPICE) + text[j:]
        elif how == 3:
            k = rng.randrange(len(text))
            text = text[:i] + text[k:k + 30] + text[i:]
        else:  # one attribute's value
            start = text.find('="', i) + 2
            end = text.find('"', start)
            text = text[:start] + rng.choice(SPICE) + text[end:]
    return text


@pytest.mark.parametrize('seed', range(4))
def test_no_mutation_of_a_urdf_raises_anything_but_a_model_error(seed):
    rng = random.Random(seed)
    text = example_urdf('panda.urdf').read_text()
    counts = {'read': 0, 'refused': 0}
    for number in range(300):
        sample = mutated(text, rng)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                robot = load_urdf(sample if number % 2 else sample.encode(errors='replace'))
            counts['read'] += 1
        except ModelError as error:
            assert str(error).replace('\n', '').isprintable()
            counts['refused'] += 1
        else:
            # what is accepted is whole: finite numbers, and text that reads back
            assert isinstance(robot, Robot)
            for joint in robot.joints:
                assert np.isfinite(joint.position).all() and np.isfinite(joint.rotation).all()
            assert robot.nq == len(robot.neutral())
    assert min(counts.values()) > 20, counts  # the mutations reach both ends
