"""The catalogue of all kinds of things in homes, from catalogue.yaml."""

from dataclasses import dataclass, replace
from typing import Any

from semantic_nav_sim.world.description import Point3
from semantic_nav_sim.world.sources import table_beside


@dataclass(frozen=True)
class Finish:
    """One appearance of a thing.

    Attributes:
        word: adjective of the look ('oak', 'blue').
        colour: word for its main colour.
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
        sizes: possible depth, width and height, in metres.
        finishes: possible looks.
        recipe: name of the recipe, if it is not that of the kind.
        coloured: whether people name it with its colour ('red mug').
        alike: whether several of them may share one name, like chairs at a table.
        margin: room that it needs beyond its size, in metres.
    """

    name: str
    sizes: tuple[Point3, ...]
    finishes: tuple[Finish, ...]
    recipe: str | None = None
    coloured: bool = False
    alike: bool = False
    margin: float = 0.01


def _kind(name: str, sizes: list[list[float]], finishes: dict[str, list[str | None]] | None = None,
          trim: str | None = None, **entry: Any) -> Kind:
    """A kind of the table; its finishes are its own, or words of one family."""
    looks = [Finish(word, *look) for word, look in (finishes or {}).items()]
    for family in _TABLE['families'].keys() & entry.keys():
        known = _TABLE['families'][family]
        looks += [Finish(word, *known[word]) for word in entry.pop(family)]
    if trim is not None:
        looks = [replace(look, trim=trim) for look in looks]
    return Kind(name, tuple((d, w, h) for d, w, h in sizes), tuple(looks), **entry)


_TABLE = table_beside(__file__)
FURNITURE: dict[str, Kind] = {name: _kind(name, **entry)
                              for name, entry in _TABLE['furniture'].items()}
#: Kinds of things that can be carried away.
OBJECTS: dict[str, Kind] = {name: _kind(name, **entry)
                            for name, entry in _TABLE['objects'].items()}
#: Words for cloth and leather.
CLOTHS: frozenset[str] = frozenset(_TABLE['families']['cloths'])
#: Kinds and colours that are easily confused.
SIMILAR_KINDS: dict[str, list[str]] = _TABLE['similar_kinds']
SIMILAR_COLOURS: dict[str, list[str]] = _TABLE['similar_colours']


def kind_of(words: str) -> Kind | None:
    """The kind that a thing's name ends with ('mug' of 'red mug'); None if there is none."""
    for known in (FURNITURE, OBJECTS):
        for name, kind in known.items():
            if words == name:
                return kind
            if words.endswith(f' {name}'):
                word = words.removesuffix(f' {name}')
                if any(word in (look.word, look.colour) for look in kind.finishes):
                    return kind
    return None
