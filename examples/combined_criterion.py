# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Choose among arms by time and energy: the combined criterion of Vukobratovic and Potkonjak 1982.

Prints their table of averaging factors (figure 5.4) next to the degrees computed from them, and
the efficiencies of their six fictitious arms (figure 5.38) for weak and strong conjunction.
"""

import signal

from kane_dynamics.analysis.vukobratovic.criterion import (
    averaging_factor, combined, disjunction, efficiency)

# figure 5.4: degree of disjunction -> averaging factor, finite rows
FACTORS = {
    0.0625: -9.06, 0.125: -3.51, 0.1875: -1.6548, 0.25: -0.7203, 0.3125: -0.1478, 0.375: 0.2612,
    0.4375: 0.6194, 0.5: 1.0, 0.5625: 1.449, 0.625: 2.0185, 0.6875: 2.7917, 0.75: 3.9293,
    0.8125: 5.8023, 0.875: 9.5207, 0.9375: 20.6303}
# figure 5.38: time [s], energy [J], and the two efficiencies as printed
ARMS = ((5.5, 95.0, 0.9, 0.1), (6.0, 90.0, 0.8, 0.2), (7.0, 80.0, 0.6, 0.4),
        (7.5, 75.0, 0.5, 0.5), (8.5, 65.0, 0.3, 0.7), (9.9, 51.0, 0.02, 0.98))
SLOWEST, FASTEST, MOST, LEAST = 10.0, 5.0, 100.0, 50.0      # T0, T1 [s], E0, E1 [J]
POWERS = (-9.06, -3.51, -0.7203, 1.0)


def efficiencies():
    """Return [(G_t, G_e), ...] of the six arms."""
    return [(efficiency(time, SLOWEST, FASTEST), efficiency(energy, MOST, LEAST))
            for time, energy, *_ in ARMS]


def main():
    """Print the tables."""
    print('Figure 5.4: degree of disjunction d and averaging factor r')
    print(f'{"d printed":>10} {"d of r":>10} {"r printed":>10} {"r of d":>10}')
    for d, r in FACTORS.items():
        print(f'{d:>10.4f} {disjunction(r):>10.6f} {r:>10.4f} {averaging_factor(d):>10.4f}')
    print('(the row 0.375 is 0.0001 off in print: its factor is 0.2605)')
    print('\nFigure 5.38: six arms; printed and computed efficiencies, then G with equal weights')
    print(f'{"arm":>3} {"T":>5} {"E":>5} {"G_t":>12} {"G_e":>12} '
          + ' '.join(f'{f"r = {r:g}":>11}' for r in POWERS))
    for number, ((time, energy, printed_t, printed_e), (g_t, g_e)) in enumerate(
            zip(ARMS, efficiencies()), start=1):
        row = ' '.join(f'{combined(g_t, g_e, r):>11.4f}' for r in POWERS)
        print(f'{number:>3} {time:>5.1f} {energy:>5.0f} {printed_t:>5.2f} {g_t:>6.4f} '
              f'{printed_e:>5.2f} {g_e:>6.4f} {row}')
    print('G falls with conjunction, faster the more the two differ; arm 4 stays.')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
