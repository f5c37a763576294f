"""Looks while the robot drives on: a slow model answers for an earlier pose."""

from dataclasses import replace

from semantic_nav.belief.answers import answered, observed
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Deed, Driving, Glance, Looking, Waiting
from semantic_nav.belief.steps import calls_left, look_time_s
from semantic_nav.belief.transition import Context, Transition, act, ask, is_fresh, look, stop
from semantic_nav.contracts.documents import Document, Hypothesis, Observation, Result
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Purpose, Source


def on_hypothesis(mission: Mission, phase: Looking | Driving, document: Document,
                  context: Context) -> Transition | None:
    """Take the answer of the model or the fallback; a second answer is dropped."""
    assert isinstance(document.body, Hypothesis)
    glance = _glance_of(phase, document.body.step_id)
    if glance is None or glance.hypothesis is not None:
        return None
    return _ended(answered(mission, document.body, context), phase, replace(
        glance, hypothesis=document, until_ns=context.in_ns(context.config.part_wait_s)), context)


def on_observation(mission: Mission, phase: Looking | Driving, document: Document,
                   context: Context) -> Transition | None:
    """Take the verifier's observation of the look."""
    assert isinstance(document.body, Observation)
    glance = _glance_of(phase, document.body.step_id)
    if glance is None:
        return None
    return _ended(mission, phase, replace(glance, observation=document.body), context)


def _glance_of(phase: Looking | Driving, step_id: str) -> Glance | None:
    return next((one for one in phase.glances if one.step_id == step_id), None)


def _ended(mission: Mission, phase: Looking | Driving, glance: Glance,
           context: Context) -> Transition:
    document, observation = glance.hypothesis, glance.observation
    if document is None or observation is None:
        return Transition(mission, replace(phase, glances=tuple(
            glance if one.step_id == glance.step_id else one for one in phase.glances)))
    mission = observed(mission, observation)
    left = tuple(one for one in phase.glances if one.step_id != glance.step_id)
    deed = phase.deed if isinstance(phase, Driving) else phase.onward
    made = instead(mission, document, context, deed)
    if made is not None:
        return made.glancing(_beside(phase, left, context))
    onward = onward_of(mission, document) or phase.onward
    return Transition(mission, replace(
        phase, glances=left, onward=None if deed is None else onward))


def _beside(phase: Looking | Driving, left: tuple[Glance, ...],
            context: Context) -> tuple[Glance, ...]:
    """The looks beside the act that follows, including the one in hand, oldest first."""
    if isinstance(phase, Driving):
        return left
    if phase.onward is None:
        return Glance(phase.step_id, phase.until_ns, phase.hypothesis, phase.observation), *left
    until_ns = context.in_ns(look_time_s(context.config))
    return *left, Glance(phase.step_id, until_ns, phase.hypothesis, phase.observation)


def instead(mission: Mission, document: Document, context: Context,
            deed: Deed | None) -> Transition | None:
    """The transition that an answer on the way makes in place of a deed; None for none.

    Only the target is better than a remembered place, and a way to it is not started over.
    """
    assert isinstance(document.body, Hypothesis)
    proposal, track = document.body.hypothesis, mission.track
    explores = deed is None or deed.action is Action.EXPLORE
    if document.body.source is Source.FALLBACK or mission.purpose is not Purpose.FIND or (
            deed is not None and deed.action is Action.APPROACH):
        return None
    told = replace(mission, cause_id=document.id, picture_ns=document.stamp_ns)
    if track is not None and track.sure and mission.pursuit.may_go(context.now.steady_ns):
        return act(told, context, 'to the target that was seen on the way', track_id=track.id)
    match proposal.action:
        case Action.APPROACH if track is not None:
            return act(told, context, proposal.rationale, hypothesis_id=document.id)
        case Action.GOTO_NODE if explores:
            return act(told, context, proposal.rationale, hypothesis_id=document.id,
                       action=proposal.action, node_id=proposal.node_id or '')
        case Action.ASK_CLARIFICATION if explores and (
                mission.tally.questions < context.config.questions_limit):
            question = proposal.clarification_question or ''
            return ask(told, context, question).preceded_by(stop(told, context, 'to ask'))
        case _:
            return None


def onward_of(mission: Mission, document: Document) -> Deed | None:
    """The deed that explores on after an answer; None if the answer proposes something else."""
    assert isinstance(document.body, Hypothesis)
    if document.body.hypothesis.action is not Action.EXPLORE:
        return None
    return Deed(Action.EXPLORE, document.id, None, '', document.stamp_ns, mission.last_pose)


def at_a_view(mission: Mission, phase: Driving, result: Result, context: Context) -> Transition:
    """Look from a view that was reached, without waiting for a slow model."""
    return _look_here(mission, phase.onward or phase.deed, result.reason, context, result.camera,
                      phase.glances)


def after_the_way(mission: Mission, phase: Looking, document: Document,
                  context: Context) -> Transition:
    """Go on after the answer to a look that was taken before the robot got here."""
    made = instead(mission, document, context, None)
    if made is not None:
        return made.glancing(phase.glances)
    if not phase.passed:
        # A picture from the robot's place exists already.
        return adopted(mission, phase.glances, passed=False)
    return _look_here(mission, onward_of(mission, document), 'arrived meanwhile', context,
                      phase.next_camera, phase.glances)


def _look_here(mission: Mission, onward: Deed | None, reason: str, context: Context,
               camera: str, glances: tuple[Glance, ...]) -> Transition:
    waits = onward is None or mission.silent_since_ns is not None or (
        mission.answer_s < context.config.slow_answer_s
        or not is_fresh(onward.picture_ns, context))
    if glances and (waits or not _may_add(mission, glances, context)):
        return adopted(mission, glances, passed=True, next_camera=camera)
    return look(mission, context, reason, onward=None if waits else onward, camera=camera,
                glances=glances)


def _may_add(mission: Mission, glances: tuple[Glance, ...], context: Context) -> bool:
    """Tell whether time and model calls are left for one more answer."""
    config, count = context.config, len(glances) + 1
    return (count <= config.looks_under_way
            and count * mission.answer_s <= config.look_deadline_s / 2
            and calls_left(mission, config, len(glances)) > 0)


def still_awaited(made: Transition, phase: Driving) -> Transition:
    """Wait for the looks in hand before a new look, or another try of a drive.

    Their answers may be better than both.
    """
    if phase.deed.action is not Action.EXPLORE or not phase.glances or (
            not isinstance(made.phase, Looking | Waiting)) or (
            isinstance(made.phase, Looking) and (
                made.phase.glances or made.phase.step_id == phase.glances[0].step_id)):
        return made
    return adopted(made.mission, phase.glances, passed=True)


def adopted(mission: Mission, glances: tuple[Glance, ...], *, passed: bool,
            next_camera: str = '') -> Transition:
    """Wait for the answers to looks that were taken on the way.

    Args:
        mission: the record.
        glances: the looks.
        passed: the robot has driven on since the newest picture was taken.
        next_camera: camera of the look that follows; empty for the first.
    """
    oldest, *others = glances
    awaited = 'the observation' if oldest.hypothesis is not None else 'the hypothesis'
    return Transition(mission, Looking(
        oldest.step_id, awaited, oldest.until_ns, hypothesis=oldest.hypothesis,
        observation=oldest.observation, passed=passed, next_camera=next_camera,
        glances=tuple(others)))
