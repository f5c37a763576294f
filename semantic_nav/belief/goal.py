"""The operator's goal: find something, go to a place, or tour the home."""

from dataclasses import dataclass

from semantic_nav.contracts.vocabulary import Purpose

#: The words of a tour, which the model reads as its goal.
TOUR = 'look around: nothing is searched for'


@dataclass(frozen=True)
class Goal:
    """The goal of a mission.

    Attributes:
        id: of the mission, minted by the sender.
        text: in words.
        place: destination, for the purpose `go`: id or name of a remembered place.
    """

    id: str
    text: str
    purpose: Purpose = Purpose.FIND
    place: str = ''


def words_of_way(place: str) -> str:
    """Goal text of the way to a place."""
    return f'go to {place}'


def way_to(goal_id: str, place: str) -> Goal:
    """The goal of going to a remembered place, given by id or name."""
    place = place.strip()
    return Goal(goal_id, words_of_way(place), Purpose.GO, place)


def tour(goal_id: str) -> Goal:
    """The goal of looking at the whole home."""
    return Goal(goal_id, TOUR, Purpose.TOUR)
