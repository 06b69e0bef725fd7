# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The command `kane`: parsing of the command line, errors and exit status."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
import re
import signal
import sys
from textwrap import indent
import threading
from types import FrameType, ModuleType
from typing import NoReturn, TextIO
import warnings

from kane_dynamics.exceptions import KaneDynamicsError, KaneDynamicsWarning
from kane_dynamics.io.broken_pipe import quiet_pipe
from kane_dynamics.io.text import clean, did_you_mean

# command -> one line for `kane --help`; the module kane_dynamics.commands.<command> has
# add_arguments(parser) and run(arguments) -> exit status, and is imported on demand
COMMANDS = {
    'info': 'print joints, links and inertias, with warnings',
    'view': 'show an arm in the browser',
    'analyze': 'check whether an arm can perform a task: page, CSV, bag',
    'animate': 'write a movie of a task: MP4, GIF',
    'simulate': 'simulate an arm as a run file describes: page, CSV, bag, movie',
    'check': 'compare all functions with Pinocchio on random states',
    'count': 'count the operations of the generated code',
    'modes': 'print natural frequencies and mode shapes of a flexible arm',
    'export': 'write the dynamics as C99 or Python source',
    'evaluate': 'compare model torques with the efforts in a bag',
    'excite': 'compute an excitation trajectory for identification',
    'identify': 'identify friction, rotor and link inertias, or a payload, from bags',
    'replay': 'play a bag to running nodes; record and compare their answers',
    'node': 'run a ROS 2 node: feedforward, simulator or monitor',
    'demo': 'simulate an arm and drive it with the nodes',
    'new': 'write a task file for an arm, or the JSON schema of task files',
    'completion': 'print the completion of commands and options for bash, zsh or fish',
}
MORE = """

Options and examples: `kane COMMAND --help`. Exit status: 0 OK, 1 check failed, 2 error."""
FAILED = 2      # exit status: error
MOST = 4000     # characters of an error or a warning


@quiet_pipe()
def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ['help']:                          # `kane help analyze`
        arguments = [*arguments[1:2], '--help']
    parser = Parser('kane', "Dynamics of robot arms by Kane's method.", 'commands:\n'
                    + '\n'.join(f'  {name:<10} {text}' for name, text in COMMANDS.items())
                    + MORE)
    parser.add_argument('command', nargs='?', metavar='COMMAND', help='one of the commands below')
    parser.add_argument('--version', action='version', version=f'kane_dynamics {_version()}')
    name = parser.parse_args(arguments[:1]).command
    if name is None:
        parser.print_help()
        return FAILED
    if name not in COMMANDS:
        parser.error(f'there is no command {name!r}{did_you_mean(name, COMMANDS)}')
    with warnings.catch_warnings(), interruptible():
        warnings.simplefilter('always', KaneDynamicsWarning)
        warnings.showwarning = _show_warning
        try:
            module = import_module(f'kane_dynamics.commands.{name}')
            parsed = Parser.of_module(f'kane {name}', module).parse_args(arguments[1:])
            return int(module.run(parsed))
        except BrokenPipeError:                            # `kane ... | head`: see quiet_pipe
            raise
        except (KaneDynamicsError, OSError) as error:
            print(f'kane {name}: {clean(_message(error), MOST, lines=True)}', file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            print(f'kane {name}: interrupted', file=sys.stderr)
            return FAILED


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM end a block as Ctrl-C does, with KeyboardInterrupt.

    Further signals are ignored until the block has ended: incomplete files are being removed.
    Signals that were ignored before stay ignored, as under nohup.
    """
    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        for each in handlers:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)
                    if signal.getsignal(each) not in (signal.SIG_IGN, None)}
    try:
        for each in handlers:
            signal.signal(each, interrupt)
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)


class Parser(argparse.ArgumentParser):
    """A parser with an unwrapped text at the end of --help and errors of one line."""

    def __init__(self, prog: str, description: str, ending: str) -> None:
        super().__init__(prog=prog, description=description, epilog=ending,
                         formatter_class=argparse.RawDescriptionHelpFormatter)
        # -30deg and -1e-3 are values, as -30 is: no option begins with a digit
        self._negative_number_matcher = re.compile(r'-\.?\d')

    @classmethod
    def of_module(cls, prog: str, module: ModuleType) -> Parser:
        """Return the Parser of a command: the first line of its docstring, then examples."""
        first, _, examples = (module.__doc__ or '').partition('\n')
        parser = cls(prog, first, 'examples:\n' + indent(examples.strip('\n'), '  '))
        module.add_arguments(parser)
        return parser

    def error(self, message: str) -> NoReturn:
        """Print the error in one line, with the closest valid option; exit with 2."""
        known = [option for action in self._actions for option in action.option_strings]
        hints = {did_you_mean(word, known).replace("'", '')
                 for word in re.findall(r'--[\w-]+', message) if word not in known}
        self.exit(2, f'{self.prog}: {clean(message)}{"".join(sorted(hints))} '
                  f'(see `{self.prog} --help`)\n')


def _message(error: Exception) -> str:
    """Return the text of an error; for one of the system, the file and the reason."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f'{error.filename}: {error.strerror.lower()}'
    return str(error)


def _version() -> str:
    import kane_dynamics
    return kane_dynamics.__version__


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int,
                  file: TextIO | None = None, line: str | None = None) -> None:
    """Print a warning without its position in the code."""
    print(f'warning: {clean(message, MOST, lines=True)}', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
