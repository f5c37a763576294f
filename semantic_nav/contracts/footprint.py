"""The outline of a robot on the floor, as Nav2 takes it."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import shapely
import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.polygon import Corners, is_simple, polygon_of

#: Nobody's robot reaches farther from its middle, in metres.
_MOST_M = 20.0
_LEAST_AREA_M2 = 1e-4


@dataclass(frozen=True)
class Footprint:
    """A polygon in base_link.

    Attributes:
        corners: x and y of each in metres, one after the other round it; three at least.
    """

    corners: Corners

    @cached_property
    def polygon(self) -> shapely.Polygon:
        """The same."""
        return polygon_of(self.corners)

    @cached_property
    def inscribed_m(self) -> float:
        """How near the outline comes to the middle of the robot."""
        return float(self.polygon.exterior.distance(shapely.Point(0.0, 0.0)))

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


def fault_of_corners(corners: Corners) -> str:
    """Return why some corners are no outline of a robot; empty where they are."""
    if not all(abs(value) <= _MOST_M for corner in corners for value in corner):
        return f'no corner lies farther than {_MOST_M:g} m away'
    if len(corners) < 3 or not is_simple(corners) or (
            shapely.Polygon(corners).area < _LEAST_AREA_M2):
        return ('a polygon has three corners or more, no two at one place, edges that do not '
                'cross, and an area')
    return ''
