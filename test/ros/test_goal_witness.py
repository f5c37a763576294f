"""The witness tells what Nav2 gives itself on a drive from what somebody sent."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray

from semantic_nav.nodes.ros.clock import to_stamp
from semantic_nav_sim.running.goal_witness import GoalWitness

EXECUTING, ABORTED = GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_ABORTED
#: When each goal is accepted, by its letter, in nanoseconds.
ACCEPTED_NS = {'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 7}


class Ears:
    """Takes the place of a node: keeps what listens to each topic, and tells the time."""

    def __init__(self) -> None:
        self.heard: dict[str, Callable[[Any], None]] = {}
        self.now_ns = 0

    def create_subscription(self, _kind: Any, topic: str, callback: Any, _profile: Any) -> None:
        self.heard[topic] = callback

    def get_clock(self) -> Any:
        return SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=self.now_ns))

    def say(self, action: str, **goals: int) -> None:
        message = GoalStatusArray()
        for letter, status in goals.items():
            one = GoalStatus(status=status)
            one.goal_info.goal_id.uuid = [ord(letter)] * 16
            one.goal_info.stamp = to_stamp(ACCEPTED_NS[letter])
            message.status_list.append(one)
        self.heard[f'{action}/_action/status'](message)


def uuid(letter: str) -> str:
    return bytes([ord(letter)] * 16).hex()


def test_only_what_comes_on_a_drive_may_be_a_recovery() -> None:
    ears = Ears()
    witness = GoalWitness(ears)  # type: ignore[arg-type]
    ears.say('spin', a=EXECUTING)
    ears.say('navigate_to_pose', b=EXECUTING)
    ears.say('spin', a=ABORTED, c=EXECUTING)
    ears.say('backup', d=EXECUTING)
    ears.now_ns = 6
    ears.say('navigate_to_pose', b=ABORTED)
    ears.say('backup', d=ABORTED, e=EXECUTING)
    assert witness.received == {uuid(letter) for letter in 'abcde'}
    assert witness.in_drive == {uuid('c'), uuid('d')}


def test_which_topic_is_heard_first_does_not_matter() -> None:
    ears = Ears()
    witness = GoalWitness(ears)  # type: ignore[arg-type]
    ears.say('spin', c=EXECUTING)
    ears.now_ns = 6
    ears.say('navigate_to_pose', b=ABORTED)
    ears.say('backup', d=ABORTED, e=EXECUTING)
    assert witness.in_drive == {uuid('c'), uuid('d')}
