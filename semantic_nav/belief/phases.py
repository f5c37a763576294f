"""The phases of a mission: each a frozen value that holds what belongs to it, and nothing else.

Times are on the steady clock, in nanoseconds. A mission that rests for a while goes on where it
was: `shifted` puts off all that was to happen at a time.
"""

from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Document, Observation
from semantic_nav.contracts.documents.mission import WAIT
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.contracts.vocabulary import Phase as Word


@dataclass(frozen=True)
class Deed:
    """What an act step asks for, and what that rests on, so that it can be asked for again.

    Attributes:
        action: what is carried out.
        hypothesis_id, track_id: what it acts on; one of them is given.
        node_id: the remembered place that it leads to; empty for none.
        picture_ns: when the newest picture was taken, on the ROS clock.
        pose: where the robot was; None where nobody knew.
    """

    action: Action
    hypothesis_id: str | None
    track_id: str | None
    node_id: str
    picture_ns: int
    pose: Pose2D | None


@dataclass(frozen=True)
class Waiting:
    """Between two steps: a look follows after a pause, or the same act again.

    Attributes:
        until_ns: when to go on.
        confirming: the look that follows is the last one.
        for_memory: the first look of a goal, which follows as soon as the memory has spoken.
        deed: the act that was refused for a moment; None where a look must come first.
    """

    until_ns: int
    confirming: bool = False
    for_memory: bool = False
    deed: Deed | None = None


@dataclass(frozen=True)
class Glance:
    """A look that is under way beside an act or a newer look, which it neither ends nor delays.

    Attributes:
        step_id: the step.
        until_ns: it is given up if its answer has not come by then.
        hypothesis, observation: as of `Looking`; once both are there the look is over.
    """

    step_id: str
    until_ns: int
    hypothesis: Document | None = None
    observation: Observation | None = None


@dataclass(frozen=True)
class Looking:
    """A look step is under way; hypothesis and observation together end it.

    Attributes:
        step_id: the step.
        awaited: the part of its answer that must come next.
        until_ns: the step is given up if that part has not come by then.
        confirming: it is the last look.
        hypothesis: the answer of the model or of the fallback, once it is there.
        observation: what the verifier made of it, once it is there.
        onward: what is carried out as soon as the picture is taken, beside the answer to it; None
            where the robot waits for the answer.
        passed: the robot has driven on since the newest picture was taken.
        next_camera: through which the look goes that follows on one that was passed; empty for the
            first.
        glances: the looks that are under way beside it, the oldest first: before it where it is
            the newest, else after it.
    """

    step_id: str
    awaited: str
    until_ns: int
    confirming: bool = False
    hypothesis: Document | None = None
    observation: Observation | None = None
    onward: Deed | None = None
    passed: bool = False
    next_camera: str = ''
    glances: tuple[Glance, ...] = ()


@dataclass(frozen=True)
class Driving:
    """An act step is under way; a refusal or a result ends it.

    Attributes:
        step_id: the step.
        deed: what is carried out.
        until_ns: the step is given up if its result has not come by then.
        glances: the looks that are under way meanwhile, the oldest first.
        onward: how to explore on from there, after the newest answer that came meanwhile; None
            before any.
    """

    step_id: str
    deed: Deed
    until_ns: int
    glances: tuple[Glance, ...] = ()
    onward: Deed | None = None


@dataclass(frozen=True)
class Asking:
    """A question was put to the operator.

    Attributes:
        question: in words.
        until_ns: then the mission goes on without an answer.
    """

    question: str
    until_ns: int


@dataclass(frozen=True)
class Paused:
    """The mission rests with all its budgets until it may go on; the robot is stopped.

    Attributes:
        step: the stop, which is said again and again until the robot stands.
        since_ns: when the mission was paused.
        again_ns: when the stop is said the next time; None once the robot stands.
        requested: somebody asked for the pause, and must resume it.
        held: why the verifier lets nothing drive; empty where it does.
        confirming: the look that follows is the last one.
        asking: the question that waited for its answer, and waits on afterwards.
    """

    step: Document
    since_ns: int
    again_ns: int | None
    requested: bool = False
    held: str = ''
    confirming: bool = False
    asking: Asking | None = None


@dataclass(frozen=True)
class Stopping:
    """The mission ends once the verifier says that the robot stands, or after a limit.

    Attributes:
        step: the stop, which is said again and again until then.
        outcome: how the mission ends.
        until_ns: the limit.
        again_ns: when the stop is said the next time.
        held: why the verifier lets nothing drive, as another client does; empty for no reason.
    """

    step: Document
    outcome: Outcome
    until_ns: int
    again_ns: int
    held: str = ''


@dataclass(frozen=True)
class Finished:
    """The mission is over.

    Attributes:
        outcome: how it ended.
        at_ns: when.
        stands: whether the verifier said at the end that the robot stands; None where it was not
            asked.
    """

    outcome: Outcome
    at_ns: int
    stands: bool | None = None


Phase = Waiting | Looking | Driving | Asking | Paused | Stopping | Finished

#: The word of each phase in `belief`.
WORDS: dict[type, Word] = {
    Waiting: Word.LOOKING, Looking: Word.LOOKING, Driving: Word.DRIVING, Asking: Word.ASKING,
    Paused: Word.PAUSED, Stopping: Word.STOPPING, Finished: Word.FINISHED}


def shifted(phase: Phase, by_ns: int) -> Phase:
    """Return a phase whose times come later by a span; what has ended is over for good."""
    if isinstance(phase, Finished):
        return phase
    if isinstance(phase, Paused):
        again_ns, asking = phase.again_ns, phase.asking
        return replace(phase, since_ns=phase.since_ns + by_ns,
                       again_ns=again_ns and again_ns + by_ns,
                       asking=asking and replace(asking, until_ns=asking.until_ns + by_ns))
    if isinstance(phase, Looking | Driving):
        phase = replace(phase, glances=tuple(
            replace(one, until_ns=one.until_ns + by_ns) for one in phase.glances))
    if isinstance(phase, Stopping):
        phase = replace(phase, again_ns=phase.again_ns + by_ns)
    return replace(phase, until_ns=phase.until_ns + by_ns)


def next_action(phase: Phase) -> str:
    """Return what the mission does or waits for, in words."""
    match phase:
        case Waiting(deed=None):
            return f'{WAIT}, then look'
        case Waiting():
            return f'{WAIT}, then try again'
        case Looking(confirming=True):
            return 'look: to confirm'
        case Looking():
            return 'look'
        case Driving(deed=deed):
            return f'drive: {deed.action.value}'
        case Asking():
            return 'wait for the answer'
        case Paused(again_ns=None):
            return 'wait to go on'
        case Paused() | Stopping():
            return 'stop, until the robot stands'
        case Finished():
            return ''
