"""Transitions after the answers to a look."""

from dataclasses import replace

from semantic_nav.belief import glancing, without_target
from semantic_nav.belief.answers import answered, observed
from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.confirm import (
    bearing_slack_rad,
    confirms,
    looks_left,
    sighting_of,
    strays,
    views_needed,
)
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Glance, Looking
from semantic_nav.belief.steps import look_time_s
from semantic_nav.belief.table import Evidence
from semantic_nav.belief.transition import (
    Context,
    Transition,
    act,
    ask,
    carry_out,
    finish,
    look,
    refuse,
    reject,
    wait,
    with_evidence,
)
from semantic_nav.contracts.documents import Document, Hypothesis, Look, Observation, Track
from semantic_nav.contracts.hypothesis import Action, TargetStatus
from semantic_nav.contracts.vocabulary import Code, Outcome, Purpose, Source

#: Actions of a model that does not see the target. They give way to a sure track, unless an act
#: towards it has just failed.
_ELSEWHERE = frozenset({Action.EXPLORE, Action.ROTATE, Action.GOTO_NODE})
#: Times that a last look without a pose in the map is repeated before it is a doubt.
_UNPLACED = 5


def on_look(mission: Mission, phase: Looking, document: Document,
            context: Context) -> Transition | None:
    """Take the picture, or the failure to take one."""
    taken = document.body
    assert isinstance(taken, Look)
    if document.cause_id != phase.step_id:
        return None
    if not taken.taken and phase.onward is not None and phase.glances:
        return glancing.adopted(mission, phase.glances, passed=True)
    if not taken.taken:
        return wait(mission, context, f'no picture: {taken.reason}', confirm=phase.confirming)
    if phase.onward is not None:
        made = carry_out(mission, context, 'on, while the model looks', phase.onward)
        return made.glancing((*phase.glances, Glance(
            phase.step_id, context.in_ns(look_time_s(context.config)), phase.hypothesis,
            phase.observation)))
    if phase.hypothesis is None:
        phase = replace(phase, awaited='the hypothesis',
                        until_ns=context.in_ns(look_time_s(context.config)))
    return Transition(mission, phase)


def on_hypothesis(mission: Mission, phase: Looking, document: Document,
                  context: Context) -> Transition | None:
    """Take the answer of the model or the fallback; a second answer is dropped."""
    hypothesis = document.body
    assert isinstance(hypothesis, Hypothesis)
    if hypothesis.step_id != phase.step_id:
        return glancing.on_hypothesis(mission, phase, document, context)
    if phase.hypothesis is not None:
        return None
    mission = replace(answered(mission, hypothesis, context), cause_id=document.id,
                      picture_ns=document.stamp_ns)
    phase = replace(phase, hypothesis=document, awaited='the observation',
                    until_ns=context.in_ns(context.config.part_wait_s))
    return _ended(mission, phase, context)


def on_observation(mission: Mission, phase: Looking, document: Document,
                   context: Context) -> Transition | None:
    """Take the verifier's observation of the look."""
    assert isinstance(document.body, Observation)
    if document.body.step_id != phase.step_id:
        return glancing.on_observation(mission, phase, document, context)
    return _ended(mission, replace(phase, observation=document.body), context)


def _ended(mission: Mission, phase: Looking, context: Context) -> Transition:
    """End the look if both parts of its answer are there."""
    document, observation = phase.hypothesis, phase.observation
    if document is None or observation is None:
        return Transition(mission, phase)
    assert isinstance(document.body, Hypothesis)
    expected, reached = _expected(mission, observation), mission.pursuit.reached
    mission = observed(mission, observation)
    if phase.passed or (phase.glances and phase.onward is None):
        return glancing.after_the_way(mission, phase, document, context)
    if phase.confirming and observation.source is Source.FALLBACK:
        # Silence is no doubt: the last look is still to come.
        reason = f'the last look had no answer of the model: {mission.model_error}'
        return (look(mission, context, reason) if mission.track is None
                else wait(mission, context, reason, confirm=True))
    unplaced = mission.tally.waits_in_row
    if phase.confirming and observation.pose is None and unplaced < _UNPLACED:
        # A jump of the localisation or a silent sensor says nothing of the target.
        return wait(replace(mission, tally=replace(mission.tally, waits_in_row=unplaced + 1)),
                    context, f'the last look has no place: {observation.ungrounded_reason}',
                    confirm=True)
    doubt = confirms(document.body, observation, expected, mission.remembered, context.config)
    lost = expected is not None and (
        mission.track is None or mission.track.id != expected.id)
    shown = document.body.hypothesis.target_status is TargetStatus.VISIBLE
    if lost and not shown and (phase.confirming or reached):
        # Looked at twice and not there: a thing seen there from afar is no new target.
        return reject(_doubted(replace(mission, track=expected)), context, doubt,
                      disproved=True)
    if not phase.confirming:
        if not doubt and _in_front(mission, observation, context.config):
            # Wherever the robot was going, a last look can be taken from here.
            return look(mission, context, 'the target is in front of the robot', confirm=True)
        return _act_on(mission, document, observation, context)
    pursuit, strayed = mission.pursuit, strays(document.body, observation, expected)
    mission = replace(mission, pursuit=replace(
        pursuit, shown=pursuit.shown or shown, strayed=pursuit.strayed or strayed))
    return _end_confirmation(mission, doubt, context)


def _in_front(mission: Mission, observation: Observation, config: BeliefConfig) -> bool:
    """Tell whether the robot faces a target that was seen from enough viewpoints to arrive."""
    track, bearing_rad = mission.track, observation.target_bearing_rad
    sighting = sighting_of(observation)
    return track is not None and bearing_rad is not None and sighting is not None and (
        abs(bearing_rad) <= bearing_slack_rad(observation, sighting, config)
        and track.views >= views_needed(
            track, mission.pursuit.strayed, mission.remembered, config))


def _expected(mission: Mission, observation: Observation) -> Track | None:
    """The target's track before this look, in the map in which this look lies."""
    track, held = mission.track, observation.held
    return held if track is not None and held is not None and held.id == track.id else track


def _end_confirmation(mission: Mission, doubt: str, context: Context) -> Transition:
    track, pursuit = mission.track, mission.pursuit
    views = 0 if track is None else views_needed(
        track, pursuit.strayed, mission.remembered, context.config)
    if not doubt and track is not None and track.views >= views:
        return finish(with_evidence(mission, Evidence.CONFIRMED), context, Outcome.ARRIVED,
                      'the target is in front of the robot')
    # A model that sees targets everywhere is not followed for ever.
    mission = _doubted(mission)
    if track is None:
        return look(mission, context, f'not confirmed: {doubt}')
    if not doubt:
        return act(mission, context, f'seen from {track.views} of {views} places',
                   track_id=track.id)
    if not pursuit.reached:
        # This look was not taken from the stand-off.
        return act(mission, context, f'not confirmed, to its stand-off: {doubt}',
                   track_id=track.id)
    others = pursuit.other_stand_offs
    if others < looks_left(track, shown=pursuit.shown, config=context.config):
        mission = replace(mission, pursuit=replace(pursuit, other_stand_offs=others + 1))
        return act(mission, context, f'not confirmed, from another side: {doubt}',
                   track_id=track.id)
    # The verifier still holds it: its place was hidden, or the target was shown.
    return reject(mission, context, doubt)


def _doubted(mission: Mission) -> Mission:
    return replace(mission, tally=replace(mission.tally, doubts=mission.tally.doubts + 1))


def _act_on(mission: Mission, document: Document, observation: Observation,
            context: Context) -> Transition:
    assert isinstance(document.body, Hypothesis)
    proposal = document.body.hypothesis
    if mission.purpose is not Purpose.FIND:
        return without_target.proposed(mission, document, proposal, context)
    if proposal.action is Action.ASK_CLARIFICATION:
        return ask(mission, context, proposal.clarification_question or '')
    track = mission.track
    if proposal.action in _ELSEWHERE and track is not None and track.sure and (
            mission.pursuit.may_go(context.now.steady_ns)):
        return act(mission, context, 'to the target that was seen', track_id=track.id)
    if proposal.action is not Action.STOP:
        return act(mission, context, proposal.rationale, hypothesis_id=document.id,
                   action=proposal.action, node_id=proposal.node_id or '')
    if track is not None and observation.pose is not None and (
            observation.pose.distance_to(*track.position[:2])
            <= context.config.stand_off_m):
        return look(mission, context, 'the model says that the target is reached', confirm=True)
    return refuse(mission, context, Code.NOT_CONFIRMED,
                  'stop was proposed, and no tracked target is within the stand-off')
