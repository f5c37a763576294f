"""The engine: from a request to the text of the reply, by context window, eyes, brain and cuts."""

from __future__ import annotations

import copy
import hashlib
import io
import itertools
import json
import random
from dataclasses import dataclass
from typing import Any

from PIL import Image

from semantic_nav_sim.model import brain, brain_faults, tokens
from semantic_nav_sim.model import tools as model_tools
from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import Eyes, Sight
from semantic_nav_sim.model.finding import Found
from semantic_nav_sim.model.mistakes import degrade
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.model.tools import Call, Known, Tool
from semantic_nav_sim.model.transport import CallOutcome
from semantic_nav_sim.model.words import parse_goal

DEFAULT_NUM_CTX = 4096
_TOKENS_PER_MESSAGE = 5
_FENCE = '```json'


class ApiError(Exception):
    """A failed request, with Ollama's status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Message:
    """One message: role, text, encoded pictures, and whether the model calls tools in it."""

    role: str
    text: str
    images: tuple[bytes, ...] = ()
    calls: bool = False


@dataclass(frozen=True)
class Ask:
    """A request in a form common to all APIs.

    Attributes:
        messages: The conversation.
        format: None, 'json' or a JSON schema.
        num_predict: Most tokens of the reply; negative for no limit.
        num_ctx: Size of the context window [tokens].
        stop: Texts that end the reply.
        seed: Seed from the client.
        tools: Tools that may be called.
    """

    messages: tuple[Message, ...]
    format: Any = None
    num_predict: int = -1
    num_ctx: int = DEFAULT_NUM_CTX
    stop: tuple[str, ...] = ()
    seed: int = 0
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True)
class Completion:
    """A reply, cut into token-sized pieces, or calls of tools."""

    pieces: tuple[str, ...]
    prompt_tokens: int
    done_reason: str
    calls: tuple[Call, ...] = ()

    @property
    def reply_tokens(self) -> int:
        """The number of tokens of the reply, including calls."""
        return len(self.pieces) + sum(
            tokens.count(call.name + json.dumps(call.arguments)) for call in self.calls)


class Engine:
    """One loaded model.

    A request and a seed determine the reply, whatever the order of requests. Only the transport of
    a call (`outcome`) depends on the number of earlier calls and on the time.

    Args:
        card: The model.
        eyes: Sight of the pictures.
        profile: Faults of the model.
        seed: Of all random numbers.
    """

    def __init__(self, card: ModelCard, eyes: Eyes, profile: ModelProfile | None = None,
                 seed: int = 0) -> None:
        self.card = card
        self._eyes = eyes
        self._profile = profile or ModelProfile()
        self._seed = seed
        self._calls = itertools.count()

    def of(self, card: ModelCard) -> Engine:
        """Another model on this machine, with shared eyes and faults."""
        other = copy.copy(self)
        other.card = card
        return other

    def outcome(self, now_s: float = 0.0) -> CallOutcome:
        """Count a call and return its outcome, without the reply.

        Args:
            now_s: since the start of the server [s].
        """
        return self._profile.transport.outcome(next(self._calls), self._seed, now_s)

    def complete(self, ask: Ask) -> Completion:
        """Answer a request.

        Raises:
            ApiError: The picture or the format is invalid.
        """
        check_format(ask.format)
        sizes = {image: _size(image) for message in ask.messages for image in message.images}
        messages, prompt_tokens = fit(ask.messages, ask.num_ctx, sizes)
        picture = _picture(messages)
        truth = self._eyes.look(picture) if picture else Sight()
        return self._reply(ask, messages, truth, picture, prompt_tokens)

    def answer(self, ask: Ask, truth: Sight) -> Completion:
        """Answer a request whose picture has known content.

        Args:
            ask: The request; its messages hold no pictures.
            truth: Content of the picture, before the mistakes of the eyes.
        """
        messages, prompt_tokens = fit(ask.messages, ask.num_ctx, {})
        return self._reply(ask, messages, truth, repr(truth).encode(), prompt_tokens)

    def _reply(self, ask: Ask, messages: tuple[Message, ...], truth: Sight, picture: bytes,
               prompt_tokens: int) -> Completion:
        asked = [message.text for message in messages if message.role == 'user']
        # After a repair request the task is still in the message with the JSON block.
        task = next((text for text in reversed(asked) if _FENCE in text),
                    asked[-1] if asked else '')
        read = brain.read_task(task, '\n'.join(
            message.text for message in messages if message.role == 'system'))
        # The misses of the eyes depend on the goal, not on the wording of the prompt.
        draws = Draws(self._seed, self._profile.eyes.persistence,
                      f'{ask.seed}/{read.goal}/'.encode('utf-8', 'surrogatepass') + picture)
        profile = self._profile if read.is_look else self._profile.inventing_nothing
        sight, mind = degrade(truth, profile.eyes, draws), brain.Mind(profile, draws)
        calls = self._calls_of(ask, messages, read, task, sight,
                               brain.look_for(read, sight, mind, truth))
        if calls:
            return Completion((), prompt_tokens, 'stop', calls)
        # On a repeated question the eyes see the same objects, but the brain draws again.
        rng = self._rng('brain', ask, json.dumps(asked), picture)
        wrong = brain_faults.draw(self._profile.brain, rng)
        honest = brain.keep_known(
            brain.answer(read, sight, self.card.per_mille_boxes, mind, truth), ask.format)
        # Some servers do not enforce the schema on their model.
        reply = brain_faults.lie(
            honest, wrong, brain_faults.Picture.of(sight, self.card.per_mille_boxes), rng)
        text = brain_faults.speak(reply, wrong, rng)
        if ask.format is None and not wrong:
            # Nothing forces a model to give bare JSON.
            text = f'```json\n{text}\n```'
        for stop in ask.stop:
            text = text.split(stop, 1)[0] if stop else text
        limit = ask.num_predict if ask.num_predict >= 0 else ask.num_ctx
        pieces = brain_faults.pieces(text, wrong, limit)
        cut = len(pieces) == limit and ''.join(pieces) != text
        return Completion(pieces, prompt_tokens, 'length' if cut else 'stop')

    def _calls_of(self, ask: Ask, messages: tuple[Message, ...], task: brain.Task, text: str,
                  sight: Sight, found: Found) -> tuple[Call, ...]:
        if not parse_goal(task.goal).phrases:
            return ()
        turns = sum(message.calls for message in messages)
        told = [brain.read_block(text), *(
            model_tools.read_json(message.text) for message in messages if message.role == 'tool')]
        box = found.target and brain.whole_box(found.target.box_px, sight,
                                               self.card.per_mille_boxes)
        known = Known.of(task.goal, told, box)
        return model_tools.calls(ask.tools, self._profile.tools, known, turns,
                                 self._rng('tools', ask, f'{turns}/{text}', b''))

    def _rng(self, part: str, ask: Ask, text: str, picture: bytes) -> random.Random:
        head = f'{part}/{self._seed}/{ask.seed}/{text}'.encode('utf-8', 'surrogatepass')
        return random.Random(hashlib.sha256(head + picture).digest())


def check_format(fmt: Any) -> None:
    """Reject a format that is neither 'json' nor a schema."""
    if fmt not in (None, '', 'json') and not isinstance(fmt, dict):
        raise ApiError(500, f'invalid format: {json.dumps(fmt)}; '
                            'expected "json" or a valid JSON Schema object')


def fit(messages: tuple[Message, ...], num_ctx: int,
        sizes: dict[bytes, tuple[int, int]]) -> tuple[tuple[Message, ...], int]:
    """Cut a conversation to the context window, silently and oldest first, as Ollama does.

    Args:
        messages: The conversation.
        num_ctx: The window [tokens].
        sizes: Width and height of each picture [px].

    Returns:
        The rest of the conversation, and its tokens. System messages and the last message stay;
        the last one loses the beginning of its text if it is too long alone.
    """
    def cost(message: Message) -> int:
        return (_TOKENS_PER_MESSAGE + tokens.count(message.text)
                + sum(tokens.image_tokens(*sizes[image]) for image in message.images))

    kept = list(messages)
    while sum(map(cost, kept)) > num_ctx:
        oldest = next((index for index, message in enumerate(kept[:-1])
                       if message.role != 'system'), None)
        if oldest is None:
            break
        kept.pop(oldest)
    over = sum(map(cost, kept)) - num_ctx
    if over > 0 and kept:
        pieces = tokens.split(kept[-1].text)
        kept[-1] = Message(kept[-1].role, ''.join(pieces[over:]), kept[-1].images)
    return tuple(kept), min(sum(map(cost, kept)), num_ctx)


def _picture(messages: tuple[Message, ...]) -> bytes:
    """The picture of the task; a picture from a tool is only a part of it."""
    shown = [message for message in messages if message.images]
    asked = [message for message in shown if _FENCE in message.text]
    return (asked or shown)[-1].images[-1] if shown else b''


def _size(picture: bytes) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(picture), formats=('JPEG', 'PNG', 'BMP', 'GIF')) as image:
            return image.size
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise ApiError(400, 'Failed to load image or audio file') from error
