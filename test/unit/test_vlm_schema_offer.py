"""A server that does not hold replies to the schema: the model is told it in words."""

import json
from dataclasses import replace
from typing import Any

import pytest
from standing import Standing

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import DocumentReceived, Output
from semantic_nav.contracts.documents import Document, Hypothesis, LookRequest, Step
from semantic_nav.contracts.vocabulary import Level, Source, Status, StepKind
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import (
    AskModel,
    ModelFailed,
    ModelProbed,
    ModelReplied,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.held import had_no_grammar

NOW = Now(1, 1, 1)
#: As any reply of a model that was told the schema.
WHOLE: dict[str, Any] = {
    'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 100,
    'target_box': None, 'explore_bearing_deg': None,
    'scene': {'place': 'kitchen', 'objects': []}, 'rationale': 'no mug'}
#: A place that nobody told of.
NOWHERE = {**{name: value for name, value in WHOLE.items() if name != 'explore_bearing_deg'},
           'action': 'goto_node', 'node_id': 'nowhere'}
PROSE = 'I see a kitchen counter with a kettle, and no mug.'
OTHER_KEYS = json.dumps({'action': 'explore', 'scene': {'kind': 'kitchen'}})


class Looks:
    """A core that is shown one picture after another."""

    def __init__(self, **parameters: Any) -> None:
        self.core = HypothesisCore(HypothesisConfig(box_convention='permille', **parameters), 's')
        self.standing = Standing()
        self.count = 0

    def give(self, event: Any) -> list[Output]:
        return self.standing.take(list(self.core.handle(event, NOW)))

    def look(self) -> AskModel:
        self.count += 1
        step = Step(StepKind.LOOK, 'find the red mug', LookRequest(
            60.0, False, False, False, Status.SEARCHING, None))
        [take] = [output for output in self.give(DocumentReceived(
            Document(f'step-{self.count}', '', f'goal-{self.count}', 0, '', step)))
            if isinstance(output, TakePicture)]
        return self.asked(self.give(PictureTaken(
            take.request_id, 0, '', b'jpeg', 640, 480, 644, 476)))

    def reply(self, ask: AskModel, text: str, reason: str = 'stop') -> list[Output]:
        return self.give(ModelReplied(ask.request_id, text, 9.0, reason, 1700, 90))

    @staticmethod
    def asked(outputs: list[Output]) -> AskModel:
        [ask] = [output for output in outputs if isinstance(output, AskModel)]
        return ask


@pytest.mark.parametrize('bad', [PROSE, OTHER_KEYS, f'{json.dumps(WHOLE)} {{"a": 1}}'])
def test_the_repair_of_what_no_grammar_gives_tells_the_schema(bad: str) -> None:
    looks = Looks()
    ask = looks.look()
    assert not ask.prompt.schema_in_words
    outputs = looks.reply(ask, bad)
    repair = looks.asked(outputs).prompt
    assert repair.schema_in_words
    [part] = [part for part in repair.manifest.parts if part.name == 'schema']
    assert part.tokens > 100
    assert repair.sha256 != replace(repair, schema_in_words=False).sha256
    [answer] = [output.body for output in looks.reply(looks.asked(outputs), json.dumps(WHOLE))
                if isinstance(output, Document) and isinstance(output.body, Hypothesis)]
    assert answer.source is Source.MODEL
    assert not looks.look().prompt.schema_in_words, 'one such reply may be chance'


@pytest.mark.parametrize(('bad', 'reason'), [
    (json.dumps(WHOLE)[:90], 'length'),
    (json.dumps(NOWHERE), 'stop')])
def test_what_a_grammar_may_give_is_repaired_without(bad: str, reason: str) -> None:
    looks = Looks()
    for _ in range(3):
        ask = looks.look()
        assert not ask.prompt.schema_in_words
        assert not looks.asked(looks.reply(ask, bad, reason)).prompt.schema_in_words


def test_two_such_replies_of_one_model_make_the_words_stay() -> None:
    looks = Looks(max_retries=0)
    looks.give(ModelProbed(True, '', 'm', 'd', True, None, 0, None))
    for _ in range(2):
        ask = looks.look()
        assert not ask.prompt.schema_in_words
        looks.reply(ask, PROSE)
    assert looks.look().prompt.schema_in_words
    told = looks.standing.reports['schema']
    assert told.level is Level.WARN and 'does not hold replies to the schema' in told.text
    looks.give(ModelProbed(True, '', 'm', 'd', True, None, 0, None))
    assert looks.look().prompt.schema_in_words
    looks.give(ModelProbed(True, '', 'm', 'another', True, None, 0, None))
    assert not looks.look().prompt.schema_in_words
    assert looks.standing.reports['schema'].level is Level.OK


def test_limits_of_numbers_and_texts_tell_nothing() -> None:
    """Each server's grammar holds others of them."""
    assert not had_no_grammar(json.dumps({**WHOLE, 'confidence_percent': 95000,
                                          'rationale': 'x' * 4000}), BoxConvention.PERMILLE)
    assert had_no_grammar(json.dumps({**WHOLE, 'confidence_percent': 'high'}),
                          BoxConvention.PERMILLE)
    assert had_no_grammar(f'```json\n{json.dumps(WHOLE)}\n```', BoxConvention.PERMILLE)


@pytest.mark.parametrize('reason', ['blanks', 'repeats'])
def test_after_a_reply_without_end_the_repair_is_not_held_to_the_schema(reason: str) -> None:
    """Its grammar lets any number of blanks through (vllm 38696, ollama 15502)."""
    looks = Looks()
    for count in (1, 2):
        ask = looks.look()
        assert not ask.prompt.unheld and not ask.prompt.schema_in_words
        repair = looks.asked(looks.reply(ask, '{\n"action":' + ' \n' * 100, reason))
        assert repair.prompt.unheld and repair.prompt.schema_in_words
        [bad] = repair.prompt.repairs
        assert bad.reply == '{\n"action":' and 'broken off' in bad.complaint
        looks.reply(repair, json.dumps(WHOLE))
        warned = looks.standing.reports['schema'].level is Level.WARN
        assert warned is (count == 2)
    assert looks.look().prompt.unheld, 'twice it went better without'
    looks.give(ModelProbed(True, '', 'another', 'd', True, None, 0, None))
    assert not looks.look().prompt.unheld


def test_a_model_that_repeats_itself_without_a_grammar_too_keeps_it() -> None:
    looks = Looks()
    for _ in range(3):
        ask = looks.look()
        assert not ask.prompt.unheld
        repair = looks.asked(looks.reply(ask, 'no mug ' * 100, 'repeats'))
        outputs = looks.reply(repair, 'no mug ' * 100, 'repeats')
        [body] = [one.body for one in outputs
                  if isinstance(one, Document) and isinstance(one.body, Hypothesis)]
        assert 'repeated the same words' in body.meta.vlm_error


def test_an_empty_reply_is_asked_for_once_more_without_the_schema() -> None:
    looks = Looks()
    ask = looks.look()
    again = looks.asked(looks.give(ModelFailed(ask.request_id, 'empty_reply', 'no content', 9.0)))
    assert again.prompt.unheld and again.prompt.schema_in_words
    outputs = looks.give(ModelFailed(again.request_id, 'empty_reply', 'no content', 9.0))
    [body] = [one.body for one in outputs
              if isinstance(one, Document) and isinstance(one.body, Hypothesis)]
    assert body.source is Source.FALLBACK and body.meta.vlm_error == 'empty_reply'
