"""Every quality of service in use, by name."""

from collections.abc import Sequence
from copy import copy

from rclpy.duration import Duration
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

#: Pictures and depth: the newest counts, a lost one is no harm.
IMAGES = QoSProfile(reliability=ReliabilityPolicy.BEST_EFFORT, history=HistoryPolicy.KEEP_LAST,
                    durability=DurabilityPolicy.VOLATILE, depth=1)
#: Steps, looks, hypotheses, verdicts, queries: each one counts.
EVENTS = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                    durability=DurabilityPolicy.VOLATILE, depth=10)
#: What holds until the next message, also for those who come late: belief, candidates, maps.
STATE = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                   durability=DurabilityPolicy.TRANSIENT_LOCAL, depth=1)
#: The same for a reader that takes every change, of which several may come at once: a goal that
#: is refused while another is open, or one that ends because the next one came.
EVERY_STATE = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                         durability=DurabilityPolicy.TRANSIENT_LOCAL, depth=10)
#: What people look at: the newest counts.
DISPLAY = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                     durability=DurabilityPolicy.VOLATILE, depth=1)
#: Signs of life: whoever gives none for this long counts as gone.
ALIVE = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                   durability=DurabilityPolicy.VOLATILE, depth=1,
                   liveliness=LivelinessPolicy.MANUAL_BY_TOPIC,
                   liveliness_lease_duration=Duration(nanoseconds=700_000_000))


def weakest(wish: QoSProfile, writers: Sequence[QoSProfile]) -> QoSProfile:
    """Return a profile, or what is left of it where all of these writers are to be heard."""
    weak = copy(wish)
    if any(one.reliability == ReliabilityPolicy.BEST_EFFORT for one in writers):
        weak.reliability = ReliabilityPolicy.BEST_EFFORT
    if any(one.durability == DurabilityPolicy.VOLATILE for one in writers):
        weak.durability = DurabilityPolicy.VOLATILE
    return weak


def recording(profile: QoSProfile) -> QoSProfile:
    """Return the same profile for a reader that takes all, also what several writers keep."""
    deep = copy(profile)
    deep.depth = 50
    return deep


#: The profile of each document's topic.
OF_DOCUMENT = {'step': EVENTS, 'look': EVENTS, 'hypothesis': EVENTS, 'observation': EVENTS,
               'candidates': STATE, 'pose': EVENTS, 'verdict': EVENTS, 'belief': STATE,
               'query': EVENTS, 'reply': EVENTS}
#: The profile with which it is read.
OF_READER = {**OF_DOCUMENT, 'belief': EVERY_STATE}
