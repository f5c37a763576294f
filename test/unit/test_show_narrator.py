"""A mission in lines."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from builders import (
    GOAL_ID,
    accepted,
    approach,
    canonical,
    document,
    ended,
    look_request,
    meta,
    observation,
    refusal,
    samples,
)

from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.documents import (
    Belief,
    Body,
    Budgets,
    Decision,
    Hypothesis,
    Look,
    Result,
    RobotPose,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    NavStatus,
    Outcome,
    Phase,
    Source,
    Status,
    StepKind,
)

BUDGETS = Budgets(1.0, 900.0, 1, 120, 0.0, 300.0, 0, 20)


class Told:
    """A narrator and its lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.narrator = Narrator(self.lines.append)
        self.narrator.begin(GOAL_ID)
        self._minted = 0

    def say(self, body: Body, *, id_: str = '', cause: str = '', goal: str = GOAL_ID) -> str:
        """Take a document; returns the lines that it led to."""
        self._minted += 1
        before = len(self.lines)
        self.narrator.take(document(body, id_=id_ or f'd-{self._minted}', cause=cause, goal=goal))
        self.narrator.settle()
        return '\n'.join(self.lines[before:])


def belief(status: Status = Status.SEARCHING, phase: Phase = Phase.LOOKING,
           outcome: Outcome | None = None, reason: str = '', question: str = '') -> Belief:
    return Belief('find the mug', status, phase, outcome, reason, (), question, '', '', BUDGETS)


def hypothesis(source: Source = Source.MODEL, answer: ModelAnswer = ModelAnswer.VALID,
               **fields: bool | str) -> Hypothesis:
    return Hypothesis('step-1', source, approach(), meta(answer, **fields))


@pytest.fixture
def told() -> Iterator[Told]:
    return iter([Told()]).__next__()


def test_each_cycle_is_one_line(told: Told) -> None:
    told.say(belief())
    told.say(hypothesis(), id_='hypothesis-1')
    line = told.say(refusal(Code.KEEPOUT, 'a zone'))
    assert line.startswith('step 1 ')
    assert line.endswith('the model sees it: approach refused, KEEPOUT, a zone')
    assert told.say(accepted()).startswith('step 2 ')
    assert told.narrator.cycles == 2
    assert told.say(ended()) == 'there     at the stand-off, for a last look'


@pytest.mark.parametrize(('action', 'outcome'), [
    *((action, ActOutcome.ARRIVED) for action in ('approach', 'explore', 'goto_node', 'rotate')),
    ('approach', ActOutcome.LEG_DONE), ('explore', ActOutcome.LEG_DONE)])
def test_only_the_end_of_a_mission_is_an_arrival(told: Told, action: str,
                                                 outcome: ActOutcome) -> None:
    told.say(belief())
    result = Result(outcome, f'{action}: {outcome.value}', NavStatus.SUCCEEDED, 0, 0.1)
    line = told.say(Verdict(action, 'h', None, result))
    assert line.startswith('there     ') and 'arrived' not in line and outcome.value not in line


def test_what_failed_is_told_with_its_outcome(told: Told) -> None:
    result = Result(ActOutcome.ABORTED, 'the navigator aborted the goal')
    assert told.say(Verdict('explore', 'h', None, result)) == (
        'aborted   the navigator aborted the goal')


@pytest.mark.parametrize(('answer', 'parsed', 'words'), [
    (ModelAnswer.SILENT, False, 'no answer from the model (timeout), so a rule proposes'),
    (ModelAnswer.NOT_ASKED, False, 'the model is not asked (timeout), a rule proposes'),
    (ModelAnswer.UNSENT, False, 'the prompt does not fit the model (timeout), so'),
    (ModelAnswer.REFUSED, True, 'the reply of the model is refused (timeout), so')])
def test_why_the_model_did_not_count_is_told(told: Told, answer: ModelAnswer, parsed: bool,
                                             words: str) -> None:
    told.say(hypothesis(Source.FALLBACK, answer, vlm_parse_ok=parsed, vlm_error='timeout'),
             id_='hypothesis-1')
    assert words in told.say(accepted())


def test_last_look_is_a_cycle_too(told: Told) -> None:
    told.say(Step(StepKind.LOOK, 'g', look=look_request(confirm=True)), id_='step-1')
    told.say(hypothesis(), cause='look-1')
    line = told.say(observation('step-1', 'look-1'))
    assert line.startswith('step 1 ') and line.endswith('the last look')


def test_changes_of_the_belief_are_told_once(told: Told) -> None:
    assert 'searching' in told.say(belief())
    assert told.say(belief(reason='something else')) == ''
    assert 'visible' in told.say(belief(Status.VISIBLE, reason='the target was seen'))
    assert 'Which?' in told.say(belief(Status.VISIBLE, Phase.ASKING, question='Which?'))
    line = told.say(belief(Status.DONE, Phase.FINISHED, Outcome.ARRIVED, 'in front of it'))
    assert 'finished  arrived: in front of it' in line
    assert told.narrator.outcome is Outcome.ARRIVED


def test_arrival_says_what_the_model_sees(told: Told) -> None:
    told.say(belief())
    seen = replace(approach(), rationale='A red mug.')
    told.say(Hypothesis('step-1', Source.MODEL, seen, meta(ModelAnswer.VALID)))
    line = told.say(belief(Status.DONE, Phase.FINISHED, Outcome.ARRIVED, 'in front of it'))
    assert line.endswith('in front of it; the model: “A red mug.”')


def test_first_answer_of_the_model_is_quoted_and_no_rule_is(told: Told) -> None:
    told.say(belief())
    for source, words in ((Source.FALLBACK, 'by a rule'), (Source.MODEL, 'What is a flurble?'),
                          (Source.MODEL, 'I do not see it.')):
        told.say(Hypothesis('step-1', source, canonical('explore', rationale=words),
                            meta(ModelAnswer.VALID)))
    assert [line for line in told.lines if line.startswith('model')] == [
        'model     “What is a flurble?”']


def test_end_is_told_after_what_led_to_it_and_came_later(told: Told) -> None:
    told.say(belief())
    narrator, before = told.narrator, len(told.lines)
    narrator.take(document(Step(StepKind.LOOK, 'g', look=look_request(confirm=True)),
                           id_='step-1'))
    narrator.take(document(belief(Status.DONE, Phase.FINISHED, Outcome.ARRIVED, 'as told')))
    assert narrator.outcome is Outcome.ARRIVED
    narrator.take(document(hypothesis(), cause='look-1'))
    narrator.take(document(observation('step-1', 'look-1')))
    narrator.settle()
    narrator.settle()
    assert [line.split()[0] for line in told.lines[before:]] == ['belief', 'step', 'finished']


def test_wait_is_told_once_with_its_reason(told: Told) -> None:
    told.say(belief())
    waits = replace(belief(reason='waiting for verifier'), waits=True)
    assert told.say(waits) == 'waiting   waiting for verifier'
    assert told.say(waits) == ''
    assert told.say(belief(reason='wait, then look')) == ''


def test_pause_is_told_from_its_beginning_to_its_end(told: Told) -> None:
    told.say(belief())
    assert told.say(belief(phase=Phase.PAUSED, reason='why')) == 'paused    why'
    assert told.say(belief(phase=Phase.PAUSED, reason='why')) == ''
    assert told.say(belief(phase=Phase.PAUSED, reason='why; the robot stands')) == (
        'paused    why; the robot stands')
    assert told.say(belief(phase=Phase.LOOKING)).startswith('resumed')
    told.say(belief(phase=Phase.PAUSED, reason='why'))
    assert told.say(belief(phase=Phase.STOPPING)) == '', 'the stop tells it'


def test_what_was_said_before_the_goal_was_known_is_told_then() -> None:
    lines: list[str] = []
    narrator = Narrator(lines.append)
    narrator.take(document(belief()))
    narrator.take(document(Look(False, 'no camera'), goal='goal-other'))
    assert lines == []
    narrator.begin(GOAL_ID)
    assert len(lines) == 1 and 'searching' in lines[0]


def test_other_goals_are_not_told(told: Told) -> None:
    for body in (belief(), refusal(), Look(False, 'no camera')):
        assert told.say(body, goal='goal-other') == ''


def test_path_and_refused_goals_are_kept_for_the_map(told: Told) -> None:
    for x in (1.0, 2.0):
        told.say(RobotPose(Pose2D(x, 0.0, 0.0), True, 0.0), goal='')
    told.say(refusal())
    told.say(Verdict('approach', 'h', decision=Decision(Code.KEEPOUT, '', None,
                                                        Pose2D(3.0, 4.0, 0.0))))
    assert [pose.x for pose in told.narrator.path] == [1.0, 2.0]
    assert told.narrator.refused == [(Pose2D(3.0, 4.0, 0.0), Code.KEEPOUT)]


EVIL = 'a\x1b[2J\x1b]0;title\x07\r\nFAKE line\u202e\x00'


def test_text_of_the_model_does_not_reach_the_terminal_raw(told: Told) -> None:
    """It could clear the screen, forge lines, or turn them about."""
    told.say(belief(reason=EVIL))
    told.say(belief(Status.VISIBLE, reason=EVIL))
    told.say(belief(Status.VISIBLE, Phase.ASKING, question=EVIL))
    told.say(Look(False, EVIL))
    told.say(Step(StepKind.STOP, 'g', reason=EVIL))
    told.say(Hypothesis('s', Source.MODEL, canonical('explore', rationale=EVIL), meta()))
    told.say(refusal(Code.KEEPOUT, EVIL))
    told.say(ended(reason=EVIL))
    told.say(belief(Status.VISIBLE, Phase.FINISHED, Outcome.GAVE_UP, EVIL))
    assert len(told.lines) >= 7
    for line in told.lines:
        assert line.isprintable(), line


def test_any_document_can_be_told(told: Told) -> None:
    for sample in samples().values():
        told.say(sample.body)


def test_stop_that_is_said_again_is_told_once() -> None:
    told = Told()
    stop = Step(StepKind.STOP, 'g', reason='enough')
    assert told.say(stop, id_='belief-s-4') == 'stop      enough'
    assert told.say(stop, id_='belief-s-5') == ''
    told.say(Step(StepKind.ACT, 'g'), id_='belief-s-6')
    assert told.say(stop, id_='belief-s-7') == 'stop      enough'
