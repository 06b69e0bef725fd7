# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Guides of a spray-painting arm: Vukobratovic and Potkonjak 1982, 5.4, example 2.

The third link of a spherical arm is two steel guides of 1.14 m and a piston group of 3.07 kg.
Solid guides of sufficient stiffness are heavy; tubes weigh less than half. The energies of the
book cannot be compared, because the path is in its lost figures.
"""

import signal

from kane_dynamics.model.flexible.section import solid_round, tube

STEEL, YOUNG = 7850.0, 2.1e11       # [kg/m^3], [Pa]
LENGTH, PISTON = 1.14, 3.07         # [m], [kg]
# outer radius, inner radius [m], printed mass of the link [kg], statement of the book
GUIDES = ((0.020, 0.0, 25.5, 'solid; bends more than 1 mm'),
          (0.024, 0.0, 35.46, 'solid; 132.69 J and 17.28 J'),
          (0.025, 0.020, 15.72, 'tube; 82.46 J and 10.10 J'))


def guides():
    """Return [(section, mass of the link [kg]), ...]."""
    found = []
    for outer, inner, *_ in GUIDES:
        section = tube(outer, inner) if inner else solid_round(outer)
        found.append((section, 2 * LENGTH * section.A * STEEL + PISTON))
    return found


def main():
    """Print the table."""
    print(f'{"R [m]":>6} {"r [m]":>6} {"mass [kg]: printed":>19} {"computed":>9} '
          f'{"EI [N m2]":>10} {"EI / mass":>10}')
    for (outer, inner, printed, text), (section, mass) in zip(GUIDES, guides()):
        stiff = YOUNG * section.I_y
        print(f'{outer:>6.3f} {inner:>6.3f} {printed:>19.2f} {mass:>9.3f} {stiff:>10.0f} '
              f'{stiff / mass:>10.0f}   {text}')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
