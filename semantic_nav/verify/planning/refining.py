"""Has the localisation take in one more scan where nothing but what it tells of the pose refuses.

AMCL says how sure it is only where the robot moves: one that stands and is refused for it would be
refused for ever. So might one that scans find to be lost, which more of them may help.
"""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.core import Output
from semantic_nav.verify.checks.act_checks import contradicted_pose, unsure_pose
from semantic_nav.verify.checks.checks import refused_only_by
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE
from semantic_nav.verify.effects import RefineLocalisation

#: How often it is asked for, in s, and how many times in a row. More of the same scan would make a
#: particle filter surer than it should be.
_AGAIN_S, _MOST = 1.0, 10
_MENDED = unsure_pose, contradicted_pose


class Refining:
    """Counts how often that was asked for since the localisation was sure."""

    def __init__(self) -> None:
        """Have asked for nothing."""
        self._count = self._asked_ns = 0

    def ask(self, situation: Situation, *, wanted: bool) -> list[Output]:
        """Ask for one more scan, where that alone is missing and the last one was long ago.

        Args:
            situation: of now.
            wanted: somebody wants to drive, and nothing drives.
        """
        if not any(test(HERE, situation) for test in _MENDED):
            self._count = 0
            return []
        steady_ns = situation.now.steady_ns
        if self._count == _MOST or not wanted or (
                self._count and steady_ns - self._asked_ns < nanoseconds(_AGAIN_S)) or (
                not refused_only_by(_MENDED, situation)):
            return []
        self._count, self._asked_ns = self._count + 1, steady_ns
        return [RefineLocalisation()]
