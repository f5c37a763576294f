"""Texts that give orders, in the picture, in remembered places and in the goal: nothing obeys.

Each order goes through the core into the prompt, where it must stay quoted data. A model that
obeys it all the same is heard through core, gate and verifier: nothing may move out of bounds.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from builders import GOAL_ID, candidates, look_request
from orders import OBEDIENT, ORDERS, plain_reply, repeating
from standing import Standing
from verifier_rig import VerifierRig

from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.core import DocumentReceived, Event, Output
from semantic_nav.contracts.documents import (
    Body,
    Candidate,
    Document,
    Hypothesis,
    Look,
    Refusal,
    Step,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code, Source, StepKind
from semantic_nav.verify.effects import AskPath, SendNav, SendSpin
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import AskModel, ModelReplied, PictureTaken, TakePicture
from semantic_nav.vlm.prompt.prompt import Prompt

KITCHEN = Candidate('memory-s-1', Pose2D(1.0, 1.0, 0.0), 0.9, 0.9, 0.0, 'a kitchen', ('sink',),
                    ('why',))
each_order = pytest.mark.parametrize('order', ORDERS, ids=range(len(ORDERS)))


class Robot:
    """A hypothesis core and a verifier in one room; the test plays belief, camera and model."""

    def __init__(self, goal: str = 'find the mug', places: Sequence[Candidate] = (KITCHEN,),
                 refusal: Refusal | None = None) -> None:
        self.rig = VerifierRig()
        self.core = HypothesisCore(HypothesisConfig(box_convention='permille'), 's')
        self.standing = Standing()
        self.goal, self.refusal = goal, refusal
        self._said = 0
        self.rig.remember(*places)
        self.tell(Step(StepKind.LOOK, goal, look_request(last_refusal=refusal)))
        self.tell(candidates(*places))

    def give(self, event: Event) -> list[Output]:
        """Feed the hypothesis core; the verifier hears what it publishes, as JSON."""
        outputs = self.standing.take(self.core.handle(event, self.rig.clock.now))
        for output in outputs:
            if isinstance(output, Document):
                text = encode_document(output)
                self.rig.hear(DocumentReceived(decode_document(text, output.schema)))
                if isinstance(output.body, Look):
                    self.rig.hear(self.rig.freeze(output.id))
        return outputs

    def tell(self, body: Body) -> list[Output]:
        self._said += 1
        return self.give(DocumentReceived(Document(
            f'belief-s-{self._said}', '', GOAL_ID, self.rig.clock.now.clock_ns, '', body)))

    def ask(self) -> AskModel:
        """Take a look; returns the question to the model."""
        [take] = self.tell(Step(StepKind.LOOK, self.goal, look_request(last_refusal=self.refusal)))
        assert isinstance(take, TakePicture)
        outputs = self.give(PictureTaken(take.request_id, take.after_ns + 1, 'camera', b'jpeg',
                                         640, 480, 644, 476))
        [ask] = [one for one in outputs if isinstance(one, AskModel)]
        return ask

    def answer(self, reply: str) -> Document:
        """Look and let the model say the same as often as it is asked; returns the hypothesis."""
        outputs: list[Output] = [self.ask()]
        while isinstance(outputs[0], AskModel):
            outputs = self.give(ModelReplied(outputs[0].request_id, reply, 1.0, 'stop', 0, 0))
        [document] = outputs
        assert isinstance(document, Document)
        return document

    def act(self, hypothesis: Document) -> Code | None:
        """Carry a hypothesis out as far as the verifier lets it; returns the verdict."""
        self.rig.act(hypothesis.id)
        if any(isinstance(one, AskPath) for one in self.rig.out):
            self.rig.path()
        return self.rig.code


def block(prompt: Prompt) -> tuple[dict[str, Any], str]:
    """Return the prompt's one block of data, and all that the model is told besides."""
    parts = re.split(r'```json\n(.*?)\n```', prompt.user, flags=re.DOTALL)
    assert len(parts) == 3, 'not one block'
    value: dict[str, Any] = json.loads(parts[1])
    return value, prompt.system + parts[0] + parts[2]


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_in(part)


BESIDES = block(Robot().ask().prompt)[1]


@each_order
def test_an_order_in_goal_or_memory_stays_quoted_data(order: str) -> None:
    place = replace(KITCHEN, summary=order[:300], tags=(order[:60],))
    robot = Robot(order, [place], Refusal(Code.UNREACHABLE, order))
    told, besides = block(robot.ask().prompt)
    assert besides == BESIDES
    assert told['goal'] == told['last_refusal']['reason'] == order
    assert {order[:300], order[:60]} <= set(strings_in(told))


@each_order
def test_an_order_in_the_picture_is_quoted_when_its_echo_is_refused(order: str) -> None:
    for reply in repeating(order)[:-1]:
        robot = Robot()
        [again] = robot.give(ModelReplied(robot.ask().request_id, reply, 1.0, 'stop', 0, 0))
        assert isinstance(again, AskModel)
        assert block(again.prompt)[1] == BESIDES
        [repair] = again.prompt.repairs
        quoted = re.fullmatch(r'That reply was refused: (\{.*\})\. Answer again for the same '
                              r'picture with one JSON object by the schema, and nothing else\.',
                              repair.complaint)
        assert quoted is not None
        assert json.loads(quoted[1]).keys() == {'kind', 'path', 'schema_path', 'message'}
        assert '<|' not in repair.reply


def assert_obeys_only_the_operator(robot: Robot, reply: str) -> tuple[Source, Action, Code | None]:
    """Carry a reply out; the rig itself fails where a goal was sent without its verdict."""
    document = robot.answer(reply)
    body = document.body
    assert isinstance(body, Hypothesis)
    proposal = body.hypothesis
    assert proposal.node_id in (None, KITCHEN.node_id)
    code = robot.act(document)
    if proposal.navigation_goal is not None:
        assert code is not Code.OK
    for sent in robot.rig.effects:
        if isinstance(sent, SendNav):
            assert 0 < sent.goal.x < robot.rig.room.width_m
            assert 0 < sent.goal.y < robot.rig.room.depth_m
        elif isinstance(sent, SendSpin):
            assert abs(sent.angle_rad) <= math.pi
    return body.source, proposal.action, code


@pytest.mark.slow
@each_order
def test_an_order_that_is_passed_on_moves_nothing_out_of_bounds(order: str) -> None:
    *_, goes_there, tells_of_it = repeating(order)
    for reply in (goes_there, tells_of_it):
        robot = Robot(order, [replace(KITCHEN, summary=order[:300])])
        assert_obeys_only_the_operator(robot, reply)


def test_a_model_that_obeys_gets_nowhere() -> None:
    """Its own proposals are refused; what moves is the fallback, to a place that it knows."""
    what = {reply: assert_obeys_only_the_operator(Robot(ORDERS[0]), reply) for reply in OBEDIENT}
    assert set(what.values()) == {
        (Source.MODEL, Action.APPROACH, Code.NOT_GROUNDED),
        (Source.MODEL, Action.STOP, Code.SKIPPED),
        (Source.FALLBACK, Action.GOTO_NODE, Code.OK)}, what


@each_order
def test_an_order_does_not_make_a_sound_proposal_unsound(order: str) -> None:
    robot = Robot(order)
    document = robot.answer(json.dumps(plain_reply(
        action='approach', target_status='visible', target_box=list(robot.rig.box()),
        rationale=order, scene={'place': order[:60], 'objects': [{'name': order[:60]}]})))
    assert isinstance(document.body, Hypothesis)
    assert document.body.source is Source.MODEL
    assert robot.act(document) is Code.OK
