"""The footprint of a robot, in Nav2's form."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import shapely
import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.polygon import Corners, is_simple, polygon_of

#: Largest distance of a corner from base_link along an axis, in metres.
_MOST_M = 20.0
_LEAST_AREA_M2 = 1e-4


@dataclass(frozen=True)
class Footprint:
    """The footprint of a robot, a polygon in base_link.

    Attributes:
        corners: x and y in metres, in order around the polygon; three at least.
    """

    corners: Corners

    @cached_property
    def polygon(self) -> shapely.Polygon:
        """The footprint as a shapely polygon, prepared for many queries."""
        return polygon_of(self.corners)

    @cached_property
    def inscribed_m(self) -> float:
        """Inscribed radius: distance from base_link to the nearest point of the outline."""
        return float(self.polygon.exterior.distance(shapely.Point(0.0, 0.0)))

    @cached_property
    def circumscribed_m(self) -> float:
        """Circumscribed radius: distance from base_link to the farthest corner."""
        return max(math.hypot(x, y) for x, y in self.corners)


@lru_cache
def footprint_of(text: str) -> Footprint | None:
    """The footprint of Nav2's parameter: '[[0.35, 0.25], [0.35, -0.25], ...]'; None for none.

    Args:
        text: corners in base_link in metres; empty for none.

    Raises:
        ConfigError: it is not the outline of a robot.
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
    """Reason why some corners are not the outline of a robot; empty if they are."""
    if not all(abs(value) <= _MOST_M for corner in corners for value in corner):
        return f'no corner lies farther than {_MOST_M:g} m away'
    if len(corners) < 3 or not is_simple(corners) or (
            shapely.Polygon(corners).area < _LEAST_AREA_M2):
        return ('a polygon has three corners or more, no two at one place, edges that do not '
                'cross, and an area')
    return ''
