"""Rigid transforms: chained, undone, and in between two others."""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Transform(NamedTuple):
    """A rotation (x, y, z, w; unit norm) followed by a translation in metres."""

    translation: Vector
    rotation: Quaternion

    def __matmul__(self, other: Transform) -> Transform:
        x, y, z = self.rotate(other.translation)
        a, b, c = self.translation
        return Transform((x + a, y + b, z + c), multiply(self.rotation, other.rotation))

    def inverse(self) -> Transform:
        """Return the transform that undoes this one."""
        x, y, z, w = self.rotation
        turned_back = Transform((0.0, 0.0, 0.0), (-x, -y, -z, w))
        a, b, c = turned_back.rotate(self.translation)
        return Transform((-a, -b, -c), turned_back.rotation)

    def rotate(self, vector: Vector) -> Vector:
        """Turn a vector: v + 2w(q x v) + 2 q x (q x v), q the vector part of the rotation."""
        x, y, z, w = self.rotation
        a, b, c = vector
        u, v, t = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
        return (
            a + w * u + y * t - z * v,
            b + w * v + z * u - x * t,
            c + w * t + x * v - y * u,
        )


IDENTITY = Transform((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the rotation q followed by p."""
    a, b, c, d = p
    x, y, z, w = q
    return (
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    )


def interpolate(older: Transform, newer: Transform, ratio: float) -> Transform:
    """Linear in the translation, spherical linear (the short way round) in the rotation."""
    a, b, c = older.translation
    x, y, z = newer.translation
    translation = (a + (x - a) * ratio, b + (y - b) * ratio, c + (z - c) * ratio)
    cosine = sum(p * q for p, q in zip(older.rotation, newer.rotation, strict=True))
    sign = -1.0 if cosine < 0 else 1.0
    angle = math.acos(min(1.0, abs(cosine)))
    if angle < 1e-6:
        older_weight, newer_weight = 1.0 - ratio, ratio
    else:
        older_weight = math.sin((1.0 - ratio) * angle) / math.sin(angle)
        newer_weight = math.sin(ratio * angle) / math.sin(angle)
    mixed = [
        p * older_weight + q * newer_weight * sign
        for p, q in zip(older.rotation, newer.rotation, strict=True)
    ]
    norm = math.hypot(*mixed)
    qx, qy, qz, qw = (value / norm for value in mixed)
    return Transform(translation, (qx, qy, qz, qw))
