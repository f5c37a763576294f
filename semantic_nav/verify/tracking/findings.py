"""Findings of the looks for the current goal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from semantic_nav.contracts.documents import Hypothesis, Point, RejectedTarget, Step
from semantic_nav.contracts.geometry import Pose2D, Transform, moved
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.overlooked import Place
from semantic_nav.explore.sight import Eye
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.floor.localisation import Localisation, Shift
from semantic_nav.verify.grounding.depth_on_map import DepthOnMap
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.grounding.ray import Ray
from semantic_nav.verify.tracking import rejected_targets as doubting
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.rejected_targets import Doubt
from semantic_nav.verify.tracking.resightings import Resightings
from semantic_nav.verify.tracking.track import TargetTrack


@dataclass(frozen=True)
class Proposal:
    """A hypothesis with the groundings of its look.

    Attributes:
        stamp_ns: of the picture.
        pose: of the robot at that stamp, in the map frame; for another camera than the first with
            the yaw of that camera.
        camera: name of the camera.
        camera_yaw: yaw of the camera in the map frame, in rad; None without a pose.
        target: place of the target's box; None for none.
        ungrounded_reason: reason for no place.
        grounded: places of all grounded objects, except those of unknown range.
    """

    id: str
    body: Hypothesis
    stamp_ns: int
    pose: Pose2D | None
    target: Grounded | None
    ungrounded_reason: str
    grounded: tuple[Grounded, ...]
    camera: str = DEFAULT_CAMERA
    camera_yaw: float | None = None

    @property
    def hypothesis(self) -> CanonicalHypothesis:
        """The hypothesis itself."""
        return self.body.hypothesis


@dataclass(frozen=True)
class Awaited:
    """A picture that the model has not answered yet, while the robot drives on.

    Attributes:
        look_id: the look.
        eye: its viewpoint, in the map frame.
        seen: surfaces in the picture; None for none.
        range_m: range within which looks count.
    """

    look_id: str
    eye: Eye
    seen: SeenSurfaces | None
    range_m: float


@dataclass(frozen=True, eq=False)
class Findings:
    """Evidence for the goal from looks. Immutable.

    Attributes:
        coverage: floor that was looked at; None before the first map.
        proposals: by the id of the hypothesis.
        viewpoints: of the looks that the model answered, in the map frame.
        track: the current track of the target.
        aside: suspended tracks, newest last.
        lost: the track that was given up last, which belief may reject afterwards.
        doubts: of targets that belief has rejected.
        glimpsed: positions of tracks disproved by looks from afar only, or seen under earlier
            words of the goal.
        sees_target: the newest look of the model claims the target, and not a rejected one.
        pictured: floor that was looked at or was in pictures that the model did not answer; None
            before the first of these.
        silent: the model did not answer the newest look.
        awaited: the pictures that it has not answered yet, oldest first.
        goal: the operator's words.
        found_before: an earlier mission for these words found the target in this home.
        resightings: error of the camera by objects seen again, kept from goal to goal.
        depth_on_map: agreement of depth with the map by the name of the camera, kept from goal to
            goal.
    """

    coverage: GoalCoverage | None = None
    proposals: Mapping[str, Proposal] = field(default_factory=dict)
    viewpoints: tuple[Eye, ...] = ()
    track: TargetTrack | None = None
    aside: tuple[TargetTrack, ...] = ()
    lost: TargetTrack | None = None
    doubts: tuple[Doubt, ...] = ()
    glimpsed: tuple[Place, ...] = ()
    sees_target: bool = False
    pictured: GoalCoverage | None = None
    silent: bool = False
    awaited: tuple[Awaited, ...] = ()
    goal: str = ''
    found_before: bool = False
    resightings: Resightings = Resightings()
    depth_on_map: Mapping[str, DepthOnMap] = field(default_factory=dict)

    @cached_property
    def seen(self) -> GoalCoverage | None:
        """Floor that needs no view now; floor in unanswered pictures counts too."""
        seen = (self.pictured if self.silent else None) or self.coverage
        for one in self.awaited:
            if seen is not None and one.seen is not None:
                seen = seen.after(one.seen, one.range_m)
        return seen

    @property
    def eyes(self) -> tuple[Eye, ...]:
        """The viewpoints of all looks, answered or pending."""
        return (*self.viewpoints, *(one.eye for one in self.awaited))

    def answered(self, look_id: str) -> 'Findings':
        """The findings after the answer to a look; earlier looks are no longer awaited."""
        ids = [one.look_id for one in self.awaited]
        if look_id not in ids:
            return self
        return replace(self, awaited=self.awaited[ids.index(look_id) + 1:])

    def doubt_at(self, position: Point, config: VerifierConfig) -> Doubt | None:
        """The doubt by which a sighting at a place does not count; None if it counts."""
        return doubting.doubt_at(position, self.doubts, self.track, config)

    def after_sighting(self, sighting: Grounded, robot: Pose2D,
                       config: VerifierConfig) -> 'Findings':
        """The findings after a sighting that may be of a rejected target."""
        doubt = self.doubt_at(sighting.position, config)
        return replace(self, doubts=tuple(
            one.seen_again(sighting, robot) if one is doubt else one for one in self.doubts))

    def after_step(self, step: Step, config: VerifierConfig) -> 'Findings':
        """The findings after a step of belief: rejected targets out, one taken up again in."""
        left = self.without(step.rejected, config)
        named = step.act.track_id if step.act is not None else None
        if named is None or any(one.track_id == named for one in step.rejected):
            return left
        return left.taking_up(named)

    def reworded(self, goal: str) -> 'Findings':
        """The findings for new words of the goal: no sighting so far counts for them.

        The places of the old tracks are worth a look, and rejected targets stay rejected.
        """
        places = (one.position[:2] for one in (self.track, *self.aside) if one is not None)
        return replace(self, goal=goal, found_before=False, track=None, aside=(), lost=None,
                       glimpsed=(*self.glimpsed, *places), sees_target=False,
                       doubts=tuple(one.reworded() for one in self.doubts))

    def without(self, rejected: Sequence[RejectedTarget],
                config: VerifierConfig) -> 'Findings':
        """The findings with the rejections of belief as doubts, and without their tracks."""
        doubts = doubting.rejecting(self.doubts, rejected, (self.track, self.lost), config)
        ids = {one.track_id for one in doubts}
        left = replace(self, doubts=doubts,
                       aside=tuple(one for one in self.aside if one.id not in ids))
        return left.without_track() if self.track is not None and self.track.id in ids else left

    def taking_up(self, track_id: str) -> 'Findings':
        """The findings with a rejected track as the current one, if there is none."""
        doubt = next((one for one in self.doubts if one.track_id == track_id), None)
        if doubt is None or doubt.track is None or self.track is not None:
            return self
        return replace(self, track=replace(doubt.track, missed_from=()),
                       doubts=tuple(one for one in self.doubts if one is not doubt))

    def after_pose(self, before: Localisation, shift: Shift, map_T_odom: Transform, *,
                   doubted: bool) -> 'Findings':
        """The findings after a new pose, moved along with a jump of the localisation.

        While a jump is doubted nothing is placed, and it may be taken back in small steps. A creep
        ends an error, so only tracks placed during it move along.

        Args:
            before: the localisation before the pose.
            shift: of the robot by the localisation.
            map_T_odom: the correction that belongs to the pose.
            doubted: an earlier jump may still be taken back.
        """
        if before.map_T_odom is None or before.map_T_odom == map_T_odom or not (
                doubted or shift.is_jump):
            return self
        last = shift if shift.is_jump else before.jump
        if last is None or not last.within_s:
            return self.displaced(map_T_odom @ before.map_T_odom.inverse())
        meanwhile = [one.map_T_odom for one in before.corrections]
        return replace(
            self, track=self.track and tracks.following(self.track, meanwhile, map_T_odom),
            aside=tuple(tracks.following(one, meanwhile, map_T_odom) for one in self.aside),
            lost=self.lost and tracks.following(self.lost, meanwhile, map_T_odom),
            doubts=tuple(one.following(meanwhile, map_T_odom) for one in self.doubts))

    def displaced(self, new_T_old: Transform) -> 'Findings':
        """The findings after a jump of the localisation: targets keep their place to the robot.

        Odometry errs by some per cent of the way since the sighting, a jump by half a metre and
        more. The pose before or after the jump is wrong. In both cases the target keeps its place
        relative to the robot, which is what drives and looks need.

        Args:
            new_T_old: transform from earlier places in the map to the places believed now.
        """
        return replace(
            self, track=self.track and tracks.displaced(self.track, new_T_old),
            aside=tuple(tracks.displaced(one, new_T_old) for one in self.aside),
            lost=self.lost and tracks.displaced(self.lost, new_T_old),
            doubts=tuple(one.displaced(new_T_old) for one in self.doubts),
            glimpsed=tuple(moved(new_T_old, (*one, 0.0))[:2] for one in self.glimpsed))

    def disproved(self, config: VerifierConfig) -> 'Findings':
        """The findings without the current track, which looks did not show again."""
        track = self.track
        assert track is not None
        left, (x, y) = self.without_track(), track.position[:2]
        if any(one.distance_to(x, y) <= config.glimpse_m for one in track.missed_from):
            return left
        return replace(left, glimpsed=(*left.glimpsed, (x, y)))

    def without_track(self) -> 'Findings':
        """The findings with the newest founded suspended track in place of the current one."""
        next_one = next((one for one in reversed(self.aside) if one.is_founded), None)
        return replace(self, track=next_one, lost=self.track,
                       aside=tuple(one for one in self.aside if one is not next_one))

    @property
    def rays(self) -> tuple[tuple[Ray, ...], ...]:
        """Rays of the objects that the next box may show again, one tuple for each."""
        held = (self.track, *self.aside, *(doubt.track for doubt in self.doubts))
        return tuple(one.rays for one in held if one is not None)

    @property
    def unsettled(self) -> tuple[Place, ...]:
        """x and y of supposed targets that are not rejected.

        A rejected one is included once it was seen again from elsewhere.
        """
        held = (self.track, *self.aside, *(one for one in self.doubts if one.since))
        return (*(one.position[:2] for one in held if one is not None), *self.glimpsed)

    @property
    def sighted(self) -> tuple[Place, ...]:
        """x and y of all supposed targets, rejected or not."""
        return (*self.unsettled, *(one.position[:2] for one in self.doubts))

    @property
    def track_id(self) -> str:
        """Id of the current track; empty without one."""
        return self.track.id if self.track is not None else ''
