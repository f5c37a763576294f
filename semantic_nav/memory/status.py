"""What the memory says of its own health."""

from dataclasses import dataclass

from semantic_nav.memory.saver import StoreState


@dataclass(frozen=True)
class MemoryStatus:
    """The memory's health in figures.

    Attributes:
        store_reason: why the store failed, or the last write; empty while all is well.
        unembedded: places without a vector.
        unsaved: places that could not be written yet.
        checked: places that this goal's looks have disproved.
        untrusted_looks: looks not remembered, for the robot's pose was not trusted.
    """

    store: StoreState
    store_reason: str
    embedder: str
    places: int
    edges: int
    unembedded: int
    unsaved: int
    checked: int
    untrusted_looks: int
