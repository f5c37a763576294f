"""What the verifier knows of the robot and of a look: where, and what was really seen."""

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
#: Of a point in m2, rows and columns x, y and z, row by row.
Covariance = tuple[Coordinate, Coordinate, Coordinate, Coordinate, Coordinate, Coordinate,
                   Coordinate, Coordinate, Coordinate]
#: Unclear sightings so near to where a target was surely seen show it, in metres.
_UPHELD_M = 0.3


@dataclass(frozen=True)
class Cone:
    """The part of the floor that a look really saw, in the map frame."""

    x: Coordinate
    y: Coordinate
    yaw: Angle
    half_angle_rad: Annotated[float, Interval(ge=0, le=3.141592653589794)]
    range_m: NotNegative


@dataclass(frozen=True)
class GroundedObject:
    """Something of a look with a place.

    Attributes:
        position: in the map frame.
        sigma_m: standard deviations along x, y and z of what its box shows of it.
        distance_m: from the camera.
        provisional: too far, cut off by the image's edge or too unclear to be relied on.
        unclear: its box shows much besides the surface at that place, so the place may be that of
            something else.
        covariance: of the position; None in journals of before.
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
    """Where the current target is held to be, in the map frame.

    Attributes:
        hits: sightings in a row that agree with each other; 0 after one that does not.
        views: places apart from each other from which these were, as far as they were clear.
        sure: at least one of its sightings was not provisional.
        deep_m: by how much its front is nearer to the robot than its position; 0 of what is not
            deep.
    """

    id: Id
    position: Point
    hits: Count
    views: Count
    seen_ns: Count
    sure: bool = True
    deep_m: NotNegative = 0.0

    def upholds(self, place: Point) -> bool:
        """Tell whether an unclear sighting at a place shows what was surely seen before.

        What stands before a target, or behind it, lies elsewhere as seen from another place.
        """
        return self.sure and self.hits > 0 and math.dist(self.position, place) <= _UPHELD_M


@dataclass(frozen=True)
class Observation:
    """What a look really saw. The cause is the hypothesis.

    Attributes:
        look_id: the look.
        step_id: the step that asked for it.
        pose: of the robot at the picture's stamp, in the map frame; None where TF did not tell.
        target_bearing_rad: of the box from the robot's heading at the stamp, positive to the left,
            wherever the camera looks; where a target was claimed.
        ungrounded_reason: why a claimed target has no place.
        track: the target's track after this look.
        coverage: looked-at share of the reachable floor for this goal, 0..1.
        unlooked_reachable_m2: reachable floor that was not looked at yet.
        camera: name of the camera that took the picture.
        viewpoint: where the robot would have to stand for its first camera to look that way; None
            where that one took the picture, which is `pose`.
        held: the same track by the looks before this one, in the map as the localisation places
            it now: a jump moves it with the robot.
        p_here: how likely the target is here, by all looks that did not find it; None before the
            first map.
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
    """Where the robot is, in the map frame.

    Attributes:
        healthy: the transform is fresh and no jump is being settled.
        jump_m: how far the localisation moved the robot since the last message.
        stands: the robot keeps its pose, and nothing of the verifier's moves it; where a stop is
            the cause, since that stop.
        held: why nothing is driven until further notice, as on a pause topic; empty where
            driving is allowed.
    """

    pose: Pose2D
    healthy: bool
    jump_m: NotNegative
    stands: bool = False
    held: Text = ''
