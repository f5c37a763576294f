"""Documents of the verifier on the robot's pose and on a look's grounded objects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from semantic_nav.contracts.fields import (
    Angle,
    Coordinate,
    Count,
    Fraction,
    Id,
    Label,
    NotNegative,
    ObjectName,
    Text,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA, Source

Point = tuple[Coordinate, Coordinate, Coordinate]
#: Covariance of a point in m2, row-major 3x3 over x, y and z.
Covariance = tuple[Coordinate, Coordinate, Coordinate, Coordinate, Coordinate, Coordinate,
                   Coordinate, Coordinate, Coordinate]
#: Largest distance from a sure track at which an unclear sighting supports it, in metres.
_UPHELD_M = 0.3


@dataclass(frozen=True)
class Cone:
    """Sector of the floor that a look really saw, in the map frame."""

    x: Coordinate
    y: Coordinate
    yaw: Angle
    half_angle_rad: Annotated[float, Interval(ge=0, le=3.141592653589794)]
    range_m: NotNegative


@dataclass(frozen=True)
class GroundedObject:
    """An object of a look, with its position in the map frame.

    Attributes:
        position: x, y, z in the map frame, in metres.
        sigma_m: standard deviations along x, y and z of the surface that its box shows.
        distance_m: distance from the camera.
        provisional: true if it is too far, cut off by the image's edge or too unclear to rely on.
        unclear: true if its box shows much besides the surface at that position, which may then be
            the position of something else.
        covariance: covariance of the position; None in older journals.
    """

    name: ObjectName
    box: Box
    position: Point
    sigma_m: Point
    distance_m: NotNegative
    provisional: bool
    is_target: bool
    unclear: bool = False
    covariance: Covariance | None = None


@dataclass(frozen=True)
class Track:
    """Track of the current target, in the map frame.

    Attributes:
        hits: consecutive sightings that agree with each other; 0 after one that does not.
        views: distinct viewpoints of these sightings; unclear sightings do not count.
        sure: true if at least one of its sightings was not provisional.
        deep_m: distance by which its front is nearer to the robot than its position; 0 if it is
            not deep.
    """

    id: Id
    position: Point
    hits: Count
    views: Count
    seen_ns: Count
    sure: bool = True
    deep_m: NotNegative = 0.0

    def upholds(self, place: Point) -> bool:
        """Tell whether an unclear sighting at a point in the map frame supports the track.

        Something before or behind the target has another position as seen from elsewhere.
        """
        return self.sure and self.hits > 0 and math.dist(self.position, place) <= _UPHELD_M


@dataclass(frozen=True)
class Observation:
    """Grounded result of a look. The cause is the hypothesis.

    Attributes:
        look_id: id of the look.
        step_id: id of the step that asked for it.
        pose: robot pose at the picture's stamp, in the map frame; None where TF gave none.
        target_bearing_rad: bearing of the target's box from the robot's heading at the stamp,
            positive to the left, whichever way the camera points; None if no target was claimed.
        ungrounded_reason: reason why a claimed target has no position.
        track: track of the target after this look.
        coverage: looked-at share of the reachable floor for this goal, 0..1.
        unlooked_reachable_m2: reachable floor that no look has covered yet.
        camera: name of the camera that took the picture.
        viewpoint: robot pose from which the first camera would look that way; None if the first
            camera took the picture, from `pose`.
        held: track of the target before this look, in the map as the localisation places it now: a
            jump moves it with the robot.
        p_here: probability that the target is here, after all looks that did not find it;
            None before the first map.
    """

    look_id: Id
    step_id: Id
    source: Source
    scene_place: Label
    pose: Pose2D | None
    cone: Cone | None
    objects: Annotated[tuple[GroundedObject, ...], MaxLen(16)]
    target_bearing_rad: Angle | None
    ungrounded_reason: Text
    track: Track | None
    coverage: Fraction
    unlooked_reachable_m2: NotNegative
    camera: Label = DEFAULT_CAMERA
    held: Track | None = None
    viewpoint: Pose2D | None = None
    p_here: Fraction | None = None


@dataclass(frozen=True)
class RobotPose:
    """Pose of the robot, in the map frame.

    Attributes:
        healthy: true if the transform is fresh and no jump is being settled.
        jump_m: distance by which the localisation moved the robot since the last message.
        stands: true if the robot keeps its pose and no motion of the verifier is running; where a
            stop is the cause, since that stop.
        held: reason why driving is forbidden until further notice, such as the pause topic; empty
            if it is allowed.
    """

    pose: Pose2D
    healthy: bool
    jump_m: NotNegative
    stands: bool = False
    held: Text = ''
