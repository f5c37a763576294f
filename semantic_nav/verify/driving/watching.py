"""Extent to which the robot's surroundings are watched."""

from semantic_nav.verify.effects import WatchSurroundings

_IDLE = WatchSurroundings()
#: Repeated poses of a robot at rest would tell nothing.
_RESTING = WatchSurroundings(pose_kept_back_s=60.0)
#: The robot may move although no goal is open, or a client asked whether it stands.
_ALERT = WatchSurroundings(pose_period_s=0.2)
#: The robot may move, and its pose is unknown.
_LOST = WatchSurroundings(pose_period_s=0.2, pose_kept_back_s=60.0)
#: A goal is open: looks and drives need everything.
_WATCHFUL = WatchSurroundings(depth=True, costmap=True, pose_period_s=0.2)


def watched(*, goal_open: bool, asked: bool, may_move: bool, rests: bool) -> WatchSurroundings:
    """Extent to watch now.

    Args:
        goal_open: a goal is open.
        asked: a client waits to hear that the robot stands, which takes a fresh pose.
        may_move: something may move the robot.
        rests: it stands, or its pose is unknown, and nothing is awaited.
    """
    if goal_open:
        return _WATCHFUL
    if asked:
        return _ALERT
    if may_move:
        return _LOST if rests else _ALERT
    return _RESTING if rests else _IDLE
