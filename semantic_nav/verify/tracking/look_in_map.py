"""What was frozen at a look, placed in the map: what it grounds, shows and overlooks."""

import math
from collections.abc import Sequence

import numpy as np

from semantic_nav.contracts.documents import GroundedObject
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.explore.overlooked import BLIND_M
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import LookFrozen, Scan, UncertaintyHeard
from semantic_nav.verify.grounding import bearings
from semantic_nav.verify.grounding.covariance import with_pose
from semantic_nav.verify.grounding.grounding import (
    Grounded,
    box_bearing,
    ground_box,
    in_picture,
    overlooks,
    seen_surfaces,
)
from semantic_nav.verify.grounding.lens import box_without_lens
from semantic_nav.verify.grounding.ray import Ray
from semantic_nav.verify.grounding.scan_range import Outlook, seen_floor
from semantic_nav.verify.grounding.unmeasured import is_blind
from semantic_nav.verify.tracking.track import TargetTrack

#: A look from so much farther than before is as far, for poses are noisy.
_AS_FAR = 1.1
#: What is met so much before a place may hide it, in metres.
_HIDDEN_M = 0.25


class Placed:
    """A look of a robot with a depth camera.

    Attributes:
        fault: why nothing of it counts, in words; empty where it does.
    """

    fault = ''

    def __init__(self, frozen: LookFrozen, map_T_odom: Transform,
                 uncertainty: UncertaintyHeard) -> None:
        """Place it by a correction of the odometry, which is so uncertain."""
        self._uncertainty = uncertainty
        self._depth_mm, self.intrinsics = frozen.depth_mm, frozen.intrinsics
        self.map_T_odom = map_T_odom
        self.map_T_camera = map_T_odom @ frozen.odom_T_camera
        self.map_T_base = map_T_odom @ frozen.odom_T_base

    @property
    def camera_yaw(self) -> float:
        """Where the camera looked, as an angle in the map frame."""
        axes = self.map_T_camera.matrix[:3, :3]
        return math.atan2(float(axes[1, 2]), float(axes[0, 2]))

    @property
    def shows_something(self) -> bool:
        """Whether it was no look through a lens that is covered."""
        return not is_blind(self._depth_mm)

    def ground(self, box: Box | None, config: VerifierConfig,
               others: Sequence[tuple[Ray, ...]] = ()) -> tuple[Grounded | None, str]:
        """Return where the content of a box is, or None and why nobody knows.

        Args:
            box: per mille of the picture; None for none.
            config: distances that are believed.
            others: rays of things that it may show again, those that are likelier first.
        """
        if box is None:
            return None, ''
        try:
            flat = box_without_lens(box, self.intrinsics)
            if self.intrinsics.distortion is not None and (
                    max(flat[0], flat[1]) >= 1000.0 or min(flat[2], flat[3]) <= 0.0):
                raise GroundingError('the box lies where the lens shows more than the depth')
            place = self._grounded(flat, config, others)
        except GroundingError as error:
            return None, str(error)
        # One wild transform, or a wrong focal length, puts it anywhere at all.
        away_m = math.dist(place.position, self.map_T_base.translation)
        if not away_m <= config.ground_max_m:
            return None, (f'the box lies {away_m:.3g} m from the robot, more than the '
                          f'{config.ground_max_m:g} m that are believed')
        return place, ''

    def _grounded(self, box: Box, config: VerifierConfig,
                  others: Sequence[tuple[Ray, ...]]) -> Grounded:
        del others
        return ground_box(box, self._depth_mm, self.intrinsics, self.map_T_camera, config)

    def told(self, name: str, box: Box, place: Grounded, *, is_target: bool) -> GroundedObject:
        """Return what is published of a place: in the map it errs with the localisation too.

        Looks one after the other share that error, so it says nothing of whether they agree.
        """
        offset = np.subtract(place.position, self.map_T_base.translation).tolist()
        covariance = with_pose(place.covariance, offset, self._uncertainty)
        return GroundedObject(name, box, place.position, place.sigma_m, place.distance_m,
                              place.provisional, is_target, place.unclear, covariance)

    def surfaces(self) -> SeenSurfaces:
        """Return what was in view, as far as anything is recognised."""
        return seen_surfaces(self._depth_mm, self.intrinsics, self.map_T_camera, BLIND_M)

    def bearing(self, box: Box | None) -> float | None:
        """Return the direction of a box from the robot's heading."""
        if box is None:
            return None
        try:
            box = box_without_lens(box, self.intrinsics)
        except GroundingError:
            return None
        return box_bearing(box, self.intrinsics, self.map_T_base.inverse() @ self.map_T_camera)

    def overlooks(self, track: TargetTrack, config: VerifierConfig) -> bool:
        """Tell whether the place of a target was looked at as near as it was seen before."""
        within_m = max(_AS_FAR * track.seen_within_m, config.leg_stand_off_m)
        return overlooks(track.position, track.size_m, within_m, self._depth_mm, self.intrinsics,
                         self.map_T_camera)


class PlacedWithoutDepth(Placed):
    """A look of a robot without a depth camera: scanner and map tell what it showed."""

    def __init__(self, frozen: LookFrozen, scan: Scan, grid: OccupancyGrid | None,
                 map_T_odom: Transform, uncertainty: UncertaintyHeard) -> None:
        """Place it with a scan of its moment in the map of now."""
        super().__init__(frozen, map_T_odom, uncertainty)
        self._outlook = Outlook.of(scan, map_T_odom @ scan.odom_T_scanner,
                                   self.map_T_camera.translation, grid)
        self.fault = self._outlook.fault

    @property
    def shows_something(self) -> bool:
        """Whether any ray of the scan told anything."""
        return self._outlook.shows_something

    def _grounded(self, box: Box, config: VerifierConfig,
                  others: Sequence[tuple[Ray, ...]]) -> Grounded:
        towards = bearings.direction_of(box, self.intrinsics, self.map_T_camera)
        half_rad = (box[2] - box[0]) / 4000.0 * self.intrinsics.width_px / self.intrinsics.fx
        met_m = self._outlook.met_m(math.atan2(towards[1], towards[0]), half_rad)
        ray = bearings.ray_of(box, self.intrinsics, self.map_T_camera,
                              math.inf if math.isnan(met_m) else met_m, config)
        return bearings.ground_ray(box, ray, others, self.intrinsics, config)

    def surfaces(self) -> SeenSurfaces:
        """Return the floor in view up to what is met first, and that."""
        return seen_floor(self._outlook, self.intrinsics, self.map_T_camera, BLIND_M)

    def overlooks(self, track: TargetTrack, config: VerifierConfig) -> bool:
        """Tell whether the place of a target was in the picture, and nothing met before it.

        Of a place that is not sure nobody knows whether it was looked at.
        """
        x, y, _ = track.position
        eye_x, eye_y, _ = self.map_T_camera.translation
        away_m = math.hypot(x - eye_x, y - eye_y)
        if not track.sure or away_m > max(_AS_FAR * track.seen_within_m, config.leg_stand_off_m):
            return False
        if in_picture(track.position, self.intrinsics, self.map_T_camera) is None:
            return False
        return self._outlook.clear_to_m(math.atan2(y - eye_y, x - eye_x)) >= away_m - _HIDDEN_M


def placed_of(frozen: LookFrozen, map_T_odom: Transform, uncertainty: UncertaintyHeard,
              grid: OccupancyGrid | None) -> Placed:
    """Return a look placed by a correction of the odometry, in the map of now."""
    if frozen.scan is None:
        return Placed(frozen, map_T_odom, uncertainty)
    return PlacedWithoutDepth(frozen, frozen.scan, grid, map_T_odom, uncertainty)
