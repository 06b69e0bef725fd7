# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Profile of hypothesis for this folder: the same examples in every run, no clock, no files."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    'fast', max_examples=200, derandomize=True, database=None, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large,
                           HealthCheck.large_base_example])
settings.load_profile('fast')
