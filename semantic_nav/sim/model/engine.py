"""From a request to the text of the reply: context window, picture, eyes, brain, cuts."""

from __future__ import annotations

import hashlib
import io
import json
import random
import threading
from dataclasses import dataclass
from typing import Any

from PIL import Image

from semantic_nav.sim.model import brain, tokens
from semantic_nav.sim.model.card import ModelCard
from semantic_nav.sim.model.eyes import OracleEyes, Sight

DEFAULT_NUM_CTX = 4096
_TOKENS_PER_MESSAGE = 5


class ApiError(Exception):
    """A request that fails, with the status and the words Ollama would use."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Message:
    """One message: role, text and encoded pictures."""

    role: str
    text: str
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Ask:
    """A request, whatever API it came by.

    Attributes:
        messages: The conversation.
        format: None, 'json' or a JSON schema.
        num_predict: Most tokens of the reply; negative for no limit.
        num_ctx: Size of the context window [tokens].
        stop: Texts that end the reply where they appear.
        seed: Seed the client asked for.
    """

    messages: tuple[Message, ...]
    format: Any = None
    num_predict: int = -1
    num_ctx: int = DEFAULT_NUM_CTX
    stop: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Completion:
    """A reply, cut into token-sized pieces."""

    pieces: tuple[str, ...]
    prompt_tokens: int
    done_reason: str


class Engine:
    """One loaded model, which serves one request at a time.

    The same request under the same seed gives the same reply, in whatever order requests come.

    Args:
        card: The model.
        eyes: What looks at pictures.
        seed: Seed of everything random.
        tokens_per_s: Speed of generation; 0 for as fast as possible.
    """

    def __init__(self, card: ModelCard, eyes: OracleEyes, seed: int = 0,
                 tokens_per_s: float = 0.0) -> None:
        self.card = card
        self.turn = threading.Lock()
        self.pause_s = 1.0 / tokens_per_s if tokens_per_s > 0.0 else 0.0
        self._eyes = eyes
        self._seed = seed

    def complete(self, ask: Ask) -> Completion:
        """Answer a request.

        Raises:
            ApiError: The picture or the format cannot be used.
        """
        check_format(ask.format)
        sizes = {image: _size(image) for message in ask.messages for image in message.images}
        messages, prompt_tokens = fit(ask.messages, ask.num_ctx, sizes)
        text = self._reply(ask, messages)
        for stop in ask.stop:
            text = text.split(stop, 1)[0] if stop else text
        pieces = tokens.split(text)
        if 0 <= ask.num_predict < len(pieces):
            return Completion(tuple(pieces[:ask.num_predict]), prompt_tokens, 'length')
        return Completion(tuple(pieces), prompt_tokens, 'stop')

    def _reply(self, ask: Ask, messages: tuple[Message, ...]) -> str:
        asked = [message.text for message in messages if message.role == 'user']
        # After a repair request the task still stands in the message with the JSON block.
        text = next((text for text in reversed(asked) if '```json' in text),
                    asked[-1] if asked else '')
        pictures = [image for message in messages for image in message.images]
        picture = pictures[-1] if pictures else b''
        rng = self._rng(text, picture, ask.seed)
        sight = self._eyes.look(picture, rng) if picture else Sight()
        reply = brain.answer(brain.read_task(text), sight, self.card.per_mille_boxes)
        if ask.format is None:
            # Nothing forces a model to give bare JSON.
            return f'```json\n{json.dumps(reply)}\n```'
        return json.dumps(brain.keep_known(reply, ask.format))

    def _rng(self, text: str, picture: bytes, seed: int) -> random.Random:
        digest = hashlib.sha256(f'{self._seed}/{seed}/{text}'.encode() + picture).digest()
        return random.Random(digest)


def check_format(fmt: Any) -> None:
    """Refuse a format that is neither 'json' nor a schema."""
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
        What is left of the conversation, and its tokens. System messages and the last message
        stay; the last one loses the beginning of its text if it is too long alone.
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


def _size(picture: bytes) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(picture), formats=('JPEG', 'PNG', 'BMP', 'GIF')) as image:
            return image.size
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise ApiError(400, 'Failed to load image or audio file') from error
