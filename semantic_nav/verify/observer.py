"""What a look really saw: grounds every hypothesis, keeps the track and the coverage."""

import logging
from collections import OrderedDict
from dataclasses import dataclass

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import (
    Cone,
    Document,
    GroundedObject,
    Hypothesis,
    Look,
    Observation,
)
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Source
from semantic_nav.verify import track as tracks
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding import (
    Grounded,
    box_bearing,
    ground_box,
    in_view_from_m,
    overlooks,
    seen_surfaces,
)
from semantic_nav.verify.track import TargetTrack
from semantic_nav.verify.world import World

_log = logging.getLogger(__name__)


@dataclass
class _HeldLook:
    """A look whose reply may still come; one of `frozen` and `missing` is set once known."""

    document: Document
    frozen: LookFrozen | None = None
    missing: str = ''
    hypothesis: Document | None = None


@dataclass(frozen=True)
class Observed:
    """The observation that a hypothesis led to."""

    hypothesis_id: str
    observation: Observation


@dataclass(frozen=True)
class Proposal:
    """A hypothesis with what its look grounded.

    Attributes:
        stamp_ns: of the picture.
        pose: of the robot at that stamp, in the map frame.
        target: the place of the box, None where it has none.
        target_doubt: why it has none.
        grounded: places of everything that the look grounded.
    """

    id: str
    body: Hypothesis
    stamp_ns: int
    pose: Pose2D | None
    target: Grounded | None
    target_doubt: str
    grounded: tuple[Grounded, ...]


class Observer:
    """Turns looks and hypotheses into observations, exactly one each.

    Attributes:
        sees_target: the newest look of the model has the target in the picture.
    """

    def __init__(self, config: VerifierConfig, world: World, session: str) -> None:
        """Work on a world that the owner keeps up to date."""
        self._config = config
        self._world = world
        self._ids = Ids('track', session)
        self._looks: OrderedDict[str, _HeldLook] = OrderedDict()
        self._observed: set[str] = set()
        self.proposals: dict[str, Proposal] = {}
        self.track: TargetTrack | None = None
        self.viewpoints: list[Pose2D] = []
        self.sees_target = False
        self.dropped = 0
        self._newest: LookFrozen | None = None

    def begin_goal(self) -> None:
        """Forget everything that belongs to the goal before."""
        self._looks.clear()
        self._observed.clear()
        self.proposals.clear()
        self.viewpoints.clear()
        self.track = None
        self.sees_target = False
        self._world.forget_looks()

    def take_look(self, document: Document) -> None:
        """Expect depth and a hypothesis for a picture."""
        self._looks[document.id] = _HeldLook(document)
        while len(self._looks) > self._config.frozen_looks:
            self._looks.popitem(last=False)

    def take_frozen(self, event: LookFrozen, now: Now) -> Observed | None:
        """Take the depth of a look; returns the observation if its hypothesis waited for it."""
        if not event.intrinsics.calibrated:
            return self.take_missing(event.look_id, 'the camera is not calibrated', now)
        held = self._looks.get(event.look_id)
        if held is None:
            self.dropped += 1
            return None
        held.frozen = self._newest = event
        return self._observe(held, now)

    def in_view_from_m(self, height_m: float) -> float:
        """Return how near the robot can stand to something so high and see it still, in m."""
        newest = self._newest
        if newest is None:
            return 0.0
        return in_view_from_m(height_m, newest.intrinsics, newest.odom_T_base,
                              newest.odom_T_camera)

    def take_missing(self, look_id: str, reason: str, now: Now) -> Observed | None:
        """Take note that the depth of a look will not come."""
        held = self._looks.get(look_id)
        if held is None:
            self.dropped += 1
            return None
        held.missing = reason or 'the depth of this look did not come'
        return self._observe(held, now)

    def take_hypothesis(self, document: Document, now: Now) -> Observed | None:
        """Take the answer to a look; returns the observation unless depth is still waited for."""
        if not document.cause_id or document.cause_id in self._observed:
            self.dropped += 1
            return None
        held = self._looks.get(document.cause_id)
        if held is None:
            # The look was dropped, or its message was lost: the hypothesis still ends the step.
            look = Document(document.cause_id, '', document.goal_id, document.stamp_ns,
                            document.frame_id, Look(taken=True))
            held = _HeldLook(look, missing='the picture of this look is not held')
        held.hypothesis = document
        return self._observe(held, now)

    def _observe(self, held: _HeldLook, now: Now) -> Observed | None:
        document = held.hypothesis
        if document is None or (held.frozen is None and not held.missing):
            return None
        assert isinstance(document.body, Hypothesis)
        self._looks.pop(held.document.id, None)
        self._observed.add(held.document.id)
        frozen = held.frozen
        # An old pose means an old map_T_odom, with which the look would be put elsewhere.
        lost = self._world.doubt_pose(now)
        if frozen is None or lost is not None or self._world.map_T_odom is None:
            reason = held.missing or (lost.reason if lost is not None else 'the pose is unknown')
            observation = self._blind(held.document, document, document.body, reason)
        else:
            try:
                observation = self._seeing(document, document.body, frozen,
                                           self._world.map_T_odom)
            except Exception as error:  # noqa: BLE001
                # Fail closed: what cannot be computed was not seen.
                _log.exception('the look %s cannot be grounded', held.document.id)
                observation = self._blind(held.document, document, document.body,
                                          f'the grounding failed: {error!r}'[:300])
        return Observed(document.id, observation)

    def _blind(self, look: Document, document: Document, body: Hypothesis,
               reason: str) -> Observation:
        self.proposals[document.id] = Proposal(
            document.id, body, document.stamp_ns, None, None, reason, ())
        return self._observation(
            body, look.id, pose=None, cone=None, objects=(), bearing=None, doubt=reason)

    def _seeing(self, document: Document, body: Hypothesis, frozen: LookFrozen,
                map_T_odom: Transform) -> Observation:
        map_T_camera = map_T_odom @ frozen.odom_T_camera
        map_T_base = map_T_odom @ frozen.odom_T_base
        pose = map_T_base.pose()
        box = body.hypothesis.target_box
        target, doubt = self._ground(box, frozen, map_T_camera)
        objects, grounded = self._ground_scene(body, frozen, map_T_camera)
        if target is not None and box is not None:
            objects.insert(0, _grounded_object('target', box, target, is_target=True))
            grounded.insert(0, target)
        self.proposals[document.id] = Proposal(
            document.id, body, document.stamp_ns, pose, target, doubt, tuple(grounded))
        seen = seen_surfaces(frozen.depth_mm, frozen.intrinsics, map_T_camera,
                             self._config.look_range_m)
        if body.source is Source.MODEL:
            # The fallback sees nothing: only a model's look changes coverage and track.
            self._world.mark(seen)
            self.viewpoints.append(pose)
            self.sees_target = box is not None
            if target is not None:
                self._sight(target, pose, document.stamp_ns)
            elif box is None:
                # A claimed target without depth is no evidence that it is gone.
                self._miss(frozen, map_T_camera)
        bearing = None
        if box is not None:
            bearing = box_bearing(box, frozen.intrinsics, map_T_base.inverse() @ map_T_camera)
        cone = Cone(seen.x, seen.y, seen.yaw, seen.half_angle_rad, seen.range_m)
        return self._observation(body, document.cause_id, pose=pose, cone=cone,
                                 objects=tuple(objects[:16]), bearing=bearing, doubt=doubt)

    def _sight(self, target: Grounded, pose: Pose2D, stamp_ns: int) -> None:
        """Let a sighting confirm the track, or begin another one."""
        track = self.track
        if track is not None and (
                track.distance_to(target.position) <= self._config.track_merge_m
                or (not track.sure and not target.provisional)):
            self.track = tracks.merge(track, target, stamp_ns, pose, self._config)
        else:
            self.track = tracks.begin(self._ids.mint(), target, stamp_ns, pose)

    def _miss(self, frozen: LookFrozen, map_T_camera: Transform) -> None:
        """Hold it against the track when its place was overlooked and the target not seen."""
        track = self.track
        if track is None or not overlooks(track.position, frozen.depth_mm, frozen.intrinsics,
                                          map_T_camera):
            return
        track = tracks.missed(track)
        self.track = None if track.misses >= self._config.track_lost_after else track

    def _ground(self, box: Box | None, frozen: LookFrozen,
                map_T_camera: Transform) -> tuple[Grounded | None, str]:
        if box is None:
            return None, ''
        try:
            return ground_box(box, frozen.depth_mm, frozen.intrinsics, map_T_camera,
                              self._config), ''
        except GroundingError as error:
            return None, str(error)

    def _ground_scene(self, body: Hypothesis, frozen: LookFrozen, map_T_camera: Transform,
                      ) -> tuple[list[GroundedObject], list[Grounded]]:
        objects, grounded = [], []
        for item in body.hypothesis.scene.objects:
            place, _ = self._ground(item.box, frozen, map_T_camera)
            if place is not None and item.box is not None:
                objects.append(_grounded_object(item.name, item.box, place, is_target=False))
                grounded.append(place)
        return objects, grounded

    def _observation(self, body: Hypothesis, look_id: str, *, pose: Pose2D | None,
                     cone: Cone | None, objects: tuple[GroundedObject, ...],
                     bearing: float | None, doubt: str) -> Observation:
        share, unlooked_m2 = 0.0, 0.0
        world = self._world
        if world.coverage is not None and world.ways() is not None:
            floor = world.reachable_floor()
            share, unlooked_m2 = world.coverage.share_of(floor), world.coverage.unlooked_m2(floor)
        return Observation(
            look_id=look_id, step_id=body.step_id, source=body.source,
            scene_place=body.hypothesis.scene.place, pose=pose, cone=cone, objects=objects,
            target_bearing_rad=bearing, ungrounded_reason=doubt,
            track=self.track.document() if self.track is not None else None,
            coverage=min(1.0, share), unlooked_reachable_m2=unlooked_m2)


def _grounded_object(name: str, box: Box, place: Grounded, *, is_target: bool) -> GroundedObject:
    return GroundedObject(name, box, place.position, place.sigma_m, place.distance_m,
                          place.provisional, is_target)
