"""What the worker needs of whoever answers."""

from threading import Event as Flag
from typing import Protocol

from semantic_nav.vlm.conversation import Question, Reply
from semantic_nav.vlm.events import ModelProbed


class Provider(Protocol):
    """Answers questions about pictures; used from one thread, but for the flag.

    Calls block: a worker has a thread for them, the flag breaks one off within 50 ms, and a call
    through the libraries' asynchronous clients was measured to take twice as long.
    """

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """Return the model's reply.

        Args:
            question: the conversation so far, and how to answer it.
            deadline_s: for the whole call.
            cancelled: set from another thread to break the call off.

        Raises:
            ModelUnavailable: the server cannot be reached or refuses.
            ModelTimeout: the deadline passed.
            ModelReplyError: the server's answer is not of its protocol.
            CallCancelled: `cancelled` was set.
        """

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Tell what the server and its model can do; takes a few seconds at most.

        Args:
            cancelled: set from another thread to break it off.

        Raises:
            CallCancelled: `cancelled` was set.
        """

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Let the server load the model, so that the first question need not wait for it.

        Args:
            found: by the probe before.
            cancelled: set from another thread to break it off.

        Returns:
            Whether there was anything to load, after which a probe may know more.

        Raises:
            Errors of `ask`.
        """
