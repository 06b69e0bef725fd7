# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Build kane_dynamics, for colcon (ament_python) and for pip alike."""

import os

from setuptools import find_packages, setup

PACKAGE = 'kane_dynamics'
SHARE = f'share/{PACKAGE}'


def shared_tree(folder):
    """Return data_files entries that install a folder, with what is below it, under SHARE."""
    return [
        (f'{SHARE}/{place}', [f'{place}/{name}' for name in sorted(names)])
        for place, _, names in sorted(os.walk(folder)) if names and '__pycache__' not in place]


setup(
    name=PACKAGE,
    version='0.1.0',
    description='Kane equations for robot arms, rigid or flexible: a URDF in, torques out',
    author='The kane_dynamics authors',
    maintainer='The kane_dynamics authors',
    maintainer_email='maintainers@users.noreply.a-seed-da497643.example',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed', '__init__.pyi', 'analysis/report/page/*']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (SHARE, ['package.xml']),
        *shared_tree('launch'),
        *shared_tree('config'),
        *shared_tree('urdf'),
        # `ros2 run` and launch files look here. With pip the folder is not on the PATH, where the
        # names of the nodes would clash with other commands: `kane node NAME` runs them.
        (f'lib/{PACKAGE}', [f'scripts/{name}' for name in sorted(os.listdir('scripts'))]),
    ],
    zip_safe=True,
    install_requires=[
        'numpy>=1.24',
        'scipy',
        'pyyaml',
        'llvmlite>=0.45',  # the accelerator: everything works without it, only slower
    ],
    # What each is for, and the versions that are tested: requirements/*.txt.
    extras_require={
        'oracle': ['pin'],
        'ros': ['ros-rclpy', 'ros-rmw-fastrtps-cpp', 'ros-common-interfaces'],
        'bags': ['rosbags'],
        'report': ['matplotlib', 'pillow', 'fast-simplification', 'trimesh'],
        'movie': ['imageio-ffmpeg'],
        'xacro': ['xacro'],
        'mjcf': ['mujoco'],
        'robots': ['example-robot-data'],
        'meshcat': ['meshcat'],
        'test': ['pytest', 'example-robot-data', 'mujoco', 'sympy', 'flake8',
                 'flake8-docstrings', 'flake8-import-order', 'flake8-quotes', 'mypy',
                 'types-PyYAML', 'hypothesis', 'pytest-cov', 'pytest-xdist', 'jsonschema'],
        'doc': ['Sphinx', 'furo', 'myst-nb', 'sphinx-copybutton', 'ipykernel', 'nbclient'],
        'bench': ['example-robot-data', 'mujoco', 'sympy', 'casadi', 'exudyn'],
    },
    entry_points={
        'console_scripts': [
            'kane = kane_dynamics.commands.cli:main',
        ],
    },
)
