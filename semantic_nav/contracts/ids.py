"""Ids of documents, looks and steps, `<node>-<session>-<counter>`, and of missions."""

import uuid
from dataclasses import dataclass


@dataclass(slots=True)
class Ids:
    """Generator of ids that are unique among nodes and sessions.

    Attributes:
        node: the minting node, such as `belief`.
        session: word that distinguishes this start of the node from every other.
        counter: last number given out.
    """

    node: str
    session: str
    counter: int = 0

    def mint(self) -> str:
        """Mint the next id."""
        self.counter += 1
        return f'{self.node}-{self.session}-{self.counter}'


def new_goal_id() -> str:
    """A new id for a mission: 32 hexadecimal digits."""
    return uuid.uuid4().hex
