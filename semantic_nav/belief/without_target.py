"""Missions that search for nothing: the way to a remembered place, and a tour of the home."""

from dataclasses import replace

from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Deed
from semantic_nav.belief.transition import (
    Context,
    Transition,
    act,
    end,
    finish,
    look,
    refuse,
    wait,
)
from semantic_nav.contracts.documents import Candidate, Document
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis
from semantic_nav.contracts.vocabulary import Code, Outcome, Purpose

#: Tries of the way to a place; an obstacle may move on meanwhile.
_TRIES = 3
#: Distance within which the robot is at a place, in m.
_THERE_M = 0.7
#: Actions of a model's proposals that a tour carries out.
_LOOKS = frozenset({Action.EXPLORE, Action.ROTATE})


def proposed(mission: Mission, document: Document, proposal: CanonicalHypothesis,
             context: Context) -> Transition:
    """Go on after a look of a mission without a target."""
    if mission.purpose is Purpose.GO:
        return _on_the_way(mission, document, proposal, context)
    if proposal.action not in _LOOKS:
        return refuse(mission, context, Code.SKIPPED,
                      'nothing is searched for on a tour: look around')
    return act(mission, context, proposal.rationale, hypothesis_id=document.id,
               action=proposal.action)


def _on_the_way(mission: Mission, document: Document, proposal: CanonicalHypothesis,
                context: Context) -> Transition:
    if proposal.action is Action.GOTO_NODE and is_offered(mission, proposal.node_id):
        return act(mission, context, f'to {mission.place}', hypothesis_id=document.id,
                   action=proposal.action, node_id=proposal.node_id or '')
    candidates = mission.candidates
    if candidates is None or candidates.candidates:
        return refuse(mission, context, Code.UNKNOWN_NODE, 'the memory has not answered yet',
                      waits=True)
    return finish(mission, context, Outcome.GAVE_UP,
                  f'no place {mission.place!r} is remembered')


def arrived(mission: Mission, deed: Deed, context: Context) -> Transition:
    """Finish at the place, unless the memory means another one by now."""
    if is_offered(mission, deed.node_id):
        return finish(mission, context, Outcome.ARRIVED, f'at {mission.place}')
    return look(mission, context, f'{mission.place} is another place now, or none')


def way_failed(mission: Mission, deed: Deed, code: Code, reason: str, context: Context, *,
               failed: bool = False) -> Transition:
    """Try the way to a place again after a pause, or give up; unless the robot is there.

    Args:
        mission: the record.
        deed: the act that was refused, or failed.
        code: of the refusal, or of the drive that failed.
        reason: in words.
        context: of the transition.
        failed: the drive was accepted, and failed.
    """
    if code is Code.SKIPPED and _is_there(mission, deed):
        # It arrived, but the result was lost.
        return arrived(mission, deed, context)
    rejection, tally = f'{code.value}: {reason}', mission.tally
    again_s = context.config.blocked_wait_s
    if code is Code.REPEATED_FAILURE:
        # Not tried at all: the obstacle at which the robot got stuck must move on first.
        return wait(replace(mission, rejection_reason=rejection), context, rejection, again_s)
    mission = replace(mission, rejection_reason=rejection, tally=replace(
        tally, waits_in_row=0, refusals=tally.refusals + (not failed),
        failures=tally.failures + failed))
    if mission.tally.setbacks >= _TRIES:
        return end(mission, context, Outcome.GAVE_UP,
                   f'{mission.place} was tried {_TRIES} times: {rejection}')
    return wait(mission, context, rejection, again_s)


def is_offered(mission: Mission, node_id: str | None) -> bool:
    """Tell whether the memory offers a place."""
    return _offered(mission, node_id) is not None


def _offered(mission: Mission, node_id: str | None) -> Candidate | None:
    candidates = mission.candidates.candidates if mission.candidates is not None else ()
    return next((one for one in candidates if one.node_id == node_id), None)


def _is_there(mission: Mission, deed: Deed) -> bool:
    place, robot = _offered(mission, deed.node_id), mission.last_pose
    return place is not None and robot is not None and (
        robot.distance_to(place.pose.x, place.pose.y) <= _THERE_M)
