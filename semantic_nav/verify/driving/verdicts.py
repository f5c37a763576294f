"""Verdicts of the verifier on an act: refusal, decision, result."""

from collections.abc import Callable

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import ActRequest, Body, Decision, Document, Verdict
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.verify.checks.subjects import Rejection
from semantic_nav.verify.driving.drive import Drive


class Verdicts:
    """Makes the verdicts on acts."""

    def __init__(self, document: Callable[[Body, Document, Now], Document]) -> None:
        """Take the function that makes a document of a body and its cause."""
        self._document = document

    def refused(self, step: Document, act: ActRequest, action: Action, rejection: Rejection,
                now: Now) -> Document:
        """Refusal of an act."""
        decision = Decision(rejection.code, rejection.reason, goal=rejection.goal)
        return self._document(Verdict(action.value, act.hypothesis_id, decision=decision), step,
                              now)

    def decided(self, drive: Drive, decision: Decision, now: Now) -> Document:
        """Decision that announces a motion."""
        return self._document(Verdict(drive.plan.action.value, drive.act.hypothesis_id,
                                      decision=decision), drive.step, now)

    def ended(self, drive: Drive, now: Now) -> Document:
        """End of an act: its result, or its refusal if no motion was sent."""
        action = drive.plan.action
        if drive.result is not None:
            return self._document(Verdict(action.value, drive.act.hypothesis_id,
                                          result=drive.result), drive.step, now)
        assert drive.refusal is not None
        return self.refused(drive.step, drive.act, action, drive.refusal, now)
