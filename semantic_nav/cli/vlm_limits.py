"""`vlm guard` and `vlm truncate`: trials with a prompt that is too long, here and there."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from semantic_nav.cli.vlm_look import TrialFailed, looker_of
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import ModelAnswer, Status
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import AskModel, ModelFailed, ModelProbed, ModelReplied
from semantic_nav.vlm.look.known_model import KnownModel
from semantic_nav.vlm.look.token_budget import TokenBudget
from semantic_nav.vlm.looker import EXAMPLE_GOAL, example_picture
from semantic_nav.vlm.picture import Picture, prepare
from semantic_nav.vlm.prompt import assembly as prompts

GUARDED_TOKENS = 200_000
#: Least length of the prompt of `truncate`, in words of one token each.
TOO_MANY_WORDS = 40_000
_WORD = ' word'
#: Difference in words of two short prompts, from which the server's count per word is measured.
_FEW_WORDS = 200
#: Least share of the expected count of a server that read everything.
_ALL = 0.98
#: Count per word below which a server did not read even the short prompt.
_LEAST_PER_WORD = 0.5
#: Deadline for a server that is there, in s; the witness does not answer at all.
_GUARD_S = 10.0
#: Length of a reply whose text is not used, in tokens.
_SHORTEST_REPLY = 32


class _Witness(socketserver.TCPServer):
    """Stands in for the model server: counts requests, and hangs up."""

    def __init__(self) -> None:
        super().__init__(('127.0.0.1', 0), socketserver.BaseRequestHandler)
        self.requests = 0

    def process_request(self, request: object, client_address: object) -> None:
        del client_address
        self.requests += 1
        self.shutdown_request(request)  # type: ignore[arg-type]

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self.server_address[1]}'


@contextmanager
def _witness() -> Iterator[_Witness]:
    with _Witness() as witness:
        thread = threading.Thread(target=witness.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield witness
        finally:
            witness.shutdown()
            thread.join()


def guard(config: HypothesisConfig) -> int:
    """Try to send a prompt beyond any budget, to a witness in the place of the server.

    A short prompt goes first, to prove that the witness notices requests.

    Raises:
        ConfigError: the backend asks no server.
        TrialFailed: the prompt was not refused, or something of it was sent.
    """
    if not config.base_url:
        raise ConfigError(f'{config.vlm_backend} asks no server: there is nothing to guard')
    rgb = example_picture()
    with _witness() as witness:
        looker = looker_of(replace(config, base_url=witness.url), _GUARD_S)
        looker.look(rgb, EXAMPLE_GOAL)
        noticed = witness.requests
        seen = looker.look(rgb, _WORD * GUARDED_TOKENS)
        made = witness.requests - noticed
    meta = seen.hypothesis.meta
    print(f'requests made for a short prompt: {noticed}')
    print(f'prompt of {seen.manifest.counted_tokens} tokens: {meta.vlm_error or "not refused"}')
    print(f'requests made for it: {made}')
    if not noticed:
        raise TrialFailed('the short prompt was not sent either, which proves nothing')
    if made or meta.vlm_answer is not ModelAnswer.UNSENT:
        raise TrialFailed('the prompt was not refused before it was sent')
    return 0


def truncate(config: HypothesisConfig) -> int:
    """Send a prompt that is longer than most windows, past the budget, and report the result.

    Two short prompts first measure how the server counts.

    Raises:
        ModelUnavailable: a question would not be answered.
        TrialFailed: the server cut the prompt silently, or its handling cannot be told.
    """
    config = replace(config, num_predict=_SHORTEST_REPLY)
    looker = looker_of(config, config.request_timeout_s)
    model = KnownModel(config)
    found = looker.ready()
    model.probed(found)
    picture = prepare(example_picture(), config, model.boxes)

    def sent(words: int) -> ModelReplied | ModelFailed:
        return looker.ask(_request(config, found, model, picture, words))

    none, few = _count(sent(0)), _count(sent(_FEW_WORDS))
    per_word = (few - none) / _FEW_WORDS
    if per_word < _LEAST_PER_WORD:
        raise TrialFailed(f'the server counts {none} tokens in a short prompt and {few} with '
                          f'{_FEW_WORDS} words more, so that it cannot be told what it reads')
    result = sent(TOO_MANY_WORDS)
    if isinstance(result, ModelFailed) and result.error.startswith(f'{config.vlm_backend}_error:'):
        print(f'an error in words: {result.message}')
        return 0
    read, expected = _count(result), round(none + per_word * TOO_MANY_WORDS)
    if read < _ALL * expected:
        raise TrialFailed(f'silently cut: the server read {read} of about {expected} tokens, and '
                          f'answered as if that were all')
    print(f'all read: {read} tokens')
    return 0


def _count(result: ModelReplied | ModelFailed) -> int:
    """Number of tokens that the server counted in a prompt; 0 if it does not count.

    Raises:
        TrialFailed: it did not reply.
    """
    if isinstance(result, ModelFailed):
        raise TrialFailed(result.message)
    return result.prompt_tokens


def _request(config: HypothesisConfig, found: ModelProbed, model: KnownModel, picture: Picture,
             words: int) -> AskModel:
    budget = TokenBudget(config, model)
    budget.probed(found)
    situation = prompts.PromptContext(
        EXAMPLE_GOAL + _WORD * words, Status.SEARCHING, (), None,
        (picture.sent_width_px, picture.sent_height_px))
    prompt = prompts.build(situation, model.boxes, budget.now,
                           schema_in_words=config.schema_in_words)
    return AskModel('truncate', prompt, picture.jpeg, config.request_timeout_s)
