"""What an operator wants next."""

from dataclasses import dataclass

from semantic_nav.contracts.vocabulary import Purpose

#: The words of a tour, which the model reads as its goal.
TOUR = 'look around: nothing is searched for'


@dataclass(frozen=True)
class Goal:
    """What the next mission is for.

    Attributes:
        id: of the mission, minted by whoever wants it.
        text: in words.
        place: where it leads, of the purpose `go`: the id of a remembered place, or its name.
    """

    id: str
    text: str
    purpose: Purpose = Purpose.FIND
    place: str = ''


def words_of_way(place: str) -> str:
    """Return the goal text of the way to a place."""
    return f'go to {place}'


def way_to(goal_id: str, place: str) -> Goal:
    """Return the goal of going to a remembered place, by its id or its name."""
    place = place.strip()
    return Goal(goal_id, words_of_way(place), Purpose.GO, place)


def tour(goal_id: str) -> Goal:
    """Return the goal of looking at the whole home."""
    return Goal(goal_id, TOUR, Purpose.TOUR)
