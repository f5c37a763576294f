"""Triangle meshes of simple bodies, with normals and texture coordinates in metres.

A vertex is never shared between faces of different normals, so vertices, normals and texture
coordinates have the same length. Faces wind counter-clockwise, seen from outside.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
SMOOTH_EDGE_COSINE = 0.6


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh.

    Attributes:
        vertices: shape (n, 3), metres.
        normals: shape (n, 3), unit length.
        texcoords: shape (n, 2), metres along the surface; for a fitted picture 0 to 1.
        faces: shape (m, 3), int32 indices of vertices.
    """

    vertices: Floats
    normals: Floats
    texcoords: Floats
    faces: NDArray[np.int32]

    def moved(self, rotation: Floats, translation: ArrayLike) -> 'Mesh':
        """The mesh rotated by a matrix, shape (3, 3), then shifted."""
        return Mesh(self.vertices @ rotation.T + np.asarray(translation),
                    self.normals @ rotation.T, self.texcoords, self.faces)

    def two_sided(self) -> 'Mesh':
        """The thin sheet with visible front and back."""
        back = self.faces[:, ::-1] + len(self.vertices)
        return Mesh(np.vstack([self.vertices, self.vertices]),
                    np.vstack([self.normals, -self.normals]),
                    np.vstack([self.texcoords, self.texcoords]),
                    np.vstack([self.faces, back]).astype(np.int32))

    @classmethod
    def joined(cls, meshes: Sequence['Mesh']) -> Self:
        """Join several meshes to one."""
        starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
        faces = np.vstack([mesh.faces + start
                           for mesh, start in zip(meshes, starts, strict=True)])
        return cls(np.vstack([mesh.vertices for mesh in meshes]),
                   np.vstack([mesh.normals for mesh in meshes]),
                   np.vstack([mesh.texcoords for mesh in meshes]), faces.astype(np.int32))


def rotation_x(angle_rad: float) -> Floats:
    """The rotation about x, shape (3, 3)."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle_rad: float) -> Floats:
    """The rotation about y, shape (3, 3)."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[c, 0, s], [0, 1.0, 0], [-s, 0, c]])


def rotation_z(angle_rad: float) -> Floats:
    """The rotation about z, shape (3, 3)."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def grid_faces(rows: int, columns: int) -> NDArray[np.int32]:
    """The triangles of a grid of vertices in row-major order, shape (m, 3)."""
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b = index[:-1, :-1].ravel(), index[1:, :-1].ravel()
    c, d = index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    return np.vstack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.int32)


def rounded_box(size: ArrayLike, radius: float, segments: int = 1) -> Mesh:
    """A box about the origin with rounded edges.

    Args:
        size: extents in metres, shape (3,).
        radius: of the edges in metres; 0 for sharp ones.
        segments: facets of each rounded edge.
    """
    half = np.asarray(size, float) / 2
    radius = min(radius, 0.95 * float(half.min()))
    lines = [_edge_line(h, radius, segments) for h in half]
    longest = int(np.argmax(half))
    sides = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for sign in (1.0, -1.0):
            points = np.empty((len(lines[a]), len(lines[b]), 3))
            points[..., axis] = sign * half[axis]
            points[..., a] = lines[a][:, None]
            points[..., b] = lines[b][None, :]
            points = points.reshape(-1, 3)  # type: ignore[assignment]
            if radius > 0:
                core = np.clip(points, radius - half, half - radius)
                normals = points - core
                normals /= np.linalg.norm(normals, axis=1, keepdims=True)
                points = core + radius * normals
            else:
                normals = np.zeros_like(points)
                normals[:, axis] = sign
            u, v = (b, a) if b == longest else (a, b)
            faces = grid_faces(len(lines[a]), len(lines[b]))
            sides.append(Mesh(points, normals, points[:, [u, v]],
                              faces if sign > 0 else faces[:, ::-1]))
    return Mesh.joined(sides)


def _edge_line(half: float, radius: float, segments: int) -> Floats:
    """Coordinates along one edge of a box, dense where it is rounded."""
    if radius <= 0:
        return np.array([-half, half])
    # Points of the unrounded box that project to equal angles of the rounding.
    bend = radius * np.tan(np.linspace(0, math.pi / 4, segments + 1))
    outer = half - radius + bend
    return np.concatenate([-outer[::-1], outer])


def turned(profile: Sequence[Sequence[float]], sides: int = 20) -> Mesh:
    """A body of revolution about z, smooth where its profile bends little.

    Args:
        profile: points (radius, z) in metres, from the bottom outside upwards.
        sides: facets around the axis.
    """
    points = np.asarray(profile, float)
    steps = np.diff(points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    flat = np.stack([steps[:, 1], -steps[:, 0]], 1) / lengths[:, None]
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    angle = np.linspace(0, math.tau, sides + 1)
    c, s = np.cos(angle), np.sin(angle)
    girth = float(points[:, 0].max())
    parts = []
    for i, normal in enumerate(flat):
        ends = []
        for end, neighbour in ((i, i - 1), (i + 1, i + 1)):
            n = normal
            if 0 <= neighbour < len(flat) and flat[neighbour] @ normal > SMOOTH_EDGE_COSINE:
                n = normal + flat[neighbour]
                n = n / np.linalg.norm(n)
            radius, z = points[end]
            ends.append((np.stack([radius * c, radius * s, np.full_like(c, z)], 1),
                         np.stack([n[0] * c, n[0] * s, np.full_like(c, n[1])], 1),
                         np.stack([angle * girth, np.full_like(c, along[end])], 1)))
        vertices, normals, texcoords = (np.vstack(column) for column in zip(*ends, strict=True))
        faces = grid_faces(2, sides + 1)[:, ::-1]
        corners = vertices[faces]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0],
                                       corners[:, 2] - corners[:, 0]), axis=1)
        parts.append(Mesh(vertices, normals, texcoords, faces[area > 1e-9]))
    return Mesh.joined(parts)


def sheet(points: Floats, texcoords: Floats | None = None) -> Mesh:
    """A smooth surface through a grid of points, seen from the side of u x v.

    Args:
        points: shape (rows, columns, 3); u runs along the rows, v along the columns.
        texcoords: shape (rows, columns, 2); None for distances along the surface.
    """
    u, v = np.gradient(points, axis=0), np.gradient(points, axis=1)
    normals = np.cross(u, v)
    lengths = np.linalg.norm(normals, axis=2, keepdims=True)
    # If the grid shrinks to a point, the normal of the whole sheet replaces its own.
    whole = normals.sum(axis=(0, 1))
    whole /= max(float(np.linalg.norm(whole)), 1e-12)
    normals = np.where(lengths > 1e-12, normals / np.maximum(lengths, 1e-12), whole)
    if texcoords is None:
        du = np.linalg.norm(np.diff(points, axis=0, prepend=points[:1]), axis=2)
        dv = np.linalg.norm(np.diff(points, axis=1, prepend=points[:, :1]), axis=2)
        texcoords = np.stack([np.cumsum(du, axis=0), np.cumsum(dv, axis=1)], 2)
    rows, columns = points.shape[:2]
    return Mesh(points.reshape(-1, 3), normals.reshape(-1, 3), texcoords.reshape(-1, 2),
                grid_faces(rows, columns))


def half_ring(radius: float, tube: float, centre: ArrayLike, facets: int = 12) -> Mesh:
    """A half ring that bulges along y, like the handle of a cup, visible from both sides.

    Args:
        radius: of the tube's centre line, in metres.
        tube: radius of the tube, in metres.
        centre: of the ring, shape (3,).
        facets: from end to end.
    """
    u = np.linspace(-1.5, 1.5, facets + 1)[:, None]
    v = np.linspace(0, math.tau, 9)[None, :]
    reach = radius + tube * np.cos(v)
    points = np.stack(np.broadcast_arrays(tube * np.sin(v), reach * np.cos(u),
                                          reach * np.sin(u)), 2) + np.asarray(centre, float)
    return sheet(points).two_sided()


def rectangle(origin: ArrayLike, u: ArrayLike, v: ArrayLike) -> Mesh:
    """A flat rectangle with a fitted picture, seen from the side of u x v.

    Args:
        origin: the corner at the picture's lower left, shape (3,).
        u: edge towards the picture's right, shape (3,).
        v: edge towards the picture's top, shape (3,).
    """
    o, u, v = np.asarray(origin, float), np.asarray(u, float), np.asarray(v, float)
    corners = np.array([[o, o + v], [o + u, o + u + v]])
    return sheet(corners, np.array([[[0.0, 0], [0, 1]], [[1, 0], [1, 1]]]))


def ellipsoid(size: ArrayLike, boxiness: float = 0.0, rings: int = 10) -> Mesh:
    """An ellipsoid, or a pillow between an ellipsoid and a box (a superellipsoid).

    Args:
        size: extents in metres, shape (3,).
        boxiness: 0 for an ellipsoid, towards 1 for a box, in x and y.
        rings: facets from pole to pole; twice as many around.
    """
    half = np.asarray(size, float) / 2
    power = 1.0 - boxiness
    polar = np.linspace(-math.pi / 2, math.pi / 2, rings + 1)[None, :]
    around = np.linspace(-math.pi, math.pi, 2 * rings + 1)[:, None]

    def bent(value: Floats) -> Floats:
        return np.sign(value) * np.abs(value) ** power

    points = np.stack([half[0] * np.cos(polar) * bent(np.cos(around)),
                       half[1] * np.cos(polar) * bent(np.sin(around)),
                       np.broadcast_to(half[2] * np.sin(polar), (2 * rings + 1, rings + 1))], 2)
    # The texture is laid on from above. The poles have no gradient, so use the ellipsoid's normal.
    mesh = sheet(points, points[..., :2])
    normals = points.reshape(-1, 3) / half ** 2
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    return Mesh(mesh.vertices, normals, mesh.texcoords, mesh.faces)
