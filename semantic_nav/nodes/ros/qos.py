"""QoS profiles in use, by name."""

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

#: Pictures and depth: the newest counts, and a lost one does no harm.
IMAGES = QoSProfile(reliability=ReliabilityPolicy.BEST_EFFORT, history=HistoryPolicy.KEEP_LAST,
                    durability=DurabilityPolicy.VOLATILE, depth=1)
#: Steps, looks, hypotheses, verdicts, queries: each one counts.
EVENTS = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                    durability=DurabilityPolicy.VOLATILE, depth=10)
#: State that holds until the next message, also for late joiners: belief, candidates, maps.
STATE = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                   durability=DurabilityPolicy.TRANSIENT_LOCAL, depth=1)
#: STATE for a reader that takes every change, of which several may come at once: a goal that is
#: refused while another is open, or one that ends because the next one came.
EVERY_STATE = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                         durability=DurabilityPolicy.TRANSIENT_LOCAL, depth=10)
#: Displays for people: the newest counts.
DISPLAY = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                     durability=DurabilityPolicy.VOLATILE, depth=1)
#: Signs of life: a node that gives none within the lease counts as gone.
ALIVE = QoSProfile(reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST,
                   durability=DurabilityPolicy.VOLATILE, depth=1,
                   liveliness=LivelinessPolicy.MANUAL_BY_TOPIC,
                   liveliness_lease_duration=Duration(nanoseconds=700_000_000))


def weakest(wish: QoSProfile, writers: Sequence[QoSProfile]) -> QoSProfile:
    """The wished profile, weakened until all of these writers are heard."""
    weak = copy(wish)
    if any(one.reliability == ReliabilityPolicy.BEST_EFFORT for one in writers):
        weak.reliability = ReliabilityPolicy.BEST_EFFORT
    if any(one.durability == DurabilityPolicy.VOLATILE for one in writers):
        weak.durability = DurabilityPolicy.VOLATILE
    return weak


def recording(profile: QoSProfile) -> QoSProfile:
    """A profile with a deep queue, for a reader that takes all that several writers latch."""
    deep = copy(profile)
    deep.depth = 50
    return deep


#: Profile of each document's topic.
OF_DOCUMENT = {'step': EVENTS, 'look': EVENTS, 'hypothesis': EVENTS, 'observation': EVENTS,
               'candidates': STATE, 'pose': EVENTS, 'verdict': EVENTS, 'belief': STATE,
               'query': EVENTS, 'reply': EVENTS}
#: Profile with which the topic is read.
OF_READER = {**OF_DOCUMENT, 'belief': EVERY_STATE}
