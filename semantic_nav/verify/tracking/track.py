"""The track of the current target: where it is held to be, and how sure that is."""

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

#: So many standard deviations two places of one thing may lie apart.
_PLACE_DEVIATIONS = 2.0
#: The same thing does not look so many times larger from elsewhere, in metres on metres.
_SIZE_RATIO = 2.5
#: So many standard deviations two sizes of one thing may lie apart.
_SIZE_DEVIATIONS = 3.0
#: Seen from so many places, a target is not given up for a box drawn elsewhere.
_FOUNDED_VIEWS = 2
#: From directions so near to each other a thing shows the same outline, in radians.
_SAME_OUTLINE_RAD = 0.5
#: So far turned, where a turn has to do, the camera takes another picture, in radians.
_ANOTHER_HEADING_RAD = 0.12


@dataclass(frozen=True)
class TargetTrack:
    """A target that was seen.

    Attributes:
        position: where the sightings in the row put it, in the map frame.
        covariance: of that.
        size_m: edge of its box in the newest sure sighting; 0 before the first.
        size_error: standard deviation of that, as a share of it.
        size_from_m: from how far off that was measured.
        deep_m: by how much its front is nearer than its middle; 0 of what is not deep.
        map_T_odom: the correction of the odometry by which the last sighting was placed.
        hits: sightings in a row that agree with each other; 0 after one that does not, where those
            before it are founded too well to be given up for it.
        views: poses of the robot at the clear ones of these, as far as they differ; without depth
            at all, for the place follows from each of them.
        sure: at least one sighting was not provisional.
        missed_from: poses of the robot at looks since the last sighting that did not show it, nor
            what hides its place, as far as they are views of their own.
        seen_from: the robot's x and y at the last sighting.
        camera: name of the camera that saw it then.
        rays: of the looks without depth by which the position is known.
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
        """By how much nobody knows how far off it is; 0 where that is known."""
        return largest_deviation_m(self.covariance) if self.rays and not self.sure else 0.0

    def distance_to(self, position: Point) -> float:
        """Return the distance to a point in metres."""
        return math.dist(self.position, position)

    @property
    def is_founded(self) -> bool:
        """Tell whether it was surely seen from places enough not to be given up for one look."""
        return self.sure and len(self.views) >= _FOUNDED_VIEWS

    @property
    def seen_within_m(self) -> float:
        """Return the distance over the floor from which it was seen, the longest."""
        x, y, _ = self.position
        return max(math.hypot(x - from_x, y - from_y) for from_x, from_y in (
            self.seen_from, *((view.x, view.y) for view in self.views)))

    def is_glimpse(self, config: VerifierConfig) -> bool:
        """Tell whether it was seen once, from afar, and its place was measured then."""
        return (self.hits == 1 and len(self.views) <= 1 and not self.rays
                and math.dist(self.position[:2], self.seen_from) > config.glimpse_m)

    def seen_near(self, place: tuple[float, float]) -> bool:
        """Tell whether a place is the one from which it was seen last."""
        return math.dist(place, self.seen_from) < SAME_PLACE_M

    def disproved(self, config: VerifierConfig) -> bool:
        """Tell whether the views that missed it outweigh those that showed it.

        Of a target that is there, a model fit for use shows at least half: each miss halves the
        odds. Where there is none, it makes one up in less than a look in ten, and seldom at the
        same place: another view that agrees is worth three misses or more. `track_lost_after` for
        each view is the careful side of both, for what was there may have been taken away. Of a
        glimpse one miss is enough from where it was seen: there most of what was seen shows again,
        and of what was made up for one picture next to nothing.
        """
        if self.is_glimpse(config) and any(
                self.seen_near((one.x, one.y)) for one in self.missed_from):
            return True
        return len(self.missed_from) >= config.track_lost_after * max(1, len(self.views))

    def is_another_view(self, robot: Pose2D, config: VerifierConfig) -> bool:
        """Tell whether the target shows another face from a pose than from those before.

        What a model takes for the target, it takes for it again from the same place, however the
        camera is turned: what counts is where the robot stands.
        """
        return self._is_apart(robot, self.views, config)

    def is_another_heading(self, robot: Pose2D, config: VerifierConfig) -> bool:
        """Tell whether the camera takes another picture: all that a turn on the spot brings."""
        return all(robot.moved_from(view, config.track_apart_m, _ANOTHER_HEADING_RAD)
                   for view in self.views)

    def _is_apart(self, robot: Pose2D, views: tuple[Pose2D, ...],
                  config: VerifierConfig) -> bool:
        return all(robot.distance_to(view.x, view.y) >= config.track_apart_m
                   or self.turned_rad((robot.x, robot.y), (view.x, view.y))
                   >= config.track_apart_rad for view in views)

    def missed(self, robot: Pose2D, config: VerifierConfig) -> Self:
        """Return it after a look at its place that did not show it.

        What a model misses it misses again from the same place: that tells nothing new.
        """
        if not self._is_apart(robot, self.missed_from, config):
            return self
        return replace(self, missed_from=(*self.missed_from, robot))

    def turned_rad(self, here: tuple[float, float], there: tuple[float, float]) -> float:
        """Return the angle between the directions from it to two places, in radians."""
        x, y, _ = self.position
        return abs(wrap_angle(math.atan2(here[1] - y, here[0] - x)
                              - math.atan2(there[1] - y, there[0] - x)))

    def document(self) -> Track:
        """Return what others see of it."""
        return Track(self.id, self.position, self.hits, self._agreeing_views, self.seen_ns,
                     self.sure, self.deep_m)

    @property
    def _agreeing_views(self) -> int:
        """Return how many views agree where it is.

        Bearings do once it is known where they meet. Two of them meet somewhere, whatever each of
        them shows: only from the third on they agree.
        """
        if self.vague_m:
            return 0
        return max(1, len(self.views) - 1) if len(self.rays) > 1 else len(self.views)


def begin(track_id: str, sighting: Grounded, seen_ns: int, robot: Pose2D,
          camera: str = DEFAULT_CAMERA, map_T_odom: Transform | None = None) -> TargetTrack:
    """Return a track with its first sighting."""
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
    """Return the track with one more sighting.

    One that does not agree begins the row anew, unless it is founded well: a model draws its box
    around something else now and then.

    Args:
        track, sighting, seen_ns, robot, config, camera, map_T_odom: what is known.
        turned: no other stand-off was in reach, and the robot has turned here instead. Another
            heading is a view then: else no target with a single stand-off would ever be reached.
    """
    placed = agreeing(track, sighting, robot, config, map_T_odom)
    if placed is None and track.is_founded and not sighting.rays:
        return replace(track, hits=0)
    sure, track = not sighting.provisional, placed or track
    if sighting.rays or (sure and not (track.sure and placed)):
        # A row that begins anew does so where its first sighting is: a mean with one of another
        # thing would agree with neither. What bearings tell has those of the track in it already.
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
    """Return the track where a sighting agrees with it; None where it does not.

    It may agree by the map, or by odometry alone: over the few metres between two looks that errs
    less than a poor localisation.
    """
    if agrees(track, sighting, robot, config):
        return track
    driven = by_odometry(track, map_T_odom)
    return driven if not sighting.rays and agrees(driven, sighting, robot, config) else None


def agrees(track: TargetTrack, sighting: Grounded, robot: Pose2D,
           config: VerifierConfig) -> bool:
    """Tell whether a sighting may be one of the same thing: at the same place, of the same size.

    Boxes that a model makes up lie somewhere each time, and are as large in the picture near by
    as from afar: a thing measured so is the smaller, the nearer. Of a true one nearer looks from
    the same side show as much or, where something hid a part, more. From another side it may show
    its narrow face.
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
    """Tell whether the place of a sighting follows from the bearings of the track too."""
    return bool(sighting.joined) and sighting.joined == track.rays


def displaced(track: TargetTrack, new_T_old: Transform) -> TargetTrack:
    """Return the track after the localisation has moved the map under the robot.

    Args:
        track: in the map as it was placed before.
        new_T_old: takes points of the map, as placed before, to where they are held to be now.
    """
    x, y, _ = moved(new_T_old, (*track.seen_from, 0.0))
    return replace(track, position=moved(new_T_old, track.position), seen_from=(x, y),
                   covariance=turned(track.covariance, new_T_old),
                   views=tuple(moved_pose(new_T_old, view) for view in track.views),
                   missed_from=tuple(moved_pose(new_T_old, one) for one in track.missed_from),
                   rays=tuple(ray.displaced(new_T_old) for ray in track.rays),
                   map_T_odom=track.map_T_odom and new_T_old @ track.map_T_odom)


def by_odometry(track: TargetTrack, map_T_odom: Transform | None) -> TargetTrack:
    """Return the track where it is by what the robot has driven since its last sighting.

    Args:
        track: in the map.
        map_T_odom: the correction of the odometry of now.
    """
    if track.map_T_odom is None or map_T_odom is None:
        return track
    return displaced(track, map_T_odom @ track.map_T_odom.inverse())


def following(track: TargetTrack, corrections: Sequence[Transform],
              map_T_odom: Transform) -> TargetTrack:
    """Return a track that stays where the robot saw it, if one of some corrections placed it.

    Args:
        track: in the map.
        corrections: of the odometry, each of which was wrong.
        map_T_odom: that of now.
    """
    if track.map_T_odom not in corrections:
        return track
    return replace(by_odometry(track, map_T_odom), map_T_odom=map_T_odom)
