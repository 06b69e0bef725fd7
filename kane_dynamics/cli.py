# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The command `kane`: what the package does, from a shell."""

from __future__ import annotations

import argparse
from importlib import import_module
import sys
import warnings

from kane_dynamics.exceptions import KaneDynamicsError, KaneDynamicsWarning

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
OK, DIFFERS, FAILED = 0, 1, 2      # exit status: fine; looked at and found wanting; could not look


def main(arguments=None):
    """Run a command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(
        prog='kane', description="Dynamics of robot arms by Kane's method.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='commands:\n' + '\n'.join(f'  {name:<10} {text}' for name, text in
                                         COMMANDS.items())
        + '\n\n`kane COMMAND --help` tells more.')
    parser.add_argument('command', choices=COMMANDS, metavar='COMMAND', help='one of those below')
    parser.add_argument('--version', action='version', version=f'kane_dynamics {_version()}')
    chosen = parser.parse_args(arguments[:1])
    module = import_module(f'kane_dynamics.commands.{chosen.command}')
    command = argparse.ArgumentParser(prog=f'kane {chosen.command}',
                                      description=module.__doc__.splitlines()[0])
    module.add_arguments(command)
    parsed = command.parse_args(arguments[1:])
    with warnings.catch_warnings():
        warnings.simplefilter('always', KaneDynamicsWarning)
        warnings.showwarning = _show_warning
        try:
            return module.run(parsed)
        except BrokenPipeError:                            # `kane ... | head`: nobody reads on
            sys.stdout = None
            return OK
        except (KaneDynamicsError, OSError) as error:
            print(f'kane {chosen.command}: {error}', file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            print(f'kane {chosen.command}: interrupted', file=sys.stderr)
            return FAILED


def _version():
    import kane_dynamics
    return kane_dynamics.__version__


def _show_warning(message, category, filename, lineno, file=None, line=None):
    """Print a warning for people: what, without where in the code."""
    print(f'warning: {message}', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
