"""What an act comes to: poses to drive to, a turn on the spot, or a refusal with its reason."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import ActRequest, Candidates, Document, Point
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action, NavigationGoal
from semantic_nav.contracts.vocabulary import Code, Source
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.explorer import LEAST_WAY_M, Explorer
from semantic_nav.verify.goals import (
    NEAR_FAILED_M,
    SAME_SIDE_RAD,
    clear_pose_near,
    stand_off_poses,
)
from semantic_nav.verify.observer import Observer, Proposal
from semantic_nav.verify.track import TargetTrack
from semantic_nav.verify.tried import Tried
from semantic_nav.verify.world import Doubt, World

#: A turn smaller than this is none, in radians.
_LEAST_TURN_RAD = 0.1
#: Turns after which the picture may be another one, in radians; about what a target may be off.
_OTHER_VIEWS_RAD = (0.25, 0.35)
#: Width that is left of the ring of stand-off poses round something low, in metres.
_RING_M = 0.1
_LAST_STEP_M = 0.05
#: A leg is worth its way when it brings the robot nearer by this much, in metres.
_NEARER_M = 0.5
#: How far round the target the way there may lead aside from the line of sight, in radians.
_SIGHT_RAD = 0.4


@dataclass(frozen=True)
class Plan:
    """How an act may be carried out.

    Attributes:
        goals: poses in the map frame, best first; the first one with a path is driven to.
        turn_rad: a turn on the spot instead, positive to the left.
        target: what the robot must face at the end, in the map frame.
        leg: the end is not the stand-off: look again from there.
        anew: the turn is for another picture of the target, from the same place.
    """

    action: Action
    reason: str
    goals: tuple[Pose2D, ...] = ()
    turn_rad: float | None = None
    target: Point | None = None
    leg: bool = False
    anew: bool = False
    node_id: str | None = None


class Planner:
    """Checks an act and finds where it leads, with no word to Nav2 yet."""

    def __init__(self, config: VerifierConfig, world: World, observer: Observer) -> None:
        """Use what the observer grounded."""
        self._config = config
        self._world = world
        self._observer = observer
        self.candidates: Candidates | None = None
        self.explorer = Explorer(config, world, observer)
        self._failed: list[Pose2D] = []
        self._now = Now(0, 0, 0)
        self.tried = Tried(config.failure_memory_s)

    def begin_goal(self) -> None:
        """Forget what was tried for the goal before."""
        self.candidates = None
        self.explorer.begin_goal()
        self.tried = Tried(self._config.failure_memory_s)

    def plan(self, step: Document, act: ActRequest, now: Now) -> Plan | Doubt:
        """Return what an act comes to, or why it is refused."""
        self._now = now
        self._failed = self.tried.failed(now)
        if act.track_id is not None:
            return self._world.doubt(now) or self._to_track(act.track_id)
        proposal = self._observer.proposals.get(act.hypothesis_id or '')
        if proposal is None:
            return Doubt(Code.WRONG_GOAL,
                         f'hypothesis {act.hypothesis_id} is not one of goal {step.goal_id}')
        age_s = seconds(now.clock_ns - proposal.stamp_ns)
        if not -self._config.pose_max_age_s <= age_s <= act.stale_after_s:
            return Doubt(Code.STALE, f'the picture is {age_s:.0f} s old, '
                                     f'{act.stale_after_s:.0f} s are allowed')
        return (self._world.doubt(now) or self._doubt_confidence(proposal)
                or self._by_action(proposal))

    def look_at_node(self, node_id: str, now: Now) -> Pose2D | Doubt:
        """Return where the robot would stand to visit a candidate, or why it would be refused."""
        self._failed = self.tried.failed(now)
        plan = self._world.doubt(now) or self._to_node(node_id)
        return plan if isinstance(plan, Doubt) else plan.goals[0]

    def look_at_point(self, x: float, y: float, now: Now) -> Pose2D | Doubt:
        """Return the point if the robot could stand there, or why it could not."""
        doubt = self._world.doubt(now) or self._world.doubt_at(x, y)
        return doubt or Pose2D(x, y, 0.0)

    def _doubt_confidence(self, proposal: Proposal) -> Doubt | None:
        hypothesis = proposal.body.hypothesis
        least = self._config.min_confidence
        if hypothesis.action in (Action.EXPLORE, Action.ROTATE) or (
                hypothesis.confidence >= least):
            return None
        return Doubt(Code.LOW_CONFIDENCE,
                     f'confidence {hypothesis.confidence:.2f}, {least:.2f} is needed')

    def _by_action(self, proposal: Proposal) -> Plan | Doubt:
        hypothesis = proposal.body.hypothesis
        match hypothesis.action:
            case Action.APPROACH if hypothesis.navigation_goal is not None:
                return self._to_named_pose(proposal, hypothesis.navigation_goal)
            case Action.APPROACH:
                return self._to_box(proposal)
            case Action.GOTO_NODE:
                return self._to_node(hypothesis.node_id or '')
            case Action.ROTATE:
                return Plan(Action.ROTATE, 'turn on the spot',
                            turn_rad=wrap_angle(hypothesis.rotate_rad or 0.0))
            case Action.EXPLORE:
                return self._explore(proposal)
            case action:
                return Doubt(Code.SKIPPED, f'{action.value} is nothing to drive')

    # Approach

    def _to_box(self, proposal: Proposal) -> Plan | Doubt:
        if proposal.target is None:
            return Doubt(Code.NOT_GROUNDED, proposal.target_doubt or 'no box was given')
        track = self._observer.track
        position = proposal.target.position
        if track is not None and track.distance_to(position) <= self._config.track_merge_m:
            position = track.position
        return self._approach(position, proposal.pose, provisional=proposal.target.provisional)

    def _to_track(self, track_id: str) -> Plan | Doubt:
        track = self._observer.track
        if track is None or track.id != track_id:
            return Doubt(Code.NOT_GROUNDED, f'the target {track_id} is not tracked any more')
        return self._look_anew(track) or self._approach(
            track.position, Pose2D(*track.seen_from, 0.0), provisional=not track.sure,
            elsewhere=True)

    def _look_anew(self, track: TargetTrack) -> Plan | None:
        """Return a turn at the stand-off, so that the next picture is another one; once there.

        What is not in the picture at all may be hidden: a turn does not help then.
        """
        robot = self._world.pose
        assert robot is not None

        def here(poses: list[Pose2D]) -> bool:
            return any(robot.distance_to(pose.x, pose.y) < NEAR_FAILED_M for pose in poses)
        if not self._observer.sees_target or not here(self.tried.stand_offs) or (
                here(self.tried.turns)):
            return None
        x, y, _ = track.position
        # Past the target, which stays in the picture.
        past = math.copysign(1.0, robot.bearing_to(x, y))
        turn = next((past * angle for angle in _OTHER_VIEWS_RAD
                     if track.is_another_view(
                         Pose2D(robot.x, robot.y, robot.yaw + past * angle), self._config)),
                    past * _OTHER_VIEWS_RAD[-1])
        return Plan(Action.APPROACH, 'turn, for another view', turn_rad=turn,
                    target=track.position, anew=True)

    def _to_named_pose(self, proposal: Proposal, goal: NavigationGoal) -> Plan | Doubt:
        """Accept a pose outright only beside something that was really seen."""
        x, y = goal.x, goal.y
        if goal.frame_id == 'base_link':
            if proposal.pose is None:
                return Doubt(Code.NOT_GROUNDED, proposal.target_doubt)
            cos, sin = math.cos(proposal.pose.yaw), math.sin(proposal.pose.yaw)
            x, y = (proposal.pose.x + cos * goal.x - sin * goal.y,
                    proposal.pose.y + sin * goal.x + cos * goal.y)
        places = [place.position for place in proposal.grounded]
        track = self._observer.track
        if proposal.body.source is Source.FALLBACK and track is not None:
            places.append(track.position)
        near = min(places, key=lambda place: math.dist(place[:2], (x, y)), default=None)
        limit_m = self._config.navigation_goal_near_m
        if near is None or math.dist(near[:2], (x, y)) > limit_m:
            return Doubt(Code.NOT_GROUNDED,
                         f'nothing was grounded within {limit_m:g} m of ({x:.2f}, {y:.2f})',
                         Pose2D(x, y, goal.yaw))
        seen_from = proposal.pose or self._world.pose
        return self._approach(near, seen_from, provisional=False)

    def _approach(self, target: Point, seen_from: Pose2D | None, *, provisional: bool,
                  elsewhere: bool = False) -> Plan | Doubt:
        """Return the way to a stand-off, or to where the target can be seen better.

        Args:
            target: its position in the map frame.
            seen_from: where the robot was when it saw the target.
            provisional: the position is not sure yet.
            elsewhere: not at a stand-off from which it was looked at.
        """
        config, world = self._config, self._world
        robot = world.pose
        assert robot is not None
        stand = seen_from or robot
        x, y, _ = target
        avoid = [*self._failed, *self.tried.stand_offs]
        if provisional and robot.distance_to(x, y) > config.leg_stand_off_m:
            far_m, reason = config.leg_stand_off_m, 'nearer, for a surer look'
        else:
            provisional = provisional and abs(robot.bearing_to(x, y)) > config.facing_rad
            far_m, reason = config.stand_off_far_m, 'to the stand-off'
        if provisional and robot.distance_to(x, y) <= config.leg_stand_off_m:
            return Plan(Action.APPROACH, 'face it, for a surer look',
                        turn_rad=robot.bearing_to(x, y), target=target, leg=True)
        # From too near, what stands low is below the picture, and no look would confirm it.
        near_m = max(config.stand_off_near_m,
                     min(self._observer.in_view_from_m(target[2]), far_m - _RING_M))
        seen = (stand.x, stand.y)
        goals: list[Pose2D] = []
        # From another side something may hide the target: that comes last.
        for side_rad in (SAME_SIDE_RAD, math.pi):
            for reach_m in (config.stand_off_best_m, far_m):
                goals = goals or stand_off_poses(world, (x, y), seen, near_m, reach_m, avoid,
                                                 config, side_rad)
        if not goals and not elsewhere:
            goals = stand_off_poses(world, (x, y), seen, near_m, far_m, self._failed, config)
            # From where it saw the target nothing hides it; past a wall it may be near as well.
            if not goals and robot.distance_to(*seen) < NEAR_FAILED_M and (
                    robot.distance_to(x, y) <= config.stand_off_last_m):
                return Plan(Action.APPROACH, 'stay here, for no nearer pose is clear',
                            turn_rad=robot.bearing_to(x, y), target=target)
            avoid = self._failed
        for reach_m in self._last_rings(far_m):
            goals = goals or stand_off_poses(world, (x, y), seen, far_m, reach_m, avoid, config)
        if not goals:
            # What lies round the target may not be known yet: from nearer the map grows.
            goals = self._nearer_poses((x, y), seen, far_m)
            provisional, reason = bool(goals), 'nearer, as far as the floor is known'
        if not goals:
            return Doubt(Code.UNREACHABLE,
                         f'no clear pose within {far_m:.2f} m of ({x:.2f}, {y:.2f}) is reachable',
                         Pose2D(x, y, 0.0))
        return Plan(Action.APPROACH, reason, goals=_spread(goals, config.path_tries),
                    target=target, leg=provisional)

    def _last_rings(self, far_m: float) -> Iterator[float]:
        """Yield radii beyond the usual one, for Nav2 may stop short: the nearer, the better."""
        last_m = self._config.stand_off_last_m
        for step in range(1, math.ceil((last_m - far_m) / _LAST_STEP_M) + 1):
            yield min(far_m + step * _LAST_STEP_M, last_m)

    def _nearer_poses(self, target: tuple[float, float], seen: tuple[float, float],
                      far_m: float) -> list[Pose2D]:
        """Return poses on the line on which the robot saw the target, well nearer than it is."""
        robot = self._world.pose
        assert robot is not None
        limit_m = robot.distance_to(*target) - _NEARER_M
        inner_m = max(far_m, self._config.stand_off_last_m)
        while inner_m < limit_m:
            outer_m = min(inner_m + _NEARER_M, limit_m)
            poses = stand_off_poses(self._world, target, seen, inner_m, outer_m, self._failed,
                                    self._config, _SIGHT_RAD, seen_over=True)
            if poses:
                return poses
            inner_m = outer_m
        return []

    # Elsewhere

    def _to_node(self, node_id: str) -> Plan | Doubt:
        nodes = self.candidates.candidates if self.candidates is not None else ()
        node = next((node for node in nodes if node.node_id == node_id), None)
        if node is None:
            return Doubt(Code.UNKNOWN_NODE, f'{node_id} is not a candidate of this goal')
        if node_id in self.tried.nodes:
            return Doubt(Code.SKIPPED, f'{node_id} was visited for this goal')
        pose = clear_pose_near(self._world, node.pose, self._config)
        if isinstance(pose, Doubt):
            return pose
        if any(pose.distance_to(failed.x, failed.y) < NEAR_FAILED_M
               for failed in self._failed):
            return Doubt(Code.REPEATED_FAILURE, f'the way to {node_id} failed before')
        return Plan(Action.GOTO_NODE, f'to the remembered place {node_id}', goals=(pose,),
                    node_id=node_id)

    def _explore(self, proposal: Proposal) -> Plan | Doubt:
        robot = self._world.pose
        assert robot is not None
        hint = proposal.body.hypothesis.explore_bearing_rad
        if hint is not None and proposal.pose is not None:
            hint = wrap_angle(hint + proposal.pose.yaw - robot.yaw)
        views = self.explorer.views(robot, self.tried, self._now, hint)
        if not views:
            return Doubt(Code.NOTHING_LEFT,
                         f'{self._world.looked_share():.0%} of the reachable floor was looked at, '
                         'and no reachable place shows more')
        best = views[0]
        turn = wrap_angle(best.pose.yaw - robot.yaw)
        if best.way_m < LEAST_WAY_M and abs(turn) >= _LEAST_TURN_RAD:
            return Plan(Action.EXPLORE, f'turn to see {best.gain_m2:.1f} m2 more', turn_rad=turn)
        return Plan(Action.EXPLORE, f'to see {best.gain_m2:.1f} m2 more',
                    goals=tuple(view.pose for view in views[:self._config.path_tries]))


def _spread(goals: list[Pose2D], count: int) -> tuple[Pose2D, ...]:
    """Return the best goals that lie apart from each other, so that a second try is another."""
    chosen: list[Pose2D] = []
    for goal in goals:
        if all(goal.distance_to(other.x, other.y) >= NEAR_FAILED_M for other in chosen):
            chosen.append(goal)
            if len(chosen) == count:
                break
    return tuple(chosen)
