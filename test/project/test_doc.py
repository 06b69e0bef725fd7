# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation shows what the package does.

Every fenced block of README.md and doc/ is Python that runs, a command that is run or whose words
are known, or the output or the file that another test compares.
"""

import importlib
from pathlib import Path
import re
import shlex
import shutil
import subprocess
import textwrap

import pytest

from kane_dynamics import Dynamics, load_urdf
from kane_dynamics.codegen.python import python_source
from kane_dynamics.commands.cli import COMMANDS, main, Parser

ROOT = Path(__file__).parents[2]
README = ROOT / 'README.md'
PAGES = [README, *sorted(path for path in (ROOT / 'doc').rglob('*.md')
                         if '_build' not in path.parts)]
PAGE = ROOT / 'doc' / 'code_generation.md'
SHOWN = re.compile(r'(<!-- generated: two_link inverse -->\n```python\n)(.*?)(```\n<!-- end -->)',
                   re.DOTALL)
SHELL = ('sh', 'bash')
# blocks that another test reads: their programs, their output, their files
ELSEWHERE = {
    ('doc/architecture.md', 'text'): 'test_architecture.py',
    ('doc/flexible.md', 'python'): 'test_flexible_examples.py',
    ('doc/flexible.md', 'xml'): 'test_flexible_examples.py',
    ('doc/simulate.md', 'yaml'): 'test_read_run.py',
    ('doc/springs.md', 'xml'): 'test_springs.py',
    ('doc/tasks.md', 'python'): 'test_tasks_doc.py',
    ('doc/tasks.md', 'text'): 'test_tasks_doc.py',
    ('doc/trajectories.md', 'python'): 'test_trajectory_doc.py',
    ('doc/trajectories.md', 'text'): 'test_trajectory_doc.py',
    ('doc/analyze.md', 'python'): 'test_analyze.py',
    ('doc/analyze.md', 'yaml'): 'test_analyze.py',
    ('doc/code_generation.md', 'python'): 'test_doc.py',
    ('doc/limits.md', 'text'): 'test_limits.py',
    ('doc/recorded_motion.md', 'text'): 'test_evaluate.py',
    ('README.md', 'xml'): 'test_doc.py',
    ('doc/benchmarks.md', 'text'): 'test_doc.py',     # measured by `make bench`: not compared
}
# languages of the blocks that test_tutorials.py runs or compares, and of the site itself
TUTORIAL = ('python', 'sh', 'text', 'yaml')
SITE = ('{toctree}', '{eval-rst}')
# commands of others, whose options are not ours to check
FOREIGN = ('cd', 'rosdep', 'colcon', '.', 'git', 'export')


def blocks(page):
    """Return [(language, text), ...] of the fenced blocks of a page."""
    found = re.findall(r'^( *)```([\w{}-]*)\n(.*?)^\1```$', page.read_text(encoding='utf-8'),
                       re.DOTALL | re.MULTILINE)
    return [(language, textwrap.dedent(text)) for _, language, text in found]


def short(page):
    """Return the path of a page from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def program(page):
    """Return the Python of a page that runs here, or an empty text."""
    if (short(page), 'python') in ELSEWHERE or page.parent.name == 'tutorials':
        return ''
    return '\n'.join(text for language, text in blocks(page) if language == 'python')


def commands(page):
    """Return [[word, ...], ...] of the commands in a page's blocks, `&&` apart."""
    found = []
    for language, text in blocks(page):
        if language in SHELL:
            for line in text.splitlines():
                words = shlex.split(line, comments=True)
                while '&&' in words:
                    k = words.index('&&')
                    found.append(words[:k])
                    words = words[k + 1:]
                found.append(words)
    return [words for words in found if words]


def test_the_generated_text_in_the_documentation_is_what_the_generator_writes(request):
    page = PAGE.read_text()
    text = python_source(Dynamics(load_urdf(ROOT / 'urdf' / 'two_link.urdf')).program('inverse'))
    if request.config.getoption('--update-golden', default=False):
        PAGE.write_text(SHOWN.sub(lambda found: found[1] + text + found[3], page))
    shown = SHOWN.search(PAGE.read_text())
    assert shown is not None, 'the page has lost its generated part'
    assert shown[2] == text, (
        'run pytest --update-golden test/project/test_doc.py and look at the change')


def test_pages_with_code_are_found():
    pages = {short(page) for page in PAGES if program(page)}
    assert {'README.md', 'doc/control.md', 'doc/api/dynamics.md'} <= pages


@pytest.mark.parametrize('page', [page for page in PAGES if program(page)], ids=short)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    (tmp_path / 'urdf').symlink_to(ROOT / 'urdf')      # its files do not stay in the repository
    monkeypatch.chdir(tmp_path)
    exec(compile(program(page), short(page), 'exec'), {})


@pytest.mark.parametrize('page', PAGES, ids=short)
def test_every_block_of_a_page_is_looked_at(page):
    for language, text in blocks(page):
        if language in SHELL or language == 'python' or language in SITE:
            continue
        if page.parent.name == 'tutorials' and language in TUTORIAL:
            continue
        keeper = ELSEWHERE.get((short(page), language))
        assert keeper, f'{short(page)}: no test for a block of {language or "no language"}: {text}'
        assert page.name in next((ROOT / 'test').rglob(keeper)).read_text()


@pytest.mark.parametrize('page', PAGES, ids=short)
def test_every_command_of_a_page_is_known(page):
    for words in commands(page):
        CHECKS.get(words[0], unknown)(words)


def unknown(words):
    assert words[0] in FOREIGN, f'nobody checks {" ".join(words)!r}'


def check_kane(words):
    name = words[1]
    if name == '--help':
        return
    assert name in COMMANDS
    module = importlib.import_module(f'kane_dynamics.commands.{name}')
    Parser.of_module(f'kane {name}', module).parse_args(words[2:])
    for word in words[2:]:
        if word.startswith(('urdf/', 'examples/', 'config/')):
            assert (ROOT / word).exists(), word


def check_make(words):
    targets = re.findall(r'^([a-z-]+):', (ROOT / 'Makefile').read_text(), re.MULTILINE)
    assert words[1] in targets


def check_pip(words):
    extras = set(re.findall(r"^        '(\w+)': \[", (ROOT / 'setup.py').read_text(), re.M))
    for word in words[2:]:
        named = re.fullmatch(r'\.\[([\w,]+)\]', word)
        assert not named or set(named[1].split(',')) <= extras, word


def check_python(words):
    if words[1] == '-m':
        path = ROOT / words[2].replace('.', '/')     # a folder that runs
        text = ''.join(file.read_text() for file in sorted(path.glob('*.py')))
        options = [word for word in words[3:] if word.startswith('--') and word != '--ros-args']
        assert all(f"'{option}'" in text for option in options), f'{path.name}: {options}'
    else:
        assert (ROOT / words[1]).exists(), words[1]


def check_ros2(words):
    """Check executables, launch files with their arguments and parameters; the rest is ROS's."""
    if words[1] not in ('run', 'launch'):
        assert words[1] in ('topic', 'bag', 'service', 'action', 'lifecycle', 'param',
                            'security')
        return
    assert words[2] == 'kane_dynamics'
    if words[1] == 'launch':
        text = ''.join((ROOT / place).read_text() for place in (
            f'launch/{words[3]}', 'kane_dynamics/nodes/launch_parts.py'))
        known = set(re.findall(r"\b(?:argument|switch|parameter)\('(\w+)'", text))
        named = {word.split(':=')[0] for word in words[4:]}
        assert named <= known, f'{words[3]} knows {sorted(known)}, not {sorted(named - known)}'
        return
    assert words[3] == 'kane' or (ROOT / 'scripts' / words[3]).exists(), words[3]
    if words[3] in ('kane', 'demo'):
        check_kane(words[3:]) if words[3] == 'kane' else check_python(
            ['python3', '-m', 'kane_dynamics.nodes.demo', *words[4:]])
        return
    pytest.importorskip('rclpy')
    schema = importlib.import_module(f'kane_dynamics.nodes.{words[3]}.settings').SCHEMA
    named = {word.split(':=')[0] for word in words[4:] if ':=' in word}
    assert named <= set(schema.entries), named - set(schema.entries)


def check_gcc(words):
    assert words[1:3] == ['-O3', '-c']     # and it is run below


CHECKS = {'kane': check_kane, 'make': check_make, 'pip': check_pip, 'python3': check_python,
          'python': check_python, 'ros2': check_ros2, 'gcc': check_gcc}


def test_the_commands_of_the_readme_run_in_order_and_do_what_they_say(
        tmp_path, monkeypatch, capsys):
    for name in ('numpy', 'matplotlib', 'PIL', 'pinocchio', 'rosbags'):
        pytest.importorskip(name)
    for name in ('urdf', 'examples'):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    done, errors = set(), []
    for words in commands(README):
        if words[0] == 'gcc' and shutil.which('gcc'):
            subprocess.run(words, check=True)
        if words[0] != 'kane' or words[1] == 'replay':     # needs a node: test_replay.py
            continue
        more = ['--no-browser'] if words[1] == 'view' else []
        status, printed = main([*words[1:], *more]), capsys.readouterr()
        assert status == 0, f'{" ".join(words)}: {printed}'
        if words[1] == 'evaluate':
            rows = re.findall(r'^joint_[1-5] +N m +\S+ +(\S+)', printed.out, re.M)
            errors.append(sum(map(float, rows)))
        done.add(words[1])
    # nodes and shells have their own tests
    assert done == set(COMMANDS) - {'replay', 'node', 'demo', 'completion'}
    for name in ('report.html', 'task.gif', 'modes.png', 'out/arm.c', 'out/arm.py',
                 'six_axis.dynamics.yaml', 'six_axis_excitation.yaml', 'recording_evaluated.html'):
        assert (tmp_path / name).stat().st_size > 500, name
    before, after = errors     # [N m]: friction and 3 kg that the URDF lacks, then identified
    assert before > 30.0 and after < 0.2


def test_the_flexible_link_in_the_readme_is_read():
    element, = (text for language, text in blocks(README) if language == 'xml')
    robot = load_urdf(f"""<robot name="page"><link name="base"/><link name="upper_arm">
      <inertial><origin xyz="0.45 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.2"
      izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper_arm"/>
      </joint>{element}</robot>""")
    assert robot.n_modes == 5


def test_links_in_the_documentation_lead_somewhere():
    for page in [*PAGES, ROOT / 'SECURITY.md']:
        text = page.read_text()
        assert text.count('](') == len(re.findall(r'\]\([^)\s]+\)', text)), short(page)
        for target in re.findall(r'\]\(([^)#:\s]+)(?:#[\w-]*)?\)', text):
            assert (page.parent / target).exists(), f'{page.name}: {target}'


def test_the_index_leads_to_every_page_and_pictures_are_small():
    trees = [text for index in (ROOT / 'doc').rglob('index.md')
             for language, text in blocks(index) if language == '{toctree}']
    listed = {line.split('/')[-1] for text in trees for line in text.splitlines()}
    sources = [path for ending in ('md', 'ipynb', 'rst')
               for path in (ROOT / 'doc').rglob(f'*.{ending}') if '_build' not in path.parts]
    for page in sources:
        assert page.stem in listed | {'index'}, f'{short(page)} is in no toctree'
    for picture in (ROOT / 'doc').glob('*.[gps][inv][fg]'):
        assert picture.stat().st_size < 400_000, picture.name


def test_every_example_is_listed_and_every_seed_has_one():
    text = (ROOT / 'examples' / 'README.md').read_text()
    listed = set(re.findall(r'`(\w+\.(?:py|yaml|csv))`', text))
    assert listed == {path.name for path in (ROOT / 'examples').rglob('*.*')
                      if path.suffix in ('.py', '.yaml', '.csv')}
    for work in ('Nie 1988', 'Angeles, Ma and Rojas 1989', 'Abdelaziz, Helaly and Atta 2004',
                 'Vukobratovic and Potkonjak 1982', 'Padilla 1989'):
        assert work in text


def test_every_file_that_the_documentation_names_exists():
    for page in [*PAGES, ROOT / 'SECURITY.md']:
        for name in re.findall(r'`((?:examples|config|launch|urdf|benchmark|test|requirements)/'
                               r'[\w./*-]+)`', page.read_text()):
            assert list(ROOT.glob(name)), f'{page.name}: {name}'
        for name in re.findall(r'`(test_\w+\.py)`', page.read_text()):
            assert (ROOT / 'test' / name).exists(), f'{page.name}: {name}'


@pytest.mark.parametrize(('page', 'least'), [
    *((page, 0) for page in PAGES if page.name not in ('tasks.md', 'trajectories.md')),
    (ROOT / 'doc' / 'tasks.md', 26), (ROOT / 'doc' / 'trajectories.md', 51)],
    ids=lambda value: short(value) if isinstance(value, Path) else '')
def test_every_claim_that_a_page_names_is_a_test(page, least):
    tests = ''.join(path.read_text(encoding='utf-8')
                    for path in (ROOT / 'test').rglob('test_*.py'))
    named = set(re.findall(r'`(test_\w+)`', page.read_text(encoding='utf-8')))
    assert len(named) >= least
    assert not {name for name in named if f'def {name}(' not in tests}
