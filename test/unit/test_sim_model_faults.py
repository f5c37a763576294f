"""Each fault of the model server, seen by the real provider over HTTP and by the gate."""

import contextlib
import dataclasses
import io
import json
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from PIL import Image
from questions import question

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Reply
from semantic_nav.vlm.errors import error_name
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext, gate
from semantic_nav.vlm.gate.wire import request_schema
from semantic_nav.vlm.prompt.prompt import Exchange, Prompt
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import Ask, Engine, Message
from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.http_server import ModelHttpServer
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.model.transport import ERROR_OF, Kind
from semantic_nav_sim.profile_files import profile_names
from semantic_nav_sim.profiles import load_profile

load = partial(load_profile, ModelProfile)
BLOCK = {'goal': 'find the red mug', 'belief_target_status': 'searching',
         'candidates': [{'node_id': 'place-1', 'score': 0.4}], 'last_refusal': None}
PROMPT = Prompt('v', 'rules', f'what now?\n```json\n{json.dumps(BLOCK)}\n```',
                request_schema(BoxConvention.PIXELS))
MUG = SeenObject('mug_1', 'red mug', 'mug', 'red', (200.0, 100.0, 260.0, 160.0), 3600, 1.5)
SIGHT = Sight(True, 640, 480, 'kitchen', (MUG,))
CONTEXT = GateContext(BoxConvention.PIXELS, (640, 480), frozenset({'place-1'}))
#: Long enough for a busy machine; no call takes so long unless the test fails.
PATIENCE_S = 30.0
#: Of a call that ends in no other way.
SHORT_S = 0.5


class SeesTheMug:
    """Eyes that see the same in every picture."""

    def look(self, picture: bytes) -> Sight:
        del picture
        return SIGHT


def jpeg(shade: int = 90) -> bytes:
    out = io.BytesIO()
    Image.new('RGB', (640, 480), (shade, 120, 30)).save(out, 'JPEG')
    return out.getvalue()


def engine(profile: str, seed: int = 0) -> Engine:
    return Engine(ModelCard('qwen2.5vl:7b'), SeesTheMug(), load(profile), seed)


@contextlib.contextmanager
def serving(profile: str, backend: str = 'ollama') -> Iterator[Provider]:
    with ModelHttpServer('127.0.0.1', 0, engine(profile)) as server:
        yield make_provider(HypothesisConfig(
            vlm_backend=backend, base_url=server.url, model='qwen2.5vl:7b'))


def call(provider: Provider, deadline_s: float = PATIENCE_S, shade: int = 90) -> Reply:
    return provider.ask(question(PROMPT, jpeg(shade)), deadline_s, threading.Event())


def failure(provider: Provider, deadline_s: float = PATIENCE_S) -> str:
    with pytest.raises(SemanticNavError) as caught:
        call(provider, deadline_s)
    return error_name(caught.value)


TRANSPORT = {name: load(name).transport.fault for name in profile_names('model')
             if load(name).transport.outcome(0).kind in set(ERROR_OF) - {Kind.REFUSED}}


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'kind'), TRANSPORT.items())
def test_a_call_that_is_not_answered_ends_in_its_error(name: str, kind: Kind) -> None:
    error = ERROR_OF[kind]
    with serving(name) as provider:
        found = failure(provider, SHORT_S if error == 'timeout' else PATIENCE_S)
    assert found.partition(':')[0] == error


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'kind'), TRANSPORT.items())
def test_the_other_api_fails_with_a_name_too(name: str, kind: Kind) -> None:
    """Some of the faults speak Ollama's protocol, which is none for a client of OpenAI's."""
    error = ERROR_OF[kind].replace('ollama', 'openai')
    with serving(name, 'openai') as provider:
        found = failure(provider, SHORT_S if error == 'timeout' else PATIENCE_S)
    assert found.partition(':')[0] in (error, 'bad_reply')


def test_both_apis_give_the_same_reply() -> None:
    replies = []
    for backend in ('ollama', 'openai'):
        with serving('none', backend) as provider:
            assert provider.probe(threading.Event()).ok
            replies.append(call(provider))
    assert replies[0].text == replies[1].text
    assert replies[0].usage == replies[1].usage
    assert isinstance(gate(replies[1].text, CONTEXT), CanonicalHypothesis)


@pytest.mark.parametrize(('name', 'said'), [
    ('http_500', 'ollama_error:llama runner has terminated'),
    ('http_404', 'ollama_error:model not found, try pulling it first'),
    ('redirect', 'ollama_error:HTTP 307')])
def test_what_the_server_said_is_told(name: str, said: str) -> None:
    with serving(name) as provider:
        assert failure(provider) == said


@pytest.mark.parametrize('name', ['slow', 'slow_tokens'])
def test_a_slow_model_runs_into_the_deadline(name: str) -> None:
    with serving(name) as provider:
        assert failure(provider, SHORT_S) == 'timeout'


def test_a_server_that_died_refuses_connections() -> None:
    with serving('dies') as provider:
        for _ in range(3):
            assert call(provider).text
        assert [failure(provider) for _ in range(3)] == ['connection_failed'] * 3
        assert 'is it running?' in provider.probe(threading.Event()).message


def test_a_server_that_flaps_answers_again() -> None:
    with serving('flapping') as provider:
        for _ in range(2):
            assert call(provider).text and call(provider).text
            assert [failure(provider), failure(provider)] == ['connection_failed'] * 2


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'refusal'), [
    ('prose', 'PARSE_FAIL at $: the reply holds no JSON object'),
    ('cut_json', 'PARSE_FAIL at $: the JSON object is cut off'),
    ('loop', 'PARSE_FAIL at $: the JSON object is cut off'),
    ('garbage', 'PARSE_FAIL at $: '),
    ('nan', 'PARSE_FAIL at $: NaN is not JSON'),
    ('duplicate_keys', 'PARSE_FAIL at $: a key stands twice'),
    ('wrong_schema', 'SCHEMA_BAD at $: '),
    ('numbers_as_strings', 'SCHEMA_BAD at $.'),
    ('contradiction', 'SCHEMA_BAD at $: needs exactly one of target_box, navigation_goal'),
    ('hallucinated_node', 'SEMANTIC_BAD at $.node_id: ')])
def test_a_bad_reply_does_not_pass_the_gate(name: str, refusal: str) -> None:
    with serving(name) as provider:
        for shade in range(0, 200, 40):
            reply = call(provider, shade=shade)
            assert str(gate(reply.text, CONTEXT)).startswith(refusal)
            assert reply.finish_reason == ('repeats' if name == 'loop' else 'stop')


def test_an_oversized_reply_is_not_read_to_its_end() -> None:
    with serving('oversized') as provider:
        assert failure(provider) == 'reply_too_long'


def passed(profile: str, shade: int = 90) -> CanonicalHypothesis:
    with serving(profile) as provider:
        result = gate(call(provider, shade=shade).text, CONTEXT)
    assert isinstance(result, CanonicalHypothesis), result
    return result


def test_a_lie_in_good_form_passes_the_gate_and_is_the_verifiers_business() -> None:
    assert passed('always_stop').action is Action.STOP
    for name in ('hallucinated_box', 'same_wrong_box', 'injected_text'):
        assert passed(name).action is Action.APPROACH
    assert passed('injected_text').target_box is None
    truth = passed('none').target_box
    wrong = [passed(name, shade).target_box for name in ('hallucinated_box', 'same_wrong_box')
             for shade in (90, 180)]
    assert truth not in wrong
    assert wrong[0] != wrong[1]
    assert wrong[2] == wrong[3]


def ask(repairs: tuple[Exchange, ...] = ()) -> Ask:
    texts = [Message('user', PROMPT.user), *(Message('user', one.complaint) for one in repairs)]
    return Ask(tuple(texts), format=PROMPT.schema, num_predict=512, num_ctx=8192)


def test_a_runner_without_http_gets_the_same_faults() -> None:
    reply = ''.join(engine('none').answer(ask(), SIGHT).pieces)
    assert json.loads(reply)['target_box'] == [200, 100, 260, 160]
    assert engine('loop').answer(ask(), SIGHT).done_reason == 'length'
    hanging = engine('hang')
    assert [hanging.outcome().kind for _ in range(2)] == [Kind.HANGS] * 2


def test_a_model_that_is_silent_half_of_the_time_is_so_by_the_clock() -> None:
    model = engine('half_silent')
    silent = [model.outcome(now_s).kind is Kind.HANGS for now_s in range(0, 360, 5)]
    assert silent == ([False] * 12 + [True] * 12) * 3


@pytest.mark.parametrize('name', ['harsh', 'garbage', 'hallucinated_box'])
def test_the_same_seed_says_the_same(name: str) -> None:
    said = [engine(name, seed).answer(ask(), SIGHT) for seed in (1, 1, *range(2, 12))]
    assert said[0] == said[1]
    assert len({one.pieces for one in said}) > 1


def test_asked_to_repair_the_brain_thinks_anew_and_the_eyes_see_the_same() -> None:
    harsh = engine('harsh')
    again = [''.join(harsh.answer(ask((Exchange('bad', f'no {n}'),)), SIGHT).pieces)
             for n in range(60)]
    honest = {text for text in again if again.count(text) > 5}
    assert len(honest) == 1
    assert len(set(again)) > 5


def test_only_who_asks_for_a_look_is_told_of_what_is_not_there() -> None:
    """Each claim of `imagines_it` is made up; a plain sentence may ask anything."""
    sees = dataclasses.replace(SIGHT, objects=(
        dataclasses.replace(MUG, name='blue sofa', kind='sofa', colour='blue'),))
    for text, action in ((PROMPT.user, 'approach'), ('find the red mug', 'explore')):
        asked = Ask((Message('user', text),), format=PROMPT.schema, num_ctx=8192)
        actions = {json.loads(''.join(engine('imagines_it', seed).answer(asked, sees).pieces))[
            'action'] for seed in range(60)}
        assert actions == {action, 'explore'}


def test_each_profile_says_things_of_its_own_but_the_same_for_the_same_view() -> None:
    """The pictures of a view differ; most of what is made of them does not."""
    model = engine('default', 3)
    sights = [dataclasses.replace(SIGHT, objects=(
        dataclasses.replace(MUG, box_px=(200.0 + 0.01 * n, 100.0, 260.0, 160.0)),))
        for n in range(30)]
    said = [json.loads(''.join(model.answer(ask(), one).pieces)) for one in sights]
    names = [tuple(item['name'] for item in one['scene']['objects']) for one in said]
    assert max(map(names.count, names)) > 20


def test_a_loop_without_a_limit_ends_with_the_context() -> None:
    request = Ask(ask().messages, format=PROMPT.schema, num_ctx=600)
    said = engine('loop').answer(request, SIGHT)
    assert (len(said.pieces), said.done_reason) == (600, 'length')
