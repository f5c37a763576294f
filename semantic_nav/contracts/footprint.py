"""The outline of a robot on the floor, as Nav2 takes it."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import yaml
from numpy.typing import NDArray

from semantic_nav.contracts.errors import ConfigError

#: Nobody's robot reaches farther from its middle, in metres.
_MOST_M = 20.0
_LEAST_AREA_M2 = 1e-4


@dataclass(frozen=True)
class Footprint:
    """A polygon in base_link.

    Attributes:
        corners: x and y of each in metres, one after the other round it; three at least.
    """

    corners: tuple[tuple[float, float], ...]

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """From where to where each edge goes, shape (n, 2, 2)."""
        corners = np.array(self.corners)
        return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)

    @cached_property
    def inscribed_m(self) -> float:
        """How near the outline comes to the middle of the robot."""
        start, end = self.edges[:, 0], self.edges[:, 1]
        way = end - start
        share = np.clip(-(start * way).sum(axis=1) / (way * way).sum(axis=1), 0.0, 1.0)
        return float(np.hypot(*(start + share[:, None] * way).T).min())

    @cached_property
    def circumscribed_m(self) -> float:
        """How far it reaches from there."""
        return max(math.hypot(x, y) for x, y in self.corners)


@lru_cache
def footprint_of(text: str) -> Footprint | None:
    """Read a footprint as it stands in Nav2's parameters: '[[0.35, 0.25], [0.35, -0.25], ...]'.

    Args:
        text: corners in base_link in metres; empty for none.

    Raises:
        ConfigError: it is no polygon.
    """
    if not text.strip():
        return None
    try:
        corners = tuple((float(x), float(y)) for x, y in yaml.safe_load(text))
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise ConfigError(f'footprint {text!r}: write the corners in metres, as '
                          '[[0.35, 0.25], [0.35, -0.25], [-0.35, -0.25], [-0.35, 0.25]]'
                          ) from error
    fault = fault_of_corners(corners)
    if fault:
        raise ConfigError(f'footprint {text!r}: {fault}')
    return Footprint(corners)


def fault_of_corners(corners: tuple[tuple[float, float], ...]) -> str:
    """Return why some corners are no outline of a robot; empty where they are."""
    if not all(abs(value) <= _MOST_M for corner in corners for value in corner):
        return f'no corner lies farther than {_MOST_M:g} m away'
    if len(corners) < 3 or len(set(corners)) < len(corners) or _area_m2(corners) < _LEAST_AREA_M2:
        return 'a polygon has three corners or more, no two at one place, and an area'
    return ''


def _area_m2(corners: tuple[tuple[float, float], ...]) -> float:
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs)) / 2
