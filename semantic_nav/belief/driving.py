"""What is made of the verifier's answers to an act."""

from dataclasses import replace

from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Driving
from semantic_nav.belief.steps import MAX_REASON
from semantic_nav.belief.table import Evidence
from semantic_nav.belief.transition import (
    Context,
    Transition,
    end,
    finish,
    look,
    refuse,
    with_evidence,
)
from semantic_nav.contracts.documents import Decision, Document, Refusal, Result, Verdict
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Outcome, Status


def on_verdict(mission: Mission, phase: Driving, document: Document,
               context: Context) -> Transition:
    """The act was refused or accepted, or it ended."""
    verdict = document.body
    assert isinstance(verdict, Verdict)
    if verdict.decision is None:
        assert verdict.result is not None
        return _on_result(mission, verdict, verdict.result, context)
    if verdict.decision.code is not Code.OK:
        return _on_refusal(mission, verdict, verdict.decision, context)
    return Transition(replace(
        mission, reason=verdict.decision.reason, rejection_reason='', last_refusal=None,
        tally=replace(mission.tally, refusals_in_row=0)), phase)


def _on_refusal(mission: Mission, verdict: Verdict, decision: Decision,
                context: Context) -> Transition:
    if decision.code is Code.NOTHING_LEFT:
        return _nothing_left(mission, decision, context)
    if decision.code is Code.SKIPPED and verdict.action == Action.GOTO_NODE:
        # The model has just said all that it sees from here: the fallback goes on at once.
        mission = replace(mission, tally=replace(
            mission.tally, refusals_in_row=context.config.refusals_before_fallback))
    if verdict.action == Action.APPROACH and decision.code is Code.UNREACHABLE:
        if verdict.hypothesis_id is None:
            # The robot was at a stand-off and asked for another one.
            return end(mission, context, Outcome.GAVE_UP,
                       f'reached, not confirmed: {decision.reason}')
        mission = with_evidence(mission, Evidence.NO_WAY)
    return refuse(mission, context, decision.code, decision.reason)


def _on_result(mission: Mission, verdict: Verdict, result: Result,
               context: Context) -> Transition:
    if result.outcome is ActOutcome.UNAVAILABLE:
        return refuse(mission, context, Code.NAV_UNAVAILABLE, result.reason)
    mission = replace(mission, tally=replace(mission.tally, waits_in_row=0))
    if result.outcome is ActOutcome.ARRIVED and verdict.action == Action.APPROACH:
        return look(mission, context, 'arrived at the stand-off', confirm=True)
    if result.outcome in (ActOutcome.ARRIVED, ActOutcome.LEG_DONE):
        return look(mission, context, result.reason)
    return refuse(mission, context, Code.PATH_INVALID, f'{verdict.action}: {result.reason}')


def _nothing_left(mission: Mission, decision: Decision, context: Context) -> Transition:
    if mission.model_error:
        # Places where only the fallback looked were not looked at.
        return refuse(mission, context, decision.code, decision.reason)
    rejection = f'{decision.code.value}: {decision.reason}'
    told = mission.last_refusal is not None and mission.last_refusal.code is decision.code
    mission = replace(mission, rejection_reason=rejection)
    if mission.candidates is not None and mission.candidates.candidates and not told:
        # Remembered places are left: the fallback goes there when the model does not.
        return look(replace(
            mission, last_refusal=Refusal(decision.code, decision.reason[:MAX_REASON]),
            tally=replace(mission.tally,
                          refusals_in_row=context.config.refusals_before_fallback)),
            context, rejection)
    if mission.status in (Status.VISIBLE, Status.UNREACHABLE):
        return end(mission, context, Outcome.GAVE_UP,
                   f'the target was seen, but no way leads to it; {decision.reason}')
    return finish(mission, context, Outcome.NOT_HERE, f'looked everywhere: {decision.reason}')
