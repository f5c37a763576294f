"""Poses and rigid transforms, REP 103: metres, radians, x forward, y left, z up."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Self

import numpy as np
from annotated_types import Interval
from numpy.typing import NDArray

from semantic_nav.contracts.fields import Coordinate


def wrap_angle(angle_rad: float) -> float:
    """The angle in (-pi, pi]."""
    wrapped = math.remainder(angle_rad, math.tau)
    return math.pi if wrapped == -math.pi else wrapped


_WRAP = np.frompyfunc(wrap_angle, 1, 1)


def wrap_angles(angles_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """The angles in (-pi, pi], bit for bit as `wrap_angle` gives them."""
    angles_rad = np.asarray(angles_rad, np.float64)
    if not (np.abs(angles_rad) < 3.0 * math.pi).all():
        return np.asarray(_WRAP(angles_rad), np.float64)
    # At most one turn too much: the subtraction is exact (Sterbenz), as the remainder is.
    turns = (angles_rad > math.pi).astype(np.float64) - (angles_rad < -math.pi)
    wrapped = angles_rad - turns * math.tau
    return np.where(wrapped == -math.pi, math.pi, wrapped)


@dataclass(frozen=True, slots=True)
class Pose2D:
    """A pose on the floor: x and y in metres, yaw in radians, in the frame of its owner."""

    x: Coordinate
    y: Coordinate
    yaw: Annotated[float, Interval(ge=-7, le=7)]

    def distance_to(self, x: float, y: float) -> float:
        """Distance to a point in metres."""
        return math.hypot(x - self.x, y - self.y)

    def moved_from(self, other: 'Pose2D', by_m: float, by_rad: float) -> bool:
        """Tell whether it lies over `by_m` from another pose, or is turned by over `by_rad`."""
        return (self.distance_to(other.x, other.y) > by_m
                or abs(wrap_angle(self.yaw - other.yaw)) > by_rad)

    def bearing_to(self, x: float, y: float) -> float:
        """Bearing of a point relative to the heading, in (-pi, pi]."""
        return wrap_angle(math.atan2(y - self.y, x - self.x) - self.yaw)


Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def _product(first: Quaternion, second: Quaternion) -> Quaternion:
    """Hamilton product of two quaternions x, y, z, w, as a unit quaternion."""
    x, y, z, w = first
    a, b, c, d = second
    return _unit((w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a,
                  w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c))


def _unit(quaternion: Quaternion) -> Quaternion:
    x, y, z, w = quaternion
    length = math.hypot(x, y, z, w)
    return (x / length, y / length, z / length, w / length)


@dataclass(frozen=True)
class Transform:
    """A rigid transform `a_T_b`, which takes points from frame b to frame a.

    Attributes:
        translation: x, y, z of b's origin in a, in metres.
        rotation: unit quaternion x, y, z, w of b's axes in a.
    """

    translation: Vector
    rotation: Quaternion

    @classmethod
    def identity(cls) -> Self:
        """The identity transform."""
        return cls((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    @classmethod
    def from_pose(cls, pose: Pose2D) -> Self:
        """The transform of a pose on the floor."""
        half = pose.yaw / 2
        return cls((pose.x, pose.y, 0.0), (0.0, 0.0, math.sin(half), math.cos(half)))

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The homogeneous matrix, shape (4, 4)."""
        result = np.eye(4)
        result[:3, :3] = self._rows
        result[:3, 3] = self.translation
        return result

    @cached_property
    def _rows(self) -> tuple[Vector, Vector, Vector]:
        """The rows of the rotation matrix."""
        x, y, z, w = self.rotation
        return ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
                (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
                (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))

    def __matmul__(self, other: 'Transform') -> 'Transform':
        """The composition `a_T_c` of `a_T_b @ b_T_c`."""
        a, b, c = self._rotated(other.translation)
        x, y, z = self.translation
        return Transform((a + x, b + y, c + z), _product(self.rotation, other.rotation))

    def inverse(self) -> 'Transform':
        """The inverse transform `b_T_a`."""
        x, y, z, w = self.rotation
        back = Transform((0.0, 0.0, 0.0), _unit((-x, -y, -z, w)))
        a, b, c = back._rotated(self.translation)
        return Transform((-a, -b, -c), back.rotation)

    def _rotated(self, vector: Vector) -> Vector:
        (a, b, c), (d, e, f), (g, h, i) = self._rows
        x, y, z = vector
        return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)

    def apply(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points of frame b, shape (..., 3), in frame a."""
        return points @ self.matrix[:3, :3].T + self.matrix[:3, 3]

    def pose(self) -> Pose2D:
        """The pose of b on the floor of a, with the heading of b's x axis."""
        (forward_x, _, _), (forward_y, _, _), _ = self._rows
        return Pose2D(self.translation[0], self.translation[1],
                      math.atan2(forward_y, forward_x))


def moved(a_T_b: Transform, point: Vector) -> Vector:
    """A point of frame b in frame a."""
    x, y, z = a_T_b.apply(np.array(point)).tolist()
    return (x, y, z)


def moved_pose(a_T_b: Transform, pose: Pose2D) -> Pose2D:
    """A pose on the floor of frame b in frame a."""
    return (a_T_b @ Transform.from_pose(pose)).pose()
