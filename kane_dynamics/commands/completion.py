# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print a script that completes commands, options and choices in bash, zsh or fish.

kane completion bash     # in ~/.bashrc: source <(kane completion bash)
kane completion zsh      # into a folder of $fpath: kane completion zsh > ~/.zfunc/_kane
kane completion fish     # kane completion fish > ~/.config/fish/completions/kane.fish
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace, REMAINDER
from collections.abc import Iterable
from importlib import import_module
import re
from typing import NamedTuple

from kane_dynamics.commands.cli import COMMANDS, Parser

SHELLS = ('bash', 'zsh', 'fish')


class Option(NamedTuple):
    """An option of a command: its spellings, help and choices."""

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]


class Command(NamedTuple):
    """The options of a command, and the choices of its positional arguments."""

    options: tuple[Option, ...]
    words: tuple[str, ...]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('shell', choices=SHELLS, help='the shell that sources the script')


def run(arguments: Namespace) -> int:
    """Print the script."""
    found = {name: described(name) for name in COMMANDS}
    print({'bash': _bash, 'zsh': _zsh, 'fish': _fish}[arguments.shell](found))
    return 0


def described(name: str) -> Command:
    """Return the options and choices of a command, from its parser."""
    module = import_module(f'kane_dynamics.commands.{name}')
    actions = Parser.of_module(f'kane {name}', module)._actions
    options = tuple(Option(tuple(action.option_strings), _first_sentence(action),
                           _choices(action)) for action in actions if action.option_strings)
    words = tuple(word for action in actions if not action.option_strings
                  and action.nargs != REMAINDER for word in _choices(action))
    return Command(options, words)


def _choices(action: Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _first_sentence(action: Action) -> str:
    """Return the begin of a help text, without characters that shells treat in their own way."""
    text = re.split(r'[;:]', action.help or '')[0] % {'default': action.default}
    return re.sub(r'[^\w .,/=+-]', '', text)


def _bash(commands: dict[str, Command]) -> str:
    cases = []
    for name, (options, words) in commands.items():
        values = ''.join(
            f'\n            {"|".join(option.names)}) words="{_joined(option.choices)}";;'
            for option in options if option.choices)
        names = _joined(name for option in options for name in option.names)
        cases.append(f'    {name})\n        case "$before" in{values}\n'
                     f'            *) [[ "$word" == -* ]] && words="{names}" '
                     f'|| words="{_joined(words)}";;\n        esac;;')
    return f"""# bash completion of kane; made by `kane completion bash`
_kane() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
    if (( COMP_CWORD == 1 )); then
        COMPREPLY=($(compgen -W "{_joined(commands)} --help --version" -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}}" in
    help) words="{_joined(commands)}";;
{chr(10).join(cases)}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _kane kane"""


def _zsh(commands: dict[str, Command]) -> str:
    cases = []
    for name, (options, words) in commands.items():
        lines = []
        for option in options:
            value = f':value:({_joined(option.choices)})' if option.choices else ''
            lines += [f"'{each}[{option.help}]{value}'" for each in option.names]
        lines.append(f"'*:argument:({_joined(words)})'" if words else "'*:file:_files'")
        body = ' \\\n            '.join(lines)
        cases.append(f'    {name}) _arguments \\\n            {body};;')
    names = '\n        '.join(f"'{name}:{text.replace(':', '')}'"
                              for name, text in COMMANDS.items())
    return f"""#compdef kane
# zsh completion of kane; made by `kane completion zsh`
_kane() {{
    local -a commands
    commands=(
        {names}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
    help) _describe command commands;;
{chr(10).join(cases)}
    esac
}}
compdef _kane kane"""


def _fish(commands: dict[str, Command]) -> str:
    lines = ['# fish completion of kane; made by `kane completion fish`']
    for name, text in COMMANDS.items():
        lines.append(f"complete -c kane -n __fish_use_subcommand -f -a {name} -d '{text}'")
    for name, (options, words) in commands.items():
        own = f"complete -c kane -n '__fish_seen_subcommand_from {name}'"
        for option in options:
            spelled = ' '.join(f'-l {each[2:]}' if each.startswith('--') else f'-s {each[1:]}'
                               for each in option.names)
            values = f" -x -a '{_joined(option.choices)}'" if option.choices else ''
            lines.append(f"{own} {spelled}{values} -d '{option.help}'")
        if words:
            lines.append(f"{own} -a '{_joined(words)}'")
    return '\n'.join(lines)


def _joined(words: Iterable[str]) -> str:
    return ' '.join(words)
