"""How kinds of things are described: their sizes, and looks in words and materials."""

from dataclasses import dataclass

from semantic_nav.sim.world.description import Point3

WOODS = {'oak': ('brown', 'oak'), 'walnut': ('brown', 'walnut'), 'pine': ('beige', 'pine'),
         'white': ('white', 'white_paint'), 'grey': ('grey', 'grey_paint'),
         'black': ('black', 'black_wood'), 'blue': ('blue', 'blue_paint'),
         'green': ('green', 'green_paint')}
CLOTHS = {word: f'{word}_fabric' for word in (
    'blue', 'grey', 'white', 'teal', 'orange', 'yellow', 'green', 'red', 'navy', 'beige', 'pink',
    'purple')} | {'brown': 'brown_leather', 'black': 'black_leather'}
GLAZES = {word: f'{word}_glaze' for word in (
    'red', 'blue', 'green', 'yellow', 'orange', 'black', 'pink', 'purple')} | {'white': 'ceramic'}
ALL_WOODS = ('oak', 'walnut', 'pine', 'white', 'grey', 'black')


@dataclass(frozen=True)
class Finish:
    """One look of a thing.

    Attributes:
        word: what people put before the noun ('oak', 'blue').
        colour: the word for its main colour.
        material, trim, face: as in a world's item; None takes the recipe's own.
    """

    word: str
    colour: str
    material: str | None = None
    trim: str | None = None
    face: str | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of thing.

    Attributes:
        name: a plain noun.
        sizes: depth, width and height, to choose from.
        finishes: to choose from.
        recipe: how it is built, where that is not its name.
        coloured: people name it with its colour ('red mug').
        alike: several of them may share one name, as chairs at a table do.
        margin: how far it stands out beyond its size, metres.
    """

    name: str
    sizes: tuple[Point3, ...]
    finishes: tuple[Finish, ...]
    recipe: str | None = None
    coloured: bool = False
    alike: bool = False
    margin: float = 0.01


PLAIN = (Finish('white', 'white'),)


def woods(*words: str, trim: str | None = '') -> tuple[Finish, ...]:
    """Return wooden finishes; an empty trim takes the same wood."""
    return tuple(Finish(word, WOODS[word][0], WOODS[word][1],
                        WOODS[word][1] if trim == '' else trim) for word in words)


def cloths(*words: str, trim: str | None = None) -> tuple[Finish, ...]:
    """Return finishes in cloth or leather."""
    return tuple(Finish(word, word, CLOTHS[word], trim) for word in words)


def glazes(*words: str, trim: str | None = None) -> tuple[Finish, ...]:
    """Return glazed finishes."""
    return tuple(Finish(word, word, GLAZES[word], trim) for word in words)



def by_name(*kinds: Kind) -> dict[str, Kind]:
    """Return kinds by their names."""
    return {kind.name: kind for kind in kinds}
