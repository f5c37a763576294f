"""The mission's state machine: the handler of each event in each phase, and the phases after."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semantic_nav.belief import glancing, goal_text, pausing, stopping
from semantic_nav.belief.any_phase import (
    CANCELLED,
    on_answer,
    on_cancel,
    on_candidates,
    on_goal,
    on_listeners,
    on_switched_off,
    on_tick,
)
from semantic_nav.belief.driving import on_verdict
from semantic_nav.belief.events import (
    AnswerReceived,
    CancelRequested,
    GoalReceived,
    ListenersChanged,
    PauseRequested,
    ResumeRequested,
    SwitchedOff,
)
from semantic_nav.belief.goal import Goal
from semantic_nav.belief.looking import on_hypothesis, on_look, on_observation
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import (
    Asking,
    Driving,
    Finished,
    Looking,
    Paused,
    Phase,
    Stopping,
    Waiting,
)
from semantic_nav.belief.transition import (
    Context,
    Transition,
    end,
    finish,
    look,
    wait,
    waiting_for,
)
from semantic_nav.contracts.core import Event, Tick
from semantic_nav.contracts.documents import (
    Candidates,
    Document,
    Hypothesis,
    Look,
    Observation,
    RobotPose,
    Verdict,
)
from semantic_nav.contracts.fields import MAX_ID
from semantic_nav.contracts.vocabulary import Outcome, Purpose

#: Handler of the record, the phase, an event or a document, and the context. None for an event
#: that does not belong to anything under way.
Take = Callable[[Mission, Any, Any, Context], Transition | None]


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        take: makes the transition.
        follow: the phases that may follow.
    """

    take: Take
    follow: frozenset[type]


def _row(take: Take, *follow: type) -> Row:
    return Row(take, frozenset(follow))


#: The phases in which a mission may begin.
FIRST = frozenset({Waiting, Looking})
#: The phases of a mission that goes on; OPEN adds those of a paused or stopping one.
GOES_ON: tuple[type, ...] = (Waiting, Looking, Driving, Asking)
OPEN: tuple[type, ...] = (*GOES_ON, Paused, Stopping)
#: Rows by the phase and the type of the event, or of the document's body.
TABLE: dict[tuple[type, type], Row] = {
    **{(phase, GoalReceived): _row(on_goal, Stopping) for phase in GOES_ON},
    **{(phase, CancelRequested): _row(on_cancel, Stopping) for phase in GOES_ON},
    **{(phase, PauseRequested): _row(pausing.on_pause, Paused) for phase in GOES_ON},
    (Paused, PauseRequested): _row(pausing.on_pause, Paused),
    (Paused, ResumeRequested): _row(
        pausing.on_resume, Paused, Looking, Waiting, Asking, Stopping),
    (Paused, GoalReceived): _row(pausing.rested(on_goal), Stopping),
    (Paused, CancelRequested): _row(pausing.rested(on_cancel), Stopping),
    **{(phase, SwitchedOff): _row(on_switched_off, Finished) for phase in (*GOES_ON, Stopping)},
    (Paused, SwitchedOff): _row(pausing.rested(on_switched_off), Finished),
    **{(phase, RobotPose): _row(pausing.on_pose_awake, phase, Paused) for phase in GOES_ON},
    (Paused, RobotPose): _row(
        pausing.on_pose, Paused, Looking, Waiting, Asking, Stopping),
    (Stopping, RobotPose): _row(stopping.on_pose, Stopping, Finished),
    (Waiting, Candidates): _row(on_candidates, Waiting, Looking, Stopping),
    (Looking, Candidates): _row(on_candidates, Looking),
    (Driving, Candidates): _row(on_candidates, Driving),
    (Asking, Candidates): _row(on_candidates, Asking),
    (Paused, Candidates): _row(on_candidates, Paused),
    (Waiting, ListenersChanged): _row(on_listeners, Waiting),
    (Looking, ListenersChanged): _row(on_listeners, Looking, Waiting),
    (Driving, ListenersChanged): _row(on_listeners, Driving, Waiting),
    (Asking, ListenersChanged): _row(on_listeners, Asking),
    (Paused, ListenersChanged): _row(pausing.on_listeners, Paused),
    (Waiting, Tick): _row(on_tick, Waiting, Looking, Driving, Stopping),
    (Looking, Tick): _row(on_tick, Looking, Waiting, Stopping),
    (Driving, Tick): _row(on_tick, Driving, Waiting, Stopping),
    (Asking, Tick): _row(on_tick, Asking, Looking, Waiting, Stopping),
    (Paused, Tick): _row(pausing.on_tick, Paused),
    (Stopping, Tick): _row(stopping.on_tick, Stopping, Finished),
    (Looking, Look): _row(on_look, Looking, Waiting, Driving),
    (Looking, Hypothesis): _row(
        on_hypothesis, Looking, Driving, Asking, Waiting, Stopping, Finished),
    (Looking, Observation): _row(
        on_observation, Looking, Driving, Asking, Waiting, Stopping, Finished),
    (Driving, Hypothesis): _row(glancing.on_hypothesis, Driving, Asking),
    (Driving, Observation): _row(glancing.on_observation, Driving, Asking),
    (Driving, Verdict): _row(on_verdict, Driving, Looking, Waiting, Stopping, Finished),
    (Asking, AnswerReceived): _row(on_answer, Asking, Looking, Waiting, Stopping),
    (Paused, AnswerReceived): _row(pausing.on_answer, Paused),
}
#: Events that come at any time; one that does not matter is not counted as dropped.
AT_ANY_TIME = frozenset({
    Tick, RobotPose, ListenersChanged, CancelRequested, GoalReceived, SwitchedOff})


def kind_of(event: Event | Document) -> type:
    """The type by which the table knows an event or a document."""
    return type(event.body) if isinstance(event, Document) else type(event)


def step_of(document: Document) -> str | None:
    """The step that a document answers; None if it answers none."""
    match document.body:
        case Hypothesis(step_id=step_id) | Observation(step_id=step_id):
            return step_id
        case Look() | Verdict():
            return document.cause_id
        case _:
            return None


def refusal_of_goal(goal: Goal, context: Context) -> Transition | None:
    """The end of a mission whose goal cannot be taken; None for a good goal."""
    if goal.purpose is Purpose.TOUR:
        return None
    most = context.config.max_goal_chars
    refusal = goal_text.refusal_of(goal.text, most) if goal.purpose is Purpose.FIND else (
        goal_text.refusal_of(goal.place, min(most, MAX_ID)))
    return refused_goal(goal, refusal, context) if refusal else None


def refused_goal(goal: Goal, reason: str, context: Context) -> Transition:
    """The end of a mission that never began."""
    return finish(_new(goal, context), context, Outcome.REFUSED, reason)


def begin(goal: Goal, context: Context) -> Transition:
    """Start the mission of a goal that can be taken."""
    mission, memory_wait_s = _new(goal, context), context.config.memory_wait_s
    # If other nodes are missing too, the memory may come last.
    reason = (waiting_for(context.missing) if context.missing
              else 'the memory is asked about the goal first')
    made = (wait(mission, context, reason, memory_wait_s, for_memory=True)
            if memory_wait_s else look(mission, context, 'a new goal'))
    assert type(made.phase) in FIRST
    return made


def begin_stop(goal_id: str, context: Context) -> Transition:
    """Stop the robot without a mission in hand: a goal of an earlier process may still move it."""
    return end(_new(Goal(goal_id, ''), context), context, Outcome.CANCELLED, CANCELLED)


def _new(goal: Goal, context: Context) -> Mission:
    shown = goal_text.quotable(goal.text.strip(), context.config.max_goal_chars)
    return Mission(goal.id, shown, context.now.steady_ns, goal.purpose,
                   goal_text.quotable(goal.place, MAX_ID))


def transition(mission: Mission, phase: Phase, event: Event | Document,
               context: Context) -> Transition | None:
    """The transition of a mission on an event; None if the event does not belong to it.

    Args:
        mission: the record.
        phase: the phase in hand.
        event: an event of the core, or a document of this goal.
        context: of the transition.
    """
    row = TABLE.get((type(phase), kind_of(event)))
    if row is None:
        return None
    if isinstance(event, Document) and step_of(event) not in (
            None, *steps_in_hand(phase)):
        return None
    made = row.take(mission, phase, event, context)
    assert made is None or type(made.phase) in row.follow, (
        f'{type(phase).__name__} -> {type(made.phase).__name__} on {kind_of(event).__name__}')
    return made


def steps_in_hand(phase: Phase | None) -> tuple[str, ...]:
    """The steps whose answers a phase waits for."""
    if not isinstance(phase, Looking | Driving):
        return ()
    return (phase.step_id, *(one.step_id for one in phase.glances))
