"""The growing document of a home: ids, names, looks, and excluded things."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from semantic_nav_sim.world.assembly import Assembly
from semantic_nav_sim.world.description import Point2, Point3
from semantic_nav_sim.world.generator.catalogue import FURNITURE, OBJECTS, Finish, Kind
from semantic_nav_sim.world.generator.shapes import Footprint
from semantic_nav_sim.world.library import LIBRARY

Json = dict[str, Any]
T = TypeVar('T')


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """One of some choices at random."""
    return choices[int(rng.integers(len(choices)))]


@dataclass(frozen=True)
class Piece:
    """One thing with a look, but without a place."""

    kind: Kind
    finish: Finish
    size: Point3

    @property
    def name(self) -> str:
        """The noun with the word for its look."""
        return f'{self.finish.word} {self.kind.name}'

    @property
    def room(self) -> Point3:
        """The box that it needs: its size plus a margin."""
        margin = self.kind.margin
        return self.size[0] + 2 * margin, self.size[1] + 2 * margin, self.size[2]

    def built(self) -> Assembly:
        """Build it in its own frame."""
        look = self.finish
        return LIBRARY.build(self.recipe, self.size, look.material, look.trim, look.face)

    @property
    def recipe(self) -> str:
        """The name of its recipe."""
        return self.kind.recipe or self.kind.name


@dataclass
class Standing:
    """A placed piece of furniture, with the occupied parts of its surfaces."""

    id: str
    room: str
    room_kind: str
    piece: Piece
    box: Footprint
    taken: dict[str, list[tuple[Point2, Point2]]] = field(default_factory=dict)
    assembly: Assembly | None = None

    def surfaces(self) -> Assembly:
        """The built piece, with its surfaces."""
        if self.assembly is None:
            self.assembly = self.piece.built()
        return self.assembly


class Draft:
    """The decisions about a home so far.

    Attributes:
        furniture, objects, placements: as in the world's document.
        standing: placed furniture, to put things on.
    """

    def __init__(self, rng: np.random.Generator, without: Iterable[str] = ()) -> None:
        """Begin an empty home.

        Args:
            rng: decides the looks.
            without: excluded kinds ('mug') and things ('red mug').
        """
        self.rng = rng
        self.furniture: list[Json] = []
        self.objects: list[Json] = []
        self.placements: list[Json] = []
        self.standing: list[Standing] = []
        self._without = frozenset(words.lower() for words in without)
        self._entries: list[tuple[Json, Piece, str]] = []
        self._ids: set[str] = set()
        self._used: Counter[tuple[str, str]] = Counter()
        self.theme: dict[str, tuple[str, ...]] = {}

    def wanted(self, kind: str) -> bool:
        """Tell whether a kind of thing is not excluded."""
        return kind not in self._without

    def has(self, words: str) -> bool:
        """Tell whether there is a thing of a kind, or of a kind and look."""
        return any(words in (piece.kind.name, piece.name) for _, piece, _ in self._entries)

    def piece(self, name: str, *, word: str | None = None) -> Piece | None:
        """Choose a look for a kind that fits the home and is not used yet.

        Args:
            name: of the kind.
            word: of the look; None for any.

        Returns:
            The piece; None if the kind is excluded or no look is left.
        """
        kind = FURNITURE.get(name) or OBJECTS[name]
        if not self.wanted(name):
            return None
        open_ = [look for look in kind.finishes
                 if f'{look.word} {name}' not in self._without
                 and f'{look.colour} {name}' not in self._without
                 and (word is None or look.word == word)]
        if not kind.alike and (kind.coloured or word is not None):
            open_ = [look for look in open_ if not self._used[name, look.word]]
        if not open_:
            return None
        fewest = min(self._used[name, look.word] for look in open_)
        best = [look for look in open_ if self._used[name, look.word] == fewest]
        liked = [look for look in best if look.word in self.theme.get(name, self.theme['wood'])]
        if kind.alike:
            liked = [look for look in open_ if look.word in self.theme.get(name, ())] or liked
        look = pick(self.rng, liked if liked and self.rng.random() < 0.8 else best)
        return Piece(kind, look, pick(self.rng, kind.sizes))

    def stand(self, piece: Piece, box: Footprint, room: str, room_kind: str) -> Standing:
        """Add a piece of furniture at its place."""
        entry = self._entry(piece, room)
        entry |= {'at_m': [round(box.x, 3), round(box.y, 3)],
                  'yaw_deg': round(math.degrees(math.remainder(box.yaw_rad, math.tau)), 1)}
        if box.low > 0:
            entry['z_m'] = round(box.low, 3)
        self.furniture.append(entry)
        thing = Standing(entry['id'], room, room_kind, piece, box)
        self.standing.append(thing)
        return thing

    def lay(self, piece: Piece, room: str, spots: Sequence[Json]) -> None:
        """Add an object, on one spot or on one of several by seed."""
        entry = self._entry(piece, room)
        self.objects.append(entry)
        if len(spots) == 1:
            entry |= spots[0]
        else:
            self.placements.append({'object': entry['id'], 'alternatives': list(spots)})

    def _entry(self, piece: Piece, room: str) -> Json:
        look, kind = piece.finish, piece.kind
        self._used[kind.name, look.word] += 1
        stem = (piece.name if kind.coloured else kind.name).replace(' ', '_')
        number, name = 1, stem
        while name in self._ids:
            number += 1
            name = f'{stem}_{number}'
        self._ids.add(name)
        entry: Json = {'id': name, 'kind': kind.name, 'name': kind.name, 'colour': look.colour}
        if kind.recipe:
            entry['recipe'] = kind.recipe
        entry['size_m'] = list(piece.size)
        entry |= {key: value for key, value in (('material', look.material), ('trim', look.trim),
                                                ('face', look.face)) if value}
        self._entries.append((entry, piece, room))
        return entry

    def name_all(self) -> None:
        """Give everything the shortest unique name."""
        groups: dict[str, list[tuple[Json, Piece, str]]] = {}
        for made in self._entries:
            groups.setdefault(made[1].kind.name, []).append(made)
        for kind, members in groups.items():
            names = [piece.name if piece.kind.coloured else kind for _, piece, _ in members]
            if not members[0][1].kind.alike:
                names = _told_apart(names, [piece.name for _, piece, _ in members])
                names = _told_apart(names, [f'{room} {name}' for (_, _, room), name in
                                            zip(members, names, strict=True)])
                names = _numbered(names)
            for (entry, _, _), name in zip(members, names, strict=True):
                entry['name'] = name


def _told_apart(names: list[str], longer: list[str]) -> list[str]:
    """The names, with the longer ones instead of equal ones."""
    counts = Counter(names)
    return [more if counts[name] > 1 else name
            for name, more in zip(names, longer, strict=True)]


def _numbered(names: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        ordinal = ('', 'second ', 'third ', 'fourth ', 'fifth ')[min(seen[name] - 1, 4)]
        numbered.append(ordinal + name)
    return numbered
