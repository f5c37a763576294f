"""The enumerations that documents, cores and shells share: statuses, phases, codes and others."""

from enum import IntEnum, StrEnum

#: Name of the camera of a robot that has only one.
DEFAULT_CAMERA = 'camera'
#: The nodes that a mission needs.
NODES = ('hypothesis', 'memory', 'belief', 'verifier')


class Purpose(StrEnum):
    """Purpose of a mission."""

    #: Find what the goal names.
    FIND = 'find'
    #: Go to a remembered place.
    GO = 'go'
    #: Look everywhere, so that the memory knows the home.
    TOUR = 'tour'


class Status(StrEnum):
    """Belief about the target."""

    SEARCHING = 'searching'
    LIKELY_IN_MEMORY = 'likely_in_memory'
    VISIBLE = 'visible'
    UNREACHABLE = 'unreachable'
    DONE = 'done'


class Phase(StrEnum):
    """Phase of a mission."""

    LOOKING = 'looking'
    DRIVING = 'driving'
    ASKING = 'asking'
    #: Suspended until it is resumed.
    PAUSED = 'paused'
    #: Over as soon as the robot is known to stand still.
    STOPPING = 'stopping'
    FINISHED = 'finished'


class Outcome(StrEnum):
    """Outcome of a mission."""

    ARRIVED = 'arrived'
    NOT_HERE = 'not_here'
    #: Only of a tour: everything within reach was looked at.
    TOURED = 'toured'
    GAVE_UP = 'gave_up'
    CANCELLED = 'cancelled'
    REFUSED = 'refused'


class StepKind(StrEnum):
    """Kind of a step that the belief asks for."""

    LOOK = 'look'
    ACT = 'act'
    STOP = 'stop'


class Source(StrEnum):
    """Proposer of a hypothesis."""

    MODEL = 'model'
    FALLBACK = 'fallback'


class ModelAnswer(StrEnum):
    """Outcome of asking the model at a look."""

    #: A reply passed the gate.
    VALID = 'valid'
    #: The model replied, and no reply could be used.
    REFUSED = 'refused'
    #: The prompt was over its budget, and was not sent.
    UNSENT = 'unsent'
    #: No reply came: the call failed or timed out, or the circuit breaker was open.
    SILENT = 'silent'
    #: The look asked for the fallback alone.
    NOT_ASKED = 'not_asked'


class Code(StrEnum):
    """Reason code of a verdict."""

    OK = 'OK'
    STALE = 'STALE'
    WRONG_GOAL = 'WRONG_GOAL'
    REPEATED_FAILURE = 'REPEATED_FAILURE'
    LOW_CONFIDENCE = 'LOW_CONFIDENCE'
    UNKNOWN_NODE = 'UNKNOWN_NODE'
    POSE_UNAVAILABLE = 'POSE_UNAVAILABLE'
    MAP_UNAVAILABLE = 'MAP_UNAVAILABLE'
    SENSOR_UNAVAILABLE = 'SENSOR_UNAVAILABLE'
    #: The pause topic or another client of Nav2 holds the robot.
    HELD = 'HELD'
    NOT_GROUNDED = 'NOT_GROUNDED'
    OUT_OF_MAP = 'OUT_OF_MAP'
    KEEPOUT = 'KEEPOUT'
    COLLISION_DETECTED = 'COLLISION_DETECTED'
    UNKNOWN_SPACE = 'UNKNOWN_SPACE'
    UNREACHABLE = 'UNREACHABLE'
    TOO_FAR = 'TOO_FAR'
    NOT_CONFIRMED = 'NOT_CONFIRMED'
    BLOCKED = 'BLOCKED'
    NOTHING_LEFT = 'NOTHING_LEFT'
    PATH_INVALID = 'PATH_INVALID'
    NAV_UNAVAILABLE = 'NAV_UNAVAILABLE'
    SKIPPED = 'SKIPPED'


class ActOutcome(StrEnum):
    """Outcome of an accepted act."""

    ARRIVED = 'arrived'
    LEG_DONE = 'leg_done'
    ABORTED = 'aborted'
    CANCELLED = 'cancelled'
    #: The navigator refused the goal pose or went away, or the verifier could not send it.
    UNAVAILABLE = 'unavailable'


class NavStatus(StrEnum):
    """Final status of a Nav2 action goal; the first names are those of action_msgs/GoalStatus."""

    #: No goal was sent, or none has ended.
    NONE = ''
    SUCCEEDED = 'succeeded'
    CANCELED = 'canceled'
    ABORTED = 'aborted'
    #: The server refused the goal: it is paused, or not active yet.
    REJECTED = 'rejected'
    #: The server gave no answer in time.
    TIMEOUT = 'timeout'
    #: The server was not there.
    UNAVAILABLE = 'unavailable'
    #: The server went away before the goal ended.
    LOST = 'lost'


class QueryTool(StrEnum):
    """Queries that the memory and the verifier answer."""

    RECALL_PLACES = 'recall_places'
    DESCRIBE_PLACE = 'describe_place'
    CHECK_REACHABLE = 'check_reachable'
    #: The next two change the memory: an operator may ask for them, a goal may not.
    NAME_PLACE = 'name_place'
    FORGET_PLACE = 'forget_place'


#: Queries that a model may make; they change nothing.
MODEL_TOOLS = (QueryTool.RECALL_PLACES, QueryTool.DESCRIBE_PLACE, QueryTool.CHECK_REACHABLE)


class Level(IntEnum):
    """Severity of a status on /diagnostics, numbered as in diagnostic_msgs."""

    OK = 0
    WARN = 1
    ERROR = 2
