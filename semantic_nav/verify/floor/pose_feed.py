"""Filter of resolved poses: without a goal, only those that are news reach the core."""

from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.verify.effects import WatchSurroundings
from semantic_nav.verify.events import PoseMissing, PoseResolved

#: Motion from which on a pose is news. It is less than the core takes for moving, so that the
#: core hears of it in time.
_MOVED_M, _MOVED_RAD = 0.01, 0.01


class PoseFeed:
    """Filter that holds back poses without news from the core, and so from the journal."""

    def __init__(self, pose_max_age_s: float) -> None:
        """Start with no pose fed.

        Args:
            pose_max_age_s: age from which on a pose counts as unknown.
        """
        self._max_age_s = pose_max_age_s
        self._fed: PoseResolved | PoseMissing | None = None
        self._fed_ns = 0
        self._was_old = False

    def is_news(self, event: PoseResolved | PoseMissing, watched: WatchSurroundings,
                now: Now) -> bool:
        """Tell whether to feed an event that was just resolved, and count it as fed if so."""
        is_old = isinstance(event, PoseResolved) and (
            seconds(now.clock_ns - event.stamp_ns) > self._max_age_s)
        kept_back_ns = now.steady_ns - self._fed_ns
        if self._fed is not None and kept_back_ns < nanoseconds(watched.pose_kept_back_s) and (
                is_old is self._was_old and _says_the_same(self._fed, event)):
            return False
        self._fed, self._fed_ns, self._was_old = event, now.steady_ns, is_old
        return True


def _says_the_same(before: PoseResolved | PoseMissing, event: PoseResolved | PoseMissing) -> bool:
    if isinstance(before, PoseMissing) or isinstance(event, PoseMissing):
        # The reasons differ each time, because TF puts times into them.
        return type(before) is type(event)
    was, now = before.map_T_base.pose(), event.map_T_base.pose()
    return event.stamp_ns >= before.stamp_ns and not now.moved_from(was, _MOVED_M, _MOVED_RAD)
