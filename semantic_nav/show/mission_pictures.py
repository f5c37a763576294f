"""The pictures of a mission: the map from above, and the last camera picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import cos, hypot, sin
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.show.house import House

PATH = (29, 108, 222)
_PLACE = (20, 150, 90)
_REFUSED = (200, 40, 160)
TARGET = (220, 30, 30)
ROBOT = INK = (20, 20, 20)
PAPER = (255, 255, 255)
_SCALE_PX_PER_M = 90
#: Radius of the dot of a place, in px, and the least distance of two separate dots, in m.
_PLACE_PX = 7
_SPOT_M = (2 * _PLACE_PX + 2) / _SCALE_PX_PER_M
_LEGEND_PX = 92
_DOORWAY = (238, 230, 214)
#: Height of a room's name above its lower wall, in m.
_NAME_M = 0.25
#: Approximate number of looks that bear their number, and their least distance, in m.
_NUMBERS, _NUMBER_APART_M = 16, 0.35


@dataclass(frozen=True)
class MissionSketch:
    """The drawing over the world from above, in the map frame; the target may be missing.

    Attributes:
        looked_from: poses of the model's looks, the earliest first.
    """

    goal: str
    summary: str
    path: Sequence[Pose2D]
    places: Sequence[Pose2D]
    refused: Sequence[tuple[Pose2D, Code]]
    target: tuple[float, float] | None
    robot: Pose2D
    looked_from: Sequence[Pose2D] = ()
    house: House = House()


@dataclass(frozen=True)
class Overview:
    """The world from above: a picture, and the position of its lower left corner."""

    image: Image.Image
    origin_x_m: float
    origin_y_m: float
    resolution_m: float


class _Canvas:
    """A picture from above, with coordinates in m."""

    def __init__(self, overview: Overview) -> None:
        scale = overview.resolution_m * _SCALE_PX_PER_M
        size = (round(overview.image.width * scale), round(overview.image.height * scale))
        world = overview.image.resize(size, Image.Resampling.LANCZOS)
        world = Image.blend(world, Image.new('RGB', size, PAPER), 0.25)
        self.image = Image.new('RGB', (size[0], size[1] + _LEGEND_PX), PAPER)
        self.image.paste(world, (0, 0))
        self.draw = ImageDraw.Draw(self.image)
        self.height = size[1]
        self._origin = (overview.origin_x_m, overview.origin_y_m)

    def point(self, x: float, y: float) -> tuple[float, float]:
        return ((x - self._origin[0]) * _SCALE_PX_PER_M,
                self.height - (y - self._origin[1]) * _SCALE_PX_PER_M)

    def disc(self, x: float, y: float, radius_px: float, fill: tuple[int, int, int]) -> None:
        u, v = self.point(x, y)
        self.draw.ellipse((u - radius_px, v - radius_px, u + radius_px, v + radius_px),
                          fill=fill, outline=PAPER, width=2)

    def cross(self, x: float, y: float, radius_px: float, fill: tuple[int, int, int]) -> None:
        u, v = self.point(x, y)
        for sign in (-1, 1):
            self.draw.line((u - radius_px, v - sign * radius_px,
                            u + radius_px, v + sign * radius_px), fill=fill, width=4)

    def ring(self, x: float, y: float, radius_px: float, fill: tuple[int, int, int]) -> None:
        u, v = self.point(x, y)
        self.draw.ellipse((u - radius_px, v - radius_px, u + radius_px, v + radius_px),
                          outline=fill, width=4)

    def words(self, x: float, y: float, text: str, size: int, above_px: float = 0.0) -> None:
        """Write text around a point, readable over anything."""
        u, v = self.point(x, y)
        self.draw.text((u, v - above_px), text, fill=INK, font=font(size), anchor='ms',
                       stroke_width=3, stroke_fill=PAPER)

    def arrow(self, pose: Pose2D, length_m: float, fill: tuple[int, int, int]) -> None:
        tip, left, right = (_ahead(pose, length_m, 0.0), _ahead(pose, -length_m * 0.6, 0.16),
                            _ahead(pose, -length_m * 0.6, -0.16))
        self.draw.polygon([self.point(*tip), self.point(*left), self.point(*right)],
                          fill=fill, outline=PAPER)


def _ahead(pose: Pose2D, forward_m: float, left_m: float) -> tuple[float, float]:
    return (pose.x + forward_m * cos(pose.yaw) - left_m * sin(pose.yaw),
            pose.y + forward_m * sin(pose.yaw) + left_m * cos(pose.yaw))


def spots_of(places: Sequence[Pose2D]) -> list[Pose2D]:
    """The dots of places: those that would overlap share one."""
    spots: list[Pose2D] = []
    for place in places:
        if all(hypot(place.x - spot.x, place.y - spot.y) >= _SPOT_M for spot in spots):
            spots.append(place)
    return spots


def places_in_words(places: Sequence[Pose2D]) -> str:
    """The number of remembered places and of their dots, in words."""
    spots, count = len(spots_of(places)), len(places)
    words = f'{count} place{"s" * (count != 1)} remembered'
    return words if spots == count else f'{words} at {spots} spot{"s" * (spots != 1)}'


def draw_map(overview: Overview, sketch: MissionSketch, *, legend: bool = True) -> Image.Image:
    """The world from above: rooms, doorways, path, places, looks, refused goals, target."""
    canvas = _Canvas(overview)
    _draw_house(canvas, sketch.house)
    points = [canvas.point(pose.x, pose.y) for pose in sketch.path]
    if len(points) > 1:
        canvas.draw.line(points, fill=PAPER, width=9, joint='curve')
        canvas.draw.line(points, fill=PATH, width=5, joint='curve')
    if sketch.path:
        canvas.disc(sketch.path[0].x, sketch.path[0].y, 11, PATH)
    canvas.arrow(sketch.robot, 0.3, ROBOT)
    # Over start and robot, which are larger: every dot can be seen and counted.
    for spot in spots_of(sketch.places):
        canvas.disc(spot.x, spot.y, _PLACE_PX, _PLACE)
    for number, pose in _numbered(sketch.looked_from):
        canvas.words(pose.x, pose.y, f'{number}', 13, above_px=_PLACE_PX + 4)
    for goal, _ in sketch.refused:
        canvas.cross(goal.x, goal.y, 9, _REFUSED)
    if sketch.target is not None:
        canvas.ring(*sketch.target, 15, TARGET)
        canvas.disc(*sketch.target, 5, TARGET)
    if not legend:
        return canvas.image.crop((0, 0, canvas.image.width, canvas.height))
    _legend(canvas, sketch)
    return canvas.image


def _draw_house(canvas: _Canvas, house: House) -> None:
    for door in house.doorways:
        (left, low), (right, high) = canvas.point(door.x0, door.y0), canvas.point(door.x1, door.y1)
        canvas.draw.rectangle((left, high, right, low), fill=_DOORWAY)
    for room in house.rooms:
        canvas.words((room.x0 + room.x1) / 2, room.y0 + _NAME_M, room.name, 19)


def _numbered(looks: Sequence[Pose2D]) -> list[tuple[int, Pose2D]]:
    """The looks that bear their number: a few, spread over all, and no two in one place."""
    every = max(1, round(len(looks) / _NUMBERS))
    spots: list[tuple[int, Pose2D]] = []
    for index in range(0, len(looks), every):
        pose = looks[index]
        if all(hypot(pose.x - spot.x, pose.y - spot.y) >= _NUMBER_APART_M for _, spot in spots):
            spots.append((index + 1, pose))
    return spots


def _legend(canvas: _Canvas, sketch: MissionSketch) -> None:
    draw, top = canvas.draw, canvas.height
    draw.text((16, top + 10), f'“{sketch.goal}”', fill=ROBOT, font=font(22))
    draw.text((16, top + 38), sketch.summary, fill=(90, 90, 90), font=font(15))
    right, metre = canvas.image.width - 20, _SCALE_PX_PER_M
    draw.line((right - metre, top + 20, right, top + 20), fill=ROBOT, width=3)
    draw.text((right - metre / 2, top + 26), '1 m', fill=ROBOT, font=font(15), anchor='ma')
    u = 22.0
    for name, colour in (('start and path', PATH), ('remembered place', _PLACE),
                         *([('refused goal', _REFUSED)] if sketch.refused else []),
                         *([('target', TARGET)] if sketch.target is not None else []),
                         ('robot', ROBOT)):
        draw.ellipse((u - 6, top + 66, u + 6, top + 78), fill=colour)
        draw.text((u + 12, top + 63), name, fill=ROBOT, font=font(15))
        u += 40 + draw.textlength(name, font=font(15))
    draw.text((u - 6, top + 63), '1 2 3  looks, in their order', fill=ROBOT, font=font(15))


def draw_box(picture: Image.Image, box: Box | None, caption: str) -> Image.Image:
    """A camera picture with the target's box (per mille) and a caption below."""
    image = Image.new('RGB', (picture.width, picture.height + 34), PAPER)
    image.paste(picture, (0, 0))
    if box is not None:
        mark_box(image, box, (picture.width, picture.height))
    draw = ImageDraw.Draw(image)
    draw.text((10, picture.height + 8), caption, fill=ROBOT, font=font(15))
    return image


def mark_box(image: Image.Image, box: Box, size: tuple[int, int] | None = None) -> None:
    """Draw a box (per mille of a picture of that size, by default the image) on an image."""
    width, height = size or image.size
    x1, y1, x2, y2 = (value / 1000.0 * side for value, side in zip(
        box, (width, height) * 2, strict=True))
    draw = ImageDraw.Draw(image)
    draw.rectangle((x1 - 3, y1 - 3, x2 + 3, y2 + 3), outline=PAPER, width=5)
    draw.rectangle((x1 - 2, y1 - 2, x2 + 2, y2 + 2), outline=TARGET, width=3)


def save_picture(image: Image.Image, path: Path) -> None:
    """Write a picture as a PNG file, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    content = BytesIO()
    image.save(content, 'PNG')
    write_whole(path, content.getvalue())


def font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    """Pillow's built-in font, in a size in px."""
    return ImageFont.load_default(size)
