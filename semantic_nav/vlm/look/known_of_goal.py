"""What the other parts have said of the goal in hand."""

from dataclasses import dataclass, field

from semantic_nav.contracts.documents import Candidate, LookRequest, Track


@dataclass
class KnownOfGoal:
    """What is known of a goal between its looks.

    Attributes:
        candidates: remembered places, best first.
        track: where the target is held to be, in the map frame; None where it was not seen.
        tried: ids of the places to which the robot was sent.
        unanswered: those of them to which the fallback sent it since the model answered last.
    """

    candidates: tuple[Candidate, ...] = ()
    track: Track | None = None
    tried: set[str] = field(default_factory=set)
    unanswered: list[str] = field(default_factory=list)

    def offered(self, request: LookRequest) -> list[Candidate]:
        """Return the candidates for a look: not those that belief leaves out."""
        return [one for one in self.candidates if one.node_id not in request.left_out]

    def untried(self, request: LookRequest) -> list[Candidate]:
        """Return those of them to which the robot was not sent yet.

        Nothing but a model would tell that the target is not at one of the others.
        """
        return [one for one in self.offered(request) if one.node_id not in self.tried]

    def sent_to(self, node_id: str, *, silent: bool) -> None:
        """Take note of where the robot is sent; `silent` if the model did not answer."""
        self.tried.add(node_id)
        if silent:
            self.unanswered.append(node_id)

    def answered(self) -> None:
        """Take note of an answer of the model: it looks at the last place alone."""
        self.tried -= set(self.unanswered[:-1])
        self.unanswered.clear()
