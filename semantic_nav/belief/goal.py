"""What an operator wants next."""

from dataclasses import dataclass

from semantic_nav.contracts.vocabulary import Purpose


@dataclass(frozen=True)
class Goal:
    """What the next mission is for.

    Attributes:
        text: in words.
        place: where it leads, of the purpose `go`: the id of a remembered place, or its name.
    """

    id: str
    text: str
    purpose: Purpose = Purpose.FIND
    place: str = ''
