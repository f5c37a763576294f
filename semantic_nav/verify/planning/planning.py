"""Plan of an act in a situation, made without Nav2."""

import math
from dataclasses import replace

from semantic_nav.contracts.documents import ActRequest
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, Proposed, Rejection
from semantic_nav.verify.planning.approach import to_box, to_named_pose, to_track
from semantic_nav.verify.planning.exploring import to_next_view
from semantic_nav.verify.planning.revisit import to_node
from semantic_nav.verify.tracking.findings import Proposal


def plan(act: ActRequest, situation: Situation) -> Plan | Rejection:
    """Plan of an act, or its rejection; without side effects.

    The robot goes past places where it got stuck lately only if nothing else is left.
    """
    round_stalls = situation.round_stalls()
    planned = _plan(act, round_stalls)
    if round_stalls is situation or isinstance(planned, Plan):
        return planned
    planned = _plan(act, situation)
    return planned if isinstance(planned, Rejection) else replace(planned, past_stall=True)


def _plan(act: ActRequest, situation: Situation) -> Plan | Rejection:
    proposal = situation.proposal_of(act)
    rejection = first_rejection(situation, Proposed(act, proposal), HERE, PLANNED)
    if rejection is not None:
        return rejection
    if proposal is None:
        return to_track(situation)
    return _by_action(proposal, act, situation)


def _by_action(proposal: Proposal, act: ActRequest, situation: Situation) -> Plan | Rejection:
    hypothesis = proposal.body.hypothesis
    match hypothesis.action:
        case Action.GOTO_NODE:
            return to_node(hypothesis.node_id or '', situation)
        case Action.ROTATE:
            turn_rad = hypothesis.rotate_rad or 0.0
            if not math.isfinite(turn_rad):
                return Rejection(Code.PATH_INVALID, f'a turn by {turn_rad} rad is none')
            if proposal.camera in situation.other_cameras and proposal.pose is not None:
                # The model gives the turn relative to the heading of that camera.
                turn_rad += proposal.pose.yaw - situation.robot.yaw
            return Plan(Action.ROTATE, 'turn on the spot', turn_rad=wrap_angle(turn_rad))
        case Action.EXPLORE:
            return to_next_view(proposal, situation, second_looks=act.second_looks,
                                only_gaps=act.only_gaps)
        case _ if hypothesis.navigation_goal is not None:
            return to_named_pose(proposal, hypothesis.navigation_goal, situation)
        case _:
            return to_box(proposal, situation)
