"""What a look saw is told by two documents: its hypothesis, and the observation that follows."""

from collections import OrderedDict

from semantic_nav.contracts.documents import Document, Hypothesis

#: Observations that wait for their hypothesis; the oldest is taken without it.
_MAX_EARLY = 2
#: Hypotheses whose observation may still come.
_MAX_HYPOTHESES = 64


class Looks:
    """Hands an observation out when its hypothesis is known, in whatever order they come."""

    def __init__(self) -> None:
        """Begin with none."""
        self._hypotheses: OrderedDict[str, Hypothesis] = OrderedDict()
        self._early: OrderedDict[str, Document] = OrderedDict()

    def hypothesis_of(self, observation: Document) -> Hypothesis | None:
        """Return the hypothesis that an observation was made of, where it came."""
        return self._hypotheses.get(observation.cause_id)

    def on_hypothesis(self, document: Document, hypothesis: Hypothesis) -> list[Document]:
        """Return the observation that waited for this hypothesis, if there is one."""
        self._hypotheses[document.id] = hypothesis
        while len(self._hypotheses) > _MAX_HYPOTHESES:
            self._hypotheses.popitem(last=False)
        early = self._early.pop(document.id, None)
        return [] if early is None else [early]

    def on_observation(self, document: Document) -> list[Document]:
        """Return the observations that wait no longer: this one, or what has waited too long."""
        if document.cause_id in self._hypotheses:
            return [document]
        # Topics overtake each other: the names of what was seen come with the hypothesis.
        ready = []
        same_cause = self._early.pop(document.cause_id, None)
        if same_cause is not None:
            ready.append(same_cause)
        self._early[document.cause_id] = document
        while len(self._early) > _MAX_EARLY:
            ready.append(self._early.popitem(last=False)[1])
        return ready
