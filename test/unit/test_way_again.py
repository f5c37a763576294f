"""A way to a place that is interrupted is gone on with: belief and hypothesis core together."""

from collections.abc import Callable

import pytest
from belief_walk import Walk
from builders import accepted, candidate, candidates, document, ended, refusal

from semantic_nav.contracts.core import DocumentReceived, Event
from semantic_nav.contracts.documents import Document, Hypothesis
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Outcome, Source, StepKind
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import PictureTaken, TakePicture

THERE = candidate('place-1', Pose2D(3.0, 0.0, 0.0), 1.0)


class Way:
    """A mission on its way to a place, whose looks the real fallback answers."""

    def __init__(self) -> None:
        self.walk = Walk()
        self._core = HypothesisCore(HypothesisConfig(), 'h')
        self._handed: set[str] = set()
        self.walk.go('hall')
        self.walk.remembers(THERE)
        self._take(DocumentReceived(document(
            candidates(THERE), id_='memory-s-1', goal=self.walk.goal_id)))
        self.hand_over()

    def hand_over(self) -> None:
        """Let the hypothesis core hear what the belief has said, until both have said all."""
        while new := [one for one in (*self.walk.beliefs, *self.walk.steps)
                      if one.id not in self._handed]:
            for one in new:
                self._handed.add(one.id)
                self._take(DocumentReceived(one))

    def _take(self, event: Event) -> None:
        for output in self._core.handle(event, self.walk.clock.now):
            if isinstance(output, TakePicture):
                self._take(PictureTaken(output.request_id, self.walk.clock.now.clock_ns, 'camera',
                                        b'jpeg', 640, 480, 640, 480))
            elif isinstance(output, Document):
                self.walk.hear(DocumentReceived(output))
                if isinstance(output.body, Hypothesis):
                    self.walk.observation(source=Source.FALLBACK, step=output.body.step_id)

    @property
    def acts(self) -> int:
        return sum(one.body.kind is StepKind.ACT for one in self.walk.steps)


def pause(walk: Walk) -> None:
    assert walk.pause() and walk.resume()


def dies(walk: Walk) -> None:
    walk.dies()
    walk.comes_to_rest()


@pytest.mark.parametrize('interrupt', [
    pause, dies, lambda walk: walk.restarted('verifier'),
    lambda walk: walk.verdict(ended(ActOutcome.ABORTED, 'goto_node')),
    lambda walk: walk.verdict(refusal(Code.UNREACHABLE, 'someone is in the door', 'goto_node')),
    lambda walk: walk.verdict(refusal(Code.POSE_UNAVAILABLE, 'it is old', 'goto_node'))])
def test_the_robot_sets_out_again(interrupt: Callable[[Walk], None]) -> None:
    way = Way()
    assert way.acts == 1
    way.walk.verdict(accepted('goto_node'))
    interrupt(way.walk)
    way.hand_over()
    for _ in range(60):
        way.walk.tick(1.0)
        way.hand_over()
    assert way.acts == 2
    way.walk.verdict(accepted('goto_node'))
    way.walk.verdict(ended(action='goto_node'))
    assert way.walk.belief.outcome is Outcome.ARRIVED
