"""What becomes of a call on the way to the model and back, and how long it takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from semantic_nav_sim.world.random_streams import stream


class Kind(StrEnum):
    """What becomes of a call."""

    ANSWERS = 'answers'
    REFUSED = 'refused'
    HANGS = 'hangs'
    STALLS = 'stalls'
    CUT = 'cut'
    RESET = 'reset'
    STATUS = 'status'
    REDIRECT = 'redirect'
    WRONG_LENGTH = 'wrong_length'
    COMPRESSED = 'compressed'
    ENDLESS = 'endless'
    FOREIGN = 'foreign'


#: The error in which a call ends that is not answered, up to the colon, as the provider names it.
#: Unit tests hold HTTP server and provider to this; a runner without HTTP reads it.
ERROR_OF = {
    Kind.REFUSED: 'connection_failed', Kind.HANGS: 'timeout', Kind.STALLS: 'timeout',
    Kind.RESET: 'connection_failed', Kind.CUT: 'connection_failed',
    Kind.WRONG_LENGTH: 'connection_failed', Kind.STATUS: 'ollama_error',
    Kind.REDIRECT: 'ollama_error', Kind.COMPRESSED: 'bad_reply', Kind.FOREIGN: 'bad_reply',
    Kind.ENDLESS: 'reply_too_long'}
_NEVER = frozenset({Kind.HANGS, Kind.STALLS})


@dataclass(frozen=True)
class CallOutcome:
    """What becomes of one call.

    Attributes:
        latency_s: before anything else happens.
        status: of HTTP, where the kind is `STATUS`.
        tokens_per_s: speed of the reply; 0 for as fast as possible.
        prompt_tokens_per_s: speed at which the question is read; 0 for as fast as possible.
    """

    kind: Kind = Kind.ANSWERS
    latency_s: float = 0.0
    status: int = 200
    tokens_per_s: float = 0.0
    prompt_tokens_per_s: float = 0.0

    def reading_s(self, prompt_tokens: int) -> float:
        """Return how long it takes to read a question of so many tokens, pictures included."""
        return prompt_tokens / self.prompt_tokens_per_s if self.prompt_tokens_per_s else 0.0

    def duration_s(self, tokens: int, prompt_tokens: int = 0) -> float:
        """Return how long the call takes; inf: until it is left.

        Args:
            tokens: of the reply.
            prompt_tokens: of the question.
        """
        if self.kind in _NEVER:
            return math.inf
        if self.kind is not Kind.ANSWERS:
            return self.latency_s
        speaking_s = tokens / self.tokens_per_s if self.tokens_per_s else 0.0
        return self.latency_s + self.reading_s(prompt_tokens) + speaking_s


@dataclass(frozen=True)
class Transport:
    """The way to the model and back.

    Attributes:
        latency_s: least and most time before the question is read.
        tokens_per_s: speed of the reply; 0 for as fast as possible.
        prompt_tokens_per_s: speed at which the question is read, pictures included; 0 for as fast
            as possible.
        fault: what becomes of the calls that go wrong.
        status: of HTTP, where the fault is `status`.
        after: how many calls go well at first.
        times: how many go wrong then, before the next `after` go well; 0: all.
        rate: share of those that go wrong indeed, 0..1.
        every_s, lasts_s: calls go wrong only in the last `lasts_s` of each `every_s`; 0: at any
            time [s].
    """

    latency_s: tuple[float, float] = (0.0, 0.0)
    tokens_per_s: float = 0.0
    prompt_tokens_per_s: float = 0.0
    fault: Kind = Kind.ANSWERS
    status: int = 500
    after: int = 0
    times: int = 0
    rate: float = 1.0
    every_s: float = 0.0
    lasts_s: float = 0.0

    @property
    def listens(self) -> bool:
        """Tell whether anybody is there at all."""
        return self.fault is not Kind.REFUSED or (
            self.after > 0 or self.rate < 1.0 or self.every_s > 0.0)

    def outcome(self, count: int, seed: int = 0, now_s: float = 0.0) -> CallOutcome:
        """Return what becomes of a call; the same count, seed and time give the same.

        Args:
            count: how many calls there were before.
            seed: of everything random.
            now_s: since the server was started [s].
        """
        rng = stream(seed, f'model call {count}')
        latency_s, draw = float(rng.uniform(*self.latency_s)), float(rng.uniform())
        place = count % (self.after + self.times) if self.times else count
        well = self.every_s > 0.0 and now_s % self.every_s < self.every_s - self.lasts_s
        if self.fault is Kind.ANSWERS or place < self.after or draw >= self.rate or well:
            return CallOutcome(latency_s=latency_s, tokens_per_s=self.tokens_per_s,
                               prompt_tokens_per_s=self.prompt_tokens_per_s)
        return CallOutcome(self.fault, latency_s, self.status, self.tokens_per_s,
                           self.prompt_tokens_per_s)
