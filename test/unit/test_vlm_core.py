"""The hypothesis core: what follows from what."""

import json
from dataclasses import replace
from typing import Any

import pytest
from builders import samples
from standing import Standing

from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import RecordCodec, decode_document, encode_document
from semantic_nav.contracts.core import COMMON_KINDS, DocumentReceived, Effect, Event, Output, Tick
from semantic_nav.contracts.documents import (
    Belief,
    Candidate,
    Candidates,
    Document,
    Hypothesis,
    Look,
    LookRequest,
    Observation,
    Refusal,
    Step,
    Track,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, TargetStatus
from semantic_nav.contracts.vocabulary import (
    Code,
    Level,
    ModelAnswer,
    Phase,
    Source,
    Status,
    StepKind,
)
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import ServerTimes
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import (
    MOST_LOOKS,
    RECORD_KINDS,
    AskModel,
    CancelModel,
    LogUnsentPrompt,
    ModelFailed,
    ModelProbed,
    ModelProved,
    ModelReplied,
    PictureFailed,
    PictureTaken,
    TakePicture,
)

S = 1_000_000_000
REQUEST = LookRequest(60.0, False, False, False, Status.SEARCHING, None)
GOOD = {'action': 'approach', 'target_status': 'visible', 'confidence_percent': 80,
        'target_box': [100, 100, 300, 300], 'scene': {'place': 'kitchen', 'objects': []},
        'rationale': 'a red mug'}


class Bench:
    """A core with clocks that the test moves."""

    def __init__(self, **parameters: Any) -> None:
        config = HypothesisConfig(box_convention='permille', **parameters)
        self.core = HypothesisCore(config, 's')
        self.standing = Standing()
        self.seconds = 1000.0
        self.steps = 0
        self.journal: list[tuple[Now, Event, list[Output]]] = []

    @property
    def now(self) -> Now:
        return Now(int(self.seconds * S), int((self.seconds + 5) * S), int((self.seconds + 9) * S))

    def give(self, event: Event) -> list[Output]:
        now = self.now
        outputs = list(self.core.handle(event, now))
        for output in outputs:
            if isinstance(output, Document):
                assert decode_document(encode_document(output), output.schema) == output
        self.journal.append((now, event, outputs))
        return self.standing.take(outputs)

    def document(self, body: Any, goal: str = 'goal-1') -> list[Output]:
        self.steps += 1
        return self.give(DocumentReceived(Document(
            f'belief-s-{self.steps}', '', goal, int(self.seconds * S), '', body)))

    def look(self, goal: str = 'goal-1', text: str = 'find the red mug',
             **request: Any) -> list[Output]:
        return self.document(Step(StepKind.LOOK, text, replace(REQUEST, **request)), goal)

    def picture(self, request: TakePicture, camera: str = 'camera') -> list[Output]:
        return self.give(PictureTaken(request.request_id, request.after_ns + 7, 'camera_optical',
                                      b'jpeg', 640, 480, 644, 476, camera))

    def ask(self, goal: str = 'goal-1', **request: Any) -> AskModel:
        ask = the(AskModel, self.picture(the(TakePicture, self.look(goal, **request))))
        assert isinstance(ask, AskModel)
        return ask

    def reply(self, ask: AskModel, text: Any, finish_reason: str = 'stop',
              prompt_tokens: int = 1700) -> list[Output]:
        text = text if isinstance(text, str) else json.dumps(text)
        return self.give(ModelReplied(ask.request_id, text, 1500.0, finish_reason, prompt_tokens,
                                      90))

    def fail(self, ask: AskModel, error: str = 'timeout') -> list[Output]:
        return self.give(ModelFailed(ask.request_id, error, 'in words', 200.0))


def the(kind: type, outputs: list[Output]) -> Any:
    """Return the one output of a kind."""
    found = [output for output in outputs if isinstance(output, kind)]
    assert len(found) == 1, outputs
    return found[0]


def published(outputs: list[Output], kind: type) -> tuple[Document, Any]:
    documents = [one for one in outputs if isinstance(one, Document)
                 and isinstance(one.body, kind)]
    assert len(documents) == 1, outputs
    return documents[0], documents[0].body


def answer(outputs: list[Output]) -> Hypothesis:
    """Return the hypothesis, which must be the only output or follow a look."""
    assert not [one for one in outputs if isinstance(one, Effect)]
    _, body = published(outputs, Hypothesis)
    assert isinstance(body, Hypothesis)
    return body


def probed(window_tokens: int = 0, ok: bool = True) -> ModelProbed:
    return ModelProbed(ok, 'in words', 'm', 'd', True, None, window_tokens, None)


def candidates(*names: str) -> Candidates:
    return Candidates('map', 'trigrams', 0.5, tuple(
        Candidate(name, Pose2D(1, 2, 0), 0.9, 0.5, 0.5, 'a kitchen', ('sink',), ())
        for name in names), 10)


def observation(track: Track | None) -> Observation:
    return Observation('look', 'step', Source.MODEL, 'kitchen', None, None, (), None, '', track,
                       0.1, 5.0)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_look_names_the_camera_that_took_its_picture(bench: Bench) -> None:
    for name in ('camera', 'left'):
        _, look = published(bench.picture(the(TakePicture, bench.look()), name), Look)
        assert look.camera == name


def test_a_look_becomes_a_hypothesis_of_the_model(bench: Bench) -> None:
    take = the(TakePicture, bench.look())
    assert (take.after_ns, take.timeout_s) == (1000 * S, 3.0)
    bench.seconds += 2
    outputs = bench.picture(take)
    look, body = published(outputs, Look)
    assert body == Look(True, '', 640, 480, False)
    assert (look.id, look.cause_id, look.goal_id) == ('hypothesis-s-1', 'belief-s-1', 'goal-1')
    assert (look.stamp_ns, look.frame_id) == (1000 * S + 7, 'camera_optical')
    ask = the(AskModel, outputs)
    assert outputs.index(look) < outputs.index(ask)
    assert ask.jpeg == b'jpeg'
    assert ask.deadline_s == 58.0
    assert '"goal": "find the red mug"' in ask.prompt.user
    bench.seconds += 2
    outputs = bench.reply(ask, GOOD)
    document, hypothesis = published(outputs, Hypothesis)
    assert len(outputs) == 1
    assert (document.cause_id, document.goal_id) == (look.id, 'goal-1')
    assert (document.stamp_ns, document.frame_id) == (look.stamp_ns, look.frame_id)
    assert hypothesis.step_id == 'belief-s-1'
    assert hypothesis.source is Source.MODEL
    assert hypothesis.hypothesis.target_box == (100, 100, 300, 300)
    meta = hypothesis.meta
    assert (meta.vlm_backend, meta.vlm_model) == ('ollama', 'qwen2.5vl:7b')
    assert (meta.vlm_parse_ok, meta.vlm_schema_ok, meta.vlm_error) == (True, True, '')
    assert (meta.vlm_latency_ms, meta.vlm_retry_count) == (1500.0, 0)
    assert meta.prompt_sha256 == ask.prompt.sha256
    assert len(meta.image_sha256) == 64


def test_the_model_is_told_through_which_camera_it_looks(bench: Bench) -> None:
    assert 'its forward camera' in bench.ask().prompt.system
    assert 'its camera "left"' in bench.ask(camera='left').prompt.system


def test_a_look_goes_through_the_camera_that_is_named(bench: Bench) -> None:
    take = the(TakePicture, bench.look(camera='left'))
    assert take.camera == 'left'
    _, look = published(bench.give(PictureFailed(take.request_id, 'it is covered')), Look)
    assert look == Look(False, 'it is covered', camera='left')
    assert the(TakePicture, bench.look()).camera == ''


def test_a_picture_that_did_not_come_ends_the_look(bench: Bench) -> None:
    take = the(TakePicture, bench.look(inform=True))
    outputs = bench.give(PictureFailed(take.request_id, 'no camera'))
    document, look = published(outputs, Look)
    assert look == Look(False, 'no camera', inform=True)
    assert document.cause_id == 'belief-s-1'
    assert bench.picture(take) == []
    assert bench.standing.dropped == 1


def test_the_picture_gets_no_more_time_than_the_look(bench: Bench) -> None:
    assert the(TakePicture, bench.look(deadline_s=0.5)).timeout_s == 0.5


@pytest.mark.parametrize(('text', 'parse_ok', 'schema_ok', 'word'), [
    ('I see a mug', False, False, 'PARSE_FAIL'),
    ('{"action": "fly"}', True, False, 'SCHEMA_BAD'),
    (json.dumps({**GOOD, 'target_box': [0, 0, 5000, 5000]}), True, True, 'SEMANTIC_BAD'),
])
def test_a_bad_reply_is_sent_back_once_and_then_replaced(
        bench: Bench, text: str, parse_ok: bool, schema_ok: bool, word: str) -> None:
    first = bench.ask()
    bench.seconds += 10
    again = the(AskModel, bench.reply(first, text))
    assert again.request_id != first.request_id
    assert again.jpeg == first.jpeg
    assert again.deadline_s == 50.0
    [repair] = again.prompt.repairs
    assert repair.reply == text
    assert f'"kind": "{word}"' in repair.complaint
    hypothesis = answer(bench.reply(again, text))
    assert hypothesis.source is Source.FALLBACK
    assert hypothesis.hypothesis.action is Action.EXPLORE
    meta = hypothesis.meta
    assert (meta.vlm_parse_ok, meta.vlm_schema_ok) == (parse_ok, schema_ok)
    assert (meta.vlm_retry_count, meta.vlm_latency_ms) == (1, 3000.0)
    assert (meta.vlm_answer, meta.vlm_reply_count) == (ModelAnswer.REFUSED, 2)
    assert meta.vlm_error.startswith(word)
    assert meta.prompt_sha256 == again.prompt.sha256


def test_a_repaired_reply_counts(bench: Bench) -> None:
    hypothesis = answer(bench.reply(the(AskModel, bench.reply(bench.ask(), '?')), GOOD))
    assert hypothesis.source is Source.MODEL
    meta = hypothesis.meta
    assert (meta.vlm_parse_ok, meta.vlm_schema_ok, meta.vlm_retry_count, meta.vlm_error) == (
        True, True, 1, '')
    assert (meta.vlm_answer, meta.vlm_reply_count) == (ModelAnswer.VALID, 2)


def test_the_schema_that_was_broken_and_what_the_server_took_stand_in_the_meta(
        bench: Bench) -> None:
    took = ServerTimes(4000.0, 800.0, 2000.0)
    ask = bench.ask()
    again = the(AskModel, bench.give(ModelReplied(
        ask.request_id, '{"action": "fly"}', 1500.0, 'stop', 1700, 20, times=took)))
    meta = answer(bench.give(ModelReplied(
        again.request_id, json.dumps(GOOD), 900.0, 'stop', 1800, 90,
        times=ServerTimes(0.0, 300.5, 1000.0)))).meta
    assert meta.vlm_error == ''
    assert meta.vlm_schema_path.startswith('#/')
    assert (meta.vlm_prompt_tokens, meta.vlm_reply_tokens) == (3500, 110)
    assert (meta.vlm_load_ms, meta.vlm_prompt_ms, meta.vlm_reply_ms) == (4000.0, 1100.5, 3000.0)
    meta = answer(bench.reply(bench.ask(), GOOD)).meta
    assert (meta.vlm_schema_path, meta.vlm_load_ms) == ('', 0.0)


def test_fields_that_were_not_written_as_asked_for_are_counted(bench: Bench) -> None:
    def replies_reread() -> object:
        return dict(bench.standing.reports['look'].figures)['replies_reread']

    other = {name: value for name, value in GOOD.items() if name != 'confidence_percent'}
    assert answer(bench.reply(bench.ask(), GOOD)).meta.vlm_reread_count == 0
    assert replies_reread() == 0
    found = answer(bench.reply(bench.ask(), {
        **other, 'confidence': 80, 'target_box': [300, 300, 100, 100]}))
    assert (found.hypothesis.confidence, found.meta.vlm_reread_count) == (0.8, 2)
    assert replies_reread() == 1
    assert answer(bench.reply(bench.ask(), GOOD)).meta.vlm_reread_count == 0
    assert replies_reread() == 1


def test_a_reply_that_was_cut_off_is_told_so(bench: Bench) -> None:
    again = the(AskModel, bench.reply(bench.ask(), '{"action": "appr', 'length'))
    assert 'cut off after 90 tokens' in again.prompt.repairs[0].complaint


@pytest.mark.parametrize(('retries', 'late_s'), [(0, 0.0), (1, 59.9), (1, 100.0)])
def test_no_retry_without_leave_or_time(retries: int, late_s: float) -> None:
    bench = Bench(max_retries=retries)
    ask = bench.ask()
    bench.seconds += late_s
    assert answer(bench.reply(ask, '?')).meta.vlm_retry_count == 0


@pytest.mark.parametrize('left', [1, 2, 3])
def test_no_retry_beyond_what_is_left_of_the_budget(left: int) -> None:
    bench = Bench(max_retries=9)
    outputs = bench.reply(bench.ask(model_calls_left=left), '?')
    for _ in range(left - 1):
        outputs = bench.reply(the(AskModel, outputs), '?')
    meta = answer(outputs).meta
    assert (meta.vlm_answer, meta.vlm_reply_count) == (ModelAnswer.REFUSED, left)


@pytest.mark.parametrize('error', ['timeout', 'ollama_error:model not found',
                                   'missing_response_field', 'x' * 5000])
def test_a_model_that_fails_is_replaced(bench: Bench, error: str) -> None:
    hypothesis = answer(bench.fail(bench.ask(), error))
    assert hypothesis.source is Source.FALLBACK
    assert hypothesis.meta.vlm_error == error[:500]
    assert hypothesis.meta.vlm_answer is ModelAnswer.SILENT
    assert hypothesis.meta.vlm_reply_count == 0
    assert (hypothesis.meta.vlm_parse_ok, hypothesis.meta.vlm_schema_ok) == (False, False)


def test_question_is_sent_again_once_where_the_connection_broke(bench: Bench) -> None:
    ask = bench.ask()
    again = the(AskModel, bench.fail(ask, 'connection_failed'))
    assert (again.prompt, again.jpeg) == (ask.prompt, ask.jpeg)
    meta = answer(bench.fail(again, 'connection_failed')).meta
    assert (meta.vlm_error, meta.vlm_latency_ms) == ('connection_failed', 400.0)


def test_question_is_not_sent_again_without_time_for_it(bench: Bench) -> None:
    ask = bench.ask(deadline_s=5.0)
    bench.seconds += 4.9
    assert answer(bench.fail(ask, 'connection_failed')).meta.vlm_error == 'connection_failed'


def fallback_at_once(bench: Bench, **request: Any) -> str:
    """Look without the model being asked; returns the error."""
    outputs = bench.picture(the(TakePicture, bench.look(**request)))
    assert published(outputs, Look)[1].taken
    hypothesis = answer(outputs)
    assert hypothesis.source is Source.FALLBACK
    assert (hypothesis.meta.vlm_latency_ms, hypothesis.meta.vlm_retry_count) == (0.0, 0)
    assert not (hypothesis.meta.vlm_parse_ok or hypothesis.meta.vlm_schema_ok)
    assert hypothesis.meta.vlm_reply_count == 0
    assert hypothesis.meta.vlm_answer is (
        ModelAnswer.NOT_ASKED if request.get('fallback_only') else ModelAnswer.SILENT)
    return hypothesis.meta.vlm_error


def circuit(bench: Bench) -> str:
    """Return what the core says of the circuit after a look that asks nobody."""
    bench.picture(the(TakePicture, bench.look(fallback_only=True)))
    return bench.standing.reports['circuit'].text


def test_what_was_seen_of_the_model_is_told(bench: Bench) -> None:
    def proof() -> tuple[Level, str]:
        report = bench.standing.reports['proof']
        return report.level, report.text

    ask = bench.ask()
    assert proof() == (Level.WARN, 'the model was asked nothing since the start')
    bench.give(ModelProved(False, 'it rambles'))
    assert proof() == (Level.ERROR, 'it rambles')
    answer(bench.fail(ask))
    assert proof() == (Level.ERROR, 'it rambles')
    answer(bench.reply(bench.ask(), GOOD))
    assert proof() == (Level.OK, 'a look was answered by the schema')
    bench.give(ModelProved(True, 'no picture reached it', doubted=True))
    answer(bench.reply(bench.ask(), GOOD))
    assert proof() == (Level.WARN, 'no picture reached it'), 'an answer alone does not hide that'
    bench.give(ModelProved(False, 'it rambles'))
    assert proof() == (Level.ERROR, 'it rambles')
    answer(bench.reply(bench.ask(), GOOD))
    assert proof() == (Level.WARN, 'no picture reached it'), 'nor does a failure'
    bench.give(ModelProved(True, 'it sees'))
    assert proof() == (Level.OK, 'it sees')


CLOSED = 'the model is asked'


def test_a_model_that_keeps_failing_is_not_asked_for_a_while(bench: Bench) -> None:
    for _ in range(3):
        assert answer(bench.fail(bench.ask())).meta.vlm_error == 'timeout'
    assert fallback_at_once(bench) == 'circuit_open'
    assert fallback_at_once(bench, inform=True, confirm=True) == 'circuit_open'
    assert fallback_at_once(bench, fallback_only=True) == 'not_asked'
    bench.seconds += 10
    assert circuit(bench) == 'the next look tries the model again after 3 failures'
    assert bench.standing.reports['circuit'].figures == (('failures', 3), ('retry_in_s', 0))
    answer(bench.fail(bench.ask()))
    bench.seconds += 19
    assert fallback_at_once(bench) == 'circuit_open'
    bench.seconds += 1
    assert answer(bench.reply(bench.ask(), GOOD)).source is Source.MODEL
    assert circuit(bench) == CLOSED


def test_a_refused_reply_is_a_reply(bench: Bench) -> None:
    for _ in range(4):
        answer(bench.fail(the(AskModel, bench.reply(bench.ask(), 'prose'))))
    assert circuit(bench) == CLOSED


@pytest.mark.parametrize('error', ['cancelled', 'bad_picture'])
def test_a_call_that_tells_nothing_of_the_model_is_no_failure(bench: Bench, error: str) -> None:
    for _ in range(5):
        assert answer(bench.fail(bench.ask(), error)).meta.vlm_error == error
    assert circuit(bench) == CLOSED


def test_a_call_that_was_broken_off_is_no_failure(bench: Bench) -> None:
    for _ in range(5):
        bench.fail(bench.ask(), 'cancelled')
        bench.look()
    assert circuit(bench) == CLOSED


def test_a_server_that_comes_back_is_asked_at_once(bench: Bench) -> None:
    again = the(AskModel, bench.fail(bench.ask(), 'connection_failed'))
    answer(bench.fail(again, 'connection_failed'))
    answer(bench.fail(bench.ask(), 'connection_failed'))
    assert bench.give(probed(ok=False)) == []
    assert fallback_at_once(bench) == 'circuit_open'
    assert bench.give(probed()) == []
    assert answer(bench.reply(bench.ask(), GOOD)).source is Source.MODEL


def test_fallback_only_asks_no_model(bench: Bench) -> None:
    outputs = bench.picture(the(TakePicture, bench.look(fallback_only=True)))
    assert answer(outputs).source is Source.FALLBACK
    assert published(outputs, Look)[1].taken


def test_a_picture_too_late_to_ask_leads_to_the_fallback(bench: Bench) -> None:
    take = the(TakePicture, bench.look(deadline_s=2.0))
    bench.seconds += 1.9
    assert answer(bench.picture(take)).meta.vlm_error == 'timeout'


def test_a_confirming_look_gets_the_fallback_too(bench: Bench) -> None:
    ask = bench.ask(confirm=True, belief_target_status=Status.DONE)
    hypothesis = answer(bench.fail(ask))
    assert hypothesis.source is Source.FALLBACK
    assert hypothesis.hypothesis.action is Action.STOP


@pytest.mark.parametrize('end', ['look', 'stop', 'goal', 'stop of a new goal'])
def test_a_newer_step_ends_a_running_call(bench: Bench, end: str) -> None:
    ask = bench.ask(inform=True)
    if end == 'look':
        outputs = bench.look()
    elif end == 'stop':
        outputs = bench.document(Step(StepKind.STOP, 'find the red mug'))
    elif end == 'goal':
        outputs = bench.look('goal-2')
    else:
        outputs = bench.document(Step(StepKind.STOP, 'x'), 'goal-2')
    assert outputs[0] == CancelModel(ask.request_id)
    assert [type(one) for one in outputs[1:]] == ([] if 'stop' in end else [TakePicture])
    assert bench.fail(ask, 'cancelled') == []
    assert bench.reply(ask, GOOD) == []
    assert bench.standing.dropped == 2


def in_line(bench: Bench, count: int = 2) -> tuple[AskModel, list[Document]]:
    """Take so many looks that inform; returns the call under way, and the looks."""
    ask = bench.ask(inform=True)
    looks = [bench.journal[-1][2]]
    for _ in range(count - 1):
        outputs = bench.picture(the(TakePicture, bench.look(inform=True)))
        assert not [one for one in outputs if isinstance(one, AskModel)]
        looks.append(outputs)
    return ask, [published(outputs, Look)[0] for outputs in looks]


def test_looks_that_inform_are_answered_one_after_the_other(bench: Bench) -> None:
    ask, looks = in_line(bench, 3)
    for look in looks:
        outputs = bench.reply(ask, GOOD)
        hypothesis, body = published(outputs, Hypothesis)
        assert (hypothesis.cause_id, body.step_id) == (look.id, look.cause_id)
        if look is not looks[-1]:
            ask = the(AskModel, outputs)
    assert bench.standing.dropped == 0


def test_look_in_line_is_asked_for_after_one_that_failed(bench: Bench) -> None:
    ask, looks = in_line(bench)
    outputs = bench.fail(ask)
    assert published(outputs, Hypothesis)[0].cause_id == looks[0].id
    assert answer(bench.reply(the(AskModel, outputs), GOOD)).source is Source.MODEL


def test_look_whose_time_is_over_in_line_gets_the_fallback(bench: Bench) -> None:
    ask, looks = in_line(bench)
    bench.seconds += 70
    outputs = bench.fail(ask)
    assert [one.cause_id for one in outputs if isinstance(one, Document)] == [
        look.id for look in looks]
    assert not [one for one in outputs if isinstance(one, AskModel)]


def test_looks_in_line_are_not_asked_for_once_the_circuit_is_open() -> None:
    bench = Bench(circuit_failures=1)
    ask, looks = in_line(bench)
    errors = [one.body.meta.vlm_error for one in bench.fail(ask)
              if isinstance(one, Document) and isinstance(one.body, Hypothesis)]
    assert errors == ['timeout', 'circuit_open']


@pytest.mark.parametrize('inform', [False, True])
def test_look_that_is_waited_for_ends_all_in_line_and_lets_none_wait(
        bench: Bench, inform: bool) -> None:
    ask, _ = in_line(bench)
    outputs = bench.look()
    assert [one for one in outputs if isinstance(one, CancelModel)] == [
        CancelModel(ask.request_id)]
    waited = the(AskModel, bench.picture(the(TakePicture, outputs)))
    assert bench.reply(ask, GOOD) == []
    if inform:
        assert bench.look(inform=True)[0] == CancelModel(waited.request_id)
    else:
        answer(bench.reply(waited, GOOD))


def test_no_more_looks_wait_in_line_than_pictures_are_kept(bench: Bench) -> None:
    ask, _ = in_line(bench, MOST_LOOKS)
    assert bench.look(inform=True)[0] == CancelModel(ask.request_id)


def test_look_that_waits_for_its_picture_lets_none_stand_in_line(bench: Bench) -> None:
    """A camera takes one picture at a time."""
    first = the(TakePicture, bench.look(inform=True))
    second = the(TakePicture, bench.look(inform=True))
    assert bench.picture(first) == []
    ask = the(AskModel, bench.picture(second))
    assert answer(bench.reply(ask, GOOD)).source is Source.MODEL


def test_look_in_line_without_a_picture_ends_none_before_it(bench: Bench) -> None:
    ask = bench.ask(inform=True)
    failed = the(TakePicture, bench.look(inform=True))
    published(bench.give(PictureFailed(failed.request_id, 'no camera')), Look)
    assert answer(bench.reply(ask, GOOD)).source is Source.MODEL


def test_a_look_that_waits_for_its_picture_is_replaced_silently(bench: Bench) -> None:
    first = the(TakePicture, bench.look())
    second = the(TakePicture, bench.look())
    assert bench.picture(first) == []
    assert len(bench.picture(second)) == 2


def test_an_act_ends_no_look(bench: Bench) -> None:
    ask = bench.ask(inform=True)
    assert bench.document(Step(StepKind.ACT, 'find the red mug')) == []
    assert answer(bench.reply(ask, GOOD)).source is Source.MODEL


def test_each_request_is_answered_once(bench: Bench) -> None:
    take = the(TakePicture, bench.look())
    ask = the(AskModel, bench.picture(take))
    for late in (PictureFailed(take.request_id, 'x'), PictureFailed(ask.request_id, 'x'),
                 PictureTaken(ask.request_id, 1, 'c', b'', 1, 1, 28, 28)):
        assert bench.give(late) == []
    answer(bench.reply(ask, GOOD))
    assert bench.reply(ask, GOOD) == []
    assert bench.fail(ask) == []
    assert bench.standing.dropped == 5


def test_candidates_reach_prompt_gate_and_fallback(bench: Bench) -> None:
    bench.look()
    bench.document(candidates('a', 'b', 'c', 'd'))
    ask = bench.ask()
    assert '"node_id": "c"' in ask.prompt.user
    assert '"node_id": "d"' not in ask.prompt.user
    go = {**GOOD, 'action': 'goto_node', 'target_box': None, 'node_id': 'b'}
    assert answer(bench.reply(ask, go)).hypothesis.node_id == 'b'
    ask = bench.ask()
    again = the(AskModel, bench.reply(ask, {**go, 'node_id': 'd'}))
    assert 'SEMANTIC_BAD' in again.prompt.repairs[0].complaint
    assert answer(bench.fail(again)).hypothesis.node_id == 'a'


def test_without_a_model_each_place_is_visited_once() -> None:
    bench = Bench(circuit_failures=100)
    bench.look()
    bench.document(candidates('a', 'b'))
    informing = [answer(bench.fail(bench.ask(inform=True))).hypothesis.node_id for _ in range(2)]
    visited = [answer(bench.fail(bench.ask())).hypothesis for _ in range(3)]
    assert informing == ['a', 'a']
    assert [one.node_id for one in visited] == ['a', 'b', None]
    assert visited[2].action is Action.EXPLORE


def test_places_visited_without_a_model_are_open_again_when_it_is_back() -> None:
    bench = Bench(circuit_failures=100)
    bench.look()
    bench.document(candidates('a', 'b', 'c'))

    def goes_to() -> str | None:
        return answer(bench.fail(bench.ask())).hypothesis.node_id
    assert [goes_to(), goes_to(), goes_to()] == ['a', 'b', 'c']
    answer(bench.reply(bench.ask(), GOOD))
    # It is at c that the model looked.
    assert [goes_to(), goes_to(), goes_to()] == ['a', 'b', None]


def test_a_track_is_approached_while_it_is_young(bench: Bench) -> None:
    bench.look()
    bench.document(observation(Track('t', (3.0, 4.0, 0.9), 2, 1, int(bench.seconds * S))))
    bench.seconds += 59
    hypothesis = answer(bench.fail(bench.ask(belief_target_status=Status.VISIBLE))).hypothesis
    assert hypothesis.navigation_goal is not None
    assert (hypothesis.navigation_goal.x, hypothesis.navigation_goal.y) == (3.0, 4.0)
    assert hypothesis.target_status is TargetStatus.VISIBLE
    bench.seconds += 1
    hypothesis = answer(bench.fail(bench.ask(belief_target_status=Status.VISIBLE))).hypothesis
    assert hypothesis.action is Action.EXPLORE
    bench.document(observation(None))
    bench.seconds -= 30
    hypothesis = answer(bench.fail(bench.ask(belief_target_status=Status.VISIBLE))).hypothesis
    assert hypothesis.action is Action.EXPLORE


def test_a_new_goal_forgets_the_old_one(bench: Bench) -> None:
    bench.look()
    bench.document(candidates('a'))
    bench.document(observation(Track('t', (3.0, 4.0, 0.9), 2, 1, int(bench.seconds * S))))
    ask = bench.ask('goal-2', belief_target_status=Status.VISIBLE)
    assert '"candidates": []' in ask.prompt.user
    bench.document(candidates('a'), 'goal-1')
    seen_ns = int(bench.seconds * S)
    bench.document(observation(Track('t', (3.0, 4.0, 0.9), 2, 1, seen_ns)), 'goal-1')
    assert answer(bench.fail(ask)).hypothesis.action is Action.EXPLORE


def test_track_of_other_words_is_not_approached(bench: Bench) -> None:
    bench.look()
    bench.document(observation(Track('t', (3.0, 4.0, 0.9), 2, 1, int(bench.seconds * S))))
    bench.document(Step(StepKind.STOP, 'find the red mug (the big one)'))
    hypothesis = answer(bench.fail(bench.ask(
        text='find the red mug (the big one)', belief_target_status=Status.VISIBLE))).hypothesis
    assert hypothesis.action is Action.EXPLORE


def test_places_left_out_are_offered_neither_to_the_model_nor_to_the_fallback(
        bench: Bench) -> None:
    bench.document(candidates('a', 'b'))
    ask = bench.ask(left_out=('a',))
    assert '"node_id": "a"' not in ask.prompt.user and '"node_id": "b"' in ask.prompt.user
    outputs = bench.reply(ask, {'action': 'goto_node', 'target_status': 'not_visible',
                                'confidence_percent': 80, 'node_id': 'a', 'rationale': ''})
    assert the(AskModel, outputs), 'a place that was not offered is unknown'
    assert answer(bench.fail(bench.ask(left_out=('a',)))).hypothesis.node_id == 'b'
    assert answer(bench.fail(bench.ask(left_out=('a', 'b')))).hypothesis.node_id is None


def test_candidates_may_come_before_the_first_step_of_their_goal(bench: Bench) -> None:
    bench.look()
    bench.document(candidates('old'))
    bench.document(candidates('new'), 'goal-2')
    assert '"node_id": "old"' in bench.ask().prompt.user
    assert '"node_id": "new"' in bench.ask('goal-2').prompt.user


def belief(bench: Bench, goal: str, phase: Phase) -> list[Output]:
    body = samples()['belief'].body
    assert isinstance(body, Belief)
    return bench.document(replace(
        body, goal_text='find the red mug', phase=phase, outcome=None), goal)


def test_a_goal_begins_with_the_belief_that_names_it(bench: Bench) -> None:
    ask = bench.ask()
    bench.document(candidates('new'), 'goal-2')
    assert belief(bench, 'goal-2', Phase.LOOKING) == [CancelModel(ask.request_id)]
    assert bench.reply(ask, GOOD) == []
    assert '"node_id": "new"' in bench.ask('goal-2').prompt.user


def test_the_end_of_a_mission_ends_its_look(bench: Bench) -> None:
    ask = bench.ask()
    assert belief(bench, 'goal-1', Phase.LOOKING) == []
    assert belief(bench, 'goal-1', Phase.FINISHED) == [CancelModel(ask.request_id)]
    assert bench.reply(ask, GOOD) == []
    assert bench.standing.dropped == 1


def test_a_mission_that_goes_on_knows_its_places_still(bench: Bench) -> None:
    bench.look()
    bench.document(candidates('kept'))
    belief(bench, 'goal-1', Phase.FINISHED)
    assert belief(bench, 'goal-1', Phase.LOOKING) == []
    assert '"node_id": "kept"' in bench.ask().prompt.user


def test_what_is_left_of_an_earlier_goal_changes_nothing(bench: Bench) -> None:
    bench.ask('goal-1')
    ask = bench.ask('goal-2')
    assert bench.look('goal-1') == []
    assert bench.document(Step(StepKind.STOP, 'find the red mug'), 'goal-1') == []
    assert belief(bench, 'goal-1', Phase.LOOKING) == []
    bench.document(candidates('old'), 'goal-1')
    assert bench.standing.dropped == 3
    assert answer(bench.reply(ask, GOOD)).source is Source.MODEL


def test_the_last_refusal_is_told(bench: Bench) -> None:
    ask = bench.ask(last_refusal=Refusal(Code.UNREACHABLE, 'no way around the table'))
    assert 'no way around the table' in ask.prompt.user


def test_the_window_of_the_server_bounds_what_is_asked_for(bench: Bench) -> None:
    assert bench.ask().prompt.window_tokens == 16384
    assert bench.standing.reports['context'].level is Level.OK
    assert bench.give(probed(8192)) == []
    assert bench.ask().prompt.window_tokens == 8192
    context = bench.standing.reports['context']
    assert context.level is Level.WARN
    assert 'the model server limits the context to 8192' in context.text


def test_a_prompt_beyond_its_budget_is_never_asked(bench: Bench) -> None:
    bench.look()
    bench.document(candidates('a'))
    bench.give(probed(2100))
    outputs = bench.picture(the(TakePicture, bench.look()))
    assert published(outputs, Look)[1].taken
    unsent = the(LogUnsentPrompt, outputs)
    outputs.remove(unsent)
    hypothesis = answer(outputs)
    assert hypothesis.source is Source.FALLBACK
    assert hypothesis.hypothesis.node_id == 'a'
    assert hypothesis.meta.vlm_error.startswith('over_budget: a prompt of about ')
    assert (hypothesis.meta.vlm_answer, hypothesis.meta.vlm_reply_count) == (
        ModelAnswer.UNSENT, 0)
    assert 'allowed are 100 of a window of 2100' in hypothesis.meta.vlm_error
    assert hypothesis.meta.prompt_sha256 == unsent.manifest.sha256
    assert not unsent.manifest.within_budget
    assert bench.standing.reports['context'].level is Level.ERROR


def test_a_repair_beyond_its_budget_is_never_asked(bench: Bench) -> None:
    needed = bench.ask().prompt.manifest.estimated_tokens
    bench.give(probed(needed + 2000 + 10))
    outputs = bench.reply(bench.ask(), 'no JSON at all, and a lot of it')
    outputs.remove(the(LogUnsentPrompt, outputs))
    hypothesis = answer(outputs)
    assert hypothesis.meta.vlm_error.startswith('over_budget')
    assert (hypothesis.meta.vlm_answer, hypothesis.meta.vlm_reply_count) == (
        ModelAnswer.UNSENT, 1)
    assert (hypothesis.meta.vlm_retry_count, hypothesis.meta.vlm_parse_ok) == (1, False)


def test_the_count_of_the_server_corrects_the_next_estimate(bench: Bench) -> None:
    first = bench.ask().prompt.manifest
    ask = bench.ask()
    assert ask.prompt.manifest.estimated_tokens == first.estimated_tokens
    bench.reply(ask, GOOD, prompt_tokens=2 * first.counted_tokens)
    assert bench.ask().prompt.manifest.estimated_tokens == pytest.approx(
        2 * first.estimated_tokens, abs=1)


def test_a_prompt_that_the_server_cut_is_told(bench: Bench) -> None:
    bench.reply(bench.ask(), GOOD, prompt_tokens=300)
    context = bench.standing.reports['context']
    assert context.level is Level.WARN
    assert 'cut the prompt: it counted 300 tokens' in context.text
    bench.reply(bench.ask(), GOOD)
    assert bench.standing.reports['context'].level is Level.OK


@pytest.mark.parametrize(('convention', 'counts'), [('pixels', False), ('permille', True)])
def test_boxes_in_pixels_of_a_picture_made_smaller_count_for_nothing(convention: str,
                                                                     counts: bool) -> None:
    config = HypothesisConfig(box_convention=convention, model='qwen2.5vl:7b')
    core, now = HypothesisCore(config, 's'), Now(S, S, S)

    def replied(text: Any) -> Hypothesis:
        step = Step(StepKind.LOOK, 'find the red mug', REQUEST)
        take = next(one for one in core.handle(DocumentReceived(Document(
            'belief-s-1', '', 'goal-1', S, '', step)), now) if isinstance(one, TakePicture))
        ask = next(one for one in core.handle(PictureTaken(
            take.request_id, S, '', b'jpeg', 640, 480, 1036, 784), now)
            if isinstance(one, AskModel))
        body = next(one.body for one in core.handle(ModelReplied(
            ask.request_id, json.dumps(text), 1.0, 'stop', 890, 60), now)
            if isinstance(one, Document) and isinstance(one.body, Hypothesis))
        assert isinstance(body, Hypothesis)
        return body

    body = replied(GOOD)
    assert (body.hypothesis.target_box is not None) is counts
    assert ('made the picture smaller' in body.meta.vlm_error) is not counts
    scene = {'place': 'kitchen', 'objects': [{'name': 'sink', 'box': [1, 2, 300, 400]}]}
    explore = {'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 40,
               'scene': scene, 'rationale': 'none'}
    body = replied(explore)
    [sink] = body.hypothesis.scene.objects
    assert body.meta.vlm_error == '' and sink.name == 'sink'
    assert (sink.box is not None) is counts


def test_places_that_nothing_is_told_of_are_counted(bench: Bench) -> None:
    bench.look()
    known = candidates('a', 'b', 'c')
    bench.document(replace(known, candidates=tuple(
        replace(one, summary='', tags=()) if one.node_id != 'b' else one
        for one in known.candidates)))
    ask = bench.ask()
    assert ask.prompt.user.count('"missing": true') == 2
    go = {**GOOD, 'action': 'goto_node', 'target_box': None, 'node_id': 'c'}
    hypothesis = answer(bench.reply(ask, go))
    assert hypothesis.source is Source.MODEL
    assert hypothesis.meta.memory_context_missing_nodes == 2
    assert hypothesis.meta.memory_context_missing_node_ids == ('a', 'c')


def test_strict_provenance_tells_nothing_that_nobody_vouches_for() -> None:
    bench = Bench(strict_provenance=True)
    bench.look()
    bench.document(candidates('a'))
    ask = bench.ask()
    assert 'a kitchen' not in ask.prompt.user
    assert answer(bench.reply(ask, GOOD)).meta.memory_context_missing_node_ids == ('a',)


def test_what_is_of_no_concern_changes_nothing(bench: Bench) -> None:
    ask = bench.ask()
    assert bench.give(Tick()) == []
    assert bench.document(Look(True, '', 1, 1)) == []
    assert not bench.standing.ticking
    assert answer(bench.reply(ask, GOOD)).source is Source.MODEL


def test_the_journal_of_a_look_is_read_back_and_replayed(bench: Bench, tmp_path: Any) -> None:
    bench.document(candidates('a'), 'goal-1')
    bench.give(probed(20000))
    again = the(AskModel, bench.reply(bench.ask(), 'not json 😀', prompt_tokens=1900))
    bench.reply(again, GOOD, prompt_tokens=2400)
    for _ in range(3):
        bench.fail(bench.ask())
    assert fallback_at_once(bench) == 'circuit_open'
    bench.give(probed(ok=False))
    bench.give(probed())
    bench.ask()
    bench.give(PictureFailed(the(TakePicture, bench.look()).request_id, 'no camera'))
    codec = RecordCodec((*COMMON_KINDS, *RECORD_KINDS), FolderBlobs(tmp_path))
    replayed = HypothesisCore(HypothesisConfig(box_convention='permille'), 's')
    for now, event, outputs in bench.journal:
        records = [json.loads(json.dumps(codec.encode(one))) for one in (event, *outputs)]
        assert [codec.decode(record) for record in records] == [event, *outputs]
        assert list(replayed.handle(codec.decode(records[0]), now)) == outputs
