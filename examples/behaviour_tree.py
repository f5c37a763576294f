"""Behaviour tree that fetches a red mug, or any mug if there is no red one, and comes back.

python examples/behaviour_tree.py, with py_trees (ros-jazzy-py-trees)
"""

import sys
import time
from collections.abc import Callable

import rclpy
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence
from py_trees.trees import BehaviourTree
from semantic_nav_msgs.action import Find

from semantic_nav.client import SemanticNavigator


class Mission(Behaviour):
    """Leaf of one mission; it succeeds on arrival, and cancels the mission if the tree leaves."""

    def __init__(self, name: str, navigator: SemanticNavigator, begin: Callable[[], str]) -> None:
        super().__init__(name)
        self._navigator, self._begin = navigator, begin

    def initialise(self) -> None:
        self._begin()

    def update(self) -> Status:
        if not self._navigator.is_task_complete():
            return Status.RUNNING
        result = self._navigator.get_result()
        print(f'{self.name}: {result.outcome}, {result.reason}')
        return Status.SUCCESS if result.outcome == Find.Result.ARRIVED else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        if new_status is Status.INVALID:
            self._navigator.cancel(f'the tree has left {self.name}')


def main() -> int:
    rclpy.init()
    with SemanticNavigator() as robot:
        tree = BehaviourTree(Sequence('fetch', memory=True, children=[
            Selector('a mug', memory=True, children=[
                Mission('red mug', robot, lambda: robot.find('find the red mug')),
                Mission('any mug', robot, lambda: robot.find('find a mug'))]),
            Mission('home', robot, robot.go)]))
        while tree.root.status not in (Status.SUCCESS, Status.FAILURE):
            tree.tick()
            time.sleep(0.1)
        return 0 if tree.root.status is Status.SUCCESS else 1


if __name__ == '__main__':
    sys.exit(main())
