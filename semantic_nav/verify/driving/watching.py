"""How closely the robot's surroundings are watched."""

from semantic_nav.verify.effects import WatchSurroundings

_IDLE = WatchSurroundings()
#: More of the same poses would tell nothing.
_RESTING = WatchSurroundings(pose_kept_back_s=60.0)
#: The robot may move although no goal is open, or somebody asked whether it stands.
_ALERT = WatchSurroundings(pose_period_s=0.2)
#: The robot may move, and nobody knows where it is.
_LOST = WatchSurroundings(pose_period_s=0.2, pose_kept_back_s=60.0)
#: Every look and every drive needs it all.
_WATCHFUL = WatchSurroundings(depth=True, costmap=True, pose_period_s=0.2)


def watched(*, goal_open: bool, asked: bool, may_move: bool, rests: bool) -> WatchSurroundings:
    """Return what is to be watched.

    Args:
        goal_open: a goal is open.
        asked: somebody waits for the word that the robot stands, which takes a fresh pose.
        may_move: the robot may move, for all that is known.
        rests: it stands, or nobody knows where it is, and nothing is waited for.
    """
    if goal_open:
        return _WATCHFUL
    if asked:
        return _ALERT
    if may_move:
        return _LOST if rests else _ALERT
    return _RESTING if rests else _IDLE
