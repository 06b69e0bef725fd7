# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Natural frequencies, linear models, static sag and deflection of flexible arms."""
