"""Outcome and duration of a call to the model, without its reply."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from semantic_nav_sim.world.random_streams import stream


class Kind(StrEnum):
    """Outcome of a call."""

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


#: Error code of a failed call, up to the colon, as the provider names it. Unit tests hold HTTP
#: server and provider to this; a runner without HTTP reads it.
ERROR_OF = {
    Kind.REFUSED: 'connection_failed', Kind.HANGS: 'timeout', Kind.STALLS: 'timeout',
    Kind.RESET: 'connection_failed', Kind.CUT: 'connection_failed',
    Kind.WRONG_LENGTH: 'connection_failed', Kind.STATUS: 'ollama_error',
    Kind.REDIRECT: 'ollama_error', Kind.COMPRESSED: 'bad_reply', Kind.FOREIGN: 'bad_reply',
    Kind.ENDLESS: 'reply_too_long'}
_NEVER = frozenset({Kind.HANGS, Kind.STALLS})


@dataclass(frozen=True)
class CallOutcome:
    """Outcome of one call.

    Attributes:
        latency_s: before anything else happens.
        status: HTTP status of the kind `STATUS`.
        tokens_per_s: speed of the reply; 0 for as fast as possible.
        prompt_tokens_per_s: speed of reading the prompt; 0 for as fast as possible.
    """

    kind: Kind = Kind.ANSWERS
    latency_s: float = 0.0
    status: int = 200
    tokens_per_s: float = 0.0
    prompt_tokens_per_s: float = 0.0

    def reading_s(self, prompt_tokens: int) -> float:
        """The time to read a prompt of some tokens, pictures included, in s."""
        return prompt_tokens / self.prompt_tokens_per_s if self.prompt_tokens_per_s else 0.0

    def duration_s(self, tokens: int, prompt_tokens: int = 0) -> float:
        """The duration of the call, in s; inf if it ends only with the client's timeout.

        Args:
            tokens: of the reply.
            prompt_tokens: of the prompt.
        """
        if self.kind in _NEVER:
            return math.inf
        if self.kind is not Kind.ANSWERS:
            return self.latency_s
        speaking_s = tokens / self.tokens_per_s if self.tokens_per_s else 0.0
        return self.latency_s + self.reading_s(prompt_tokens) + speaking_s


@dataclass(frozen=True)
class Transport:
    """The transport to the model and back.

    Attributes:
        latency_s: shortest and longest time before the prompt is read.
        tokens_per_s: speed of the reply; 0 for as fast as possible.
        prompt_tokens_per_s: speed of reading the prompt, pictures included; 0 for as fast as
            possible.
        fault: outcome of the failing calls.
        status: HTTP status of the fault `status`.
        after: number of successful calls at first.
        times: number of failing calls then, before the next `after` successful ones; 0: all.
        rate: share of those that fail indeed, 0..1.
        every_s, lasts_s: calls fail only in the last `lasts_s` of each `every_s`; 0: at any time
            [s].
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
        """Tell whether the server listens at all."""
        return self.fault is not Kind.REFUSED or (
            self.after > 0 or self.rate < 1.0 or self.every_s > 0.0)

    def outcome(self, count: int, seed: int = 0, now_s: float = 0.0) -> CallOutcome:
        """The outcome of a call, determined by count, seed and time.

        Args:
            count: number of earlier calls.
            seed: of all random numbers.
            now_s: since the start of the server [s].
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
