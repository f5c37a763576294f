"""Words for what people read of a mission."""

from semantic_nav.contracts.hypothesis import TargetStatus
from semantic_nav.contracts.vocabulary import ModelAnswer, Purpose

_SEEN = {
    TargetStatus.VISIBLE: 'the model sees it',
    TargetStatus.AMBIGUOUS: 'the model sees it, or another that fits',
    TargetStatus.NOT_VISIBLE: 'the model does not see it',
}
_WITHOUT = {
    ModelAnswer.REFUSED: ('the reply of the model is refused', 'so a rule proposes'),
    ModelAnswer.UNSENT: ('the prompt does not fit the model', 'so a rule proposes'),
    ModelAnswer.SILENT: ('no answer from the model', 'so a rule proposes'),
    ModelAnswer.NOT_ASKED: ('the model is not asked', 'a rule proposes'),
}


def what_came(answer: ModelAnswer, status: TargetStatus, why: str = '',
              purpose: Purpose = Purpose.FIND) -> str:
    """Return what came of asking the model.

    Args:
        answer: what came.
        status: of the target, by its answer; what a rule takes it for where there is none.
        why: there is no valid answer, for people; empty where nobody says.
        purpose: of the mission.
    """
    if purpose is Purpose.GO and answer is ModelAnswer.NOT_ASKED:
        return 'a way needs no model'
    if purpose is Purpose.TOUR and answer is ModelAnswer.VALID:
        return 'the model told what it sees'
    if answer is ModelAnswer.VALID:
        return _SEEN[status]
    what, then = _WITHOUT[answer]
    # A code that says the same again is left out.
    return f'{what} ({why}), {then}' if why not in ('', answer.value) else f'{what}, {then}'
