"""The goal that a node works on: one rule for all nodes.

The belief names it, in `step` and in `belief`. The first document of either that names a goal
begins it, later ones may change its words, and a belief that says finished ends it. Documents of
other nodes may overtake the first one; they wait for it.

Late documents of an earlier goal change nothing for a while. A belief that still names that goal
after this time is alive, and its goal begins again: no document of another goal can bar a belief
for good.
"""

from collections import deque
from collections.abc import Callable
from enum import Enum, auto

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.documents import Belief, Document, Step
from semantic_nav.contracts.vocabulary import Phase

#: Most documents that wait for their goal, and most earlier goals that are remembered.
_MAX_EARLY, _MAX_LEFT = 8, 8
#: Time after the start of a goal within which documents of earlier goals count as late.
_LATE_NS = nanoseconds(5.0)


class GoalChange(Enum):
    """Effect of a document of the belief on the goal in hand."""

    NONE = auto()
    BEGAN = auto()
    #: The operator's answer became part of the words. A thing that fitted the old ones may be
    #: another than the target; looks that showed no such thing still count.
    REWORDED = auto()
    ENDED = auto()


class GoalInHand:
    """The goal in hand, which follows the belief from goal to goal.

    Attributes:
        id: id of the goal in hand, kept after its end; empty before the first one.
        open: true while the mission goes on.
    """

    def __init__(self) -> None:
        """Begin without a goal."""
        self.id = self._text = ''
        self.open = False
        self._early: list[Document] = []
        # Ids of the goals before, the newest last.
        self._left: deque[str] = deque(maxlen=_MAX_LEFT)
        self._began_ns = self._now_ns = 0

    def owns(self, document: Document) -> bool:
        """Tell whether a document belongs to the goal in hand."""
        return bool(self.id) and document.goal_id == self.id

    def follow(self, document: Document, steady_ns: int) -> GoalChange:
        """Take a step or a belief, at a time on the steady clock.

        A belief that is finished from the start is a refused goal: it leaves the goal in hand
        alone, and so do late documents of earlier goals.
        """
        body, self._now_ns = document.body, steady_ns
        assert isinstance(body, Step | Belief)
        finished = isinstance(body, Belief) and body.phase is Phase.FINISHED
        if self.owns(document):
            if isinstance(body, Belief) and finished is self.open:
                self.open, self._text = not finished, body.goal_text
                return GoalChange.ENDED if finished else GoalChange.BEGAN
            if not self.open or body.goal_text in ('', self._text):
                return GoalChange.NONE
            self._text = body.goal_text
            return GoalChange.REWORDED
        if not document.goal_id or finished or self._is_old(document.goal_id):
            return GoalChange.NONE
        if self.id:
            self._left.append(self.id)
        while document.goal_id in self._left:
            self._left.remove(document.goal_id)
        self.id, self.open, self._began_ns = document.goal_id, True, steady_ns
        self._text = body.goal_text
        return GoalChange.BEGAN

    def keep_early(self, document: Document) -> bool:
        """Let a document wait for its goal; false if that goal is an earlier one or none."""
        if self._is_old(document.goal_id) or not document.goal_id:
            return False
        self._early = [*self._early[1 - _MAX_EARLY:], document]
        return True

    def early(self, take: Callable[[Document], object]) -> None:
        """Hand over the documents that waited for the goal that has just begun; drop the rest."""
        waiting, self._early = self._early, []
        for document in waiting:
            if self.owns(document):
                take(document)

    def _is_old(self, goal_id: str) -> bool:
        return self._now_ns - self._began_ns <= _LATE_NS and goal_id in self._left
