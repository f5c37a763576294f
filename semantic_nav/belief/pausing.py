"""How a mission is paused and resumed, and what may happen in between."""

from dataclasses import replace

from semantic_nav.belief import any_phase
from semantic_nav.belief.events import (
    CancelRequested,
    GoalReceived,
    ListenersChanged,
    PauseRequested,
    ResumeRequested,
    SwitchedOff,
)
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import (
    Asking,
    Finished,
    Looking,
    Paused,
    Phase,
    Stopping,
    Waiting,
    shifted,
)
from semantic_nav.belief.stopping import STANDS, stands_after
from semantic_nav.belief.transition import Context, Transition, look, stop
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.documents import Document, RobotPose

#: The reason of a mission that was paused. By whom, and why, the request does not tell.
_PAUSED = 'its pause was asked for'


def refusal_of(event: PauseRequested | ResumeRequested, phase: Phase | None) -> str:
    """Return why a mission is not paused or resumed, in words; empty where it is."""
    match phase:
        case None | Finished():
            return 'there is no mission'
        case Stopping():
            return 'the mission is about to end'
        case Paused():
            return 'it is paused already' if isinstance(event, PauseRequested) else ''
        case _:
            return 'it is not paused' if isinstance(event, ResumeRequested) else ''


def on_pause(mission: Mission, phase: Phase, event: PauseRequested,
             context: Context) -> Transition:
    """The step under way is given up, and the robot is stopped, also between two steps."""
    del event
    step = stop(mission, context, _PAUSED)
    return Transition(
        replace(mission, reason=_PAUSED),
        Paused(step, context.now.steady_ns, context.in_ns(context.config.stop_again_s),
               confirming=isinstance(phase, Looking | Waiting) and phase.confirming,
               asking=phase if isinstance(phase, Asking) else None), (step,))


def on_resume(mission: Mission, phase: Paused, event: ResumeRequested,
              context: Context) -> Transition:
    """The mission goes on with a look, for the world may have changed, or with its question."""
    del event
    mission, reason = _rested(mission, phase, context), 'it was resumed'
    if phase.asking is None:
        return look(mission, context, reason, confirm=phase.confirming)
    return Transition(replace(mission, reason=reason),
                      shifted(phase.asking, context.now.steady_ns - phase.since_ns))


def on_goal(mission: Mission, phase: Paused, event: GoalReceived,
            context: Context) -> Transition:
    """Another goal takes the place of this one, and does not wait."""
    return any_phase.on_goal(_rested(mission, phase, context), phase, event, context)


def on_cancel(mission: Mission, phase: Paused, event: CancelRequested,
              context: Context) -> Transition:
    """Somebody has had enough."""
    return any_phase.on_cancel(_rested(mission, phase, context), phase, event, context)


def on_switched_off(mission: Mission, phase: Paused, event: SwitchedOff,
                    context: Context) -> Transition:
    """The belief is switched off."""
    return any_phase.on_switched_off(_rested(mission, phase, context), phase, event, context)


def on_pose(mission: Mission, phase: Paused, document: Document,
            context: Context) -> Transition:
    """The robot stands, or comes to rest, or is moved by others: no way that counts."""
    del context
    robot = document.body
    assert isinstance(robot, RobotPose)
    mission = replace(mission, last_pose=robot.pose)
    if phase.again_ns is not None and stands_after(phase.step, document):
        return Transition(replace(mission, reason=f'{mission.reason}{STANDS}'),
                          replace(phase, again_ns=None))
    return Transition(mission, phase)


def on_listeners(mission: Mission, phase: Paused, event: ListenersChanged,
                 context: Context) -> Transition:
    """Whoever was started anew has not heard the stop."""
    if event.restarted:
        phase = replace(phase, again_ns=context.now.steady_ns)
        mission = replace(mission, reason=_PAUSED)
    return Transition(mission, phase)


def on_tick(mission: Mission, phase: Paused, event: Tick, context: Context) -> Transition:
    """Time has passed, of which only the robot that moves takes note."""
    del event
    if phase.again_ns is None or context.now.steady_ns < phase.again_ns:
        return Transition(mission, phase)
    return Transition(
        mission, replace(phase, again_ns=context.in_ns(context.config.stop_again_s)),
        (phase.step,))


def _rested(mission: Mission, phase: Paused, context: Context) -> Mission:
    """Return the record without the time of the pause."""
    return mission.shifted(context.now.steady_ns - phase.since_ns)
