"""Plan of an act in a situation, made without Nav2."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import ActRequest
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import (
    HERE,
    PLANNED,
    Approach,
    Claim,
    Motionless,
    Proposed,
    Rejection,
    Subject,
)
from semantic_nav.verify.planning.approach import to_target, to_track
from semantic_nav.verify.planning.exploring import to_next_view
from semantic_nav.verify.planning.revisit import to_node
from semantic_nav.verify.tracking.findings import Proposal


@dataclass(frozen=True)
class ActionRule:
    """Rule of one action of the model.

    Attributes:
        subjects: its checks, by their subjects, beyond those of every act.
        plan: makes its plan once all checks have passed; None where one of them never does.
    """

    subjects: tuple[Callable[[Proposal], Subject], ...]
    plan: Callable[[Proposal, ActRequest, Situation], Plan | Rejection] | None = None


def _to_heading(proposal: Proposal, act: ActRequest, situation: Situation) -> Plan | Rejection:
    """Plan to turn on the spot."""
    del act
    turn_rad = proposal.hypothesis.rotate_rad or 0.0
    if not math.isfinite(turn_rad):
        return Rejection(Code.PATH_INVALID, f'a turn by {turn_rad} rad is none')
    if proposal.camera in situation.other_cameras and proposal.pose is not None:
        # The model gives the turn relative to the heading of that camera.
        turn_rad += proposal.pose.yaw - situation.robot.yaw
    return Plan(Action.ROTATE, 'turn on the spot', turn_rad=wrap_angle(turn_rad))


#: The rule of each action.
ACTIONS: Mapping[Action, ActionRule] = {
    Action.APPROACH: ActionRule((Claim, Approach), to_target),
    Action.EXPLORE: ActionRule((), to_next_view),
    Action.ROTATE: ActionRule((), _to_heading),
    Action.GOTO_NODE: ActionRule((Claim,), to_node),
    Action.ASK_CLARIFICATION: ActionRule((Claim, Motionless)),
    Action.STOP: ActionRule((Claim, Motionless)),
}


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


def action_of(act: ActRequest, situation: Situation) -> Action:
    """Action of an act; an act that names a track approaches it."""
    proposal = situation.proposal_of(act)
    return Action.APPROACH if proposal is None else proposal.hypothesis.action


def _plan(act: ActRequest, situation: Situation) -> Plan | Rejection:
    proposal = situation.proposal_of(act)
    if proposal is None:
        return first_rejection(situation, Proposed(act, None), HERE, PLANNED) or (
            to_track(situation))
    rule = ACTIONS[proposal.hypothesis.action]
    rejection = first_rejection(situation, Proposed(act, proposal), *(
        subject(proposal) for subject in rule.subjects), HERE, PLANNED)
    if rejection is not None:
        return rejection
    assert rule.plan is not None
    return rule.plan(proposal, act, situation)
