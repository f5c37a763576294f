"""Mission that finds something, says where it is, and comes back to the place named home.

python examples/find_and_come_back.py "find the red mug"
"""

import sys
import time

import rclpy
from semantic_nav_msgs.action import Find

from semantic_nav.client import SemanticNavigator


def main() -> int:
    rclpy.init()
    with SemanticNavigator() as navigator:
        navigator.find(' '.join(sys.argv[1:]) or 'find the red mug', timeout_s=900.0)
        while not navigator.is_task_complete():
            feedback = navigator.get_feedback()
            print(f'{feedback.state}: {feedback.doing}')
            if feedback.question:
                navigator.answer(input(f'{feedback.question} '))
            time.sleep(2.0)
        found = navigator.get_result()
        print(f'{found.outcome}: {found.reason}')
        if found.outcome == Find.Result.ARRIVED:
            at = found.target_pose.pose.position
            print(f'it is at ({at.x:.2f}, {at.y:.2f}), {at.z:.2f} m high')
        navigator.go('home')
        back = navigator.get_result()
        print(f'home, {back.outcome}: {back.reason}')
        return 0 if found.outcome == back.outcome == Find.Result.ARRIVED else 1


if __name__ == '__main__':
    sys.exit(main())
