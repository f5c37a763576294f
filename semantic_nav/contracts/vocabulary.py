"""The words that documents, cores and shells share: statuses, phases, codes and their like."""

from enum import IntEnum, StrEnum

#: Name of the camera of a robot that has only one.
DEFAULT_CAMERA = 'camera'
#: The nodes that a mission needs.
NODES = ('hypothesis', 'memory', 'belief', 'verifier')


class Purpose(StrEnum):
    """What a mission is for."""

    #: To find what the goal names.
    FIND = 'find'
    #: To go to a remembered place.
    GO = 'go'
    #: To look everywhere, so that the memory knows the home.
    TOUR = 'tour'


class Status(StrEnum):
    """What the belief holds of the target."""

    SEARCHING = 'searching'
    LIKELY_IN_MEMORY = 'likely_in_memory'
    VISIBLE = 'visible'
    UNREACHABLE = 'unreachable'
    DONE = 'done'


class Phase(StrEnum):
    """What the mission is doing."""

    LOOKING = 'looking'
    DRIVING = 'driving'
    ASKING = 'asking'
    #: It goes on when it is resumed.
    PAUSED = 'paused'
    #: It is over once the robot is known to stand.
    STOPPING = 'stopping'
    FINISHED = 'finished'


class Outcome(StrEnum):
    """How a mission ended."""

    ARRIVED = 'arrived'
    NOT_HERE = 'not_here'
    #: Of a tour: all that is in reach was looked at.
    TOURED = 'toured'
    GAVE_UP = 'gave_up'
    CANCELLED = 'cancelled'
    REFUSED = 'refused'


class StepKind(StrEnum):
    """What belief asks for."""

    LOOK = 'look'
    ACT = 'act'
    STOP = 'stop'


class Source(StrEnum):
    """Who proposed a hypothesis."""

    MODEL = 'model'
    FALLBACK = 'fallback'


class ModelAnswer(StrEnum):
    """What came of asking the model at a look."""

    #: A reply of it passed the gate.
    VALID = 'valid'
    #: It replied, and no reply of it passed.
    REFUSED = 'refused'
    #: The prompt would not have fitted, and was not sent.
    UNSENT = 'unsent'
    #: No answer came in time, or none was asked for because it had failed again and again.
    SILENT = 'silent'
    #: The look asked for the fallback alone.
    NOT_ASKED = 'not_asked'


class Code(StrEnum):
    """Why the verifier decided as it did."""

    OK = 'OK'
    STALE = 'STALE'
    WRONG_GOAL = 'WRONG_GOAL'
    REPEATED_FAILURE = 'REPEATED_FAILURE'
    LOW_CONFIDENCE = 'LOW_CONFIDENCE'
    UNKNOWN_NODE = 'UNKNOWN_NODE'
    POSE_UNAVAILABLE = 'POSE_UNAVAILABLE'
    MAP_UNAVAILABLE = 'MAP_UNAVAILABLE'
    SENSOR_UNAVAILABLE = 'SENSOR_UNAVAILABLE'
    #: Somebody lets the robot stand.
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
    """How an accepted act ended."""

    ARRIVED = 'arrived'
    LEG_DONE = 'leg_done'
    ABORTED = 'aborted'
    CANCELLED = 'cancelled'
    #: The navigator did not take the goal, or went away; or the verifier could not let it go out.
    UNAVAILABLE = 'unavailable'


class NavStatus(StrEnum):
    """How a goal of Nav2 ended, or why it did not: first the words of action_msgs/GoalStatus."""

    #: No goal was sent, or none has ended.
    NONE = ''
    SUCCEEDED = 'succeeded'
    CANCELED = 'canceled'
    ABORTED = 'aborted'
    #: The server did not take it: it is paused, or not active yet.
    REJECTED = 'rejected'
    #: It gave no answer in time.
    TIMEOUT = 'timeout'
    #: It was not there.
    UNAVAILABLE = 'unavailable'
    #: It went away while the goal was on its way.
    LOST = 'lost'


class QueryTool(StrEnum):
    """What the memory and the verifier can be asked."""

    RECALL_PLACES = 'recall_places'
    DESCRIBE_PLACE = 'describe_place'
    CHECK_REACHABLE = 'check_reachable'
    #: These two change what is remembered: an operator may ask for them, a goal may not.
    NAME_PLACE = 'name_place'
    FORGET_PLACE = 'forget_place'


#: What a model may ask: it changes nothing.
MODEL_TOOLS = (QueryTool.RECALL_PLACES, QueryTool.DESCRIBE_PLACE, QueryTool.CHECK_REACHABLE)


class Level(IntEnum):
    """How bad a statement on /diagnostics is, as diagnostic_msgs counts."""

    OK = 0
    WARN = 1
    ERROR = 2
