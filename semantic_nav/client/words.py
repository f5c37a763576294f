"""Words that people read about a mission."""

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
    """Result of a call of the model, in words.

    Args:
        answer: kind of the answer.
        status: status of the target by that answer, or by the rule that answered instead.
        why: reason why there is no valid answer, in words; empty if none was given.
        purpose: purpose of the mission.
    """
    if purpose is Purpose.GO and answer is ModelAnswer.NOT_ASKED:
        return 'a way needs no model'
    if purpose is Purpose.TOUR and answer is ModelAnswer.VALID:
        return 'the model told what it sees'
    if answer is ModelAnswer.VALID:
        return _SEEN[status]
    what, then = _WITHOUT[answer]
    # A code that only repeats the kind of the answer is left out.
    return f'{what} ({why}), {then}' if why not in ('', answer.value) else f'{what}, {then}'
