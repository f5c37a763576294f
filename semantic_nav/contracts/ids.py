"""Names for documents, looks and steps, `<node>-<session>-<counter>`, and for missions."""

import uuid
from dataclasses import dataclass


@dataclass(slots=True)
class Ids:
    """Mints ids that are unique among nodes and sessions.

    Attributes:
        node: the minting node, such as `belief`.
        session: what distinguishes this start of the node from every other.
        counter: the last number given out.
    """

    node: str
    session: str
    counter: int = 0

    def mint(self) -> str:
        """Return the next id."""
        self.counter += 1
        return f'{self.node}-{self.session}-{self.counter}'


def new_goal_id() -> str:
    """Return the identity of a mission, as 32 hexadecimal digits."""
    return uuid.uuid4().hex
