"""One call of the model, with its result as an event of the core."""

import logging
import time
import traceback
from collections.abc import Callable, Collection
from threading import Event as Flag

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.vlm.conversation import Question, ToolCall
from semantic_nav.vlm.errors import error_name
from semantic_nav.vlm.events import AskModel, ModelFailed, ModelReplied
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.redaction import Redaction

#: Longest part of a traceback that is kept, in characters; its end says the most.
_MAX_STACK = 4000

logger = logging.getLogger(__name__)


class Caller:
    """A caller of a provider, which turns replies and exceptions into events."""

    def __init__(self, provider: Provider, question: Callable[[AskModel], Question],
                 secrets: Collection[str] = ()) -> None:
        """Prepare for calls; nothing is asked yet.

        Args:
            provider: provider of the model.
            question: function from a request to its question.
            secrets: words that are hidden where a server repeats them.
        """
        self._provider, self._question = provider, question
        self._hide = Redaction(secrets)

    def call(self, request: AskModel, deadline_s: float,
             cancelled: Flag) -> ModelReplied | ModelFailed:
        """Ask a request; returns the reply or the failure.

        Args:
            request: request of the core.
            deadline_s: time for the call.
            cancelled: flag that breaks it off.
        """
        began = time.monotonic()
        try:
            reply = self._provider.ask(self._question(request), deadline_s, cancelled)
            return ModelReplied(request.request_id, self._hide(reply.text), _since_ms(began),
                                reply.finish_reason, reply.usage.prompt_tokens,
                                reply.usage.reply_tokens,
                                tuple(map(self._without_secrets, reply.calls)),
                                reply.signed_thoughts, reply.first_part_ms, reply.times,
                                self._hide(reply.model))
        except SemanticNavError as error:
            return self._failed(request, error_name(error), str(error), began)
        except Exception as error:  # a dead worker would leave all later looks unanswered
            logger.exception('the model provider broke')
            return self._failed(request, 'internal_error', repr(error), began)

    def _without_secrets(self, call: ToolCall) -> ToolCall:
        return ToolCall(self._hide(call.id), self._hide(call.name),
                        self._hide.within(call.arguments), self._hide(call.problem),
                        self._hide(call.raw))

    def _failed(self, request: AskModel, error: str, message: str, began: float) -> ModelFailed:
        """The failure of a request, by the exception that is being handled."""
        stack = traceback.format_exc()[-_MAX_STACK:]
        return ModelFailed(request.request_id, self._hide(error), self._hide(message),
                           _since_ms(began), self._hide(stack))


def _since_ms(began: float) -> float:
    return (time.monotonic() - began) * 1000.0
