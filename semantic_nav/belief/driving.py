"""Transitions after the verifier's verdict on an act."""

from dataclasses import replace

from semantic_nav.belief import without_target
from semantic_nav.belief.confirm import views_needed
from semantic_nav.belief.glancing import adopted, at_a_view, still_awaited
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Deed, Driving
from semantic_nav.belief.places import LEFT_OUT_CODES, tried_in_vain
from semantic_nav.belief.steps import MAX_REASON
from semantic_nav.belief.table import Evidence
from semantic_nav.belief.target import place_of
from semantic_nav.belief.transition import (
    REFUSALS_BEFORE_FALLBACK,
    WAITING_CODES,
    Context,
    Transition,
    act,
    end,
    finish,
    look,
    refuse,
    reject,
    wait,
    with_evidence,
)
from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.documents import Decision, Document, Refusal, Result, Track, Verdict
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Outcome, Purpose

#: Tries of a place that the memory offers and the verifier does not know.
_UNHEARD = 3
#: Share of the floor that must be looked at before the target can be said not to be there.
_LEAST_LOOKED = 0.5
#: Distance within which a refused place is the track's, in m.
_SAME_PLACE_M = 0.05


def on_verdict(mission: Mission, phase: Driving, document: Document,
               context: Context) -> Transition:
    """Take the verdict: the act was refused or accepted, or it ended."""
    verdict = document.body
    assert isinstance(verdict, Verdict)
    if verdict.decision is None:
        assert verdict.result is not None
        return still_awaited(
            _on_result(mission, phase, verdict, verdict.result, context), phase)
    if verdict.decision.code is not Code.OK:
        if phase.glances and phase.deed.action is Action.EXPLORE:
            # The robot is still where the picture was taken.
            return adopted(replace(mission, rejection_reason=_rejection(verdict.decision)),
                           phase.glances, passed=False)
        return _on_refusal(mission, phase.deed, verdict, verdict.decision, context)
    return Transition(_accepted(mission, verdict.decision.reason), phase)


def _accepted(mission: Mission, reason: str) -> Mission:
    return replace(mission, reason=reason, rejection_reason='', last_refusal=None,
                   tally=replace(mission.tally, refusals_in_row=0))


def _on_refusal(mission: Mission, deed: Deed, verdict: Verdict, decision: Decision,
                context: Context) -> Transition:
    if decision.code is Code.BLOCKED and verdict.action == Action.APPROACH:
        return _target_blocked(mission, deed, decision, context)
    if decision.code in (Code.BLOCKED, Code.NOTHING_LEFT):
        return _nothing_left(mission, deed, verdict, decision, context)
    if decision.code is Code.REPEATED_FAILURE and verdict.action == Action.EXPLORE:
        # Other proposals lead past the same obstacle, which may move on.
        rejection = _rejection(decision)
        return wait(replace(mission, rejection_reason=rejection), context, rejection,
                    context.config.blocked_wait_s, deed=deed)
    if decision.code is Code.UNKNOWN_NODE and mission.tally.waits_in_row < _UNHEARD and (
            without_target.is_offered(mission, deed.node_id)):
        # A verifier that has just started may not have heard the memory's offer.
        return refuse(mission, context, decision.code, decision.reason, deed=deed, waits=True)
    if decision.code is Code.SKIPPED and verdict.action in (Action.GOTO_NODE, Action.APPROACH):
        # The model has said all that it sees from here: the fallback goes on at once.
        mission = replace(mission, tally=replace(
            mission.tally, refusals_in_row=REFUSALS_BEFORE_FALLBACK))
    if verdict.action != Action.APPROACH or decision.code in WAITING_CODES:
        if mission.purpose is Purpose.GO and decision.code not in WAITING_CODES:
            return without_target.way_failed(
                mission, deed, decision.code, decision.reason, context)
        if deed.node_id and decision.code in LEFT_OUT_CODES:
            return _place_in_vain(mission, deed.node_id, decision.code, decision.reason, context)
        return refuse(mission, context, decision.code, decision.reason, deed=deed)
    mission = _in_vain(mission, _rejection(decision), context)
    if decision.code is Code.UNREACHABLE:
        return _no_way(mission, verdict, decision, context)
    if decision.code is Code.NOT_CONFIRMED and _is_of_track(mission, decision):
        return reject(_refused(mission), context, decision.reason)
    return refuse(mission, context, decision.code, decision.reason)


def _in_vain(mission: Mission, failure: str, context: Context) -> Mission:
    return replace(mission, pursuit=mission.pursuit.in_vain(
        failure, context.now.steady_ns, nanoseconds(context.config.track_again_s)))


def _place_in_vain(mission: Mission, node_id: str, code: Code, reason: str, context: Context, *,
                   failed: bool = False) -> Transition:
    """Withhold a place from the model for a while after the robot went there in vain."""
    pause_ns = nanoseconds(context.config.place_again_s)
    mission = replace(mission, left_out=tried_in_vain(
        mission.left_out, node_id, context.now.steady_ns, pause_ns))
    return refuse(mission, context, code, f'{node_id}: {reason}', failed=failed)


def _refused(mission: Mission) -> Mission:
    return replace(mission, tally=replace(mission.tally, refusals=mission.tally.refusals + 1))


def _is_of_track(mission: Mission, decision: Decision) -> bool:
    track, goal = mission.track, decision.goal
    return track is not None and goal is not None and (
        goal.distance_to(*track.position[:2]) <= _SAME_PLACE_M)


def _no_way(mission: Mission, verdict: Verdict, decision: Decision,
            context: Context) -> Transition:
    track, pursuit = mission.track, mission.pursuit
    if track is not None and pursuit.reached and verdict.hypothesis_id is None:
        # The robot was at a stand-off and asked for another one.
        return reject(_refused(mission), context, decision.reason)
    mission, steady_ns = with_evidence(mission, Evidence.NO_WAY), context.now.steady_ns
    if pursuit.no_way_ns is None:
        mission = replace(mission, pursuit=replace(pursuit, no_way_ns=steady_ns))
    # The obstacle may move on.
    lasts = pursuit.no_way_ns is not None and (
        steady_ns - pursuit.no_way_ns >= nanoseconds(context.config.track_again_s))
    if track is None or not lasts:
        return refuse(mission, context, decision.code, decision.reason)
    return _without_way(mission, track, decision, context)


def _target_blocked(mission: Mission, deed: Deed, decision: Decision,
                    context: Context) -> Transition:
    """Wait at an obstacle on the way to the target: people walk on, and doors open again."""
    mission = _blocked_again(mission, decision)
    if mission.tally.blocked_in_row < context.config.blocked_tries:
        return wait(mission, context, mission.rejection_reason, context.config.blocked_wait_s,
                    deed=deed)
    mission = with_evidence(replace(
        mission, tally=replace(mission.tally, blocked_in_row=0)), Evidence.NO_WAY)
    if mission.track is None:
        return refuse(mission, context, decision.code, decision.reason)
    return _without_way(mission, mission.track, decision, context)


def _blocked_again(mission: Mission, decision: Decision) -> Mission:
    """Count one more try that found all ways blocked."""
    tally = mission.tally
    return replace(mission, rejection_reason=_rejection(decision), unreached=decision.reason,
                   tally=replace(tally, blocked=tally.blocked + 1,
                                 blocked_in_row=tally.blocked_in_row + 1))


def _rejection(decision: Decision) -> str:
    return f'{decision.code.value}: {decision.reason}'


def _without_way(mission: Mission, track: Track, decision: Decision,
                 context: Context) -> Transition:
    """Give up if a sure target has no way to it; reject an unsure one and search on."""
    needed = views_needed(track, mission.pursuit.strayed, mission.remembered,
                          context.config)
    if track.sure and track.views >= needed:
        return end(mission, context, Outcome.GAVE_UP,
                   f'the target was seen at {place_of(track)} from {track.views} places, but no '
                   f'way leads to it: {decision.reason}')
    return reject(_refused(mission), context, decision.reason)


def _on_result(mission: Mission, phase: Driving, verdict: Verdict, result: Result,
               context: Context) -> Transition:
    deed = phase.deed
    if result.outcome is ActOutcome.UNAVAILABLE:
        return refuse(mission, context, result.code or Code.NAV_UNAVAILABLE, result.reason,
                      deed=deed)
    mission = replace(mission, tally=replace(mission.tally, waits_in_row=0))
    if result.camera:
        # A view from here has no OK before it, as no goal pose was sent.
        mission = _accepted(mission, result.reason)
    if result.outcome is ActOutcome.ARRIVED:
        mission = replace(mission, unreached='', tally=replace(mission.tally, blocked_in_row=0))
    if result.outcome is ActOutcome.ARRIVED and verdict.action == Action.APPROACH:
        mission = replace(mission, pursuit=replace(mission.pursuit, reached=True))
        return look(mission, context, 'arrived at the stand-off', confirm=True)
    if mission.purpose is Purpose.GO and result.outcome is ActOutcome.ARRIVED and (
            verdict.action == Action.GOTO_NODE):
        return without_target.arrived(mission, deed, context)
    if result.outcome is ActOutcome.ARRIVED and verdict.action == Action.EXPLORE:
        # The search goes on: setbacks before a view was reached do not count against it.
        mission = replace(mission, tally=replace(mission.tally, refusals=0, failures=0))
        return at_a_view(mission, phase, result, context)
    if result.outcome is ActOutcome.LEG_DONE and verdict.action == Action.APPROACH:
        # From nearer, the rest of the way may be requested again.
        mission = replace(mission, pursuit=replace(mission.pursuit, asked_last=False))
    if result.outcome in (ActOutcome.ARRIVED, ActOutcome.LEG_DONE):
        return look(mission, context, result.reason)
    reason = f'{verdict.action}: {result.reason}'
    if verdict.action == Action.APPROACH:
        mission = _in_vain(mission, f'{Code.PATH_INVALID.value}: {reason}', context)
    if mission.purpose is Purpose.GO:
        return without_target.way_failed(
            mission, deed, Code.PATH_INVALID, reason, context, failed=True)
    if deed.node_id:
        return _place_in_vain(mission, deed.node_id, Code.PATH_INVALID, reason, context,
                              failed=True)
    return refuse(mission, context, Code.PATH_INVALID, reason, failed=True)


def _nothing_left(mission: Mission, deed: Deed, verdict: Verdict, decision: Decision,
                  context: Context) -> Transition:
    if mission.model_error or not mission.looked_share:
        # A place where only the fallback looked was not looked at; nor was a floor of no area.
        return refuse(mission, context, decision.code, decision.reason)
    track, pursuit = mission.track, mission.pursuit
    if track is not None and not pursuit.asked_last:
        return act(replace(mission, pursuit=replace(pursuit, asked_last=True)), context,
                   f'nothing but the target that was seen is left: {decision.reason}',
                   track_id=track.id)
    doubted = mission.doubted
    if track is None and doubted is not None:
        return act(mission.once_more(doubted), context,
                   f'nothing but what was doubted is left: {decision.reason}',
                   track_id=doubted.track.id)
    rejection = _rejection(decision)
    told = mission.last_refusal is not None and mission.last_refusal.code is decision.code
    mission = replace(mission, rejection_reason=rejection)
    if mission.candidates is not None and mission.candidates.candidates and not told:
        # Remembered places are left: the fallback goes there if the model does not.
        return look(replace(
            mission, last_refusal=Refusal(decision.code, decision.reason[:MAX_REASON]),
            tally=replace(mission.tally, refusals_in_row=REFUSALS_BEFORE_FALLBACK)),
            context, rejection)
    may_be_here = mission.may_be_here(context.config)
    searched = mission.purpose is Purpose.FIND and not may_be_here
    words = 'looked everywhere'
    if decision.code is Code.BLOCKED:
        mission = _blocked_again(mission, decision)
        # A target that is hardly here earns no further tries of a way that opens and closes.
        tries = mission.tally.blocked if searched else mission.tally.blocked_in_row
        if tries < context.config.blocked_tries:
            # People walk on, and doors open again.
            return wait(mission, context, rejection, context.config.blocked_wait_s, deed=deed)
        words = f'tried {tries} times'
    if track is not None:
        return end(mission, context, Outcome.GAVE_UP,
                   f'nothing else is left: {decision.reason}{mission.evidence()}')
    if decision.code is Code.BLOCKED and not searched:
        return finish(mission, context, Outcome.GAVE_UP,
                      f'{words}: {decision.reason}{mission.evidence()}')
    if mission.looked_share < _LEAST_LOOKED:
        # The map offers no viewpoint for the rest; it may change or grow.
        return refuse(mission, context, Code.MAP_UNAVAILABLE, 'no more than '
                      f'{mission.looked_share:.0%} of the reachable floor was looked at: '
                      f'{decision.reason}', deed=deed)
    if mission.purpose is Purpose.TOUR:
        return finish(mission, context, Outcome.TOURED, f'looked everywhere: {decision.reason}')
    if may_be_here and not mission.second_looks and verdict.hypothesis_id is not None and (
            mission.spent(context.config, context.now) < context.config.second_looks_share):
        # One look may have overlooked it.
        return act(replace(mission, second_looks=True), context,
                   f'looked everywhere, now a second time: {decision.reason}',
                   hypothesis_id=verdict.hypothesis_id, action=Action.EXPLORE)
    if not all(one.settled for one in mission.rejected):
        # One of the rejected may have been the target.
        return finish(mission, context, Outcome.GAVE_UP,
                      f'looked everywhere else: {decision.reason}{mission.evidence()}')
    return finish(mission, context, Outcome.GAVE_UP if may_be_here else Outcome.NOT_HERE,
                  f'{words}: {decision.reason}{mission.evidence()}')
