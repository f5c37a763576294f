"""Things for a home from a saved map: small tables on free floor, and things on them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import Mask
from semantic_nav_sim.saved_map.survey import Point, Survey, clear_m_of
from semantic_nav_sim.world.generator.catalogue import FURNITURE, OBJECTS, kind_of
from semantic_nav_sim.world.generator.draft import Draft, Piece, Standing
from semantic_nav_sim.world.generator.shapes import Footprint
from semantic_nav_sim.world.generator.style import Style
from semantic_nav_sim.world.random_streams import stream

Json = dict[str, Any]
_TABLE = 'side table'
#: Floor area for each table, and the least and the largest number of tables.
_FLOOR_M2, _FEWEST, _MOST = 8.0, 2, 16
#: Least distance between tables, and largest distance from a wall and from a wanted place.
_APART_M, _WALL_M, _NEAR_M = 1.5, 0.5, 1.5
#: Ways with at least this margin for the robot on each side keep it, in metres. In narrower ways
#: the follower gives up as soon as the localisation errs.
_EASY_M = 0.15
#: Gap between a table and its neighbours, in metres.
_GAP_M = 0.03
#: Offset of two things on a table, left and right of its centre.
_ASIDE_M = 0.11
#: Largest size of a thing that has room beside another one on such a table, in metres.
_SMALL_M = 0.17
#: Thing in every such home, whose place depends on the seed of the run.
_ROAMING = ('mug', 'red')
#: Number of tries to place one table.
_TRIES = 50
_EIGHT = np.ones((3, 3), np.bool_)


@dataclass(frozen=True)
class Thing:
    """A thing that is wanted somewhere: its words ('red mug'), x and y in the map frame."""

    words: str
    at: Point


def furnish(document: Json, found: Survey, floor: Mask, seed: int, style: Style,
            things: Sequence[Thing]) -> None:
    """Add tables and things to the document of a home.

    Args:
        document: its furniture, objects and placements are replaced.
        found: survey of the map.
        floor: mask of the home's floor, shape as the map's.
        seed: of looks, and of things and places if none are given.
        style: of the home.
        things: things with their places; if none: a red mug whose place changes from run to run,
            and others.

    Raises:
        ConfigError: a thing is unknown, or has no place.
    """
    rng = stream(seed, 'things of a saved map')
    draft = Draft(rng)
    draft.theme = style.theme
    places = _Places(found, floor, rng)
    if things:
        for thing in things:
            piece = _piece_of(draft, thing.words)
            table = _table(draft, places.near(thing), document['rooms'])
            draft.lay(piece, table.room, [_spot(table, 0.0)])
    else:
        count = int(np.clip(found.floor_m2 / _FLOOR_M2, _FEWEST, _MOST))
        tables = [_table(draft, at, document['rooms']) for at in places.anywhere(count)]
        _by_seed(draft, tables, rng)
    draft.name_all()
    document |= {'furniture': draft.furniture, 'objects': draft.objects,
                 'placements': draft.placements}


def _by_seed(draft: Draft, tables: Sequence[Standing], rng: np.random.Generator) -> None:
    kind, word = _ROAMING
    mug = draft.piece(kind, word=word)
    assert mug is not None
    draft.lay(mug, tables[0].room, [_spot(table, -_ASIDE_M) for table in tables])
    small = sorted(name for name, one in OBJECTS.items()
                   if max(max(size[:2]) for size in one.sizes) <= _SMALL_M)
    for table, name in zip(tables, rng.permutation(small).tolist() * len(tables), strict=False):
        piece = draft.piece(name)
        if piece is not None:
            draft.lay(piece, table.room, [_spot(table, _ASIDE_M)])


def _piece_of(draft: Draft, words: str) -> Piece:
    kind = kind_of(words)
    if kind is None or kind.name not in OBJECTS:
        raise ConfigError(f'no thing {words!r}: name one of {", ".join(sorted(OBJECTS))}, with a '
                          'colour before it if you like')
    word = words.removesuffix(kind.name).strip()
    look = next((look.word for look in kind.finishes if word in (look.word, look.colour)), None)
    piece = draft.piece(kind.name, word=look)
    if piece is None:
        raise ConfigError(f'there is a {words} already: two of one look nobody could tell apart')
    return piece


def _table(draft: Draft, at: Point, rooms: Sequence[Json]) -> Standing:
    piece = draft.piece(_TABLE)
    assert piece is not None
    depth, width, height = piece.size
    return draft.stand(piece, Footprint(*at, depth, width, 0.0, 0.0, height),
                       _room_at(rooms, at), 'room')


def _room_at(rooms: Sequence[Json], at: Point) -> str:
    """The room of a place; the first room if it lies in none."""
    for room in rooms:
        x0, y0, x1, y1 = room['rectangle_m']
        if x0 <= at[0] <= x1 and y0 <= at[1] <= y1:
            return str(room['name'])
    return str(rooms[0]['name'])


def _spot(table: Standing, left_m: float) -> Json:
    return {'support': table.id, 'offset_m': [0.0, left_m], 'yaw_deg': 0.0}


class _Places:
    """Places for tables beside walls that keep all other floor reachable, and wide ways wide."""

    def __init__(self, found: Survey, floor: Mask, rng: np.random.Generator) -> None:
        self._grid = grid = found.grid
        self._rng = rng
        radius_m = found.needed_m / 2
        easy_m = radius_m + _EASY_M
        #: Masks of the cells for the robot's centre, by its least distance from obstacles.
        self._ways = {radius_m: found.reached,
                      easy_m: found.reached & (clear_m_of(grid) > easy_m)}
        #: Number of connected parts of these cells, which must not change.
        self._parts = {near_m: _parts(cells) for near_m, cells in self._ways.items()}
        self._taken: list[Point] = []
        half_m = max(max(size[:2]) for size in FURNITURE[_TABLE].sizes) / 2 + _GAP_M
        self._half_m = half_m
        side = 2 * math.ceil(half_m / grid.resolution_m) + 1
        wall_m = ndimage.distance_transform_edt(floor) * grid.resolution_m
        rows, columns = np.nonzero(ndimage.binary_erosion(floor, np.ones((side, side)))
                                   & (wall_m <= half_m + _WALL_M))
        self._points = np.stack(grid.centres_of(rows, columns), axis=1)

    def near(self, thing: Thing) -> Point:
        """Take the nearest place for a thing.

        Raises:
            ConfigError: no place is near it.
        """
        away_m = np.hypot(*(self._points - thing.at).T)
        order = np.argsort(away_m, kind='stable')
        for place in self._free(order[away_m[order] <= _NEAR_M], 2 * self._half_m):
            return place
        raise ConfigError(f'no place for {thing.words} within {_NEAR_M} m of ({thing.at[0]:.2f}, '
                          f'{thing.at[1]:.2f}): there a table of {2 * self._half_m:.2f} m would '
                          'stand on what is occupied or unknown, or close a way; name another '
                          'place')

    def anywhere(self, count: int) -> Iterator[Point]:
        """Take a number of places, or as many as there are.

        Raises:
            ConfigError: there is none.
        """
        order = self._rng.permutation(len(self._points))[:_TRIES * count]
        for taken, place in enumerate(self._free(order, _APART_M), start=1):
            yield place
            if taken == count:
                return
        if not self._taken:
            raise ConfigError('no place for a table anywhere that leaves the ways open: say '
                              '--thing WORDS=X,Y where things are to be')

    def _free(self, order: NDArray[np.int64], apart_m: float) -> Iterator[Point]:
        for index in order:
            x, y = self._points[index].tolist()
            if all(math.dist((x, y), other) >= apart_m for other in self._taken) and (
                    self._leaves_ways(x, y)):
                self._taken.append((x, y))
                yield x, y

    def _leaves_ways(self, x: float, y: float) -> bool:
        """Tell whether a table keeps all ways open and wide; if so, occupy its floor."""
        grid = self._grid
        rows, columns = np.ogrid[:grid.shape[0], :grid.shape[1]]
        row, column = grid.cell_of(x, y)
        away_m = np.maximum(abs(rows - row), abs(columns - column)) * grid.resolution_m
        left = {near_m: cells & (away_m > self._half_m + near_m)
                for near_m, cells in self._ways.items()}
        if {near_m: _parts(cells) for near_m, cells in left.items()} != self._parts:
            return False
        self._ways = left
        return True


def _parts(cells: Mask) -> int:
    _, count = ndimage.label(cells, _EIGHT)
    return int(count)
