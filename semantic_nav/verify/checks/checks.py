"""All checks of the verifier in order, from cheap to expensive: Nav2 comes last."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from semantic_nav.contracts.parameters import specs
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.act_checks import (
    ANOTHER_DRIVES,
    blocked_robot,
    contradicted_pose,
    displaced_pose,
    doubted_target,
    driving_other,
    held_robot,
    jumped_pose,
    late_start,
    leaping_odometry,
    lost_track,
    low_battery,
    nothing_to_drive,
    silent_depth,
    silent_scan,
    stale_picture,
    ungrounded_pose,
    ungrounded_target,
    unknown_costmap,
    unknown_map,
    unknown_pose,
    unsure_model,
    unsure_pose,
    wrong_goal,
)
from semantic_nav.verify.checks.body_checks import (
    body_blocked,
    body_unseen,
    no_room_at_end,
    no_room_on_path,
    no_room_to_set_out,
    no_room_to_turn,
    unknown_body,
)
from semantic_nav.verify.checks.goal_checks import (
    blocked_stand_off,
    blocked_view,
    failed_visit,
    goal_blocked,
    goal_outside,
    goal_too_far,
    goal_unreachable,
    goal_unseen,
    no_floor,
    no_stand_off,
    no_view,
    out_of_picture,
    target_outside,
    unknown_place,
    visited_place,
    withdrawn_place,
)
from semantic_nav.verify.checks.path_checks import (
    long_path,
    no_path,
    no_planner,
    no_way_out,
    path_beside,
    path_from_elsewhere,
    robot_moving,
    stalled_twice,
    stalled_way,
)
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import (
    HERE,
    ActStart,
    Approach,
    Claim,
    GoalPose,
    Halting,
    Here,
    InPicture,
    Motionless,
    Path,
    Planned,
    Proposed,
    Rejection,
    RememberedPlace,
    StandOffs,
    Subject,
    Target,
    Turn,
    UnderWay,
    Views,
    VisitPose,
)
from semantic_nav.verify.checks.zone_checks import (
    closed_goal,
    closed_path,
    closed_turn,
    closed_way,
    unknown_mask,
)
from semantic_nav.verify.config import VerifierConfig

S = TypeVar('S')


@dataclass(frozen=True)
class Check(Generic[S]):
    """One reason to refuse something.

    Attributes:
        of: type of its subject.
        code, sentence: code of its rejection, and its condition in words.
        test: returns the rejection of a subject, or None.
        parameter: parameter with its limit, as `part.name`; empty for none.
    """

    of: type[S]
    code: Code
    sentence: str
    test: Callable[[S, Situation], Rejection | None]
    parameter: str = ''

    @property
    def default(self) -> Any:
        """Default of the parameter; None where there is none, or the act brings the value."""
        part, _, name = self.parameter.partition('.')
        return specs(VerifierConfig)[name][0] if part == 'verifier' else None


CHECKS: tuple[Check[Any], ...] = (
    Check(Proposed, Code.WRONG_GOAL, 'the hypothesis does not belong to this goal',
          wrong_goal),
    Check(Proposed, Code.STALE, 'the picture is too old', stale_picture,
          'belief.stale_after_s'),
    Check(ActStart, Code.STALE, 'the act did not start in time', late_start,
          'belief.start_within_s'),
    Check(Here, Code.POSE_UNAVAILABLE, 'TF is missing or old', unknown_pose,
          'verifier.pose_max_age_s'),
    Check(Here, Code.POSE_UNAVAILABLE, 'odometry or localisation leaps, or did within five '
          'seconds, or the pose is off by such a leap', leaping_odometry),
    Check(Here, Code.MAP_UNAVAILABLE, 'the map is missing or, with `map_is_live`, old',
          unknown_map, 'verifier.map_max_age_s'),
    Check(Here, Code.MAP_UNAVAILABLE, 'the costmap is missing or old', unknown_costmap,
          'verifier.costmap_max_age_s'),
    Check(Here, Code.MAP_UNAVAILABLE, 'the keep-out mask is missing', unknown_mask),
    Check(Here, Code.POSE_UNAVAILABLE, 'the localisation jumped a moment ago', jumped_pose,
          'verifier.jump_settle_s'),
    Check(Here, Code.POSE_UNAVAILABLE, 'the localisation jumped and may take it back',
          displaced_pose, 'verifier.jump_doubt_s'),
    Check(Here, Code.POSE_UNAVAILABLE, 'the localisation is uncertain', unsure_pose,
          'verifier.position_stddev_max_m'),
    Check(Here, Code.POSE_UNAVAILABLE, 'the scans of several places contradict the map',
          contradicted_pose),
    Check(Here, Code.SENSOR_UNAVAILABLE, 'the depth camera was heard, and is silent',
          silent_depth, 'verifier.depth_max_age_s'),
    Check(Here, Code.SENSOR_UNAVAILABLE, 'the laser scanner was heard, and is silent',
          silent_scan, 'verifier.scan_max_age_s'),
    Check(Here, Code.HELD, ANOTHER_DRIVES, driving_other,
          'verifier.other_client'),
    Check(Here, Code.HELD, 'the pause topic says so, or nothing yet or, with a limit, no more',
          held_robot, 'verifier.pause_max_age_s'),
    Check(Here, Code.HELD, 'the battery is nearly empty', low_battery, 'verifier.battery_min'),
    Check(Claim, Code.LOW_CONFIDENCE,
          'the model is not sure; explore and rotate are never refused for it', unsure_model,
          'verifier.min_confidence'),
    Check(Motionless, Code.SKIPPED, 'the action drives nowhere', nothing_to_drive),
    Check(Proposed, Code.NOT_GROUNDED, 'the target is tracked no more', lost_track),
    Check(Approach, Code.NOT_GROUNDED, 'the box has no depth that is believed',
          ungrounded_target, 'verifier.ground_max_m'),
    Check(Approach, Code.NOT_GROUNDED, 'nothing that was seen lies near the named pose',
          ungrounded_pose, 'verifier.navigation_goal_near_m'),
    Check(Approach, Code.SKIPPED, 'the target there was rejected, and there is no better evidence',
          doubted_target),
    Check(Planned, Code.MAP_UNAVAILABLE, 'the footprint topic has told no outline yet',
          unknown_body),
    Check(Planned, Code.MAP_UNAVAILABLE, 'no clear cell is near the robot itself', blocked_robot),
    Check(RememberedPlace, Code.UNKNOWN_NODE, 'the place was not offered for this goal',
          unknown_place),
    Check(RememberedPlace, Code.SKIPPED, 'the place is offered no more: it was looked at',
          withdrawn_place),
    Check(RememberedPlace, Code.SKIPPED, 'the place was visited already', visited_place),
    Check(GoalPose, Code.OUT_OF_MAP, 'the pose lies outside map or costmap', goal_outside),
    Check(GoalPose, Code.UNKNOWN_SPACE, 'nobody has seen the floor there', goal_unseen),
    Check(GoalPose, Code.KEEPOUT, 'the pose lies on closed floor, or too near to it', closed_goal,
          'verifier.zone_margin_m'),
    Check(GoalPose, Code.COLLISION_DETECTED, 'the robot would touch something there', goal_blocked,
          'verifier.clear_cost'),
    Check(GoalPose, Code.UNREACHABLE, 'no way leads there', goal_unreachable),
    Check(GoalPose, Code.TOO_FAR, 'the way is too long', goal_too_far, 'verifier.way_max_m'),
    Check(GoalPose, Code.COLLISION_DETECTED, 'a part of its body would touch something there',
          body_blocked, 'verifier.footprint'),
    Check(GoalPose, Code.UNKNOWN_SPACE, 'nobody has seen the floor under a part of its body there',
          body_unseen, 'verifier.footprint'),
    Check(Turn, Code.KEEPOUT, 'the robot is on closed floor, and may only drive out of it',
          closed_turn),
    Check(Turn, Code.COLLISION_DETECTED, 'its body has no room to turn on the spot',
          no_room_to_turn, 'verifier.footprint'),
    Check(VisitPose, Code.REPEATED_FAILURE, 'the way there failed a short time ago',
          failed_visit, 'verifier.failure_memory_s'),
    Check(Target, Code.OUT_OF_MAP, 'the target lies farther beyond the map than a leg may end '
          'before it', target_outside, 'verifier.leg_stand_off_m'),
    Check(InPicture, Code.NOT_CONFIRMED, 'no stand-off has anything of the target in the picture',
          out_of_picture, 'verifier.stand_off_last_m'),
    Check(StandOffs, Code.BLOCKED, 'what blocks the known way to the target may go away',
          blocked_stand_off, 'verifier.stand_off_last_m'),
    Check(StandOffs, Code.UNREACHABLE, 'a way leads to no clear stand-off pose, nor nearer',
          no_stand_off, 'verifier.stand_off_last_m'),
    Check(Views, Code.BLOCKED, 'what is left to look at is out of reach now', blocked_view,
          'verifier.min_gain_m2'),
    Check(Views, Code.MAP_UNAVAILABLE, 'the map shows no floor where the robot is, or hardly any',
          no_floor, 'verifier.min_gain_m2'),
    Check(Views, Code.NOTHING_LEFT, 'no other view shows enough that is new', no_view,
          'verifier.min_gain_m2'),
    Check(UnderWay, Code.KEEPOUT, 'the robot has come onto closed floor on its way', closed_way),
    Check(Halting, Code.NAV_UNAVAILABLE, 'the robot does not stand still', robot_moving,
          'verifier.settle_max_s'),
    Check(Path, Code.NAV_UNAVAILABLE, "Nav2's planner does not answer or take the question",
          no_planner, 'verifier.path_timeout_s'),
    Check(Path, Code.MAP_UNAVAILABLE, 'Nav2 finds no path, and by its pose the robot stands '
          'in something', no_way_out),
    Check(Path, Code.PATH_INVALID, 'Nav2 finds no path', no_path),
    Check(Path, Code.POSE_UNAVAILABLE, 'the path begins beside the robot', path_from_elsewhere,
          'verifier.path_end_m'),
    Check(Path, Code.PATH_INVALID, 'the path ends beside the goal', path_beside,
          'verifier.path_end_m'),
    Check(Path, Code.TOO_FAR, 'the path is too long', long_path, 'verifier.way_max_m'),
    Check(Path, Code.KEEPOUT, 'the path leads onto closed floor, or too near to it; one that '
          'begins there may leave it', closed_path, 'verifier.zone_margin_m'),
    Check(Path, Code.COLLISION_DETECTED, 'its body has no room to turn to the path',
          no_room_to_set_out, 'verifier.footprint'),
    Check(Path, Code.PATH_INVALID, 'on the path its body would touch something, or lie over '
          'unknown floor', no_room_on_path, 'verifier.footprint'),
    Check(Path, Code.PATH_INVALID, 'at the end of the path its body has no room to turn to the '
          'heading of the goal', no_room_at_end, 'verifier.footprint'),
    Check(Path, Code.REPEATED_FAILURE, 'the path leads past where the robot got stuck a short '
          'time ago, though a way round is known', stalled_way, 'verifier.failure_memory_s'),
    Check(Path, Code.NAV_UNAVAILABLE, 'the only way leads past where the robot got stuck twice a '
          'short time ago', stalled_twice, 'verifier.failure_memory_s'),
)


def first_rejection(situation: Situation, *subjects: Subject) -> Rejection | None:
    """Rejection by the first check of the subjects that fails; None if all pass."""
    of_kind = {type(subject): subject for subject in subjects}
    for check in _checks_of(frozenset(of_kind)):
        rejection = check.test(of_kind[check.of], situation)
        if rejection is not None:
            return rejection
    return None


def passes(situation: Situation, *subjects: Subject) -> bool:
    """Tell whether the subjects pass all their checks."""
    return first_rejection(situation, *subjects) is None


def first_of(code: Code, situation: Situation) -> Rejection | None:
    """Rejection by the first check of `Here` that fails with a code; None for none."""
    return next(filter(None, (check.test(HERE, situation) for check in _checks_of(
        frozenset({Here})) if check.code is code)), None)


def refused_only_by(tests: Collection[Callable[[Here, Situation], Rejection | None]],
                    situation: Situation) -> bool:
    """Tell whether at least one of the given checks of `Here` fails, and no other does."""
    failed = [check.test for check in _checks_of(frozenset({Here}))
              if check.test(HERE, situation) is not None]
    return bool(failed) and all(test in tests for test in failed)


@lru_cache
def _checks_of(kinds: frozenset[type]) -> tuple[Check[Any], ...]:
    return tuple(check for check in CHECKS if check.of in kinds)
