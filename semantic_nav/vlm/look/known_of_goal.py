"""Memory and track for the goal in hand, from the documents of the other nodes."""

from dataclasses import dataclass, field

from semantic_nav.contracts.documents import Candidate, LookRequest, Track


@dataclass
class KnownOfGoal:
    """Knowledge about a goal between its looks.

    Attributes:
        candidates: remembered places, best first.
        track: track of the target, in the map frame; None if it was not seen.
        tried: ids of the places to which the robot was sent.
        unanswered: ids of the places to which the fallback sent it since the model's last answer.
    """

    candidates: tuple[Candidate, ...] = ()
    track: Track | None = None
    tried: set[str] = field(default_factory=set)
    unanswered: list[str] = field(default_factory=list)

    def offered(self, request: LookRequest) -> list[Candidate]:
        """The candidates for a look, without those that the belief leaves out."""
        return [one for one in self.candidates if one.node_id not in request.left_out]

    def untried(self, request: LookRequest) -> list[Candidate]:
        """The offered candidates to which the robot was not sent yet.

        Only a model could tell that the target is not at one of the others.
        """
        return [one for one in self.offered(request) if one.node_id not in self.tried]

    def sent_to(self, node_id: str, *, silent: bool) -> None:
        """Take note of the place to which the robot is sent; `silent` if no model answered."""
        self.tried.add(node_id)
        if silent:
            self.unanswered.append(node_id)

    def answered(self) -> None:
        """Take note of an answer of the model, which has seen only the last place."""
        self.tried -= set(self.unanswered[:-1])
        self.unanswered.clear()
