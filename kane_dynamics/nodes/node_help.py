# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a node's executable prints for --help: how it is started, its parameters."""

from importlib import import_module

from kane_dynamics.nodes import managed_node

USAGE = """usage: {name} [--help] [--ros-args ...]

{what}

for example:
  ros2 run kane_dynamics {name} --ros-args -p robot_description_file:=arm.urdf
  ros2 run kane_dynamics {name} --ros-args --params-file config/{name}.yaml

parameters, with their defaults (doc/{name}.md tells of topics and services too):
{parameters}"""


def node_help(node_class):
    """Return the text for a class of nodes; its module has the SCHEMA of its parameters."""
    module = import_module(node_class.__module__)
    return USAGE.format(name=node_class.__name__.lower(), what=module.__doc__.splitlines()[0],
                        parameters=(managed_node.SCHEMA + module.SCHEMA).text())
