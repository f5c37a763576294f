"""A frozen look placed in the map: groundings, seen surfaces, and targets that it misses."""

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

#: Ratio of distances up to which a look counts as equally far, because poses are noisy.
_AS_FAR = 1.1
#: Distance in front of a place from which on an obstacle may hide it, in m.
_HIDDEN_M = 0.25


class Placed:
    """A look of a robot with a depth camera, placed in the map.

    Attributes:
        fault: reason why the look does not count, for people; empty if it does.
    """

    fault = ''

    def __init__(self, frozen: LookFrozen, map_T_odom: Transform,
                 uncertainty: UncertaintyHeard) -> None:
        """Place a look.

        Args:
            frozen: the look, in the odometry frame.
            map_T_odom: correction of the odometry.
            uncertainty: of the robot's pose in the map.
        """
        self._uncertainty = uncertainty
        self._depth_mm, self.intrinsics = frozen.depth_mm, frozen.intrinsics
        self.map_T_odom = map_T_odom
        self.map_T_camera = map_T_odom @ frozen.odom_T_camera
        self.map_T_base = map_T_odom @ frozen.odom_T_base

    @property
    def camera_yaw(self) -> float:
        """Yaw of the camera in the map frame, in rad."""
        axes = self.map_T_camera.matrix[:3, :3]
        return math.atan2(float(axes[1, 2]), float(axes[0, 2]))

    @property
    def shows_something(self) -> bool:
        """Tell whether depth was measured, as it is not through a covered lens."""
        return not is_blind(self._depth_mm)

    def ground(self, box: Box | None, config: VerifierConfig,
               others: Sequence[tuple[Ray, ...]] = ()) -> tuple[Grounded | None, str]:
        """Place of the object in a box, or None and the reason.

        Args:
            box: in per mille of the picture; None for none.
            config: distances that are believed.
            others: rays of objects that it may show again, most probable first.
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
        # A wild transform or a wrong focal length may put it anywhere.
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
        """The published form of a place, with the uncertainty of the localisation added.

        Successive looks share that uncertainty, so it is left out of their comparison.
        """
        offset = np.subtract(place.position, self.map_T_base.translation).tolist()
        covariance = with_pose(place.covariance, offset, self._uncertainty)
        return GroundedObject(name, box, place.position, place.sigma_m, place.distance_m,
                              place.provisional, is_target, place.unclear, covariance)

    def surfaces(self) -> SeenSurfaces:
        """Surfaces in view, up to the distance at which objects are recognised."""
        return seen_surfaces(self._depth_mm, self.intrinsics, self.map_T_camera, BLIND_M)

    def bearing(self, box: Box | None) -> float | None:
        """Bearing of a box from the robot's heading, in rad; None if unknown."""
        if box is None:
            return None
        try:
            box = box_without_lens(box, self.intrinsics)
        except GroundingError:
            return None
        return box_bearing(box, self.intrinsics, self.map_T_base.inverse() @ self.map_T_camera)

    def overlooks(self, track: TargetTrack, config: VerifierConfig) -> bool:
        """Tell whether the place of a target was in view from as near as it was seen before."""
        within_m = max(_AS_FAR * track.seen_within_m, config.leg_stand_off_m)
        return overlooks(track.position, track.size_m, within_m, self._depth_mm, self.intrinsics,
                         self.map_T_camera)


class PlacedWithoutDepth(Placed):
    """A look of a robot without a depth camera, with ranges by scanner and map."""

    def __init__(self, frozen: LookFrozen, scan: Scan, grid: OccupancyGrid | None,
                 map_T_odom: Transform, uncertainty: UncertaintyHeard) -> None:
        """Place a look in the current map.

        Args:
            frozen: the look, in the odometry frame.
            scan: at the stamp of the look.
            grid: the map; None before it has come.
            map_T_odom: correction of the odometry.
            uncertainty: of the robot's pose in the map.
        """
        super().__init__(frozen, map_T_odom, uncertainty)
        self._outlook = Outlook.of(scan, map_T_odom @ scan.odom_T_scanner,
                                   self.map_T_camera.translation, grid)
        self.fault = self._outlook.fault

    @property
    def shows_something(self) -> bool:
        """Tell whether any ray of the scan measured."""
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
        """The floor in view up to the first obstacle, and the face of that obstacle."""
        return seen_floor(self._outlook, self.intrinsics, self.map_T_camera, BLIND_M)

    def overlooks(self, track: TargetTrack, config: VerifierConfig) -> bool:
        """Tell whether the place of a target was in the picture, with no obstacle in front.

        It is false for a place that is not sure.
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
    """A look placed in the current map by a correction of the odometry."""
    if frozen.scan is None:
        return Placed(frozen, map_T_odom, uncertainty)
    return PlacedWithoutDepth(frozen, frozen.scan, grid, map_T_odom, uncertainty)
