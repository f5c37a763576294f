"""Checks of an act before its destination is known, and of the data needed to decide."""

import math

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D, Transform, moved_pose
from semantic_nav.contracts.hypothesis import NavigationGoal
from semantic_nav.contracts.vocabulary import Code, Source
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import (
    ActStart,
    Approach,
    Claim,
    Here,
    Motionless,
    Planned,
    Proposed,
    Rejection,
)
from semantic_nav.verify.config import YIELD
from semantic_nav.verify.floor.surroundings import DEPTH, SCAN
from semantic_nav.verify.grounding.plausible import FAR_M
from semantic_nav.verify.tracking.findings import Proposal

ANOTHER_DRIVES = 'another client drives the robot'


def wrong_goal(subject: Proposed, situation: Situation) -> Rejection | None:
    """Refuse a hypothesis that was not made for this goal."""
    if subject.act.track_id is not None or subject.proposal is not None:
        return None
    return Rejection(Code.WRONG_GOAL, f'hypothesis {subject.act.hypothesis_id} is not one of goal '
                                      f'{situation.goal_id}')


def stale_picture(subject: Proposed, situation: Situation) -> Rejection | None:
    """Refuse a picture older than the act allows, or from the future."""
    if subject.proposal is None:
        return None
    most_s = subject.act.stale_after_s
    outdated = _outdated(subject.proposal.stamp_ns, most_s, situation)
    return Rejection(Code.STALE, f'the picture is {outdated}, {most_s:.0f} s are allowed') if (
        outdated) else None


def late_start(subject: ActStart, situation: Situation) -> Rejection | None:
    """Refuse to begin an act after its deadline to start."""
    limit_s = subject.act.start_within_s
    if seconds(situation.now.steady_ns - subject.began_ns) <= limit_s:
        return None
    return Rejection(Code.STALE, f'the act was to start within {limit_s:g} s')


def unsure_model(subject: Claim, situation: Situation) -> Rejection | None:
    """Refuse a hypothesis in which the model has too little confidence."""
    confidence, least = subject.proposal.hypothesis.confidence, situation.config.min_confidence
    if confidence >= least:
        return None
    return Rejection(Code.LOW_CONFIDENCE,
                     f'confidence {confidence:.2f}, {least:.2f} is needed')


def nothing_to_drive(subject: Motionless, situation: Situation) -> Rejection | None:
    """Refuse the actions stop and ask_clarification, which drive nowhere."""
    del situation
    return Rejection(Code.SKIPPED,
                     f'{subject.proposal.hypothesis.action.value} is nothing to drive')


def lost_track(subject: Proposed, situation: Situation) -> Rejection | None:
    """Refuse a target whose track is gone."""
    track_id, track = subject.act.track_id, situation.findings.track
    if track_id is None or (track is not None and track.id == track_id):
        return None
    return Rejection(Code.NOT_GROUNDED, f'the target {track_id} is not tracked any more')


def ungrounded_target(subject: Approach, situation: Situation) -> Rejection | None:
    """Refuse a target whose position is unknown."""
    del situation
    proposal = subject.proposal
    if proposal.target is not None or proposal.hypothesis.navigation_goal is not None:
        return None
    return Rejection(Code.NOT_GROUNDED, proposal.ungrounded_reason or 'no box was given')


def doubted_target(subject: Approach, situation: Situation) -> Rejection | None:
    """Refuse a rejected target, unless there is better evidence of it, or may be soon."""
    proposal = subject.proposal
    place, goal = None, proposal.hypothesis.navigation_goal
    if goal is not None:
        place = grounded_near(proposal, named_pose(proposal, goal), situation)
    elif proposal.target is not None:
        place = proposal.target.position
    doubt = situation.findings.doubt_at(place, situation.config) if place is not None else None
    if place is None or doubt is None or (doubt.growing and goal is None):
        return None
    return doubted_still(place)


def doubted_still(place: Point) -> Rejection:
    """Rejection of a doubted target at a place in the map frame."""
    x, y, _ = place
    return Rejection(Code.SKIPPED, f'what is at ({x:.2f}, {y:.2f}) was looked at and not '
                     'confirmed, and there is no better evidence of it yet', Pose2D(x, y, 0.0))


def named_pose(proposal: Proposal, goal: NavigationGoal) -> Pose2D | None:
    """Pose that a model names, in the map frame; None where it cannot be placed."""
    if goal.frame_id != 'base_link':
        return Pose2D(goal.x, goal.y, goal.yaw)
    if proposal.pose is None:
        return None
    return moved_pose(Transform.from_pose(proposal.pose), Pose2D(goal.x, goal.y, goal.yaw))


def grounded_near(proposal: Proposal, pose: Pose2D | None, situation: Situation) -> Point | None:
    """Grounded place nearest to a pose that a model names; None where none is near."""
    if pose is None:
        return None
    places = [place.position for place in proposal.grounded]
    track = situation.findings.track
    if proposal.body.source is Source.FALLBACK and track is not None:
        places.append(track.position)
    near = min(places, key=lambda place: math.dist(place[:2], (pose.x, pose.y)), default=None)
    limit_m = situation.config.navigation_goal_near_m
    if near is None or not math.dist(near[:2], (pose.x, pose.y)) <= limit_m:
        return None
    return near


def ungrounded_pose(subject: Approach, situation: Situation) -> Rejection | None:
    """Refuse a pose named by the model that is not near something grounded."""
    proposal = subject.proposal
    goal = proposal.hypothesis.navigation_goal
    if goal is None:
        return None
    pose = named_pose(proposal, goal)
    if pose is None:
        return Rejection(Code.NOT_GROUNDED, proposal.ungrounded_reason)
    if not (abs(pose.x) <= FAR_M and abs(pose.y) <= FAR_M):
        # No document can hold such a position.
        return Rejection(Code.NOT_GROUNDED, f'({pose.x:g}, {pose.y:g}) is no place on any map')
    if grounded_near(proposal, pose, situation) is not None:
        return None
    return Rejection(Code.NOT_GROUNDED,
                     f'nothing was grounded within {situation.config.navigation_goal_near_m:g} m '
                     f'of ({pose.x:.2f}, {pose.y:.2f})', pose)


def unknown_pose(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide without a recent pose of the robot."""
    del subject
    robot = situation.surroundings.robot
    if robot.pose is None:
        return Rejection(Code.POSE_UNAVAILABLE, _because('the pose is unknown', robot.missing))
    outdated = _outdated(robot.stamp_ns, situation.config.pose_max_age_s, situation)
    return Rejection(Code.POSE_UNAVAILABLE, _because(
        f'the pose is {outdated}', robot.missing)) if outdated else None


def unknown_map(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide without a usable map."""
    del subject
    grid, config = situation.surroundings.map, situation.config
    missing = situation.surroundings.map_missing
    if grid is None:
        return Rejection(Code.MAP_UNAVAILABLE, _because('no map has come', missing))
    if grid.barren:
        return Rejection(Code.MAP_UNAVAILABLE, f'the map {grid.barren}')
    outdated = config.map_is_live and _outdated(grid.stamp_ns, config.map_max_age_s, situation)
    return Rejection(Code.MAP_UNAVAILABLE, _because(
        f'the map is {outdated}', missing)) if outdated else None


def unknown_costmap(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide without a recent global costmap."""
    del subject
    grid, missing = situation.surroundings.costmap, situation.surroundings.costmap_missing
    if grid is None:
        return Rejection(Code.MAP_UNAVAILABLE, _because('no global costmap has come', missing))
    outdated = _outdated(grid.stamp_ns, situation.config.costmap_max_age_s, situation)
    return Rejection(Code.MAP_UNAVAILABLE, _because(
        f'the global costmap is {outdated}', missing)) if outdated else None


def leaping_odometry(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide by a pose that leaps, or that is off since a leap of the odometry."""
    del subject
    fault = situation.surroundings.robot.odometry.fault
    return Rejection(Code.POSE_UNAVAILABLE, fault) if fault else None


def jumped_pose(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide just after a jump of the localisation."""
    del subject
    robot = situation.surroundings.robot
    since_s = seconds(situation.now.steady_ns - robot.jumped_ns)
    if robot.jump is None or since_s >= situation.config.jump_settle_s:
        return None
    return Rejection(Code.POSE_UNAVAILABLE, f'{robot.jump.words} {since_s:.1f} s ago',
                     jumped=True)


def displaced_pose(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide while the localisation may still take back a jump."""
    del subject
    robot = situation.surroundings.robot
    if robot.jump is None or not robot.is_doubted(
            situation.now, situation.config.jump_doubt_s):
        return None
    since_s = seconds(situation.now.steady_ns - robot.jumped_ns)
    return Rejection(Code.POSE_UNAVAILABLE, f'{robot.jump.words} {since_s:.1f} s ago, '
                     'which it may take back', jumped=True)


def silent_depth(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive while the depth camera is silent."""
    del subject
    return _silent(DEPTH, situation.config.depth_max_age_s, situation)


def silent_scan(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive while the laser scanner is silent or measures nothing."""
    del subject
    return _silent(SCAN, situation.config.scan_max_age_s, situation)


def _silent(sensor: str, most_s: float, situation: Situation) -> Rejection | None:
    stamp_ns = situation.surroundings.sensors.get(sensor)
    if stamp_ns is None or not most_s:
        # The robot may not have this sensor.
        return None
    outdated = _outdated(stamp_ns, most_s, situation)
    if not outdated:
        return None
    why = situation.surroundings.blind.get(sensor)
    return Rejection(Code.SENSOR_UNAVAILABLE, f'the {sensor} shows nothing: {why}' if why else
                     f'the newest {sensor} is {outdated}')


def held_robot(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive while the pause topic says so, or is silent though it should not be."""
    del subject
    around, most_s = situation.surroundings, situation.config.pause_max_age_s
    if around.hold_ns is None:
        return Rejection(Code.HELD, 'nothing has come on the pause topic') if (
            around.held or most_s) else None
    if around.held:
        return Rejection(Code.HELD, 'the pause topic says that the robot is to stand')
    if not most_s:
        return None
    age_s = seconds(situation.now.steady_ns - around.hold_ns)
    return None if age_s <= most_s else Rejection(
        Code.HELD, f'nothing has come on the pause topic for {age_s:.1f} s')


def low_battery(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive with a battery that is nearly empty."""
    del subject
    charge, least = situation.surroundings.charge, situation.config.battery_min
    if charge is None or charge >= least:
        return None
    return Rejection(Code.HELD, f'the battery is at {charge:.0%} by battery_topic, '
                     f'{least:.0%} are needed')


def unsure_pose(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive while the uncertainty of the localisation is too large."""
    del subject
    told, config = situation.surroundings.uncertainty, situation.config
    if (told.position_m <= config.position_stddev_max_m
            and told.yaw_rad <= config.yaw_stddev_max_rad):
        return None
    return Rejection(
        Code.POSE_UNAVAILABLE, f'the localisation is uncertain by {told.position_m:.2f} m and '
        f'{told.yaw_rad:.2f} rad, {config.position_stddev_max_m:g} m and '
        f'{config.yaw_stddev_max_rad:g} rad are allowed: give it the pose of the robot, as with '
        '2D Pose Estimate in RViz, or drive the robot some metres by hand'
        + (', or allow more, for its scans fit the map' if situation.surroundings.agreement.agrees
           else ''))


def contradicted_pose(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive while scans from several places contradict the map."""
    del subject
    words = situation.surroundings.agreement.words
    return Rejection(Code.POSE_UNAVAILABLE, words) if words else None


def blocked_robot(subject: Planned, situation: Situation) -> Rejection | None:
    """Refuse to plan while pose and costmap show no clear cell near the robot."""
    del subject
    costmap, robot = situation.surroundings.costmap, situation.surroundings.robot.pose
    if situation.surroundings.reach is not None:
        return None
    beyond_m = costmap.beyond_m(robot.x, robot.y) if costmap and robot else 0.0
    words = f', which stands {beyond_m:.1f} m outside the costmap' if beyond_m else ''
    return Rejection(Code.MAP_UNAVAILABLE,
                     f'by pose and costmap no clear cell is near the robot{words}', wedged=True)


def _because(words: str, reason: str) -> str:
    return f'{words}: {reason}' if reason else words


def _outdated(stamp_ns: int, most_s: float, situation: Situation) -> str:
    """Age of an outdated measurement, in words; empty where the measurement counts.

    After a backward jump of the clock it is from the future. It counts if it is ahead by no more
    than the greatest age of a pose.
    """
    age_s = seconds(situation.now.clock_ns - stamp_ns)
    if -situation.config.pose_max_age_s <= age_s <= most_s:
        return ''
    return f'{age_s:.1f} s old' if age_s >= 0.0 else f'{-age_s:.1f} s ahead of the clock'


def driving_other(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to drive while another client does, or just did, if the verifier is to yield."""
    del subject
    if situation.config.other_client != YIELD or not (
            situation.surroundings.clients.drive(situation.now)):
        return None
    return Rejection(Code.HELD, ANOTHER_DRIVES)
