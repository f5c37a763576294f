"""The phases of a mission: each a frozen value that holds its own data, and nothing else.

Times are on the steady clock, in ns. `shifted` puts all times of a phase off, for a mission that
has rested for a while.
"""

from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Document, Observation
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.contracts.vocabulary import Phase as Word


@dataclass(frozen=True)
class Deed:
    """The request of an act step and its basis, so that it can be repeated.

    Attributes:
        action: of the act.
        hypothesis_id, track_id: the object of the act; one of them is given.
        node_id: the remembered place that it leads to; empty for none.
        picture_ns: stamp of the newest picture, on the ROS clock.
        pose: of the robot then; None if unknown.
    """

    action: Action
    hypothesis_id: str | None
    track_id: str | None
    node_id: str
    picture_ns: int
    pose: Pose2D | None


@dataclass(frozen=True)
class Waiting:
    """Between two steps: a pause, then a look or the refused act again.

    Attributes:
        until_ns: end of the pause.
        confirming: the look that follows is the last one.
        for_memory: the first look of a goal, which follows as soon as the memory has answered.
        deed: the act that was refused for a moment; None if a look must come first.
    """

    until_ns: int
    confirming: bool = False
    for_memory: bool = False
    deed: Deed | None = None


@dataclass(frozen=True)
class Glance:
    """A look under way beside an act or a newer look, which it neither ends nor delays.

    Attributes:
        step_id: the step.
        until_ns: deadline of its answer.
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
        until_ns: deadline of that part.
        confirming: it is the last look.
        hypothesis: the answer of the model or of the fallback, once it is there.
        observation: the verifier's observation, once it is there.
        onward: the act that starts as soon as the picture is taken, without its answer; None if
            the robot waits for the answer.
        passed: the robot has driven on since the newest picture was taken.
        next_camera: camera of the look that follows on one that was passed; empty for the first.
        glances: the looks under way beside it, the oldest first: they precede it if it is the
            newest, else they follow it.
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
        deed: the act.
        until_ns: deadline of its result.
        glances: the looks under way meanwhile, the oldest first.
        onward: the act that explores on from there, by the newest answer that came meanwhile;
            None before any.
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
        until_ns: time at which the mission goes on without an answer.
    """

    question: str
    until_ns: int


@dataclass(frozen=True)
class Paused:
    """The robot is stopped, and the mission rests with all its budgets until it may go on.

    Attributes:
        step: the stop, which is repeated until the robot stands.
        since_ns: start of the pause.
        again_ns: time of the next stop; None once the robot stands.
        requested: the pause was requested, and must be resumed.
        held: reason why the verifier lets nothing drive; empty if it does.
        confirming: the look that follows is the last one.
        asking: the open question, which waits on after the pause.
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
        step: the stop, which is repeated until then.
        outcome: of the mission.
        until_ns: the limit.
        again_ns: time of the next stop.
        held: reason why the verifier lets nothing drive, such as another client; empty for none.
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
        outcome: of the mission.
        at_ns: time of its end.
        stands: the verifier said at the end that the robot stands; None if it was not asked.
    """

    outcome: Outcome
    at_ns: int
    stands: bool | None = None


Phase = Waiting | Looking | Driving | Asking | Paused | Stopping | Finished

#: The word for each phase in `belief`.
WORDS: dict[type, Word] = {
    Waiting: Word.LOOKING, Looking: Word.LOOKING, Driving: Word.DRIVING, Asking: Word.ASKING,
    Paused: Word.PAUSED, Stopping: Word.STOPPING, Finished: Word.FINISHED}


def shifted(phase: Phase, by_ns: int) -> Phase:
    """A phase with its times put off by a span; a finished one does not change."""
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
    """The mission's next action or wait, in words."""
    match phase:
        case Waiting(deed=None):
            return 'wait, then look'
        case Waiting():
            return 'wait, then try again'
        case Looking(confirming=True):
            return 'look: to confirm'
        case Looking():
            return 'look'
        case Driving(deed=deed):
            return f'drive: {deed.action.value}'
        case Asking():
            return 'wait for the answer'
        case Paused(again_ns=None, requested=True):
            return 'wait for the resume'
        case Paused(again_ns=None):
            return 'wait until nothing holds the robot'
        case Paused() | Stopping():
            return 'stop, until the robot stands'
        case Finished():
            return ''
