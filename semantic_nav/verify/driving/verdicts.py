"""Verdicts of the verifier on an act: refusal, decision, result."""

from collections.abc import Callable

from semantic_nav.contracts.documents import ActRequest, Body, Decision, Document, Verdict
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Rejection
from semantic_nav.verify.driving.drive import Drive


class Verdicts:
    """Makes the verdicts on acts."""

    def __init__(self, document: Callable[[Body, Document, Situation], Document]) -> None:
        """Take the function that makes a document of a body and its cause."""
        self._document = document

    def refused(self, step: Document, act: ActRequest, action: str, rejection: Rejection,
                situation: Situation) -> Document:
        """Refusal of an act."""
        decision = Decision(rejection.code, rejection.reason, goal=rejection.goal)
        return self._document(Verdict(action, act.hypothesis_id, decision=decision), step,
                              situation)

    def decided(self, drive: Drive, decision: Decision, situation: Situation) -> Document:
        """Decision that announces a motion."""
        return self._document(Verdict(drive.plan.action.value, drive.act.hypothesis_id,
                                      decision=decision), drive.step, situation)

    def ended(self, drive: Drive, situation: Situation) -> Document:
        """End of an act: its result, or its refusal if no motion was sent."""
        action = drive.plan.action.value
        if drive.result is not None:
            return self._document(Verdict(action, drive.act.hypothesis_id, result=drive.result),
                                  drive.step, situation)
        assert drive.refusal is not None
        return self.refused(drive.step, drive.act, action, drive.refusal, situation)
