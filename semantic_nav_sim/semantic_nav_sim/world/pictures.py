"""Drawn textures that are fitted to one surface: paintings, screens, book spines, rugs.

Each function returns an image, shape (rows, columns, 3), float 0 to 255, top row first.
"""

import math
from collections.abc import Callable

import numpy as np
from PIL import Image as PilImage
from PIL import ImageDraw

from semantic_nav_sim.world.description import Rgb
from semantic_nav_sim.world.textures import Image, fabric, noise

Picture = Callable[[], Image]


def _as_array(picture: PilImage.Image) -> Image:
    return np.asarray(picture, float)


def landscape(seed: int, size: int = 384, mirrored: bool = False) -> Image:
    """Hills under a sky, in haze."""
    cloud, ridge = noise(size, 1.6, seed), noise(size, 1.7, seed + 1)
    y = np.linspace(0, 1, size)[:, None]
    out = np.stack([(132 + 95 * y) + 0 * cloud, (172 + 58 * y) + 0 * cloud,
                    (222 + 20 * y) + 0 * cloud], 2)
    out += 20 * np.clip(cloud, -0.2, 2)[..., None] * (1 - y[..., None])
    colours = ((118, 142, 158), (96, 128, 108), (62, 100, 62), (92, 120, 58))
    for level, colour in enumerate(colours):
        crest = 0.46 + 0.13 * level + 0.05 * np.roll(ridge[0], 71 * level)
        mask = (y > crest[None, :])[..., None]
        out = np.where(mask, np.array(colour) + 9 * ridge[..., None], out)
    return np.clip(out[:, ::-1] if mirrored else out, 0, 255)


def abstract(seed: int, size: int = 384) -> Image:
    """Discs and bars in a few colours."""
    rng = np.random.default_rng(seed)
    palette = [(232, 222, 200), (196, 92, 60), (44, 74, 104), (226, 176, 72), (70, 110, 96)]
    picture = PilImage.new('RGB', (size, size), palette[0])
    draw = ImageDraw.Draw(picture)
    for _ in range(9):
        x, y, r = (int(v) for v in rng.integers(30, size - 30, 3))
        r = 18 + r // 4
        colour = palette[int(rng.integers(1, len(palette)))]
        if rng.random() < 0.6:
            draw.ellipse([x - r, y - r, x + r, y + r], fill=colour)
        else:
            draw.rectangle([x - r // 3, y - 2 * r, x + r // 3, y + 2 * r], fill=colour)
    return _as_array(picture)


def window_view() -> Image:
    """The view outside: bright, pale hills."""
    return np.clip(landscape(11, 512) * 0.82 + 58, 0, 255)


def book_spines(seed: int, columns: int = 768, rows: int = 256) -> Image:
    """A shelf full of books, seen from the front, before a dark back."""
    rng = np.random.default_rng(seed)
    picture = PilImage.new('RGB', (columns, rows), (44, 34, 26))
    draw = ImageDraw.Draw(picture)
    x = 3
    while x < columns - 20:
        width, high = int(rng.integers(16, 40)), int(rows * rng.uniform(0.66, 0.96))
        hue = np.array([(150, 52, 44), (46, 78, 122), (58, 100, 70), (206, 186, 142),
                        (94, 62, 92), (188, 126, 56), (70, 70, 76)][int(rng.integers(7))])
        colour = tuple(int(v) for v in np.clip(hue + rng.integers(-22, 22, 3), 0, 255))
        pale = tuple(min(255, v + 70) for v in colour)
        top = rows - high
        draw.rectangle([x, top, x + width - 2, rows], fill=colour)
        draw.rectangle([x + 3, top + 22, x + width - 6, top + 30], fill=pale)
        if rng.random() < 0.5:
            draw.rectangle([x + 3, rows - 48, x + width - 6, rows - 30], fill=pale)
        draw.line([x, top, x, rows], fill=tuple(v // 2 for v in colour), width=2)
        x += width + (int(rng.integers(12, 40)) if rng.random() < 0.08 else 0)
    return _as_array(picture)


def desktop_screen(columns: int = 512) -> Image:
    """A monitor with an editor on it."""
    rng = np.random.default_rng(1)
    rows = columns * 9 // 16
    picture = PilImage.new('RGB', (columns, rows), (26, 30, 40))
    draw = ImageDraw.Draw(picture)
    draw.rectangle([0, 0, columns, 16], fill=(58, 64, 80))
    draw.rectangle([0, 16, 92, rows], fill=(36, 42, 54))
    inks = ((134, 190, 240), (226, 192, 128), (150, 200, 130), (210, 210, 214))
    for line in range(18):
        x = 108 + 18 * int(rng.integers(0, 4))
        for _ in range(int(rng.integers(1, 5))):
            width = int(rng.integers(18, 80))
            draw.rectangle([x, 26 + 14 * line, x + width, 31 + 14 * line],
                           fill=inks[int(rng.integers(4))])
            x += width + 8
    return _as_array(picture)


def television_screen() -> Image:
    """A television in standby: dark, with the sky of a window in it."""
    y, x = np.mgrid[0:144, 0:256] / 256.0
    glow = np.clip(1.2 - 3 * np.abs(x - 0.3 + 0.4 * y), 0, 1)[..., None]
    return np.array([20.0, 22, 26]) + glow * np.array([22.0, 26, 32])


def clock_face(size: int = 192) -> Image:
    """A dial that shows ten past ten."""
    picture = PilImage.new('RGB', (size, size), (244, 243, 238))
    draw = ImageDraw.Draw(picture)
    middle = size / 2
    for hour in range(12):
        c, s = math.cos(hour * math.tau / 12), math.sin(hour * math.tau / 12)
        draw.line([middle + 0.36 * size * c, middle + 0.36 * size * s,
                   middle + 0.42 * size * c, middle + 0.42 * size * s], fill=(30, 30, 34), width=5)
    for angle, length, width in ((-150, 0.24, 7), (-30, 0.34, 5)):
        a = math.radians(angle)
        draw.line([middle, middle, middle + length * size * math.cos(a),
                   middle + length * size * math.sin(a)], fill=(30, 30, 34), width=width)
    return _as_array(picture)


def digital_clock() -> Image:
    """A red seven-segment display."""
    picture = PilImage.new('RGB', (128, 56), (16, 14, 16))
    draw = ImageDraw.Draw(picture)
    for x in (14, 40, 74, 100):
        draw.rectangle([x, 12, x + 14, 44], outline=(235, 58, 44), width=4)
    for y in (20, 34):
        draw.rectangle([62, y, 66, y + 4], fill=(235, 58, 44))
    return _as_array(picture)


def carton_label(text: str, ink: Rgb) -> Image:
    """A white carton with a word and a coloured foot."""
    picture = PilImage.new('RGB', (96, 192), (240, 243, 248))
    draw = ImageDraw.Draw(picture)
    draw.rectangle([0, 120, 96, 192], fill=ink)
    draw.text((16, 54), text, fill=ink, font_size=26)
    return _as_array(picture)


def book_cover(ground: Rgb, seed: int) -> Image:
    """A cover with a title block."""
    rng = np.random.default_rng(seed)
    picture = PilImage.new('RGB', (128, 176), ground)
    draw = ImageDraw.Draw(picture)
    pale = tuple(min(255, v + 90) for v in ground)
    draw.rectangle([16, 22, 112, 34], fill=pale)
    draw.rectangle([30, 42, 98, 48], fill=pale)
    x, y = (int(v) for v in rng.integers(40, 80, 2))
    draw.ellipse([x - 20, y + 30, x + 20, y + 70], fill=pale)
    return _as_array(picture)


def persian_rug() -> Image:
    """A red rug with a border and a field of lozenges."""
    size = 512
    y, x = np.mgrid[0:size, 0:size] / (size - 1.0)
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    red, cream = fabric((138, 48, 46), None, 1), fabric((222, 200, 158), None, 2)
    navy = fabric((44, 54, 92), None, 3)
    red, cream, navy = (np.tile(cloth, (2, 2, 1)) for cloth in (red, cream, navy))
    lozenge = (np.abs((x * 7) % 1 - 0.5) + np.abs((y * 7) % 1 - 0.5))
    out = np.where((lozenge < 0.16)[..., None], cream, red)
    out = np.where(((lozenge > 0.22) & (lozenge < 0.27))[..., None], navy, out)
    out = np.where((edge < 0.15)[..., None], navy, out)
    wave = np.abs(((x + y) * 22) % 1 - 0.5) < 0.2
    out = np.where(((edge > 0.06) & (edge < 0.11) & wave)[..., None], cream, out)
    out = np.where(((edge > 0.13) & (edge < 0.15))[..., None], cream, out)
    return np.where((edge < 0.025)[..., None], cream, out)


def modern_rug(ground: Rgb, line: Rgb, seed: int) -> Image:
    """A plain rug with a few lines across."""
    size = 256
    rng = np.random.default_rng(seed)
    out, lines = fabric(ground, None, seed), fabric(line, None, seed + 1)
    for start in rng.integers(8, size - 24, 6):
        out[int(start):int(start) + 7] = lines[int(start):int(start) + 7]
    return out


PICTURES: dict[str, Callable[..., Image]] = {
    picture.__name__: picture
    for picture in (window_view, landscape, abstract, book_spines, desktop_screen,
                    television_screen, clock_face, digital_clock, carton_label, book_cover,
                    persian_rug, modern_rug)}
