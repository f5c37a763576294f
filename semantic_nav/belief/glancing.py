"""Looks while the robot drives: a slow model answers to where it was, and it goes on meanwhile."""

from dataclasses import replace

from semantic_nav.belief.answers import answered, observed
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Deed, Driving, Glance, Looking, Waiting
from semantic_nav.belief.transition import Context, Transition, act, ask, is_fresh, look, stop
from semantic_nav.contracts.documents import Document, Hypothesis, Observation, Result
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Source


def on_hypothesis(mission: Mission, phase: Driving, document: Document,
                  context: Context) -> Transition | None:
    """The model answered, or the fallback in its place; a second answer is dropped."""
    glance = phase.glance
    if glance is None or glance.hypothesis is not None:
        return None
    assert isinstance(document.body, Hypothesis)
    return _ended(answered(mission, document.body, context), phase, replace(
        glance, hypothesis=document, until_ns=context.in_ns(context.config.part_wait_s)), context)


def on_observation(mission: Mission, phase: Driving, document: Document,
                   context: Context) -> Transition | None:
    """The verifier says what was really seen."""
    if phase.glance is None:
        return None
    assert isinstance(document.body, Observation)
    return _ended(mission, phase, replace(phase.glance, observation=document.body), context)


def _ended(mission: Mission, phase: Driving, glance: Glance, context: Context) -> Transition:
    document, observation = glance.hypothesis, glance.observation
    if document is None or observation is None:
        return Transition(mission, replace(phase, glance=glance))
    mission = observed(mission, observation)
    made = instead(mission, document, context)
    if made is not None:
        return made
    return Transition(mission, replace(phase, glance=None,
                                       onward=onward_of(mission, document) or phase.onward))


def instead(mission: Mission, document: Document, context: Context) -> Transition | None:
    """Return what an answer on the way leads to in place of exploring; None for nothing."""
    assert isinstance(document.body, Hypothesis)
    proposal, track = document.body.hypothesis, mission.track
    if document.body.source is Source.FALLBACK:
        return None
    told = replace(mission, cause_id=document.id, picture_ns=document.stamp_ns)
    if track is not None and track.sure and mission.pursuit.may_go(context.now.steady_ns):
        return act(told, context, 'to the target that was seen on the way', track_id=track.id)
    match proposal.action:
        case Action.APPROACH if track is not None:
            return act(told, context, proposal.rationale, hypothesis_id=document.id)
        case Action.GOTO_NODE:
            return act(told, context, proposal.rationale, hypothesis_id=document.id,
                       action=proposal.action, node_id=proposal.node_id or '')
        case Action.ASK_CLARIFICATION if mission.tally.questions < context.config.questions_limit:
            question = proposal.clarification_question or ''
            return ask(told, context, question).preceded_by(stop(told, context, 'to ask'))
        case _:
            return None


def onward_of(mission: Mission, document: Document) -> Deed | None:
    """Return how to explore on after an answer; None where it proposes something else."""
    assert isinstance(document.body, Hypothesis)
    if document.body.hypothesis.action is not Action.EXPLORE:
        return None
    return Deed(Action.EXPLORE, document.id, None, '', document.stamp_ns, mission.last_pose)


def at_a_view(mission: Mission, phase: Driving, result: Result, context: Context) -> Transition:
    """Look from a view that was reached: a slow model is not waited for."""
    if phase.glance is not None:
        return adopted(mission, phase.glance, passed=True, next_camera=result.camera)
    return _look_here(mission, phase.onward or phase.deed, result.reason, context, result.camera)


def after_the_way(mission: Mission, document: Document, context: Context,
                  camera: str) -> Transition:
    """Go on after the answer to a look that was taken before the robot came to where it is.

    Args:
        mission: the record.
        document: the answer.
        context: of the transition.
        camera: through which to look from here; empty for the first.
    """
    return instead(mission, document, context) or _look_here(
        mission, onward_of(mission, document), 'arrived meanwhile', context, camera)


def _look_here(mission: Mission, onward: Deed | None, reason: str, context: Context,
               camera: str) -> Transition:
    waits = onward is None or mission.track is not None or mission.silent_since_ns is not None or (
        mission.answer_s < context.config.slow_answer_s
        or not is_fresh(onward.picture_ns, context))
    return look(mission, context, reason, onward=None if waits else onward, camera=camera)


def still_awaited(made: Transition, phase: Driving) -> Transition:
    """Wait for the answer to the look in hand before another one, or another try of a drive.

    What it shows may be better than both.
    """
    if phase.glance is None or not isinstance(made.phase, Looking | Waiting) or (
            isinstance(made.phase, Looking) and made.phase.step_id == phase.glance.step_id):
        return made
    return adopted(made.mission, phase.glance, passed=True)


def adopted(mission: Mission, glance: Glance, *, passed: bool,
            next_camera: str = '') -> Transition:
    """Wait for the answer to a look that was taken on the way.

    Args:
        mission: the record.
        glance: the look.
        passed: the robot has driven on since its picture was taken.
        next_camera: through which the look goes that follows; empty for the first.
    """
    awaited = 'the observation' if glance.hypothesis is not None else 'the hypothesis'
    return Transition(mission, Looking(
        glance.step_id, awaited, glance.until_ns, hypothesis=glance.hypothesis,
        observation=glance.observation, passed=passed, next_camera=next_camera))
