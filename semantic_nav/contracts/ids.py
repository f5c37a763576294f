"""Names for documents, goals, looks and steps: `<node>-<session>-<counter>`."""

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
