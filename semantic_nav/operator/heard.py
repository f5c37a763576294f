"""Items that the page hears besides documents, live or from a journal."""

from collections.abc import Callable
from dataclasses import dataclass, field

from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Level


@dataclass(frozen=True)
class Statement:
    """A node's report of its own health.

    Attributes:
        node: its name, without the namespace.
        subject: of the report.
        values: further figures, as words.
        cure: advice; empty if nothing need be done, or no cure is known.
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
        words: description for people.
        id: of the place; empty if an older memory gave none.
        name: given by an operator; empty for none.
    """

    x: float
    y: float
    words: str
    id: str = ''
    name: str = ''

    @property
    def title(self) -> str:
        """Short title of the place."""
        return self.name or self.words.partition('\n')[0]


@dataclass(frozen=True)
class PlacesShown:
    """All remembered places."""

    places: tuple[ShownPlace, ...]


@dataclass(frozen=True)
class MapShown:
    """A map; its cells are loaded when a page shows it.

    Attributes:
        key: unique to this map.
    """

    key: str
    load: Callable[[], OccupancyGrid] = field(repr=False, compare=False)


@dataclass(frozen=True)
class PictureShown:
    """The picture of a look.

    Attributes:
        look_id: id of the look.
        load: returns its JPEG.
    """

    look_id: str
    load: Callable[[], bytes] = field(repr=False, compare=False)


Item = Document | Statement | PlacesShown | MapShown | PictureShown
