"""Furnishing moves that all rooms share: against a wall, beside, before, above."""

import math

import numpy as np

from semantic_nav_sim.world.generator.draft import Draft, Piece, Standing, pick
from semantic_nav_sim.world.generator.layout import Plot
from semantic_nav_sim.world.generator.openings import NoPlan, Shell
from semantic_nav_sim.world.generator.room_occupancy import RoomOccupancy, Score
from semantic_nav_sim.world.generator.shapes import Footprint, Side, Span

CURTAIN_TOP_M = 2.35
FLUSH_M = 0.001


class Furnisher:
    """Furnishes one room.

    Attributes:
        plot: the room.
        occupancy: of the room.
        draft: of the home.
        rng: source of the choices.
    """

    def __init__(self, plot: Plot, shell: Shell, draft: Draft, rng: np.random.Generator) -> None:
        self.plot = plot
        self.draft = draft
        self.rng = rng
        self.occupancy = RoomOccupancy(plot, shell, rng)

    def chance(self, share: float) -> bool:
        """Draw True with a given probability."""
        return bool(self.rng.random() < share)

    def stand(self, piece: Piece, box: Footprint) -> Standing:
        """Add a piece to the draft whose place is already occupied."""
        return self.draft.stand(piece, box, self.plot.name, self.plot.kind)

    def wall(self, kind: str, *, front: float = 0.0, score: Score | None = None,
             must: bool = False) -> Standing | None:
        """Put a piece against a wall, in a smaller size if necessary.

        Raises:
            NoPlan: it is required, and does not fit.
        """
        first = self.draft.piece(kind)
        if first is None:
            return None
        sizes = [first.size, *sorted(first.kind.sizes, key=lambda s: s[0] * s[1])]
        for size in sizes:
            piece = Piece(first.kind, first.finish, size)
            box = self.occupancy.against(piece.room, front=front, score=score)
            if box is not None:
                return self.stand(piece, box)
        if must:
            raise NoPlan(f'no room for a {kind} in the {self.plot.name}')
        return None

    def at(self, kind: str, x: float, y: float, yaw_rad: float, *, tuck: bool = False,
           piece: Piece | None = None) -> Standing | None:
        """Put a piece at a point of the floor, if it fits there."""
        piece = piece or self.draft.piece(kind)
        if piece is None:
            return None
        depth, width, height = piece.room
        box = Footprint(x, y, depth, width, yaw_rad, 0.0, height)
        return self.stand(piece, box) if self.occupancy.put(box, tuck=tuck) else None

    def beside(self, thing: Standing, kind: str, left: int, *, gap: float = 0.05,
               piece: Piece | None = None) -> Standing | None:
        """Put a piece beside another one, with their backs in line.

        Args:
            thing: the placed piece.
            kind: of the new piece.
            left: 1 for its left side, -1 for its right.
            gap: between the two, in metres.
            piece: the new piece; None to choose one.
        """
        piece = piece or self.draft.piece(kind)
        if piece is None:
            return None
        depth, width, _ = piece.room
        x, y = thing.box.point((depth - thing.box.depth) / 2,
                               left * (thing.box.width / 2 + gap + width / 2))
        return self.at(kind, x, y, thing.box.yaw_rad, piece=piece)

    def rug(self, x: float, y: float, yaw_rad: float, kind: str = 'rug',
            scale: float = 1.0) -> Standing | None:
        """Lay a rug, shrunk until it is inside the room."""
        piece = self.draft.piece(kind)
        if piece is None:
            return None
        for shrink in (1.0, 0.88, 0.76, 0.64):
            depth, width = (round(scale * shrink * v, 2) for v in piece.size[:2])
            box = Footprint(x, y, depth, width, yaw_rad, 0.0, piece.size[2])
            if self.occupancy.inner.holds(box.grown(0.05)):
                return self.stand(Piece(piece.kind, piece.finish, (depth, width, piece.size[2])),
                                  box)
        return None

    def hang(self, kind: str, height: float, *, score: Score | None = None,
             over: Standing | None = None) -> Standing | None:
        """Hang a piece on a wall.

        Args:
            kind: of the piece.
            height: of its lower edge, in metres.
            score: rates the places.
            over: furniture over whose centre it hangs.
        """
        piece = self.draft.piece(kind)
        if piece is None:
            return None
        if over is not None:
            side = Side(round(math.degrees(over.box.yaw_rad)) % 360)
            along = (over.box.x, over.box.y)[1 - side.across]
            inner = self.occupancy.inner
            places = [inner.against(side, along + shift, piece.size, FLUSH_M, height)
                      for shift in (0.0, -0.15, 0.15)]
            box = self.occupancy.best(places, lambda b: -abs(
                (b.x, b.y)[1 - side.across] - along) * 5)
        else:
            box = self.occupancy.against(piece.size, gap=FLUSH_M, low=height, score=score)
        return None if box is None else self.stand(piece, box)

    def dress_windows(self) -> None:
        """Hang equal curtains beside the windows, if there is wall for them."""
        first = self.draft.piece('curtain')
        if first is None:
            return
        for span in self.windows():
            boxes = [self.occupancy.inner.against(span.side, along, (
                0.09, 0.45, CURTAIN_TOP_M), 0.035) for along in (span.start - 0.16,
                                                                 span.end + 0.16)]
            for box in boxes:
                if self.occupancy.put(box, before_window=True):
                    self.stand(Piece(first.kind, first.finish, (0.10, 0.45, CURTAIN_TOP_M)), box)

    def heat(self) -> None:
        """Put a radiator under a free window."""
        for span in self.windows():
            piece = self.draft.piece('radiator')
            if piece is None or span.low < 0.7:
                continue
            width = min(1.2, max(0.5, round(span.end - span.start - 0.2, 1)))
            size = (piece.size[0], width, piece.size[2])
            box = self.occupancy.inner.against(span.side, (span.start + span.end) / 2, size, 0.03)
            if self.occupancy.put(box):
                self.stand(Piece(piece.kind, piece.finish, size), box)
                return

    def windows(self) -> list[Span]:
        """The windows of the room."""
        return [span for span in self.occupancy.openings if span.low > 0.05]

    def corner(self, box: Footprint) -> float:
        """Score a place by how deep it is in a corner."""
        inner = self.occupancy.inner
        return -sum(min(v - low, high - v) for v, low, high in zip(
            (box.x, box.y), inner.low, inner.high, strict=True))

    def mid_wall(self, box: Footprint) -> float:
        """Score a place by its distance from the middle of its wall, and from doors."""
        x, y = self.occupancy.inner.middle
        side = abs((box.x - x) * math.sin(box.yaw_rad)) + abs((box.y - y) * math.cos(box.yaw_rad))
        return -0.6 * side + 0.25 * min(3.0, self.occupancy.near_door(box))

    def by_window(self, box: Footprint) -> float:
        """Score a place by its distance from the nearest window."""
        nearest = 9.0
        for span in self.windows():
            spot = self.occupancy.inner.against(span.side, (span.start + span.end) / 2,
                                             (0.01, 0.01, 0.01))
            nearest = min(nearest, math.hypot(spot.x - box.x, spot.y - box.y))
        return -0.5 * nearest

    def bright_corner(self, box: Footprint) -> float:
        """Score a place by how deep it is in a corner near a window."""
        return self.corner(box) + self.by_window(box)

    def near(self, thing: Standing) -> Score:
        """A score of places by their distance from a piece."""
        return lambda box: -math.hypot(box.x - thing.box.x, box.y - thing.box.y)

    def off_windows(self, box: Footprint) -> float:
        """Score a place by its distance from the windows, for tall pieces."""
        return -0.5 * self.by_window(box) + 0.5 * self.corner(box)

    def chairs(self, table: Standing, count: int) -> None:
        """Put chairs at the long sides of a table, then at its ends, facing it."""
        chair = self.draft.piece('chair')
        if chair is None:
            return
        depth, width = table.box.depth, table.box.width
        near = chair.size[0] / 2 - 0.14
        each = max(1, min(3, int((width - 0.1) / 0.6))) if count > 2 else 1
        lefts = [(k - (each - 1) / 2) * min(0.64, 0.88 * width / each) for k in range(each)]
        seats = [(side * (depth / 2 + near), left, math.pi if side > 0 else 0.0)
                 for left in lefts for side in (1, -1)]
        seats += [(0.0, side * (width / 2 + near), -side * math.pi / 2) for side in (1, -1)]
        put = 0
        for forward, left, turn in seats:
            x, y = table.box.point(forward, left)
            askew = float(self.rng.uniform(-0.12, 0.12))
            if put < count and self._tucked(chair, table, x, y,
                                            table.box.yaw_rad + turn + askew):
                put += 1

    def _tucked(self, chair: Piece, table: Standing, x: float, y: float, yaw: float) -> bool:
        """Put a chair whose seat reaches under a table."""
        depth, width, height = chair.size
        reach = 0.18
        back = Footprint(x - reach / 2 * math.cos(yaw), y - reach / 2 * math.sin(yaw),
                         depth - reach, width, yaw, 0.0, height)
        if back.meets(table.box) or not self.occupancy.put(back, tuck=True):
            return False
        self.stand(chair, Footprint(x, y, depth, width, yaw, 0.0, height))
        return True

    def choose(self, *kinds: str) -> str:
        """One of some kinds at random."""
        return pick(self.rng, kinds)

    def choose_yaw(self) -> float:
        """One of two directions along the walls."""
        return 0.0 if self.chance(0.5) else math.pi / 2
