"""Doors, passages and windows in the walls of a plan."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav_sim.world.generator.borders import Border, borders
from semantic_nav_sim.world.generator.layout import DAY_ROOMS, HALL, Plot
from semantic_nav_sim.world.generator.shapes import Footprint, Side, Span

HALF_WALL_M = 0.06
DOOR_HEIGHT_M = 2.05
LEAF_M = 0.04
# Distance of a door from the corner behind its hinge: its frame is 7 cm wide.
CORNER_M = (0.16, 0.34)
WINDOW_HEIGHT_M = {'bathroom': (1.5, 2.2), 'utility room': (1.4, 2.2), 'kitchen': (1.2, 2.2)}
USUAL_HEIGHT_M = (0.9, 2.2)
TALL_HEIGHT_M = (0.25, 2.3)


@dataclass(frozen=True)
class Ways:
    """Widths of doors and of the ways between them.

    Attributes:
        door_m: width of the inner doors.
        gap_m: clearance of the robot's centre on its ways from door to door.
        stand_m: clearance of the robot's centre at its stand-off poses.
        farther_m: additional distance of its stand-off from the centre of furniture, compared with
            a small robot.
        attempts: number of homes to try: with wider ways, fewer homes hold all required things.
    """

    door_m: float
    gap_m: float
    stand_m: float
    farther_m: float
    attempts: int


#: For a robot's radius of 0.20 m, 0.05 m of margin, and the part that the raster may hide.
USUAL_WAYS = Ways(0.95, 0.29, 0.29, 0.0, 60)
#: For a robot of 0.7 m by 0.5 m, which can turn nearly everywhere on these ways.
WIDE_WAYS = Ways(1.25, 0.49, 0.45, 0.2, 400)


class NoPlan(SemanticNavError):
    """A plan cannot be carried out; another random stream may succeed."""


@dataclass
class Hole:
    """An opening in a border, with the floor that a door needs.

    Attributes:
        entry: as in the world's document.
        leaf: footprint of the door's leaf; None without one.
    """

    border: Border
    kind: str
    start: float
    end: float
    entry: dict[str, Any]
    leaf: Footprint | None = None

    def span(self, plot: Plot) -> Span:
        """The opening as a part of one side of a room."""
        behind = self.border.behind is plot
        side = ((Side.SOUTH if behind else Side.NORTH) if self.border.axis == 0
                else (Side.WEST if behind else Side.EAST))
        low, high = self.entry.get('height_m', (0.0, DOOR_HEIGHT_M))
        return Span(side, self.start, self.end, low, high)


@dataclass
class Shell:
    """The walls of a home: the borders between its rooms and the holes in them."""

    borders: list[Border]
    ways: Ways = USUAL_WAYS
    holes: list[Hole] = field(default_factory=list)

    def of(self, plot: Plot) -> list[Hole]:
        """The holes in the walls of one room."""
        return [hole for hole in self.holes if hole.border.touches(plot)]

    def spans(self, plot: Plot) -> list[Span]:
        """The open parts and the windows of a room's sides."""
        spans = [hole.span(plot) for hole in self.of(plot)]
        for border in self.borders:
            if border.open and border.touches(plot):
                hole = Hole(border, 'passage', border.start + HALF_WALL_M,
                            border.end - HALF_WALL_M, {})
                spans.append(hole.span(plot))
        return spans

    def walls(self) -> list[dict[str, Any]]:
        """The walls as in the world's document."""
        walls: list[dict[str, Any]] = []
        for border in self.borders:
            if border.open:
                continue
            holes = sorted((hole for hole in self.holes if hole.border is border),
                           key=lambda hole: hole.start)
            last = walls[-1] if walls else None
            axis = 'xy'[border.axis]
            if last and (last['axis'], last['at_m'], last['span_m'][1]) == (
                    axis, border.at, border.start):
                last['span_m'][1] = border.end
            else:
                last = {'axis': axis, 'at_m': border.at, 'span_m': [border.start, border.end]}
                walls.append(last)
            if holes:
                last.setdefault('openings', []).extend(hole.entry for hole in holes)
        return walls


def build_shell(plots: list[Plot], rng: np.random.Generator, door: dict[str, str],
                front: dict[str, str], ways: Ways = USUAL_WAYS) -> Shell:
    """Make the walls of a plan.

    Args:
        plots: the plan.
        rng: decides the places of the openings.
        door, front: colour and material of the inner doors and of the front door.
        ways: widths of the doors.

    Raises:
        NoPlan: a room cannot have a door to the hall.
    """
    shell = Shell(borders(plots), ways)
    for plot in plots:
        if plot.kind != HALL:
            _enter(shell, plot, rng, door)
    _front_door(shell, rng, front)
    for one, other, chance in (('kitchen', 'living room', 0.75),
                               ('dining room', 'living room', 0.8),
                               ('dining room', 'kitchen', 0.5)):
        _join(shell, one, other, chance, rng)
    for plot in plots:
        _windows(shell, plot, rng)
    return shell


def _enter(shell: Shell, plot: Plot, rng: np.random.Generator, look: dict[str, str]) -> None:
    """Open a room to the hall, by a door, or by a passage into the living room."""
    choices = [border for border in shell.borders if border.touches(plot) and not border.outer
               and any(other.kind == HALL for other in border.rooms)
               and border.length >= shell.ways.door_m + 2 * CORNER_M[1]]
    if not choices and plot.kind in DAY_ROOMS and _join(shell, plot.kind, 'living room', 1.0, rng):
        return
    if not choices:
        raise NoPlan(f'the {plot.name} does not border the hall')
    border = choices[int(rng.integers(len(choices)))]
    if plot.kind == 'living room' and border.length > 2.2 and rng.random() < 0.6:
        _passage(shell, border, float(rng.uniform(1.2, min(1.7, border.length - 0.5))), rng)
        return
    at_start = bool(rng.random() < 0.5)
    # The open leaf is in front of the side wall of its room.
    axis = border.axis
    if at_start and border.start > plot.floor.low[axis] + 0.01:
        at_start = border.end < plot.floor.high[axis] - 0.01
    elif not at_start and border.end < plot.floor.high[axis] - 0.01:
        at_start = border.start <= plot.floor.low[axis] + 0.01
    _door(shell, border, plot, at_start, rng, look)


def _door(shell: Shell, border: Border, plot: Plot, at_start: bool, rng: np.random.Generator,
          look: dict[str, str]) -> None:
    """Add an open door whose leaf swings into the room, hinged near a corner."""
    corner, width = HALF_WALL_M + float(rng.uniform(*CORNER_M)), shell.ways.door_m
    start = border.start + corner if at_start else border.end - corner - width
    start = round(start, 3)
    end = round(start + width, 3)
    inwards = 1.0 if border.behind is plot else -1.0
    along = 0.0 if at_start else math.pi
    # Ninety degrees from closed, and a few more or less.
    turn = (1 if at_start else -1) * inwards * math.radians(90 + float(rng.uniform(-3, 5)))
    yaw = along + turn
    if border.axis == 1:
        yaw = math.pi / 2 - yaw
    yaw = math.remainder(yaw, math.tau)
    hinge = start + 0.012 if at_start else end - 0.012
    x, y = (hinge, border.at) if border.axis == 0 else (border.at, hinge)
    long = width - 0.02
    leaf = Footprint(x + long / 2 * math.cos(yaw), y + long / 2 * math.sin(yaw), long,
                     LEAF_M + 0.16, yaw, 0.0, DOOR_HEIGHT_M)
    entry = {'kind': 'door', 'span_m': [start, end], 'id': f'{_word(plot.name)}_door',
             'hinge': 'start' if at_start else 'end',
             'leaf_yaw_deg': round(math.degrees(yaw), 1), **look}
    shell.holes.append(Hole(border, 'door', start, end, entry, leaf))


def _word(name: str) -> str:
    return name.replace("'", '').replace(' ', '_')


def _passage(shell: Shell, border: Border, width: float, rng: np.random.Generator) -> None:
    room = border.length - width - 0.4
    start = round(border.start + 0.2 + float(rng.uniform(0, max(room, 0))), 2)
    end = round(start + width, 2)
    shell.holes.append(Hole(border, 'passage', start, end,
                            {'kind': 'passage', 'span_m': [start, end]}))


def _join(shell: Shell, one: str, other: str, chance: float, rng: np.random.Generator) -> bool:
    """Open two rooms to each other if they share enough wall; returns whether they are open."""
    for border in shell.borders:
        if border.outer or border.length < 2.4 or (
                {plot.kind for plot in border.rooms} != {one, other}):
            continue
        if any(hole.border is border for hole in shell.holes):
            return True
        if rng.random() < chance:
            _passage(shell, border, float(rng.uniform(1.1, 1.6)), rng)
            return True
    return False


def _front_door(shell: Shell, rng: np.random.Generator, look: dict[str, str]) -> None:
    """Add a front door at an end of the hall."""
    ends = sorted((border for border in shell.borders if border.outer
                   and border.rooms[0].kind == HALL and border.length >= 1.4),
                  key=lambda border: border.length)
    if not ends:
        raise NoPlan('the hall has no outer wall for the front door')
    border = ends[int(rng.integers(min(2, len(ends))))]
    start = round((border.start + border.end - 0.9) / 2, 3)
    if border.length > 3:
        start = round(border.start + 0.5, 3)
    end = round(start + 0.9, 3)
    entry = {'kind': 'door', 'span_m': [start, end], 'id': 'front_door', 'hinge': 'start',
             'leaf_yaw_deg': 0.0 if border.axis == 0 else 90.0, **look}
    shell.holes.append(Hole(border, 'door', start, end, entry))


def _windows(shell: Shell, plot: Plot, rng: np.random.Generator) -> None:
    """Put windows into the outer walls of a room, always into the longest one."""
    outer = sorted((border for border in shell.borders if border.outer and border.touches(plot)
                    and border.length > 1.3), key=lambda border: -border.length)
    if plot.kind == HALL:
        outer = [border for border in outer if rng.random() < 0.5
                 and not any(hole.border is border for hole in shell.holes)]
    for rank, border in enumerate(outer):
        if rank == 0 or rng.random() < 0.4:
            _window(shell, border, plot, rng, rank == 0)


def _window(shell: Shell, border: Border, plot: Plot, rng: np.random.Generator,
            main: bool) -> None:
    low, high = WINDOW_HEIGHT_M.get(plot.kind, USUAL_HEIGHT_M)
    usual = (0.6, 0.9) if low > 1.3 else (1.0, 1.9)
    if plot.kind == 'living room' and main and rng.random() < 0.35:
        low, high = TALL_HEIGHT_M
        usual = (1.8, 2.6)
    width = min(float(rng.uniform(*usual)), border.length - 0.8)
    count = 2 if border.length > 2 * width + 2.0 and plot.kind in (
        'living room', 'bedroom', 'kitchen', 'study') and rng.random() < 0.6 else 1
    pitch = border.length / count
    shift = float(rng.uniform(-0.5, 0.5)) * max(0.0, min(pitch - width - 0.8, 1.0))
    for k in range(count):
        middle = border.start + (k + 0.5) * pitch + shift
        start, end = round(middle - width / 2, 2), round(middle + width / 2, 2)
        entry = {'kind': 'window', 'span_m': [start, end], 'height_m': [low, high]}
        shell.holes.append(Hole(border, 'window', start, end, entry))
