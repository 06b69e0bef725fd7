# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Methods of Vukobratovic and Potkonjak (1982), for comparison with those of the package."""
