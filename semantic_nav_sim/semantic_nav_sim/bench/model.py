"""Stands in for the model server in simulated time, without HTTP."""

from collections.abc import Callable

from semantic_nav.contracts.core import Event
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import ToolCall, words_of
from semantic_nav.vlm.events import AskModel, CancelModel, ModelFailed, ModelProbed, ModelReplied
from semantic_nav.vlm.gate.families import family_of
from semantic_nav.vlm.gate.gate import MAX_REPLY_BYTES
from semantic_nav.vlm.prompt.prompt import Prompt
from semantic_nav.vlm.quoting import as_unicode
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import ApiError, Ask, Engine, Message
from semantic_nav_sim.model.eyes import Eyes, Sight, read_sight
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.model.tools import Tool
from semantic_nav_sim.model.transport import ERROR_OF, CallOutcome
from semantic_nav_sim.robot.truth import Truth

_MS_PER_S = 1000.0


class TruthEyes:
    """Eyes that ask the simulator directly."""

    def __init__(self, truth: Truth) -> None:
        """Look at the pictures of one run."""
        self._truth = truth

    def look(self, picture: bytes) -> Sight:
        """See `Eyes`."""
        return read_sight(self._truth.seen(picture))


class Model:
    """A model that answers late or fails, as its profile says. Cancelled calls get no answer."""

    def __init__(self, config: HypothesisConfig, eyes: Eyes, profile: ModelProfile, seed: int,
                 scheduler: Scheduler) -> None:
        """Load the model.

        Args:
            config: its name and options.
            eyes: sight of the pictures.
            profile: faults of the model.
            seed: of its mistakes.
            scheduler: gives the time.
        """
        self._config, self._scheduler = config, scheduler
        self._card = ModelCard(config.model)
        self._eyes, self._seed = eyes, seed
        self.become(profile)
        self._cancelled: set[str] = set()
        self.calls = 0

    def become(self, profile: ModelProfile) -> None:
        """Reload the model with another profile."""
        self._engine = Engine(self._card, self._eyes, profile, self._seed)

    def probe(self) -> ModelProbed:
        """The result of a probe of such a server. The profile does not affect probes."""
        card, family = self._card, family_of(self._card.name)
        return ModelProbed(True, f'{card.name} in simulated time', card.name, card.digest,
                           vision=True, tools=True, window_tokens=card.context_length,
                           on_gpu=True, offered=(card.name,),
                           family=family.name if family is not None else '')

    def ask(self, effect: AskModel, answer: Callable[[Event], None]) -> None:
        """Answer a question, or report its failure."""
        self.calls += 1
        outcome = self._engine.outcome(self._scheduler.elapsed_s)
        error = ERROR_OF.get(outcome.kind, '')
        if error:
            event, after_s = self._failed(effect, outcome, error), outcome.duration_s(0)
        else:
            event, after_s = self._answer(effect, outcome)
        if after_s > effect.deadline_s:
            after_s = effect.deadline_s
            event = ModelFailed(effect.request_id, 'timeout',
                                f'no complete reply within {after_s:.1f} s', after_s * _MS_PER_S)
        self._later(after_s, effect.request_id, answer, event)

    def cancel(self, effect: CancelModel) -> None:
        """Cancel a question."""
        self._cancelled.add(effect.request_id)

    def _answer(self, effect: AskModel, outcome: CallOutcome) -> tuple[Event, float]:
        """The reply, and the time until it is complete, in s."""
        try:
            done = self._engine.complete(self._question(effect.prompt, effect.jpeg))
        except ApiError as error:
            return (self._failed(effect, outcome, f'ollama_error:{error}'), outcome.latency_s)
        after_s = outcome.duration_s(done.reply_tokens, done.prompt_tokens)
        # Like the provider: no lone surrogates, and one limit of length.
        text = as_unicode(''.join(done.pieces))
        if len(text) > MAX_REPLY_BYTES:
            return self._failed(effect, outcome, 'reply_too_long'), after_s
        calls = tuple(ToolCall(f'call-{index}', call.name, call.arguments)
                      for index, call in enumerate(done.calls))
        return ModelReplied(effect.request_id, text, after_s * _MS_PER_S, done.done_reason,
                            done.prompt_tokens, done.reply_tokens, calls), after_s

    def _failed(self, effect: AskModel, outcome: CallOutcome, error: str) -> Event:
        return ModelFailed(effect.request_id, error, f'{outcome.kind.value}: {error}',
                           outcome.latency_s * _MS_PER_S)

    def _question(self, prompt: Prompt, jpeg: bytes) -> Ask:
        messages = [Message('system', prompt.system), Message('user', prompt.user, (jpeg,))]
        for turn in prompt.turns:
            messages.append(Message('assistant', '', calls=True))
            messages += [Message('tool', words_of(result.parts)) for result in turn.results]
        for repair in prompt.repairs:
            messages += [Message('assistant', repair.reply), Message('user', repair.complaint)]
        # Like the providers: a reply that is held to a schema cannot call tools.
        return Ask(tuple(messages), None if prompt.tools else prompt.schema,
                   self._config.num_predict, prompt.window_tokens or self._config.num_ctx,
                   tools=tuple(Tool(tool.name, tool.input_schema) for tool in prompt.tools))

    def _later(self, delay_s: float, request_id: str, answer: Callable[[Event], None],
               event: Event) -> None:
        def say() -> None:
            if request_id not in self._cancelled:
                answer(event)

        self._scheduler.after(delay_s, say)
