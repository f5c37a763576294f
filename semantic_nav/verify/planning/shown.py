"""Displays of an act for people: poses round the target, and places where it may still be."""

import logging
import math
from dataclasses import replace

from semantic_nav.contracts.documents import ActRequest
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.likely_squares import likely_squares
from semantic_nav.verify.checks.checks import first_rejection, passes
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, GoalPose, Rejection
from semantic_nav.verify.effects import CandidatePose, ShowCandidates, ShowSearch

_log = logging.getLogger(__name__)
#: Number of directions round the target that are shown.
_DIRECTIONS = 36


def candidates_of(act: ActRequest, situation: Situation) -> list[ShowCandidates]:
    """Poses round the target of an act, each with the code of the check that refuses it.

    Empty where the act has no target, the surroundings are unknown, or the display is off.
    """
    try:
        return _candidates_of(act, situation)
    except Exception:  # noqa: BLE001
        # A failed display must not stop the act.
        _log.exception('the candidates of an act cannot be shown')
        return []


def _candidates_of(act: ActRequest, situation: Situation) -> list[ShowCandidates]:
    config, proposal, track = (situation.config, situation.proposal_of(act),
                               situation.findings.track)
    grounded = proposal.target.position if proposal is not None and proposal.target else None
    target = grounded if track is None or act.track_id is None else track.position
    if not config.show_candidates or target is None or not passes(situation, HERE, PLANNED):
        return []
    x, y, _ = target
    shown = []
    for away_m in (config.stand_off_near_m, config.stand_off_best_m, config.stand_off_far_m,
                   config.stand_off_last_m):
        for step in range(_DIRECTIONS):
            side = math.tau * step / _DIRECTIONS
            pose = Pose2D(x + away_m * math.cos(side), y + away_m * math.sin(side),
                          math.atan2(-math.sin(side), -math.cos(side)))
            rejection = first_rejection(situation, GoalPose.of(pose))
            shown.append(CandidatePose(pose, Code.OK if rejection is None else rejection.code))
    return [ShowCandidates(tuple(shown))]


def search_shown(planned: Plan | Rejection, situation: Situation) -> list[ShowSearch]:
    """State of the search at an act that explores; empty where the display is off."""
    if not situation.config.show_search or isinstance(planned, Rejection) or (
            planned.action is not Action.EXPLORE):
        return []
    coverage, robot = situation.findings.seen, situation.robot
    assert coverage is not None
    views = planned.goals or (
        replace(robot, yaw=wrap_angle(robot.yaw + (planned.turn_rad or 0.0))),)
    try:
        return [ShowSearch(views, likely_squares(coverage, situation.findings.sighted))]
    except Exception:  # noqa: BLE001
        # A failed display must not stop the act.
        _log.exception('the search cannot be shown')
        return []
