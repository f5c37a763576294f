"""Composition of poses in different frames."""

import math

from semantic_nav.contracts.geometry import Pose2D, wrap_angle


def compose(a: Pose2D, b: Pose2D) -> Pose2D:
    """Transform the pose b from the frame of a to the frame in which a is given."""
    c, s = math.cos(a.yaw), math.sin(a.yaw)
    return Pose2D(a.x + c * b.x - s * b.y, a.y + s * b.x + c * b.y, wrap_angle(a.yaw + b.yaw))


def relative(a: Pose2D, b: Pose2D) -> Pose2D:
    """The pose b in the frame of a; both are given in one frame."""
    c, s = math.cos(a.yaw), math.sin(a.yaw)
    dx, dy = b.x - a.x, b.y - a.y
    return Pose2D(c * dx + s * dy, -s * dx + c * dy, wrap_angle(b.yaw - a.yaw))
