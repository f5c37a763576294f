"""The interface of a provider, through which the worker asks a model."""

from threading import Event as Flag
from typing import Protocol

from semantic_nav.vlm.conversation import Question, Reply
from semantic_nav.vlm.events import ModelProbed


class Provider(Protocol):
    """A source of answers about pictures; only its cancel flags are used from other threads.

    Calls block, in the thread of a worker, and the flag breaks one off within 50 ms. Calls through
    the libraries' asynchronous clients were measured to take twice as long.
    """

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """The model's reply.

        Args:
            question: conversation so far, and options of the answer.
            deadline_s: time for the whole call.
            cancelled: flag that another thread sets to break the call off.

        Raises:
            ModelUnavailable: the server cannot be reached or refuses.
            ModelTimeout: the deadline passed.
            ModelReplyError: the server's answer does not follow its protocol.
            CallCancelled: `cancelled` was set.
        """

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Findings about the server and its model, within a few seconds.

        Args:
            cancelled: flag that another thread sets to break it off.

        Raises:
            CallCancelled: `cancelled` was set.
        """

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Have the server load the model, so that the first question need not wait for it.

        Args:
            found: findings of the probe before.
            cancelled: flag that another thread sets to break it off.

        Returns:
            True if the server was told to load it; another probe may find more then.

        Raises:
            Errors of `ask`.
        """
