"""Transitions of pausing and resuming, and of the time in between."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from semantic_nav.belief import any_phase
from semantic_nav.belief.events import (
    AnswerReceived,
    ListenersChanged,
    PauseRequested,
    ResumeRequested,
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
from semantic_nav.belief.stopping import STANDS, said_again, stands_after
from semantic_nav.belief.transition import Context, Transition, look, stop
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.documents import Document, RobotPose

Take = Callable[[Mission, Any, Any, Context], Transition]
#: Reason of a paused mission. The request names neither sender nor motive.
_PAUSED = 'its pause was asked for'


def refusal_of(event: PauseRequested | ResumeRequested, phase: Phase | None) -> str:
    """The reason why a mission is not paused or resumed, in words; empty if it is."""
    pauses = isinstance(event, PauseRequested)
    match phase:
        case None | Finished():
            return 'there is no mission'
        case Stopping():
            return 'the mission is about to end'
        case Paused(requested=True):
            return 'it is paused already' if pauses else ''
        case Paused(held=held):
            return '' if pauses else f'it is not paused, but held: {held}'
        case _:
            return '' if pauses else 'it is not paused'


def on_pause(mission: Mission, phase: Phase, event: PauseRequested,
             context: Context) -> Transition:
    """Pause the mission until it is resumed."""
    del event
    if isinstance(phase, Paused):
        return _rest(mission, replace(phase, requested=True))
    return _begin(mission, phase, context, requested=True)


def on_pose_awake(mission: Mission, phase: Phase, document: Document,
                  context: Context) -> Transition:
    """Take the robot's pose, and pause the mission if the robot is held."""
    robot = document.body
    assert isinstance(robot, RobotPose)
    mission = any_phase.on_pose(mission, phase, document, context).mission
    return _begin(mission, phase, context, held=robot.held) if robot.held else (
        Transition(mission, phase))


def _begin(mission: Mission, phase: Phase, context: Context, *, requested: bool = False,
           held: str = '') -> Transition:
    """Give the step under way up, and stop the robot, also between two steps."""
    step = stop(mission, context, held or _PAUSED)
    return _rest(mission, Paused(
        step, context.now.steady_ns, context.in_ns(context.config.stop_again_s), requested, held,
        confirming=isinstance(phase, Looking | Waiting) and phase.confirming,
        asking=phase if isinstance(phase, Asking) else None)).preceded_by(step)


def _rest(mission: Mission, phase: Paused) -> Transition:
    """State the reason of the pause, and whether the robot is known to stand."""
    why = '; '.join((*[_PAUSED] * phase.requested, *[phase.held] * bool(phase.held)))
    known = STANDS if phase.again_ns is None else ''
    return Transition(replace(mission, reason=f'{why}{known}'), phase)


def on_resume(mission: Mission, phase: Paused, event: ResumeRequested,
              context: Context) -> Transition:
    """Resume the mission, once nothing else holds the robot."""
    del event
    return _go_on(mission, replace(phase, requested=False), context)


def _go_on(mission: Mission, phase: Paused, context: Context) -> Transition:
    """Go on, if allowed, with the open question or with a look, as the world may have changed."""
    if phase.requested or phase.held:
        return _rest(mission, phase)
    reason = 'the pause is over'
    mission = replace(_rested(mission, phase, context), reason=reason)
    if phase.asking is None:
        return look(mission, context, reason, confirm=phase.confirming)
    return Transition(mission, shifted(phase.asking, context.now.steady_ns - phase.since_ns))


def on_answer(mission: Mission, phase: Paused, event: AnswerReceived,
              context: Context) -> Transition | None:
    """Take the answer to the open question; a look then follows the pause."""
    if phase.asking is None:
        return None
    answered, words = any_phase.with_answer(mission, event, context)
    made = _rest(mission, phase) if answered is None else (
        _rest(answered, replace(phase, asking=None)))
    return replace(made, mission=replace(
        made.mission, reason=f'{made.mission.reason}; {words}'))


def rested(take: Take) -> Take:
    """A handler of any phase, wrapped for a mission that has rested until the event."""
    def take_rested(mission: Mission, phase: Paused, event: Any, context: Context) -> Transition:
        return take(_rested(mission, phase, context), phase, event, context)

    return take_rested


def on_pose(mission: Mission, phase: Paused, document: Document,
            context: Context) -> Transition:
    """Take the pose of a robot that stands, is moved by others, or is released.

    A way on which others move it does not count as driven.
    """
    robot = document.body
    assert isinstance(robot, RobotPose)
    phase = replace(phase, held=robot.held)
    if stands_after(phase, document, context):
        phase = replace(phase, again_ns=None)
    return _go_on(replace(mission, last_pose=robot.pose), phase, context)


def on_listeners(mission: Mission, phase: Paused, event: ListenersChanged,
                 context: Context) -> Transition:
    """Have the stop repeated for a restarted node, which has not heard it."""
    if event.restarted:
        phase = replace(phase, again_ns=context.now.steady_ns)
    return _rest(mission, phase)


def on_tick(mission: Mission, phase: Paused, event: Tick, context: Context) -> Transition:
    """Repeat the stop while the robot moves; no budget is used up meanwhile."""
    del event
    return said_again(mission, phase, context)


def _rested(mission: Mission, phase: Paused, context: Context) -> Mission:
    """The record without the time of the pause."""
    return mission.shifted(context.now.steady_ns - phase.since_ns)
