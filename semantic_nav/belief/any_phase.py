"""Transitions of more than one phase: time, the operator's requests, and others' documents."""

from dataclasses import replace

from semantic_nav.belief import goal_text
from semantic_nav.belief.events import (
    AnswerReceived,
    CancelRequested,
    GoalReceived,
    ListenersChanged,
    SwitchedOff,
)
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import (
    Asking,
    Deed,
    Driving,
    Looking,
    Phase,
    Waiting,
)
from semantic_nav.belief.stopping import UNKNOWN
from semantic_nav.belief.table import Evidence
from semantic_nav.belief.target import Pursuit
from semantic_nav.belief.transition import (
    Context,
    Transition,
    carry_out,
    end,
    finish,
    give_step_up,
    holds,
    look,
    refuse,
    stop,
    waiting_for,
    with_evidence,
)
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.documents import Candidates, Document, RobotPose
from semantic_nav.contracts.vocabulary import Code, Outcome

#: Reason of a cancelled mission. The request names neither sender nor motive: it may come from a
#: person, or from a program whose time was over.
CANCELLED = 'its end was asked for'
#: Longest step between two poses that is counted as driven, in m.
_LONGEST_STEP_M = 2.0


def on_goal(mission: Mission, phase: Phase, event: GoalReceived,
            context: Context) -> Transition:
    """End the mission, since another goal takes its place."""
    del phase, event
    return end(mission, context, Outcome.CANCELLED, 'a new goal came')


def on_cancel(mission: Mission, phase: Phase, event: CancelRequested,
              context: Context) -> Transition:
    """End the mission, as was requested."""
    del phase, event
    return end(mission, context, Outcome.CANCELLED, CANCELLED)


def on_switched_off(mission: Mission, phase: Phase, event: SwitchedOff,
                    context: Context) -> Transition:
    """Finish at once: a belief that is switched off cannot hear whether the robot stands."""
    del phase, event
    reason = 'the belief node was switched off'
    return finish(mission, context, Outcome.CANCELLED, f'{reason}{UNKNOWN}', stands=False
                  ).preceded_by(stop(mission, context, reason))


def on_answer(mission: Mission, phase: Asking, event: AnswerReceived,
              context: Context) -> Transition:
    """Add the operator's answer to the goal and look again."""
    answered, words = with_answer(mission, event, context)
    if answered is None:
        return Transition(replace(mission, reason=words), phase)
    return look(answered, context, words)


def with_answer(mission: Mission, event: AnswerReceived,
                context: Context) -> tuple[Mission | None, str]:
    """The record with the answer, None if that is refused; and what happened, in words."""
    refusal = goal_text.refusal_of(event.text, context.config.max_goal_chars)
    if refusal:
        return None, f'the answer was refused: {refusal}'
    text = goal_text.with_answer(mission.goal_text, event.text)
    # A target found or seen for the old words may be another thing.
    mission = replace(mission, goal_text=text, remembered=(), track=None, pursuit=Pursuit())
    return with_evidence(mission, Evidence.GOAL_REWORDED), 'the operator answered'


def on_listeners(mission: Mission, phase: Phase, event: ListenersChanged,
                 context: Context) -> Transition:
    """Give the step up if a node that carries out steps is gone or was restarted."""
    if isinstance(phase, Waiting) and (event.missing or event.restarted):
        # A restarted node does not know the act that was to be tried again.
        return Transition(mission, replace(phase, deed=None))
    if isinstance(phase, Looking | Driving):
        if event.missing:
            return give_step_up(mission, phase, context, waiting_for(event.missing))
        if event.restarted:
            return give_step_up(mission, phase, context,
                                f'{" and ".join(event.restarted)} was started anew')
    return Transition(mission, phase)


def on_candidates(mission: Mission, phase: Phase, document: Document,
                  context: Context) -> Transition:
    """Take the memory's candidates: the places that fit the goal."""
    candidates = document.body
    assert isinstance(candidates, Candidates)
    likely = {one.node_id for one in candidates.candidates if one.score >= candidates.threshold}
    remembered = mission.remembered or tuple(
        one.found_at for one in candidates.candidates if one.found_at is not None)
    mission = replace(mission, candidates=candidates, likely=mission.likely | likely,
                      remembered=remembered)
    if likely:
        mission = with_evidence(mission, Evidence.PLACE_LIKELY)
    elif mission.likely and mission.likely <= set(candidates.looked_at):
        # A place that is only missing, for instance after the memory was reset, is not disproved.
        mission = with_evidence(mission, Evidence.PLACES_DISPROVED)
    if isinstance(phase, Waiting) and phase.for_memory:
        return look(mission, context, mission.reason)
    return Transition(mission, phase)


def on_pose(mission: Mission, phase: Phase, document: Document, context: Context) -> Transition:
    """Take the robot's pose; only a robot that moves adds to the distance, as a pose is noisy."""
    del context
    robot, last = document.body, mission.last_pose
    assert isinstance(robot, RobotPose)
    mission = replace(mission, last_pose=robot.pose)
    if last is not None and robot.healthy and not robot.stands:
        step_m = last.distance_to(robot.pose.x, robot.pose.y)
        if step_m < _LONGEST_STEP_M:
            mission = replace(mission, tally=replace(
                mission.tally, distance_m=mission.tally.distance_m + step_m))
    return Transition(mission, phase)


def on_tick(mission: Mission, phase: Phase, event: Tick, context: Context) -> Transition:
    """Check what time ends: a budget, a wait, or the deadline of a step."""
    del event
    config, steady_ns = context.config, context.now.steady_ns
    exhausted = mission.exhausted(config, context.now)
    if exhausted:
        return end(mission, context, Outcome.GAVE_UP, exhausted)
    match phase:
        case Waiting(until_ns=until_ns, deed=Deed() as deed) if steady_ns >= until_ns and (
                holds(deed, mission, context)):
            return carry_out(mission, context, f'tried again: {mission.rejection_reason}', deed)
        case Waiting(until_ns=until_ns) if steady_ns >= until_ns:
            return look(mission, context, mission.reason, confirm=phase.confirming)
        case Looking(until_ns=until_ns) if steady_ns > until_ns:
            return give_step_up(mission, phase, context,
                                f'{phase.awaited} of the look did not come in time')
        case Driving(until_ns=until_ns) if steady_ns > until_ns:
            return give_step_up(mission, phase, context,
                                'the result of the act did not come in time')
        case Looking(glances=glances) | Driving(glances=glances):
            return Transition(mission, replace(phase, glances=tuple(
                one for one in glances if steady_ns <= one.until_ns)))
        case Asking(until_ns=until_ns) if steady_ns > until_ns:
            return refuse(mission, context, Code.NOT_CONFIRMED, 'the question was not answered '
                          f'within {config.answer_wait_s:g} s')
        case _:
            return Transition(mission, phase)
