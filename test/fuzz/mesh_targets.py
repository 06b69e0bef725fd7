# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files under attack: left out with a reason, or triangles of finite corners."""

from functools import cached_property
import struct

from mutations import mutated_bytes, mutated_text
import numpy as np
from target import Target

import kane_dynamics as kd
from kane_dynamics.model.meshes.mesh_reduction import COARSE
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes

try:        # here, so that the processes of a run share it
    import trimesh
except ImportError:
    trimesh = None


class Mesh(Target):
    """A mesh of a picture."""

    mutated = staticmethod(mutated_bytes)

    def read(self, data):
        """Return without an error where the mesh is drawn."""
        self.path.write_bytes(data)
        meshes = RobotMeshes(self.folder)
        mesh = meshes.mesh(self.path.name, COARSE)
        if mesh is None:
            raise kd.InputError(f'{self.path.name}: {meshes.missing[self.path.name]}')
        assert np.isfinite(mesh.points[mesh.faces]).all()


class Stl(Mesh):
    """Binary and text STL."""

    ending = '.stl'

    @cached_property
    def seeds(self):
        """Return two triangles in both formats."""
        corners = [(0, 0, 0, 1, 0, 0, 0, 1, 0), (0, 0, 1, 1, 0, 1, 0, 1, 1)]
        binary = b'\0' * 80 + struct.pack('<I', 2) + b''.join(
            struct.pack('<12fH', 0, 0, 0, *each, 0) for each in corners)
        facets = ''.join('facet normal 0 0 0\nouter loop\nvertex {} {} {}\nvertex {} {} {}\n'
                         'vertex {} {} {}\nendloop\nendfacet\n'.format(*each) for each in corners)
        return [binary, f'solid x\n{facets}endsolid\n'.encode()]


class Obj(Mesh):
    """Wavefront OBJ."""

    ending, mutated = '.obj', staticmethod(mutated_text)
    seeds = [b'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1 2 3 4\nf 1/1 2/1 3/1\n'
             b'f -1 -2 -3\n']


class Collada(Mesh):
    """Collada."""

    ending, mutated = '.dae', staticmethod(mutated_text)
    seeds = [b"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="9">0 0 0 1 0 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 2000</translate>
<rotate>0 0 1 90</rotate><node><matrix>1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes></COLLADA>
"""]


class Ply(Mesh):
    """Text PLY, which trimesh reads."""

    ending, mutated = '.ply', staticmethod(mutated_text)
    seeds = [b'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n'
             b'property float z\nelement face 1\nproperty list uchar int vertex_indices\n'
             b'end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n']


class Glb(Mesh):
    """Binary glTF, which trimesh reads."""

    ending = '.glb'

    @cached_property
    def seeds(self):
        """Return a tetrahedron."""
        return [trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                                [[0, 1, 2], [0, 1, 3]]).export(file_type='glb')]
