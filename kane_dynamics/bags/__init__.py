# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of ROS 2 (rosbag2: sqlite3 and mcap), read in blocks and written, without ROS."""
