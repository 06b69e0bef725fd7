# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The command `kane`: what the package does, from a shell."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from importlib import import_module
import re
import sys
from textwrap import indent
import warnings

from kane_dynamics.exceptions import KaneDynamicsError, KaneDynamicsWarning
from kane_dynamics.pipe import quiet_pipe

# command -> one line for `kane --help`; the module kane_dynamics.commands.<command> has
# add_arguments(parser) and run(arguments) -> exit status, and is imported only when it is meant
COMMANDS = {
    'info': 'print an arm as a table, with what is odd about it',
    'view': 'show an arm in the browser, bent links included',
    'analyze': 'say whether an arm can do a task: page, CSV, bag',
    'animate': 'write a movie of a task: MP4, GIF',
    'check': 'compare every function with Pinocchio on random states',
    'count': 'count the operations of the generated code',
    'modes': 'print and draw the vibrations of a flexible arm',
    'export': 'write an arm as C99 or Python source',
    'evaluate': 'compare torques with the efforts in a bag',
    'excite': 'plan a motion that tells much about an arm',
    'identify': 'find friction, rotors, inertias or a payload in bags',
    'replay': 'play a bag into running nodes; record and compare their answers',
}
MORE = """

`kane COMMAND --help` tells more. Nodes: `ros2 run kane_dynamics feedforward` (or simulator,
monitor, demo). Exit status: 0 fine, 1 looked at and found wanting, 2 could not look."""
FAILED = 2      # exit status: could not look


@quiet_pipe()
def main(arguments=None):
    """Run a command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ['help']:                          # `kane help analyze`
        arguments = [*arguments[1:2], '--help']
    parser = Parser('kane', "Dynamics of robot arms by Kane's method.", 'commands:\n'
                    + '\n'.join(f'  {name:<10} {text}' for name, text in COMMANDS.items())
                    + MORE)
    parser.add_argument('command', nargs='?', metavar='COMMAND', help='one of those below')
    parser.add_argument('--version', action='version', version=f'kane_dynamics {_version()}')
    name = parser.parse_args(arguments[:1]).command
    if name is None:
        parser.print_help()
        return FAILED
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        meant = f'; did you mean {near[0]!r}?' if near else ''
        parser.error(f'there is no command {name!r}{meant}')
    module = import_module(f'kane_dynamics.commands.{name}')
    parsed = Parser.of_module(f'kane {name}', module).parse_args(arguments[1:])
    with warnings.catch_warnings():
        warnings.simplefilter('always', KaneDynamicsWarning)
        warnings.showwarning = _show_warning
        try:
            return module.run(parsed)
        except BrokenPipeError:                            # `kane ... | head`: see quiet_pipe
            raise
        except (KaneDynamicsError, OSError) as error:
            print(f'kane {name}: {_told(error)}', file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            print(f'kane {name}: interrupted', file=sys.stderr)
            return FAILED


class Parser(argparse.ArgumentParser):
    """A parser whose --help ends with lines that stay as they are, and that errs in one line."""

    def __init__(self, prog, description, ending):
        super().__init__(prog=prog, description=description, epilog=ending,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    @classmethod
    def of_module(cls, prog, module):
        """Return the Parser of a command: the first line of its docstring, then examples."""
        first, _, examples = module.__doc__.partition('\n')
        parser = cls(prog, first, 'for example:\n' + indent(examples.strip('\n'), '  '))
        module.add_arguments(parser)
        return parser

    def error(self, message):
        """Print what is wrong in one line, with the nearest option there is; exit with 2."""
        known = [option for action in self._actions for option in action.option_strings]
        meant = [near for word in re.findall(r'--[\w-]+', message) if word not in known
                 for near in get_close_matches(word, known, 1)]
        hint = f'; did you mean {" and ".join(meant)}?' if meant else ''
        self.exit(2, f'{self.prog}: {message}{hint} (`{self.prog} --help` tells more)\n')


def _told(error):
    """Return the text of an error; of the system's, the file and what is wrong with it."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f'{error.filename}: {error.strerror.lower()}'
    return str(error)


def _version():
    import kane_dynamics
    return kane_dynamics.__version__


def _show_warning(message, category, filename, lineno, file=None, line=None):
    """Print a warning for people: what, without where in the code."""
    print(f'warning: {message}', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
