# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Build the part of control_msgs that an action test needs, where it is not installed.

control_msgs is on no package registry, but the ROS wheels bring the generators and headers that
every message package is made with; with a C++ compiler they make the real thing from its
definitions (ros-controls/control_msgs 6.8, without comments).
"""

import importlib.util
import json
from pathlib import Path
import shutil
import subprocess
import sys
import sysconfig

PACKAGE = 'control_msgs'
POINT, MULTI = 'trajectory_msgs/JointTrajectoryPoint', (
    'trajectory_msgs/MultiDOFJointTrajectoryPoint')
TOLERANCE = 'float64 position\nfloat64 velocity\nfloat64 acceleration\n'
DEFINITIONS = {
    'msg/JointTolerance.msg': f'string name\n{TOLERANCE}',
    'msg/JointComponentTolerance.msg':
        f'uint16 X_AXIS=1\nstring joint_name\nuint16 component\n{TOLERANCE}',
    'msg/JointTrajectoryControllerState.msg':
        'std_msgs/Header header\nstring[] joint_names\n'
        + ''.join(f'{POINT} {name}\n' for name in ('reference', 'feedback', 'error', 'output'))
        + 'string[] multi_dof_joint_names\n'
        + ''.join(f'{MULTI} multi_dof_{name}\n'
                  for name in ('reference', 'feedback', 'error', 'output'))
        + 'float64 speed_scaling_factor\n',
    'srv/QueryTrajectoryState.srv':
        'builtin_interfaces/Time time\n---\nbool success\nstring message\nstring[] name\n'
        'float64[] position\nfloat64[] velocity\nfloat64[] acceleration\n',
    'action/FollowJointTrajectory.action':
        'trajectory_msgs/JointTrajectory trajectory\n'
        'trajectory_msgs/MultiDOFJointTrajectory multi_dof_trajectory\n'
        'JointTolerance[] path_tolerance\nJointComponentTolerance[] component_path_tolerance\n'
        'JointTolerance[] goal_tolerance\nJointComponentTolerance[] component_goal_tolerance\n'
        'builtin_interfaces/Duration goal_time_tolerance\n---\n'
        'int32 error_code\nint32 SUCCESSFUL = 0\nint32 INVALID_GOAL = -1\n'
        'int32 INVALID_JOINTS = -2\nint32 OLD_HEADER_TIMESTAMP = -3\n'
        'int32 PATH_TOLERANCE_VIOLATED = -4\nint32 GOAL_TOLERANCE_VIOLATED = -5\n'
        'string error_string\n---\nstd_msgs/Header header\nstring[] joint_names\n'
        f'{POINT} desired\n{POINT} actual\n{POINT} error\nint32 index\n'
        'string[] multi_dof_joint_names\n'
        f'{MULTI} multi_dof_desired\n{MULTI} multi_dof_actual\n{MULTI} multi_dof_error\n'
        'int32 multi_dof_index\n',
}
USED = ('action_msgs', 'builtin_interfaces', 'geometry_msgs', 'service_msgs', 'std_msgs',
        'trajectory_msgs', 'unique_identifier_msgs')
RUNTIME = ('rosidl_runtime_c', 'rosidl_typesupport_c', 'rosidl_typesupport_fastrtps_c',
           'rosidl_typesupport_fastrtps_cpp', 'rcutils', 'rmw', 'fastcdr')
PREFIX = Path(sys.prefix)


def why_not():
    """Return why it cannot be built here, '' where it can."""
    if shutil.which('g++') is None:
        return 'control_msgs is not installed and there is no g++ to build it with'
    if not (PREFIX / 'share' / 'rosidl_generator_py' / 'resource').is_dir() or (
            importlib.util.find_spec('rosidl_generator_type_description') is None):
        return 'control_msgs is not installed and the ROS wheels have no generators here'
    return ''


def build(folder):
    """Build the package below a folder; return the folder that goes on Python's path."""
    folder = Path(folder)
    sources, python = folder / 'include' / PACKAGE, folder / 'python' / PACKAGE
    generate(folder, sources, python)
    entry = python / f'_{PACKAGE}_s.ep.rosidl_typesupport_c.c'
    files = [*sources.rglob('*.c'), *sources.rglob('*.cpp'), *python.rglob('*_s.c'), entry]
    import numpy
    includes = [f'-I{folder / "include"}', f'-I{sysconfig.get_paths()["include"]}',
                f'-I{numpy.get_include()}', f'-I{PREFIX / "include"}',
                *(f'-I{each}' for each in (PREFIX / 'include').iterdir() if each.is_dir())]
    objects = []
    for k, file in enumerate(files):
        objects.append(str(folder / f'{k}.o'))
        compiler = ['g++', '-std=c++17'] if file.suffix == '.cpp' else ['gcc']
        run([*compiler, '-O0', '-fPIC', '-w', '-c', str(file), '-o', objects[-1], *includes])
    libraries = [PREFIX / 'lib' / f'lib{name}.so' for name in RUNTIME]
    for name in USED:
        libraries += sorted((PREFIX / 'lib').glob(f'lib{name}__rosidl_*_c.so'))
        libraries.append(PREFIX / 'lib' / f'lib{name}__rosidl_generator_py.so')
    target = python / f'{PACKAGE}_s__rosidl_typesupport_c{sysconfig.get_config_var("EXT_SUFFIX")}'
    run(['g++', '-shared', '-o', str(target), *objects, *map(str, libraries)])
    (python / '__init__.py').touch()
    return python.parent


def generate(folder, sources, python):
    """Write C, C++ and Python of all interfaces."""
    from rosidl_adapter.action import convert_action_to_idl
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_adapter.srv import convert_srv_to_idl
    from rosidl_generator_c import generate_c
    from rosidl_generator_py import generate_py
    from rosidl_generator_type_description import generate_type_hash
    import rosidl_typesupport_c
    from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
    converters = {'.action': convert_action_to_idl, '.msg': convert_msg_to_idl,
                  '.srv': convert_srv_to_idl}
    interfaces = []
    for name, text in DEFINITIONS.items():
        path = folder / 'definitions' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        converters[path.suffix](folder / 'definitions', PACKAGE, Path(name),
                                folder / 'idl' / path.parent.name)
        interfaces.append(str(Path(name).with_suffix('.idl')))

    def arguments(generator, output):
        path = folder / f'{generator}.json'
        path.write_text(json.dumps({
            'package_name': PACKAGE, 'output_dir': str(output),
            'template_dir': str(PREFIX / 'share' / generator / 'resource'),
            'idl_tuples': [f'{folder / "idl"}:{each}' for each in interfaces],
            'include_paths': [f'{name}:{PREFIX / "share" / name}' for name in USED],
            'type_description_tuples': [
                f'{each}:{sources / Path(each).with_suffix(".json")}' for each in interfaces],
            'ros_interface_dependencies': [], 'ros_interface_files': [],
            'target_dependencies': []}))
        return str(path)
    generate_type_hash(arguments('rosidl_generator_type_description', sources))
    generate_c(arguments('rosidl_generator_c', sources))
    rosidl_typesupport_c.generate_c(arguments('rosidl_typesupport_c', sources),
                                    ['rosidl_typesupport_fastrtps_c'])
    generate_typesupport_fastrtps_c(arguments('rosidl_typesupport_fastrtps_c', sources))
    generate_py(arguments('rosidl_generator_py', python), ['rosidl_typesupport_c'])
    for generator in ('rosidl_generator_c', 'rosidl_typesupport_fastrtps_c'):
        name = f'{generator}__visibility_control.h'
        text = (PREFIX / 'share' / generator / 'resource' / f'{name}.in').read_text()
        (sources / 'msg' / name).write_text(text.replace('@PROJECT_NAME_UPPER@', PACKAGE.upper())
                                            .replace('@PROJECT_NAME@', PACKAGE))


def run(command):
    """Run a compiler, or fail with what it says."""
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f'{" ".join(command[:8])}\n{done.stderr[:3000]}'
