"""Transitions while the robot is stopped, before its mission is over."""

from dataclasses import replace

from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Paused, Stopping
from semantic_nav.belief.transition import Context, Transition, finish
from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.documents import Document, RobotPose
from semantic_nav.contracts.vocabulary import Outcome

#: Endings of a mission's reason: for one that was cancelled or paused, and for any whose robot may
#: still move.
STANDS, UNKNOWN = '; the robot stands', ', the robot is not known to stand'


def stands_after(phase: Paused | Stopping, document: Document, context: Context) -> bool:
    """Tell whether a pose says that the robot stands since the newest stop.

    A robot that stood for an earlier stop may have set out since, for another client's goal. A
    pose that comes after the next stop was due does not count: this process did not run, and its
    documents waited.
    """
    robot, now = document.body, context.now
    assert isinstance(robot, RobotPose)
    return robot.stands and document.cause_id == phase.step.id and (
        phase.again_ns is not None and now.steady_ns < phase.again_ns) and (
        abs(seconds(now.clock_ns - document.stamp_ns)) <= context.config.stands_age_s)


def on_pose(mission: Mission, phase: Stopping, document: Document,
            context: Context) -> Transition:
    """Finish once the verifier says that the robot stands by the newest stop."""
    if stands_after(phase, document, context):
        return _finish(mission, phase, context, stands=True)
    robot = document.body
    assert isinstance(robot, RobotPose)
    return Transition(mission, phase if robot.held == phase.held else replace(
        phase, held=robot.held))


def on_tick(mission: Mission, phase: Stopping, event: Tick, context: Context) -> Transition:
    """Repeat the stop, as a verifier that starts may have missed it; finish at the limit."""
    del event
    if context.now.steady_ns >= phase.until_ns:
        return _finish(mission, phase, context, stands=False)
    return said_again(mission, phase, context)


def said_again(mission: Mission, phase: Paused | Stopping, context: Context) -> Transition:
    """Repeat a stop that is due under a new id, so that its answer cannot be an older one."""
    if phase.again_ns is None or context.now.steady_ns < phase.again_ns:
        return Transition(mission, phase)
    step = replace(phase.step, id=context.mint(), stamp_ns=context.now.clock_ns)
    again_ns = context.in_ns(context.config.stop_again_s)
    return Transition(mission, replace(phase, step=step, again_ns=again_ns), (step,))


def _finish(mission: Mission, phase: Stopping, context: Context, *, stands: bool) -> Transition:
    known = STANDS if phase.outcome is Outcome.CANCELLED else ''
    unknown = f'{UNKNOWN}: {phase.held}' if phase.held else UNKNOWN
    return finish(mission, context, phase.outcome,
                  f'{mission.reason}{known if stands else unknown}', stands)
