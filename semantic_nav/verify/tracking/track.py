"""Track of a target: its believed position, and the evidence for it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from semantic_nav.contracts.documents import Covariance, Point, Track
from semantic_nav.contracts.geometry import Pose2D, Transform, moved, moved_pose, wrap_angle
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.covariance import (
    fused,
    largest_deviation_m,
    turned,
    variance_m2,
)
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.grounding.ray import Ray
from semantic_nav.verify.same_place import SAME_PLACE_M

#: Largest distance between two places of one object, in standard deviations.
_PLACE_DEVIATIONS = 2.0
#: Largest ratio of two measured sizes of one object.
_SIZE_RATIO = 2.5
#: Largest difference between two sizes of one object, in standard deviations.
_SIZE_DEVIATIONS = 3.0
#: Number of views from which on a target is not given up for a box drawn elsewhere.
_FOUNDED_VIEWS = 2
#: Angle between two views, seen from the object, within which its outline stays equal, in rad.
_SAME_OUTLINE_RAD = 0.5
#: Turn on the spot from which on the camera takes another picture, in rad.
_ANOTHER_HEADING_RAD = 0.12


@dataclass(frozen=True)
class TargetTrack:
    """A target that was seen.

    Attributes:
        position: by the agreeing sightings, in the map frame.
        covariance: of the position, in m2.
        size_m: edge of its box in the newest sure sighting; 0 before the first.
        size_error: standard deviation of the size, as a share of it.
        size_from_m: distance from which the size was measured.
        deep_m: depth from its front to its middle by `begins_before_m`; 0 for a shallow object.
        map_T_odom: the correction of the odometry by which the last sighting was placed.
        hits: number of agreeing sightings in a row; 0 after one that disagrees with a founded
            track.
        views: distinct poses of the robot at the clear ones of these; without depth at all of
            them, because each adds to the position.
        sure: at least one sighting was not provisional.
        missed_from: distinct poses of the robot at looks since the last sighting that showed
            neither the target nor an obstacle in front of its place.
        seen_from: the robot's x and y at the last sighting.
        camera: name of the camera of the last sighting.
        rays: of the looks without depth that give the position.
    """

    id: str
    position: Point
    covariance: Covariance
    size_m: float
    hits: int
    views: tuple[Pose2D, ...]
    sure: bool
    missed_from: tuple[Pose2D, ...]
    seen_ns: int
    seen_from: tuple[float, float]
    camera: str = DEFAULT_CAMERA
    size_error: float = 0.0
    size_from_m: float = 0.0
    deep_m: float = 0.0
    map_T_odom: Transform | None = None
    rays: tuple[Ray, ...] = ()

    @property
    def vague_m(self) -> float:
        """Largest standard deviation of a place whose range is unknown, in m; 0 if it is known."""
        return largest_deviation_m(self.covariance) if self.rays and not self.sure else 0.0

    def distance_to(self, position: Point) -> float:
        """Distance to a point in m."""
        return math.dist(self.position, position)

    @property
    def is_founded(self) -> bool:
        """Tell whether enough sure views found it to keep it against a look that disagrees."""
        return self.sure and len(self.views) >= _FOUNDED_VIEWS

    @property
    def seen_within_m(self) -> float:
        """Longest distance over the floor from which it was seen, in m."""
        x, y, _ = self.position
        return max(math.hypot(x - from_x, y - from_y) for from_x, from_y in (
            self.seen_from, *((view.x, view.y) for view in self.views)))

    def is_glimpse(self, config: VerifierConfig) -> bool:
        """Tell whether it was seen only once, from afar, with its place measured."""
        return (self.hits == 1 and len(self.views) <= 1 and not self.rays
                and math.dist(self.position[:2], self.seen_from) > config.glimpse_m)

    def seen_near(self, place: tuple[float, float]) -> bool:
        """Tell whether a place is that of the last sighting."""
        return math.dist(place, self.seen_from) < SAME_PLACE_M

    def disproved(self, config: VerifierConfig) -> bool:
        """Tell whether the views that missed it outweigh those that showed it.

        A usable model recognises an existing target in at least half of the looks, so each miss
        halves the odds. It invents a target in less than one look in ten, and seldom twice at one
        place, so another agreeing view is worth three misses or more. `track_lost_after` for each
        view is the cautious side of both, because a target may have been taken away. For a glimpse
        one miss from the viewpoint of the sighting is enough: a true target mostly shows again
        there, an invented one hardly ever.
        """
        if self.is_glimpse(config) and any(
                self.seen_near((one.x, one.y)) for one in self.missed_from):
            return True
        return len(self.missed_from) >= config.track_lost_after * max(1, len(self.views))

    def is_another_view(self, robot: Pose2D, config: VerifierConfig) -> bool:
        """Tell whether a pose is another viewpoint of the target than all before.

        A model repeats an error from one place at any heading of the camera. So only the position
        of the robot counts.
        """
        return self._is_apart(robot, self.views, config)

    def is_another_heading(self, robot: Pose2D, config: VerifierConfig) -> bool:
        """Tell whether the camera takes another picture, as after a turn on the spot."""
        return all(robot.moved_from(view, config.track_apart_m, _ANOTHER_HEADING_RAD)
                   for view in self.views)

    def _is_apart(self, robot: Pose2D, views: tuple[Pose2D, ...],
                  config: VerifierConfig) -> bool:
        return all(robot.distance_to(view.x, view.y) >= config.track_apart_m
                   or self.turned_rad((robot.x, robot.y), (view.x, view.y))
                   >= config.track_apart_rad for view in views)

    def missed(self, robot: Pose2D, config: VerifierConfig) -> Self:
        """The track after a look at its place that did not show it.

        A model repeats a miss from one place, so only another view counts.
        """
        if not self._is_apart(robot, self.missed_from, config):
            return self
        return replace(self, missed_from=(*self.missed_from, robot))

    def turned_rad(self, here: tuple[float, float], there: tuple[float, float]) -> float:
        """Angle between two places, seen from the target, in rad."""
        x, y, _ = self.position
        return abs(wrap_angle(math.atan2(here[1] - y, here[0] - x)
                              - math.atan2(there[1] - y, there[0] - x)))

    def document(self) -> Track:
        """Published form of the track."""
        return Track(self.id, self.position, self.hits, self._agreeing_views, self.seen_ns,
                     self.sure, self.deep_m)

    @property
    def _agreeing_views(self) -> int:
        """Number of views that agree on its position.

        Bearings agree once their intersection is known. Two of them always meet somewhere, so they
        agree only from the third on.
        """
        if self.vague_m:
            return 0
        return max(1, len(self.views) - 1) if len(self.rays) > 1 else len(self.views)


def begin(track_id: str, sighting: Grounded, seen_ns: int, robot: Pose2D,
          camera: str = DEFAULT_CAMERA, map_T_odom: Transform | None = None) -> TargetTrack:
    """A new track with its first sighting."""
    sure = not sighting.provisional
    return TargetTrack(track_id, sighting.position, sighting.covariance,
                       sighting.size_m if sure else 0.0, 1,
                       () if sighting.unclear and not sighting.rays else (robot,), sure, (),
                       seen_ns, (robot.x, robot.y), camera, sighting.size_error,
                       sighting.distance_m, sighting.deep_m(robot.x, robot.y), map_T_odom,
                       sighting.rays)


def merge(track: TargetTrack, sighting: Grounded, seen_ns: int, robot: Pose2D,
          config: VerifierConfig, camera: str = DEFAULT_CAMERA,
          map_T_odom: Transform | None = None, *, turned: bool = False) -> TargetTrack:
    """The track with one more sighting.

    A sighting that disagrees restarts the row. A founded track ignores it, because a model draws
    its box around something else now and then.

    Args:
        track: before the sighting.
        sighting: the new one.
        seen_ns: its stamp.
        robot: its viewpoint.
        config: tolerances.
        camera: name of its camera.
        map_T_odom: the correction of the odometry.
        turned: no other stand-off was in reach, and the robot has turned here instead. Then
            another heading counts as a view, or a target with one stand-off could not be reached.
    """
    placed = agreeing(track, sighting, robot, config, map_T_odom)
    if placed is None and track.is_founded and not sighting.rays:
        return replace(track, hits=0)
    sure, track = not sighting.provisional, placed or track
    if sighting.rays or (sure and not (track.sure and placed)):
        # A restarted row begins at its first sighting: a mean with one of another object would
        # agree with neither. A place by bearings already includes those of the track.
        position, covariance = sighting.position, sighting.covariance
    else:
        position, covariance = fused(track.position, track.covariance, sighting.position,
                                     sighting.covariance)
    if placed is None:
        track = replace(track, hits=0, views=())
    views = track.views
    clear = not sighting.unclear or track.document().upholds(sighting.position)
    if (sighting.rays or clear) and (
            track.is_another_view(robot, config)
            or (turned and track.is_another_heading(robot, config))):
        views = (*views, robot)
    if sure:
        track = replace(track, size_m=sighting.size_m, size_error=sighting.size_error,
                        size_from_m=sighting.distance_m)
    return replace(track, position=position, covariance=covariance, hits=track.hits + 1,
                   deep_m=track.deep_m if sighting.unclear else sighting.deep_m(robot.x, robot.y),
                   views=views, sure=track.sure or sure, missed_from=(), seen_ns=seen_ns,
                   seen_from=(robot.x, robot.y), camera=camera, map_T_odom=map_T_odom,
                   rays=sighting.rays)


def agreeing(track: TargetTrack, sighting: Grounded, robot: Pose2D, config: VerifierConfig,
             map_T_odom: Transform | None) -> TargetTrack | None:
    """The track at the position at which a sighting agrees with it; None if it disagrees.

    It may agree by the map or by odometry alone, which errs less than a poor localisation over the
    few metres between two looks.
    """
    if agrees(track, sighting, robot, config):
        return track
    driven = by_odometry(track, map_T_odom)
    return driven if not sighting.rays and agrees(driven, sighting, robot, config) else None


def agrees(track: TargetTrack, sighting: Grounded, robot: Pose2D,
           config: VerifierConfig) -> bool:
    """Tell whether a sighting may be of the tracked object, by place and size.

    Boxes that a model invents change place and are as large in the picture near by as from afar.
    So their measured size shrinks with the distance. A true object keeps its size in nearer looks
    from one side, or grows if a part was hidden. From another side it may show its narrow face.
    """
    deviation_m = math.sqrt(variance_m2(sighting.covariance) + variance_m2(track.covariance))
    slack_m = min(config.track_agree_m + _PLACE_DEVIATIONS * deviation_m, config.track_merge_m)
    if not (goes_on(track, sighting) if sighting.rays
            else track.distance_to(sighting.position) <= slack_m):
        return False
    if not track.size_m or sighting.provisional:
        return True
    ratio = sighting.size_m / track.size_m
    if not 1.0 / _SIZE_RATIO <= ratio <= _SIZE_RATIO:
        return False
    if track.turned_rad((robot.x, robot.y), track.seen_from) > _SAME_OUTLINE_RAD:
        return True
    nearer = ratio if sighting.distance_m < track.size_from_m else 1.0 / ratio
    return nearer >= math.exp(
        -_SIZE_DEVIATIONS * math.hypot(sighting.size_error, track.size_error))


def goes_on(track: TargetTrack, sighting: Grounded) -> bool:
    """Tell whether the place of a sighting includes the bearings of the track."""
    return bool(sighting.joined) and sighting.joined == track.rays


def displaced(track: TargetTrack, new_T_old: Transform) -> TargetTrack:
    """The track after a correction of the localisation.

    Args:
        track: in the map frame, as placed before.
        new_T_old: transform from earlier places in the map to the places believed now.
    """
    x, y, _ = moved(new_T_old, (*track.seen_from, 0.0))
    return replace(track, position=moved(new_T_old, track.position), seen_from=(x, y),
                   covariance=turned(track.covariance, new_T_old),
                   views=tuple(moved_pose(new_T_old, view) for view in track.views),
                   missed_from=tuple(moved_pose(new_T_old, one) for one in track.missed_from),
                   rays=tuple(ray.displaced(new_T_old) for ray in track.rays),
                   map_T_odom=track.map_T_odom and new_T_old @ track.map_T_odom)


def by_odometry(track: TargetTrack, map_T_odom: Transform | None) -> TargetTrack:
    """The track at its position by odometry alone since its last sighting.

    Args:
        track: in the map frame.
        map_T_odom: the current correction of the odometry.
    """
    if track.map_T_odom is None or map_T_odom is None:
        return track
    return displaced(track, map_T_odom @ track.map_T_odom.inverse())


def following(track: TargetTrack, corrections: Sequence[Transform],
              map_T_odom: Transform) -> TargetTrack:
    """The track moved along with the odometry, if a wrong correction placed it.

    Args:
        track: in the map frame.
        corrections: wrong corrections of the odometry.
        map_T_odom: the current correction.
    """
    if track.map_T_odom not in corrections:
        return track
    return replace(by_odometry(track, map_T_odom), map_T_odom=map_T_odom)
