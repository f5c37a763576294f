"""Search for several things in turn, with a report at the end, while other tasks go on.

python examples/round_with_report.py "red mug" laptop kettle
"""

import asyncio
import sys
from typing import Any

import rclpy
from semantic_nav_msgs.action import Find

from semantic_nav.client import SemanticNavigator

WORDS = {Find.Result.ARRIVED: 'there', Find.Result.NOT_HERE: 'not there'}


async def tell(navigator: SemanticNavigator) -> None:
    """Print the state of the mission every 5 s."""
    while True:
        feedback = navigator.get_feedback()
        if feedback is not None:
            print(f'  {feedback.distance_m:5.1f} m  {feedback.state}')
        await asyncio.sleep(5.0)


async def look_for(navigator: SemanticNavigator, things: list[str]) -> dict[str, Any]:
    telling = asyncio.create_task(tell(navigator))
    found = {}
    for thing in things:
        print(f'looking for: {thing}')
        navigator.find(f'find the {thing}', timeout_s=900.0)
        found[thing] = await navigator.result()
    telling.cancel()
    return found


def main() -> int:
    rclpy.init()
    things = sys.argv[1:] or ['red mug', 'laptop']
    with SemanticNavigator() as navigator:
        found = asyncio.run(look_for(navigator, things))
    for thing, result in found.items():
        at = result.target_pose.pose.position
        place = f' at ({at.x:.2f}, {at.y:.2f})' if result.target_pose.header.frame_id else ''
        print(f'{thing}: {WORDS.get(result.outcome, "not known")}{place}; {result.reason}')
    return 0 if all(result.outcome in WORDS for result in found.values()) else 1


if __name__ == '__main__':
    sys.exit(main())
