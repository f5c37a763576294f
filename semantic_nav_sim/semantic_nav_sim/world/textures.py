"""Procedural texture patterns. Each returns an image, shape (n, n, 3), float 0 to 255.

Patterns tile seamlessly (wood almost so) and depend only on their arguments. These are a main
colour, an optional second colour and a seed.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.world.description import Rgb

Image = NDArray[np.float64]
Pattern = Callable[[Rgb, Rgb | None, int], Image]


def noise(size: int, roughness: float, seed: int, stretch: tuple[float, float] = (1, 1)) -> Image:
    """Tiling 1/f noise.

    Args:
        size: edge in pixels.
        roughness: exponent of the spectrum's decay: 0 is white, 2 is cloudy.
        seed: of the noise.
        stretch: elongation of the shapes along rows and columns.

    Returns:
        Values of mean 0 and standard deviation 1, shape (size, size).
    """
    rng = np.random.default_rng(seed)
    fy = np.fft.fftfreq(size)[:, None] * stretch[0]
    fx = np.fft.rfftfreq(size)[None, :] * stretch[1]
    frequency = np.hypot(fx, fy)
    frequency[0, 0] = np.inf
    spectrum = np.fft.rfft2(rng.standard_normal((size, size))) / frequency ** roughness
    field: Image = np.fft.irfft2(spectrum, s=(size, size))
    return field / float(field.std())


def _colour(rgb: Rgb) -> Image:
    return np.array(rgb, float)[None, None, :]


def _shade(rgb: Rgb, field: Image, amount: float) -> Image:
    """The colour, made lighter and darker by a field of standard deviation 1."""
    return _colour(rgb) * (1 + amount * field[..., None])


def plain(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Lacquer, plastic, china: one colour with slight unevenness."""
    return _shade(rgb, noise(64, 1.0, seed), 0.012)


def plaster(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """A painted wall: soft clouds and the grain of the roller."""
    grain = noise(512, 0.35, seed + 1)
    return _shade(rgb, 0.014 * noise(512, 1.3, seed) + 0.016 * grain, 1.0)


def fabric(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """A woven cloth."""
    y, x = np.mgrid[0:256, 0:256]
    weave = np.sin(x * np.pi / 4) * np.sin(y * np.pi / 4)
    field = 0.07 * weave + 0.05 * noise(256, 0.3, seed) + 0.03 * noise(256, 1.2, seed + 1)
    return _shade(rgb, field, 1.0)


def stripes(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """A striped cloth."""
    second = rgb2 or (240, 238, 232)
    band = (np.arange(256) // 32 % 2)[None, :, None].astype(float)
    return fabric(rgb, None, seed) * band + fabric(second, None, seed) * (1 - band)


def carpet(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """A short pile."""
    return _shade(rgb, 0.085 * noise(512, 0.15, seed) + 0.03 * noise(512, 1.2, seed + 1), 1.0)


def leather(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Leather: fine cells, worn patches."""
    cells = np.abs(noise(256, 0.9, seed))
    return _shade(rgb, 0.05 * (cells - cells.mean()) + 0.04 * noise(256, 1.6, seed + 1), 1.0)


def _grain(size: int, seed: int) -> Image:
    """The grain of wood along the columns, values 0 to 1."""
    warp = noise(size, 1.8, seed, (1.0, 7.0))
    rows = np.linspace(0, 1, size, endpoint=False)[:, None]
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (9 * rows + 0.55 * warp))
    fibre = noise(size, 0.75, seed + 1, (1.0, 28.0))
    return np.clip(0.5 + 0.30 * (rings - 0.5) + 0.14 * fibre + 0.09 * warp, 0, 1)


def wood(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Veneer, the grain along the texture's first coordinate."""
    dark = rgb2 or (int(0.68 * rgb[0]), int(0.62 * rgb[1]), int(0.56 * rgb[2]))
    grain = _grain(512, seed)[..., None]
    return _colour(dark) * (1 - grain) + _colour(rgb) * grain


def planks(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """A floor of boards, eight rows in a tile, each of two lengths."""
    size, rows = 1024, 8
    rng = np.random.default_rng(seed)
    sheets = [wood(rgb, rgb2, seed + 10 * k) for k in range(3)]
    sheets = [np.tile(sheet, (2, 2, 1)) for sheet in sheets]
    out = np.empty((size, size, 3))
    high = size // rows
    for row in range(rows):
        seam = int(rng.integers(size))
        for start, length in ((seam, size // 2), (seam + size // 2, size // 2)):
            columns = np.arange(start, start + length) % size
            cut = rng.integers(0, size, 2)
            board = sheets[int(rng.integers(3))]
            board = np.roll(board, tuple(-cut), (0, 1))[:high, :length]
            tint = 1 + rng.uniform(-0.13, 0.09)
            out[row * high:(row + 1) * high, columns] = board * tint
            out[row * high:(row + 1) * high, columns[:2]] *= 0.55
        out[row * high:row * high + 2] *= 0.55
    return out


def tiles(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Square tiles, four by four, with joints of the second colour."""
    size, count, joint = 512, 4, 5
    rng = np.random.default_rng(seed)
    out = _shade(rgb, 0.025 * noise(size, 1.3, seed), 1.0)
    edge = size // count
    tint = np.kron(1 + rng.uniform(-0.035, 0.035, (count, count)), np.ones((edge, edge)))
    out *= tint[..., None]
    line = np.arange(size) % edge < joint
    out[line] = _colour(rgb2 or (170, 168, 162))[0]
    out[:, line] = _colour(rgb2 or (170, 168, 162))[0]
    return out


def brushed(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Brushed metal."""
    return _shade(rgb, noise(256, 0.3, seed, (1.0, 40.0)), 0.03)


def marble(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Stone with veins of the second colour."""
    vein = np.exp(-np.abs(noise(512, 1.5, seed)) * 9)[..., None]
    cloud = 0.5 + 0.1 * noise(512, 1.5, seed + 1)[..., None]
    mixed = np.clip(0.55 * vein + 0.25 * (cloud - 0.5), 0, 1)
    return _colour(rgb) * (1 - mixed) + _colour(rgb2 or (120, 118, 116)) * mixed


def wicker(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """Basketwork."""
    y, x = np.mgrid[0:256, 0:256]
    strand = np.where((x // 32 + y // 16) % 2, np.sin(np.pi * (x % 32) / 32),
                      np.sin(np.pi * (y % 16) / 16))
    return _shade(rgb, 0.55 * (strand - 0.6) + 0.05 * noise(256, 0.4, seed), 1.0)


def foliage(rgb: Rgb, rgb2: Rgb | None = None, seed: int = 0) -> Image:
    """A leaf with a pale rib along the middle."""
    across = np.abs(np.linspace(-1, 1, 128))[:, None]
    rib = np.exp(-(across / 0.06) ** 2)
    field = 0.10 * noise(128, 0.9, seed) + 0.35 * rib - 0.12 * across
    return _shade(rgb, field, 1.0)


PATTERNS: dict[str, Pattern] = {
    pattern.__name__: pattern
    for pattern in (plain, plaster, fabric, stripes, carpet, leather, wood, planks, tiles,
                    brushed, marble, wicker, foliage)}
