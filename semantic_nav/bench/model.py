"""The stand-in for the model server in simulated time, without HTTP."""

import random
from collections.abc import Callable

from semantic_nav.bench.agenda import Agenda
from semantic_nav.contracts.core import Event
from semantic_nav.sim.model.card import ModelCard
from semantic_nav.sim.model.engine import ApiError, Ask, Engine, Message
from semantic_nav.sim.model.eyes import NOISE, NoiseProfile, OracleEyes, Sight, degrade, read_sight
from semantic_nav.sim.robot.truth_server import Truth
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import AskModel, CancelModel, ModelFailed, ModelReplied, Prompt

_MS_PER_S = 1000.0


class Eyes(OracleEyes):
    """Eyes that ask the simulator directly."""

    def __init__(self, truth: Truth, profile: NoiseProfile) -> None:
        """Look at the pictures of one run."""
        super().__init__('', profile)
        self._truth = truth

    def look(self, picture: bytes, rng: random.Random) -> Sight:
        """See OracleEyes."""
        return degrade(read_sight(self._truth.seen(picture)), self._profile, rng)


class Model:
    """Answers after a while; a broken-off question is never answered."""

    def __init__(self, config: HypothesisConfig, truth: Truth, seed: int, agenda: Agenda,
                 latency_s: float) -> None:
        """Load the model.

        Args:
            config: its name and options.
            truth: what its eyes ask.
            seed: of its mistakes.
            agenda: gives the time.
            latency_s: how long each answer takes.
        """
        self._config, self._agenda, self._latency_s = config, agenda, latency_s
        self._engine = Engine(ModelCard(config.model), Eyes(truth, NOISE['default']), seed)
        self._cancelled: set[str] = set()
        self.calls = 0

    def ask(self, effect: AskModel, answer: Callable[[Event], None]) -> None:
        """Answer a question, or say that it took too long."""
        self.calls += 1
        if self._latency_s > effect.deadline_s:
            self._later(effect.deadline_s, effect.request_id, answer, ModelFailed(
                effect.request_id, 'timeout', f'no reply within {effect.deadline_s:.1f} s',
                effect.deadline_s * _MS_PER_S))
            return
        self._later(self._latency_s, effect.request_id, answer, self._answer(effect))

    def cancel(self, effect: CancelModel) -> None:
        """Break a question off."""
        self._cancelled.add(effect.request_id)

    def _answer(self, effect: AskModel) -> Event:
        try:
            done = self._engine.complete(self._question(effect.prompt, effect.jpeg))
        except ApiError as error:
            return ModelFailed(effect.request_id, f'ollama_error:{error}', str(error),
                               self._latency_s * _MS_PER_S)
        return ModelReplied(effect.request_id, ''.join(done.pieces),
                            self._latency_s * _MS_PER_S, done.done_reason, done.prompt_tokens,
                            len(done.pieces))

    def _question(self, prompt: Prompt, jpeg: bytes) -> Ask:
        messages = [Message('system', prompt.system), Message('user', prompt.user, (jpeg,))]
        for repair in prompt.repairs:
            messages += [Message('assistant', repair.reply), Message('user', repair.complaint)]
        return Ask(tuple(messages), prompt.schema, self._config.num_predict,
                   self._config.num_ctx)

    def _later(self, delay_s: float, request_id: str, answer: Callable[[Event], None],
               event: Event) -> None:
        def say() -> None:
            if request_id not in self._cancelled:
                answer(event)

        self._agenda.after(delay_s, say)
