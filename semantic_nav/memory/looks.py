"""Pairing of the two documents of a look: its hypothesis and its observation."""

from collections import OrderedDict

from semantic_nav.contracts.documents import Document, Hypothesis

#: Most observations that wait for their hypothesis; the oldest is taken without it.
_MAX_EARLY = 2
#: Most hypotheses whose observation may still come.
_MAX_HYPOTHESES = 64


class LookPairing:
    """Releases an observation when its hypothesis is known, in whatever order they come."""

    def __init__(self) -> None:
        """Start empty."""
        self._hypotheses: OrderedDict[str, Hypothesis] = OrderedDict()
        self._early: OrderedDict[str, Document] = OrderedDict()

    def hypothesis_of(self, observation: Document) -> Hypothesis | None:
        """The hypothesis that an observation refers to, if it came."""
        return self._hypotheses.get(observation.cause_id)

    def on_hypothesis(self, document: Document, hypothesis: Hypothesis) -> list[Document]:
        """The observation that waited for this hypothesis, if there is one."""
        self._hypotheses[document.id] = hypothesis
        while len(self._hypotheses) > _MAX_HYPOTHESES:
            self._hypotheses.popitem(last=False)
        early = self._early.pop(document.id, None)
        return [] if early is None else [early]

    def on_observation(self, document: Document) -> list[Document]:
        """The observations that wait no longer: this one, or those that have waited too long."""
        if document.cause_id in self._hypotheses:
            return [document]
        # Topics overtake each other: the names of things come with the hypothesis.
        ready = []
        same_cause = self._early.pop(document.cause_id, None)
        if same_cause is not None:
            ready.append(same_cause)
        self._early[document.cause_id] = document
        while len(self._early) > _MAX_EARLY:
            ready.append(self._early.popitem(last=False)[1])
        return ready
