"""What the page hears besides documents, live or from a journal."""

from collections.abc import Callable
from dataclasses import dataclass, field

from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Level


@dataclass(frozen=True)
class Statement:
    """What a node says of its own health.

    Attributes:
        node: its name, without the namespace.
        subject: what it is about.
        values: what goes with it, as words.
        cure: what mends it; empty where nothing need be done, or nobody knows.
    """

    node: str
    subject: str
    level: Level
    text: str
    values: tuple[tuple[str, str], ...] = ()
    cure: str = ''


@dataclass(frozen=True)
class ShownPlace:
    """A remembered place as the memory shows it.

    Attributes:
        words: what it is, for people.
        id: of it; empty where nobody told, as of an older memory.
        name: what an operator called it; empty for nothing.
    """

    x: float
    y: float
    words: str
    id: str = ''
    name: str = ''

    @property
    def title(self) -> str:
        """In a few words, which it is."""
        return self.name or self.words.partition('\n')[0]


@dataclass(frozen=True)
class PlacesShown:
    """All remembered places."""

    places: tuple[ShownPlace, ...]


@dataclass(frozen=True)
class MapShown:
    """A map; its cells are loaded when somebody looks at it.

    Attributes:
        key: of this map and no other.
    """

    key: str
    load: Callable[[], OccupancyGrid] = field(repr=False, compare=False)


@dataclass(frozen=True)
class PictureShown:
    """The picture of a look.

    Attributes:
        stamp_ns: of the picture, as in the look.
        load: returns its JPEG.
    """

    stamp_ns: int
    load: Callable[[], bytes] = field(repr=False, compare=False)


Item = Document | Statement | PlacesShown | MapShown | PictureShown
