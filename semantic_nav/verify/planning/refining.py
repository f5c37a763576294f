"""Requests to the localisation for one more scan, where only its own verdict forbids a drive.

AMCL updates its covariance only while the robot moves: a standing robot that is refused for it
would be refused for ever. So might one whose scans contradict the map, which more scans may help.
"""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.core import Output
from semantic_nav.verify.checks.act_checks import contradicted_pose, unsure_pose
from semantic_nav.verify.checks.checks import refused_only_by
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE
from semantic_nav.verify.effects import RefineLocalisation

#: Period of the requests, in s, and their largest number in a row. More of one scan would make a
#: particle filter surer than it should be.
_AGAIN_S, _MOST = 1.0, 10
_MENDED = unsure_pose, contradicted_pose


class Refining:
    """Makes these requests, and counts them until the localisation is sure."""

    def __init__(self) -> None:
        """Begin without a request."""
        self._count = self._asked_ns = 0

    def ask(self, situation: Situation, *, wanted: bool) -> list[Output]:
        """Ask for one more scan, if only that is missing and the last request was long enough ago.

        Args:
            situation: current situation.
            wanted: a drive is wanted, and none is under way.
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
