"""The witness tells what Nav2 gives itself on a drive from what somebody sent."""

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray

from semantic_nav.running.goal_witness import GoalWitness

EXECUTING, ABORTED = GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_ABORTED


class Ears:
    """Takes the place of a node: keeps what listens to each topic."""

    def __init__(self) -> None:
        self.heard: dict[str, Callable[[Any], None]] = {}

    def create_subscription(self, _kind: Any, topic: str, callback: Any, _profile: Any) -> None:
        self.heard[topic] = callback

    def say(self, action: str, **goals: int) -> None:
        message = GoalStatusArray()
        for letter, status in goals.items():
            one = GoalStatus(status=status)
            one.goal_info.goal_id.uuid = [ord(letter)] * 16
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
    ears.say('navigate_to_pose', b=ABORTED)
    ears.say('backup', d=ABORTED, e=EXECUTING)
    assert witness.received == {uuid(letter) for letter in 'abcde'}
    assert witness.in_drive == {uuid('c'), uuid('d')}
