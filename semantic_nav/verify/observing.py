"""Observation of a look: its hypothesis grounded, and added to track and coverage."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import (
    Cone,
    Document,
    GroundedObject,
    Hypothesis,
    Observation,
    Track,
)
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import TargetStatus
from semantic_nav.contracts.vocabulary import ModelAnswer, Source
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.here import p_here
from semantic_nav.explore.sight import Eye
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.verify.checks.act_checks import (
    contradicted_pose,
    displaced_pose,
    jumped_pose,
    leaping_odometry,
    unknown_pose,
)
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, Rejection
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.depth_on_map import DepthOnMap
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.grounding.looks import LookParts
from semantic_nav.verify.grounding.unmeasured import doubt_of_near
from semantic_nav.verify.same_place import near_any
from semantic_nav.verify.tracking import association
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.findings import Awaited, Findings, Proposal
from semantic_nav.verify.tracking.look_in_map import Placed, placed_of
from semantic_nav.verify.tracking.track import TargetTrack
from semantic_nav.verify.tracking.visibility import SeenSide

_log = logging.getLogger(__name__)
_MOST_OBJECTS = 16


@dataclass(frozen=True)
class Observed:
    """Result of a look: the observation to publish, and the updated findings."""

    observation: Observation
    findings: Findings


def observe(look: LookParts, situation: Situation,
            new_track_id: Callable[[], str]) -> Observed:
    """The observation of a complete look.

    Args:
        look: with its hypothesis, and with depth and transforms or the reason for their absence.
        situation: the current one, whose map_T_odom places the look.
        new_track_id: makes the id of a new track.
    """
    document, frozen = look.answer, look.frozen
    assert document is not None and isinstance(document.body, Hypothesis)
    lost = _unplaced(situation)
    map_T_odom = situation.surroundings.robot.map_T_odom
    if frozen is None or lost is not None or map_T_odom is None:
        reason = look.missing or (lost.reason if lost is not None else 'the pose is unknown')
        return _blind(look, document, document.body, situation, reason)
    if leapt := _leapt_since(document.stamp_ns, situation):
        return _blind(look, document, document.body, situation, leapt)
    try:
        placed = _placed(frozen, map_T_odom, situation)
        situation = _after_map(look, frozen, map_T_odom, situation)
        if fault := placed.fault or situation.findings.depth_on_map[look.camera].words:
            return _blind(look, document, document.body, situation, fault)
        return _seeing(look, document, document.body, placed, situation, new_track_id)
    except Exception as error:  # noqa: BLE001
        # Fail closed: a look that cannot be computed saw nothing.
        _log.exception('the look %s cannot be grounded', look.look_id)
        return _blind(look, document, document.body, situation,
                      f'the grounding failed: {error!r}'[:300])


def awaiting(frozen: LookFrozen, situation: Situation) -> Findings:
    """The findings with a pending picture of a look, while the robot drives on.

    Args:
        frozen: depth and poses at the stamp of the picture.
        situation: the current one.
    """
    findings, map_T_odom = situation.findings, situation.surroundings.robot.map_T_odom
    known = any(one.look_id == frozen.look_id for one in findings.awaited)
    if known or map_T_odom is None or _unplaced(situation) is not None:
        return findings
    try:
        placed = _placed(frozen, map_T_odom, situation)
        seen = placed.surfaces()
        eye = replace(placed.map_T_base.pose(), yaw=placed.camera_yaw)
        return replace(findings, awaited=(*findings.awaited, Awaited(
            frozen.look_id, Eye(eye, seen.half_angle_rad),
            seen if placed.shows_something else None, situation.config.look_range_m)))
    except Exception:  # noqa: BLE001
        # Fail closed: a look that cannot be placed saw nothing.
        _log.exception('the look %s cannot be placed', frozen.look_id)
        return findings


def _unplaced(situation: Situation) -> Rejection | None:
    """Reason why a look cannot be placed in the map now; None if it can.

    An old pose has an old map_T_odom, which would misplace the look. So would a jump that may be
    taken back, or a robot that is lost by its scans.
    """
    return (unknown_pose(HERE, situation) or leaping_odometry(HERE, situation)
            or jumped_pose(HERE, situation) or displaced_pose(HERE, situation)
            or contradicted_pose(HERE, situation))


def _leapt_since(stamp_ns: int, situation: Situation) -> str:
    """Leap of the odometry after a look, which is frozen in its frame; empty for none."""
    odometry = situation.surroundings.robot.odometry
    since = odometry.leapt_ns is not None and stamp_ns < odometry.leapt_ns
    return f'{odometry.words} after this picture was taken' if since else ''


def _after_map(look: LookParts, frozen: LookFrozen, map_T_odom: Transform,
               situation: Situation) -> Situation:
    """The situation with the agreement of a look's depth with the map.

    Once depth is found not to fit, the tracks of earlier looks are dropped as misplaced.
    """
    findings = situation.findings
    before = findings.depth_on_map.get(look.camera, DepthOnMap())
    after = before.after(frozen, map_T_odom, situation.surroundings.map)
    findings = replace(findings, depth_on_map={**findings.depth_on_map, look.camera: after})
    if after.words and not before.words:
        findings = replace(findings, track=None, aside=(), lost=None, glimpsed=())
    return replace(situation, findings=findings)


def _placed(frozen: LookFrozen, map_T_odom: Transform, situation: Situation) -> Placed:
    surroundings = situation.surroundings
    return placed_of(frozen, map_T_odom, surroundings.uncertainty, surroundings.map)


def _blind(look: LookParts, document: Document, body: Hypothesis, situation: Situation,
           reason: str) -> Observed:
    findings = _proposed(situation.findings, Proposal(
        document.id, body, document.stamp_ns, None, None, reason, (), look.camera))
    if body.source is Source.MODEL:
        findings = replace(findings, silent=False)
    share, unlooked_m2 = _coverage(findings, situation)
    return Observed(Observation(
        look_id=look.look_id, step_id=body.step_id, source=body.source,
        scene_place=body.hypothesis.scene.place, pose=None, cone=None, objects=(),
        target_bearing_rad=None, ungrounded_reason=reason, track=_track(findings),
        coverage=share, unlooked_reachable_m2=unlooked_m2, camera=look.camera,
        held=_track(situation.findings), p_here=_p_here(findings, situation)), findings)


def _seeing(look: LookParts, document: Document, body: Hypothesis, placed: Placed,
            situation: Situation, new_track_id: Callable[[], str]) -> Observed:
    pose, findings = placed.map_T_base.pose(), situation.findings
    config = findings.resightings.applied(situation.config)
    viewpoint = None if look.camera not in situation.other_cameras else (
        replace(pose, yaw=placed.camera_yaw))
    eye = viewpoint or pose
    box = body.hypothesis.target_box
    target, reason = placed.ground(box, config, findings.rays)
    if not placed.shows_something:
        reason = '; '.join(filter(None, (reason, 'nothing was measured in this look')))
    if reason and look.frozen is not None:
        reason = '; '.join(filter(None, (
            reason, doubt_of_near(look.frozen, config.ground_min_m))))
    objects, grounded = _ground_scene(body, placed, config)
    if target is not None and box is not None:
        objects.insert(0, placed.told('target', box, target, is_target=True))
        if not target.vague_m:
            grounded.insert(0, target)
    findings = _proposed(findings, Proposal(
        document.id, body, document.stamp_ns, eye, target, reason, tuple(grounded),
        look.camera, placed.camera_yaw))
    seen = placed.surfaces()
    if body.source is Source.MODEL:
        # The fallback recognises nothing, so only a model's look changes coverage and track.
        if target is not None:
            findings = findings.after_sighting(target, eye, config)
        track = findings.track
        doubted = target is not None and (
            findings.doubt_at(target.position, config) is not None)
        if target is not None and not doubted:
            findings = replace(findings, resightings=findings.resightings.after(
                findings.track, target, eye, config, placed.map_T_odom))
            findings = sighted(findings, target, eye, placed.map_T_odom, document.stamp_ns,
                               look.camera, config, new_track_id,
                               turned=near_any(eye, situation.attempts.turns))
        elif box is None and track is not None and (
                body.hypothesis.target_status is TargetStatus.NOT_VISIBLE) and (
                placed.overlooks(track, config) and not _is_beyond(eye, track, situation)):
            # A target claimed without depth or without a box is no evidence against the track.
            missed = track.missed(eye, config)
            findings = replace(findings, track=missed)
            if missed.disproved(config):
                findings = findings.disproved(config)
        findings = replace(
            findings, coverage=_after(findings.coverage, placed, seen, config, target),
            pictured=_after(findings.pictured, placed, seen, config, target), silent=False,
            viewpoints=(*findings.viewpoints, Eye(eye, seen.half_angle_rad, _words_of(body))),
            sees_target=box is not None and not doubted)
    elif body.meta.vlm_answer is not ModelAnswer.NOT_ASKED:
        findings = replace(
            findings, silent=True,
            pictured=_after(findings.pictured or findings.coverage, placed, seen, config))
    share, unlooked_m2 = _coverage(findings, situation)
    return Observed(Observation(
        look_id=look.look_id, step_id=body.step_id, source=body.source,
        scene_place=body.hypothesis.scene.place, pose=pose,
        cone=Cone(seen.x, seen.y, seen.yaw, seen.half_angle_rad, config.look_range_m),
        objects=tuple(objects[:_MOST_OBJECTS]), target_bearing_rad=placed.bearing(box),
        ungrounded_reason=reason, track=_track(findings), coverage=share,
        unlooked_reachable_m2=unlooked_m2, camera=look.camera,
        held=_track(situation.findings), viewpoint=viewpoint,
        p_here=_p_here(findings, situation)), findings)


def _is_beyond(eye: Pose2D, track: TargetTrack, situation: Situation) -> bool:
    """Tell whether a wall on the map hides the place of a target, too thin for depth to show."""
    surroundings = situation.surroundings
    return surroundings.map is not None and surroundings.floor is not None and SeenSide(
        surroundings, track.position[:2], track.seen_from).is_beyond((eye.x, eye.y))


def _after(coverage: GoalCoverage | None, placed: Placed,
           seen: SeenSurfaces, config: VerifierConfig,
           target: Grounded | None = None) -> GoalCoverage | None:
    # A covered lens shows nothing, so it does not show absence either.
    if coverage is None or not placed.shows_something:
        return coverage
    return coverage.after(seen, config.look_range_m,
                          None if target is None else target.position[:2])


def _proposed(findings: Findings, proposal: Proposal) -> Findings:
    return replace(findings, proposals={**findings.proposals, proposal.id: proposal})


def _words_of(body: Hypothesis) -> str:
    """The model's words for the place and its objects."""
    scene = body.hypothesis.scene
    return ', '.join(filter(None, (scene.place, *(item.name for item in scene.objects))))


def sighted(findings: Findings, target: Grounded, eye: Pose2D, map_T_odom: Transform,
            stamp_ns: int, camera: str, config: VerifierConfig,
            new_track_id: Callable[[], str], *, turned: bool) -> Findings:
    """The findings after a sighting, which confirms a track or begins a new one."""
    def merge(track: TargetTrack) -> TargetTrack:
        return tracks.merge(track, target, stamp_ns, eye, config, camera, map_T_odom,
                            turned=turned)

    def begin() -> TargetTrack:
        return tracks.begin(new_track_id(), target, stamp_ns, eye, camera, map_T_odom)

    track, beside = association.sighted(
        findings.track, findings.aside, target, eye, map_T_odom, config, merge, begin)
    return replace(findings, track=track, aside=beside)


def _ground_scene(body: Hypothesis, placed: Placed, config: VerifierConfig,
                  ) -> tuple[list[GroundedObject], list[Grounded]]:
    objects, grounded = [], []
    for item in body.hypothesis.scene.objects:
        place, _ = placed.ground(item.box, config)
        if place is not None and item.box is not None:
            objects.append(placed.told(item.name, item.box, place, is_target=False))
            if not place.vague_m:
                grounded.append(place)
    return objects, grounded


def _track(findings: Findings) -> Track | None:
    return findings.track.document() if findings.track is not None else None


def _p_here(findings: Findings, situation: Situation) -> float | None:
    coverage, surroundings, config = findings.coverage, situation.surroundings, situation.config
    if coverage is None or surroundings.reach is None:
        return None
    absent = min(config.absent_prior, config.absent_prior_found) if (
        findings.found_before) else config.absent_prior
    # The target may also be behind a way that is blocked now.
    reached = situation.exploration_now.reached
    assert reached is not None
    return p_here(coverage, reached.cells, findings.sighted, absent)


def _coverage(findings: Findings, situation: Situation) -> tuple[float, float]:
    """Share of the reachable floor that was looked at, and area of it that was not, in m2."""
    coverage, surroundings = findings.coverage, situation.surroundings
    if coverage is None or surroundings.reach is None:
        return 0.0, 0.0
    floor = surroundings.reachable_floor()
    return min(1.0, coverage.in_range.share_of(floor)), coverage.in_range.unlooked_m2(floor)
