"""What the core learns of the model that answers: how it writes boxes, and its name."""

import json
from dataclasses import replace
from typing import Any

import pytest
from builders import look_request
from questions import JPEG

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import DocumentReceived, Event, Output
from semantic_nav.contracts.documents import Document, Hypothesis, Step
from semantic_nav.contracts.vocabulary import StepKind
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import AskModel, ModelProbed, ModelReplied, PictureTaken, TakePicture
from semantic_nav.vlm.gate.boxes import BoxConvention, box_words

FOUND = ModelProbed(True, '', 'robot-eyes', 'd', True, None, 0, None)
REPLY = {'action': 'approach', 'target_status': 'visible', 'confidence_percent': 80,
         'target_box': [200, 100, 400, 300], 'scene': {'place': 'hall', 'objects': []},
         'rationale': 'a mug'}


class Looks:
    """A core that looks at pictures of 1036 by 784 pixels."""

    def __init__(self, **parameters: Any) -> None:
        self.core = HypothesisCore(
            HypothesisConfig(**{'model': 'robot-eyes', **parameters}), 's')
        self.count = 0

    def give(self, event: Event) -> list[Output]:
        return list(self.core.handle(event, Now(1, 1, 1)))

    def look(self) -> tuple[TakePicture, AskModel]:
        self.count += 1
        take = self.the(TakePicture, self.give(DocumentReceived(Document(
            f'step-{self.count}', '', f'goal-{self.count}', 0, '',
            Step(StepKind.LOOK, 'find the mug', look=look_request())))))
        ask = self.the(AskModel, self.give(PictureTaken(
            take.request_id, 0, '', JPEG, 640, 480, 1036, 784)))
        return take, ask

    def reply(self, ask: AskModel, answered_as: str = '') -> Hypothesis:
        outputs = self.give(ModelReplied(ask.request_id, json.dumps(REPLY), 9.0, 'stop', 0, 0,
                                         answered_as=answered_as))
        [answer] = [one.body for one in outputs
                    if isinstance(one, Document) and isinstance(one.body, Hypothesis)]
        return answer

    @staticmethod
    def the(kind: type, outputs: list[Output]) -> Any:
        [found] = [one for one in outputs if isinstance(one, kind)]
        return found


@pytest.mark.parametrize(('family', 'boxes', 'box'), [
    ('', BoxConvention.PERMILLE, (200, 100, 400, 300)),
    ('qwen2.5-vl', BoxConvention.PIXELS, (193.05, 127.55, 386.1, 382.65)),
    ('gemma4', BoxConvention.PERMILLE_YX, (100, 200, 300, 400)),
    ('llama4', BoxConvention.PERMILLE, (200, 100, 400, 300))])
def test_boxes_are_written_as_the_family_does_that_the_server_tells(
        family: str, boxes: BoxConvention, box: tuple[float, ...]) -> None:
    looks = Looks()
    looks.give(replace(FOUND, family=family))
    take, ask = looks.look()
    assert take.boxes is boxes
    assert json.dumps(box_words(boxes))[1:-1] in ask.prompt.user
    answer = looks.reply(ask)
    assert answer.hypothesis.target_box == pytest.approx(box, abs=0.01)


def test_what_the_operator_set_goes_before_the_family() -> None:
    looks = Looks(box_convention='permille')
    looks.give(replace(FOUND, family='gemma4'))
    assert looks.look()[0].boxes is BoxConvention.PERMILLE


def test_the_name_in_a_reply_tells_where_nothing_else_does() -> None:
    looks = Looks()
    looks.give(FOUND)
    take, ask = looks.look()
    assert take.boxes is BoxConvention.PERMILLE
    looks.reply(ask, '/models/google_gemma-4-E4B-it.gguf')
    assert looks.look()[0].boxes is BoxConvention.PERMILLE_YX


def test_the_model_that_was_taken_is_named() -> None:
    looks = Looks(model='')
    looks.give(FOUND)
    assert looks.reply(looks.look()[1]).meta.vlm_model == 'robot-eyes'
