"""The stored mission, and its resumption after a restart of the belief node.

No old data drives the robot: it is stopped, and the mission goes on with a look.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from semantic_nav.belief.mission import Mission, Tally
from semantic_nav.belief.phases import (
    Asking,
    Finished,
    Looking,
    Paused,
    Phase,
    Stopping,
    Waiting,
)
from semantic_nav.belief.transition import Context, Transition, end, stop, wait
from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.vocabulary import Outcome

#: Restarts in one mission after which the mission is held to be their cause.
_MOST_TIMES = 3


@dataclass(frozen=True)
class Kept:
    """A mission without its step, which nobody answers after a restart.

    Attributes:
        mission: the record.
        confirming: the next look is the last one.
        question: open question to the operator; empty for none.
        outcome: of a mission that was about to end; None for one that goes on.
        paused_ns: start of the pause, on the steady clock; None while not paused.
        requested: that pause was requested.
        times: number of restarts that the mission has survived.
        kept_ns: time at which this was stored, on the steady clock.
    """

    mission: Mission
    confirming: bool = False
    question: str = ''
    outcome: Outcome | None = None
    paused_ns: int | None = None
    requested: bool = False
    times: int = 0
    kept_ns: int = 0

    def differs_from(self, other: 'Kept | None') -> bool:
        """Tell whether more has changed than the time, the pose and the distance driven."""
        return other is None or _but_for_the_way(self) != _but_for_the_way(other)


def _all_but(kind: type, *names: str) -> Callable[[Any], object]:
    """A getter of all fields but some; a copy after every event would cost more."""
    return attrgetter(*(one.name for one in fields(kind) if one.name not in names))


_OF_KEPT, _OF_MISSION, _OF_TALLY = (
    _all_but(Kept, 'mission', 'kept_ns'), _all_but(Mission, 'last_pose', 'tally'),
    _all_but(Tally, 'distance_m'))


def _but_for_the_way(kept: Kept) -> tuple[object, ...]:
    return _OF_KEPT(kept), _OF_MISSION(kept.mission), _OF_TALLY(kept.mission.tally)


def kept_of(mission: Mission | None, phase: Phase | None, times: int,
            now: Now) -> Kept | None:
    """The part of a mission that is stored; None if the mission is over."""
    if mission is None or phase is None or isinstance(phase, Finished):
        return None
    asking = phase.asking if isinstance(phase, Paused) else phase
    return Kept(
        mission, isinstance(phase, Waiting | Looking | Paused) and phase.confirming,
        asking.question if isinstance(asking, Asking) else '',
        phase.outcome if isinstance(phase, Stopping) else None,
        phase.since_ns if isinstance(phase, Paused) else None,
        isinstance(phase, Paused) and phase.requested, times, now.steady_ns)


def take_up(kept: Kept, away_s: float | None, context: Context) -> Transition:
    """Resume a mission after the belief node was away, or end it if that took too long.

    Args:
        kept: the stored mission.
        away_s: time away, in s; None if unknown, for instance after a reboot.
        context: of the transition.
    """
    mission, config = kept.mission, context.config
    if away_s is None:
        # Its times are of another clock: the node is taken to have died when they were stored.
        then_ns = kept.kept_ns if kept.paused_ns is None else kept.paused_ns
        mission = mission.shifted(context.now.steady_ns - max(then_ns, mission.started_ns))
    if kept.outcome is not None:
        return end(mission, context, kept.outcome, mission.reason)
    if away_s is None or away_s > config.take_up_s:
        span = 'since the last start' if away_s is None else f'for {away_s:.0f} s'
        return end(mission, context, Outcome.GAVE_UP,
                   f'the belief node was away {span}{mission.seen()}')
    if kept.times >= _MOST_TIMES:
        return end(mission, context, Outcome.GAVE_UP,
                   f'the belief node ended {kept.times + 1} times in this mission'
                   f'{mission.seen()}')
    reason = f'taken up again: the belief node was away for {away_s:.0f} s'
    stopped = stop(mission, context, reason)
    mission = replace(mission, reason=reason)
    # A pause delays all deadlines from its start on.
    since_ns = context.now.steady_ns if kept.paused_ns is None else kept.paused_ns
    asking = Asking(kept.question, since_ns + nanoseconds(config.answer_wait_s)) if (
        kept.question) else None
    if kept.paused_ns is not None:
        return Transition(mission, Paused(
            stopped, since_ns, context.in_ns(config.stop_again_s), kept.requested,
            confirming=kept.confirming, asking=asking), (stopped,))
    if asking is not None:
        return Transition(mission, asking, (stopped,))
    return wait(mission, context, reason, confirm=kept.confirming).preceded_by(stopped)
