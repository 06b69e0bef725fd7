# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""rosbag2 files (sqlite3 and MCAP), read in blocks and written, without ROS."""
