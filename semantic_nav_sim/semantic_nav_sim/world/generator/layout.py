"""Floor plans of homes: rectangular rooms on a grid of 10 cm, tiled around a hall."""

from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world.generator.shapes import Rectangle
from semantic_nav_sim.world.sources import table_beside

FEWEST_ROOMS, MOST_ROOMS = 3, 8
HALL = 'hall'
DAY_ROOMS = ('living room', 'kitchen', 'dining room')


@dataclass(frozen=True)
class Needs:
    """Floor that a kind of room needs: least and largest area in m², and its least edge in m."""

    area_m2: tuple[float, float]
    edge_m: float


NEEDS = {kind: Needs(**entry) for kind, entry in table_beside(__file__).items()}


@dataclass(frozen=True)
class Plot:
    """One room's floor, up to the centre lines of its walls."""

    name: str
    kind: str
    floor: Rectangle


def programme(rooms: int, rng: np.random.Generator) -> list[str]:
    """Choose the kinds of rooms of a home with some number of them, without the hall.

    Raises:
        ConfigError: no homes with that number are built.
    """
    if not FEWEST_ROOMS <= rooms <= MOST_ROOMS:
        raise ConfigError(f'a home of {rooms} rooms is not built: '
                          f'{FEWEST_ROOMS} to {MOST_ROOMS} are')
    always = ['living room', 'bedroom', 'bathroom', 'kitchen'][:rooms]
    further = ['study', "child's room", 'utility room', 'guest room', 'dining room']
    chosen = rng.permutation(len(further))[:max(0, rooms - len(always))]
    return always + [further[i] for i in sorted(chosen.tolist())]


def plots(kinds: list[str], rng: np.random.Generator) -> list[Plot]:
    """Make a floor plan for a programme, mirrored and turned at random."""
    make = _hub if len(kinds) <= 7 and rng.random() < 0.4 else _corridor
    return _turned(make(kinds, rng), rng)


def _grid(value: float) -> float:
    return round(value, 1)


def _area(kind: str, rng: np.random.Generator) -> float:
    return float(rng.uniform(*NEEDS[kind].area_m2))


def _corridor(kinds: list[str], rng: np.random.Generator) -> list[Plot]:
    """Place rooms on both sides of a long hall, sometimes with an arm for an L or a T."""
    depths = _grid(rng.uniform(4.1, 4.9)), _grid(rng.uniform(3.4, 4.2))
    bands: tuple[list[str], list[str]] = ([k for k in kinds if k in DAY_ROOMS], [])
    lengths = [sum(_width(k, depths[0], rng) for k in bands[0]), 0.0]
    for kind in (k for k in kinds if k not in DAY_ROOMS):
        band = int(lengths[1] <= lengths[0])
        bands[band].append(kind)
        lengths[band] += _width(kind, depths[band], rng)
    hall = _grid(rng.uniform(1.5, 1.9))
    arm = len(kinds) > 4 and rng.random() < 0.5
    if arm:
        bands[1].insert(int(rng.integers(len(bands[1]) + 1)), HALL)
    rows = [[(k, _grid(rng.uniform(1.5, 1.8)) if k == HALL else _width(k, depth, rng))
             for k in band] for band, depth in zip(bands, depths, strict=True)]
    if rng.random() < 0.5:
        rows[0].reverse()
    long = max(sum(w for _, w in row) for row in rows)
    made = [Plot(HALL, HALL, Rectangle((0.0, depths[0]), (_grid(long), _grid(depths[0] + hall))))]
    for row, y, depth in zip(rows, (0.0, depths[0] + hall), depths, strict=True):
        stretch = min(1.3, long / sum(w for _, w in row))
        if stretch * sum(w for _, w in row) > long - 1.2:
            stretch = long / sum(w for _, w in row)
        x = 0.0
        for position, (kind, width) in enumerate(row):
            end = _grid(x + width * stretch)
            if position == len(row) - 1 and abs(end - long) < 0.3:
                end = _grid(long)
            name = 'corridor' if kind == HALL else kind
            made.append(Plot(name, kind, Rectangle((x, _grid(y)), (end, _grid(y + depth)))))
            x = end
    return made


def _width(kind: str, depth: float, rng: np.random.Generator) -> float:
    return max(NEEDS[kind].edge_m, _grid(_area(kind, rng) / depth))


def _hub(kinds: list[str], rng: np.random.Generator) -> list[Plot]:
    """Place a living room across the end of a short hall, the other rooms at its sides."""
    others = [k for k in kinds if k != 'living room']
    # A day room is at the end of the living room, which is then shorter.
    beside = next((k for k in ('dining room', 'kitchen') if k in others), None)
    if beside is not None and len(kinds) > 4:
        others.remove(beside)
    else:
        beside = None
    # The kitchen comes last, so that it is beside the living room.
    others.sort(key=lambda kind: (kind == 'kitchen', rng.random()))
    columns: tuple[list[str], list[str]] = ([], [])
    areas = [0.0, 0.0]
    for kind in others:
        column = int(areas[1] < areas[0])
        columns[column].append(kind)
        areas[column] += sum(NEEDS[kind].area_m2) / 2
    widths = [_grid(max([rng.uniform(3.2, 4.0), *(NEEDS[k].edge_m for k in column)]))
              for column in columns]
    heights = [[max(NEEDS[k].edge_m, _grid(_area(k, rng) / width)) for k in column]
               for column, width in zip(columns, widths, strict=True)]
    long = max(sum(column) for column in heights)
    hall = _grid(rng.uniform(1.7, 2.2))
    across = widths[0] + hall + widths[1]
    wide = across if beside is None else across - widths[0]
    deep = _grid(max(4.1, min(5.0, _area('living room', rng) / wide)))
    made = [Plot(HALL, HALL, Rectangle((widths[0], 0.0), (_grid(widths[0] + hall), _grid(long)))),
            Plot('living room', 'living room',
                 Rectangle((0.0 if beside is None else widths[0], _grid(long)),
                           (_grid(across), _grid(long + deep))))]
    if beside is not None:
        made.append(Plot(beside, beside, Rectangle((0.0, _grid(long)),
                                                   (widths[0], _grid(long + deep)))))
    for column, high, x, width in zip(columns, heights, (0.0, widths[0] + hall), widths,
                                      strict=True):
        y, total = long, sum(high)
        for kind, height in reversed(list(zip(column, high, strict=True))):
            start = max(0.0, _grid(y - height * min(1.35, long / total)))
            start = 0.0 if start < 0.4 else start
            made.append(Plot(kind, kind, Rectangle((_grid(x), start),
                                                   (_grid(x + width), _grid(y)))))
            y = start
    return made


def _turned(made: list[Plot], rng: np.random.Generator) -> list[Plot]:
    """Mirror and turn a plan, and move its lower left corner to the origin."""
    high = [max(plot.floor.high[axis] for plot in made) for axis in (0, 1)]
    mirror = rng.random(2) < 0.5
    swap = rng.random() < 0.5
    turned = []
    for plot in made:
        low, top = list(plot.floor.low), list(plot.floor.high)
        for axis in (0, 1):
            if mirror[axis]:
                low[axis], top[axis] = (_grid(high[axis] - top[axis]),
                                        _grid(high[axis] - low[axis]))
        if swap:
            low.reverse()
            top.reverse()
        turned.append(Plot(plot.name, plot.kind,
                           Rectangle((low[0], low[1]), (top[0], top[1]))))
    return turned
