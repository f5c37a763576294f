"""State of robot and mission: one of eight states, its reason, and the permitted deeds."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from semantic_nav.contracts.documents import Belief, Decision, Result, RobotPose
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Outcome, Phase


class State(StrEnum):
    """The state that an operator must know at a glance."""

    READY = 'ready'
    EXECUTING = 'executing'
    WAITING = 'waiting'
    BLOCKED = 'blocked'
    RECOVERING = 'recovering'
    NEEDS_ASSISTANCE = 'needs assistance'
    SAFETY_STOPPED = 'safety stopped'
    FAULTED = 'faulted'


class Command(StrEnum):
    """A deed that an operator may do, by its name in the messages of the page."""

    GOAL = 'goal'
    ANSWER = 'answer'
    PAUSE = 'pause'
    RESUME = 'resume'
    CANCEL = 'cancel'
    #: Choose another model, while no step is open.
    MODEL = 'model'
    #: Go to a remembered place.
    GO = 'go'
    TOUR = 'tour'
    #: Name or forget a remembered place.
    NAME = 'name'
    FORGET = 'forget'
    #: Search or describe remembered places, which no state forbids.
    SEARCH = 'search'
    DESCRIBE = 'describe'


@dataclass(frozen=True)
class Facts:
    """The facts that determine the state.

    Attributes:
        belief: the newest; None before the first.
        listening: the belief node hears goals.
        remembering: the memory answers.
        pose: the newest; None before the first.
        verdict: on the newest act of this goal: its decision, later its result.
        silent: nodes that have spoken before and do not any more.
        errors: broken parts, as the nodes report them, in words.
        lacks: parts that nodes wait for before anything can be driven, in words.
        unproved: parts that no node has seen working yet, in words.
    """

    belief: Belief | None = None
    listening: bool = True
    pose: RobotPose | None = None
    verdict: Decision | Result | None = None
    silent: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    remembering: bool = False

    @property
    def open(self) -> Belief | None:
        """The belief of a mission that goes on; None for none."""
        belief = self.belief
        if belief is None or not belief.goal_text or belief.outcome is not None or (
                belief.phase is Phase.FINISHED):
            return None
        return belief


@dataclass(frozen=True)
class Standing:
    """The state, its reason, the next action, and the permitted deeds.

    Attributes:
        broken: other broken parts and their cure, in whatever state.
    """

    state: State
    reason: str
    next: str
    permitted: tuple[Command, ...]
    broken: tuple[str, ...] = ()


#: Refusals because of an obstacle or an unreachable place, not because a part is missing.
_IN_THE_WAY = frozenset({
    Code.KEEPOUT, Code.COLLISION_DETECTED, Code.UNKNOWN_SPACE, Code.UNREACHABLE, Code.BLOCKED,
    Code.PATH_INVALID})
_ENDED_BADLY = frozenset({ActOutcome.ABORTED, ActOutcome.UNAVAILABLE})
#: Deeds that start a mission.
_BEGIN = (Command.GOAL, Command.GO, Command.TOUR)
#: Those, and the end of a mission, or of a drive that may outlast it.
_OPEN = (Command.CANCEL, *_BEGIN)
#: Deeds that need no mission, only a memory that answers.
_OF_MEMORY = (Command.NAME, Command.FORGET)


@dataclass(frozen=True)
class _Rule:
    """A row of the table.

    Attributes:
        reason: returns why the row holds, in words; empty if it does not.
        next: the next action of the robot, or advice to the operator.
        permitted: deeds that the operator may do; `judge` adds those that no state decides.
    """

    state: State
    reason: Callable[[Facts], str]
    next: str
    permitted: tuple[Command, ...]


def _no_belief(facts: Facts) -> str:
    return '' if facts.listening else 'no belief node listens'


def _silent(facts: Facts) -> str:
    return f'{" and ".join(facts.silent)}: no sign of life' if facts.silent else ''


def _silent_on_mission(facts: Facts) -> str:
    return _silent(facts) if facts.open is not None else ''


def _held(facts: Facts) -> str:
    return facts.pose.held if facts.pose is not None else ''


def _held_and_paused(facts: Facts) -> str:
    return _held(facts) if _paused(facts) else ''


def _paused(facts: Facts) -> str:
    belief = facts.open
    return '' if belief is None or not belief.pause_requested else (
        belief.reason or belief.phase.value)


def _may_move(facts: Facts) -> str:
    belief = facts.belief
    if facts.open is not None or belief is None or belief.stands is not False:
        return ''
    return f'{belief.reason or "the mission is over"}; the robot is not known to stand'


def _in(phase: Phase) -> Callable[[Facts], str]:
    def reason(facts: Facts) -> str:
        belief = facts.open
        return '' if belief is None or belief.phase is not phase else (
            belief.reason or phase.value)

    return reason


def _asks(facts: Facts) -> str:
    belief = facts.open
    return '' if belief is None or belief.phase is not Phase.ASKING else (
        belief.question or 'it has a question')


def _waits(facts: Facts) -> str:
    belief = facts.open
    return '' if belief is None or not belief.waits else belief.reason or belief.next_action


def _waits_broken(facts: Facts) -> str:
    return facts.errors[0] if _waits(facts) and facts.errors else ''


def _way_is_barred(facts: Facts) -> str:
    verdict = facts.verdict
    if not _waits(facts) or verdict is None or verdict.code not in _IN_THE_WAY:
        return ''
    return f'{verdict.code}: {verdict.reason}'


def _recovers(facts: Facts) -> str:
    verdict = facts.verdict
    if facts.open is None or verdict is None:
        return ''
    if isinstance(verdict, Decision):
        return f'backs off: {verdict.reason}' if verdict.back_up_m is not None else ''
    return f'the drive did not end well: {verdict.reason}' if (
        verdict.outcome in _ENDED_BADLY) else ''


def _works(facts: Facts) -> str:
    belief = facts.open
    if belief is None:
        return ''
    return '; '.join(filter(None, (belief.next_action, belief.reason))) or belief.phase.value


def _broken(facts: Facts) -> str:
    return facts.errors[0] if facts.errors else ''


def _lacking(facts: Facts) -> str:
    return facts.lacks[0] if facts.lacks else ''


def _unproved(facts: Facts) -> str:
    return f'unproved: {"; ".join(facts.unproved)}' if facts.unproved else ''


def _rests(facts: Facts) -> str:
    belief = facts.belief
    if belief is None or belief.outcome is None:
        return 'no goal was said yet'
    return f'the last mission: {ENDED[belief.outcome]}'


def _pausing(facts: Facts) -> tuple[Command, ...]:
    """Pause or resume, where the belief takes it: a mission that ends already does neither."""
    belief = facts.open
    if belief is None or belief.phase is Phase.STOPPING or not facts.listening or (
            'belief' in facts.silent):
        return ()
    return (Command.RESUME,) if belief.pause_requested else (Command.PAUSE,)


def _no_step_is_open(facts: Facts) -> bool:
    belief = facts.open
    return facts.listening and not facts.silent and (
        belief is None or belief.phase in (Phase.PAUSED, Phase.ASKING) or belief.waits)


#: Outcomes of a mission in words.
ENDED = {Outcome.ARRIVED: 'arrived', Outcome.NOT_HERE: 'it is not here',
         Outcome.GAVE_UP: 'gave up', Outcome.CANCELLED: 'cancelled',
         Outcome.REFUSED: 'refused', Outcome.TOURED: 'looked everywhere'}

#: The first row whose reason is not empty holds.
TABLE = (
    _Rule(State.FAULTED, _no_belief, 'start the belief node, in this namespace and ROS domain',
          ()),
    _Rule(State.FAULTED, _silent_on_mission,
          'start that node again; the mission goes on by itself then', (Command.CANCEL,)),
    _Rule(State.FAULTED, _silent, 'start that node again', ()),
    _Rule(State.SAFETY_STOPPED, _held_and_paused,
          'let the robot go where it is held, and resume, or cancel', _OPEN),
    _Rule(State.SAFETY_STOPPED, _held,
          'let the robot go where it is held; the mission goes on by itself then', _OPEN),
    _Rule(State.NEEDS_ASSISTANCE, _may_move, 'make sure that the robot stands', _OPEN),
    _Rule(State.WAITING, _paused, 'resume, or cancel', _OPEN),
    _Rule(State.WAITING, _in(Phase.PAUSED), 'wait: it goes on by itself', _OPEN),
    _Rule(State.NEEDS_ASSISTANCE, _asks, 'answer the question',
          (Command.ANSWER, *_OPEN)),
    _Rule(State.EXECUTING, _in(Phase.STOPPING), 'wait until the robot stands', _BEGIN),
    _Rule(State.FAULTED, _waits_broken, 'mend what is broken; the mission goes on by itself then',
          _OPEN),
    _Rule(State.BLOCKED, _way_is_barred, 'clear the way, or wait: it tries again by itself',
          _OPEN),
    _Rule(State.WAITING, _waits, 'wait: it goes on by itself', _OPEN),
    _Rule(State.RECOVERING, _recovers, 'wait: it looks again and goes on', _OPEN),
    _Rule(State.EXECUTING, _works, 'watch, pause or cancel', _OPEN),
    _Rule(State.FAULTED, _broken, 'mend what is broken: `doctor` says how', _BEGIN),
    _Rule(State.BLOCKED, _lacking, 'start what is missing; a goal would wait for it',
          _BEGIN),
    _Rule(State.READY, _unproved, 'say what to find, or let `doctor` say how to mend it', _BEGIN),
    _Rule(State.READY, _rests, 'say what to find', _BEGIN),
)


def judge(facts: Facts) -> Standing:
    """The state that follows from the facts; there always is one."""
    for rule in TABLE:
        reason = rule.reason(facts)
        if reason:
            return Standing(rule.state, reason, rule.next, (
                *rule.permitted, *_pausing(facts),
                *((Command.MODEL,) if _no_step_is_open(facts) else ()),
                *(_OF_MEMORY if facts.remembering else ())),
                tuple(one for one in facts.errors if one != reason))
    raise AssertionError('the last row always holds')
