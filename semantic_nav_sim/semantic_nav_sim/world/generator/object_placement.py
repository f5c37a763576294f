"""Places small things on tables, shelves, beds and the floor, in view of a robot."""

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.world.description import Point2
from semantic_nav_sim.world.generator.catalogue import (
    OBJECTS,
    SIMILAR_COLOURS,
    SIMILAR_KINDS,
)
from semantic_nav_sim.world.generator.draft import Draft, Json, Piece, Standing
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.habits import (
    FLOOR,
    HABITS,
    ROAMING,
    ROAMING_SUPPORTS,
    Habit,
)
from semantic_nav_sim.world.generator.layout import HALL
from semantic_nav_sim.world.generator.openings import NoPlan
from semantic_nav_sim.world.generator.vocabulary import called_for

# Largest distance of an object from the robot's nearest position, and least gap between two
# objects.
REACH_M = 0.88
APART_M = 0.03
TRIES = 30
# Overhang of a thing beyond the free part of a surface, which ends before its edge.
OVERHANG_M = 0.045
HIGHEST_M = 1.3
SMALL_M = 0.24
_SMALL_TURN_DEG, _LARGE_TURN_DEG = 40.0, 8.0


class ObjectPlacement:
    """Places the small things of one home."""

    def __init__(self, draft: Draft, rooms: dict[str, Furnisher], rng: np.random.Generator,
                 ) -> None:
        self.draft = draft
        self.rooms = rooms
        self.rng = rng
        self._kinds = {room.plot.kind for room in rooms.values()}
        self._stands: dict[str, NDArray[np.float64]] = {}

    def lay_all(self, look_alikes: Iterable[str] = ()) -> None:
        """Place everything, required things first.

        Raises:
            NoPlan: a required thing has no place.
        """
        self._devices()
        self._by_habits(lambda habit: FLOOR in habit.supports)
        self._stands = {name: room.occupancy.stands() for name, room in self.rooms.items()}
        self._by_habits(lambda habit: FLOOR not in habit.supports and self._must(habit))
        for habit in ROAMING:
            if habit.word is not None:
                self._roam(habit)
        for name in look_alikes:
            self._look_alikes(name)
        for habit in ROAMING:
            if habit.word is None:
                self._roam(habit)
        self._by_habits(lambda habit: FLOOR not in habit.supports)

    def _must(self, habit: Habit) -> bool:
        """Tell whether this home requires such a thing, and has none yet."""
        return called_for(habit.kind, self._kinds) and not self.draft.has(habit.kind)

    def _devices(self) -> None:
        """Place screens where they belong: before the sofa, on the desk."""
        for thing in list(self.draft.standing):
            if thing.piece.kind.name == 'tv stand':
                self._fixed('television', thing, (0.0, 0.0))
            elif thing.piece.kind.name == 'desk' and thing.room_kind == 'study':
                # The drawers are on the left, so the seat is to the right of the centre.
                aside = -0.15 * thing.box.width
                self._fixed('monitor', thing, (-0.14, aside))
                self._fixed('keyboard', thing, (0.12, aside))

    def _fixed(self, kind: str, thing: Standing, offset: Point2) -> None:
        piece = self.draft.piece(kind)
        if piece is not None:
            self._take(thing, 'top', offset, _half_room(piece, 0.0))
            self.draft.lay(piece, thing.room, [_spot(thing, 'top', offset, 0.0)])

    def _by_habits(self, which: Callable[[Habit], bool]) -> None:
        """Place one thing of each required kind, and some of the others."""
        for habit in [habit for habit in HABITS if which(habit)]:
            must = self._must(habit)
            if not must and self.rng.random() > habit.chance:
                continue
            for _ in range(1 if must else int(self.rng.integers(habit.most + 1))):
                piece = self.draft.piece(habit.kind)
                if piece is not None and not self._lay(piece, habit) and must:
                    raise NoPlan(f'no place for a {habit.kind}')

    def _lay(self, piece: Piece, habit: Habit) -> bool:
        """Place one thing where its kind is usually found."""
        if FLOOR in habit.supports and self._on_floor(piece, habit.rooms):
            return True
        for thing in self._supports(habit.supports, habit.rooms):
            spot = self._place(piece, thing, habit.surface)
            if spot is not None:
                self.draft.lay(piece, thing.room, [spot])
                return True
        return False

    def _supports(self, kinds: Iterable[str], rooms: tuple[str, ...]) -> list[Standing]:
        """The furniture that may carry a thing, the emptier first."""
        found = [thing for thing in self.draft.standing if thing.piece.kind.name in kinds
                 and (not rooms or thing.room_kind in rooms)]
        luck = self.rng.random(len(found))
        order = sorted(range(len(found)), key=lambda i: sum(
            map(len, found[i].taken.values())) + 2.5 * luck[i])
        return [found[i] for i in order]

    def _on_floor(self, piece: Piece, rooms: tuple[str, ...]) -> bool:
        """Place a thing on the floor beside a wall or a piece of furniture."""
        order = [room for kind in rooms for room in self.rooms.values() if room.plot.kind == kind]
        shift = int(self.rng.integers(len(order))) if order and self.rng.random() < 0.4 else 0
        for room in order[shift:] + order[:shift]:
            box = room.occupancy.against(piece.room, score=room.corner, gap=0.04)
            if box is not None:
                yaw = math.degrees(box.yaw_rad) + float(self.rng.uniform(-15, 15))
                self.draft.lay(piece, room.plot.name, [{
                    'at_m': [round(box.x, 3), round(box.y, 3)],
                    'yaw_deg': round(math.remainder(yaw, 360), 1)}])
                return True
        return False

    def _place(self, piece: Piece, thing: Standing, surface: str | None) -> Json | None:
        """Find a free spot on a support that a robot can stand before, and occupy it."""
        surfaces = thing.surfaces().surfaces
        names = [surface] if surface else [name for name in ('top', 'left') if name in surfaces]
        turn = _SMALL_TURN_DEG if max(piece.size[:2]) < SMALL_M else _LARGE_TURN_DEG
        half = _half_room(piece, turn)
        for name in names:
            found = surfaces.get(name)
            if found is None or found.middle[2] > HIGHEST_M:
                continue
            room = [extent / 2 + OVERHANG_M - size
                    for extent, size in zip(found.extents, half, strict=True)]
            if min(room) < 0:
                continue
            for _ in range(TRIES):
                offset = (round(float(self.rng.uniform(-room[0], room[0])), 3),
                          round(float(self.rng.uniform(-room[1], room[1])), 3))
                if surface == 'seat':
                    # Cushions lean on the back, at the ends.
                    end = 1 if self.rng.random() < 0.5 else -1
                    offset = (-0.06, round(end * (found.extents[1] / 2 - 0.24), 3))
                if any(abs(o) > extent / 2 for o, extent in zip(offset, found.extents,
                                                                strict=True)):
                    continue
                where = thing.box.point(found.middle[0] + offset[0], found.middle[1] + offset[1])
                if self._free(thing, name, offset, half) and self._near(thing.room, where):
                    self._take(thing, name, offset, half)
                    yaw = 4.0 if surface == 'seat' else turn
                    return _spot(thing, name, offset, float(self.rng.uniform(-yaw, yaw)))
        return None

    def _near(self, room: str, where: Point2) -> bool:
        stands = self._stands.get(room)
        if stands is None or not len(stands):
            return False
        return bool(np.hypot(*(stands - where).T).min() < REACH_M)

    def _free(self, thing: Standing, surface: str, offset: Point2, half: Point2) -> bool:
        return all(any(abs(a - b) > mine + size + APART_M
                       for a, b, mine, size in zip(offset, other, half, sizes, strict=True))
                   for other, sizes in thing.taken.get(surface, ()))

    def _take(self, thing: Standing, surface: str, offset: Point2, half: Point2) -> None:
        thing.taken.setdefault(surface, []).append((offset, half))

    def _roam(self, habit: Habit) -> None:
        """Place a thing in one of several places, in different rooms if possible.

        It is never in the hall, where the robot starts: it would have nothing to search for.
        """
        piece = self.draft.piece(habit.kind, word=habit.word)
        if piece is None:
            return
        spots: list[Json] = []
        rooms: list[str] = []
        things = [thing for thing in self._supports(habit.supports, ())
                  if self.rooms[thing.room].plot.kind != HALL]
        for only_new in (True, False):
            for thing in things:
                if len(spots) == habit.most or (only_new and thing.room in rooms):
                    continue
                spot = self._place(piece, thing, None)
                if spot is not None:
                    spots.append(spot)
                    rooms.append(thing.room)
        if habit.word is not None and len(spots) < 3:
            raise NoPlan(f'only {len(spots)} places for a {piece.name}')
        if spots:
            self.draft.lay(piece, rooms[0] if len(set(rooms)) == 1 else '', spots)

    def _look_alikes(self, name: str) -> None:
        """Add things easily confused with one: other kinds of its colour, its kind in others.

        Raises:
            NoPlan: one of them has no place.
        """
        word, _, kind = name.partition(' ')
        pairs = [(other, word) for other in SIMILAR_KINDS[kind]]
        pairs += [(kind, other) for other in SIMILAR_COLOURS.get(word, ())]
        for other, colour in pairs:
            looks = [look.word for look in OBJECTS[other].finishes if look.colour == colour]
            if not looks or self.draft.has(f'{looks[0]} {other}'):
                continue
            piece = self.draft.piece(other, word=looks[0])
            if piece is not None and not self._lay(piece, Habit(other, ROAMING_SUPPORTS)):
                raise NoPlan(f'no place for a {piece.name}, which looks like a {name}')


def _half_room(piece: Piece, turn_deg: float) -> Point2:
    """Half the extents that a thing needs if it is turned by up to an angle."""
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    depth, width, _ = piece.size
    return (depth * c + width * s) / 2, (depth * s + width * c) / 2


def _spot(thing: Standing, surface: str, offset: Point2, yaw_deg: float) -> Json:
    spot: Json = {'support': thing.id, 'offset_m': [round(v, 3) for v in offset],
                  'yaw_deg': round(yaw_deg, 1)}
    if surface != 'top':
        spot['surface'] = surface
    return spot
