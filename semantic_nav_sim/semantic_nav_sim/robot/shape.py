"""The shapes of a simulated base, by name."""

import math
import re
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.errors import ConfigError

#: Margins of the body that Nav2 is told: the error of its local costmap, about, and half a cell
#: for a round body, for which it measures the distance from cell centres.
_ERROR_M, _HALF_CELL_M = 0.02, 0.025
_NAME = re.compile(r'round:(?P<radius>\d+(\.\d+)?)'
                   r'|rectangle:(?P<length>\d+(\.\d+)?)x(?P<width>\d+(\.\d+)?)')
_LEAST_M, _MOST_M = 0.05, 2.0


@dataclass(frozen=True)
class Shape:
    """The outline of a base on the floor.

    Attributes:
        radius_m: of the enclosing disc about its centre.
        corners: of its outline, x and y in base_link in metres; empty for a round base.
        margin_m: margin on all sides of the body that Nav2 is told.
    """

    radius_m: float
    corners: tuple[tuple[float, float], ...] = ()
    margin_m: float = _ERROR_M

    @property
    def footprint(self) -> str:
        """The footprint for Nav2 and the verifier; empty for a round base."""
        grown = [[round(value + math.copysign(self.margin_m, value), 4) for value in corner]
                 for corner in self.corners]
        return str(grown) if grown else ''

    @property
    def nav2_radius_m(self) -> float:
        """The radius of a round base for Nav2."""
        return round(self.radius_m + self.margin_m, 4)

    @property
    def told(self) -> dict[str, Any]:
        """The parameters of the verifier that describe the shape, by name."""
        return {'footprint': self.footprint} if self.corners else {
            'robot_radius': self.nav2_radius_m}


#: The default shape, for which all figures hold that name no other.
USUAL = Shape(0.20)


def shape_of(name: str) -> Shape:
    """Parse the name of a shape.

    Args:
        name: such as 'round:0.18', with the radius, or 'rectangle:0.7x0.5', with length and width,
            in metres; base_link is its centre. Empty: the default shape.

    Raises:
        ConfigError: the name is invalid.
    """
    if not name:
        return USUAL
    match = _NAME.fullmatch(name)
    sizes = [float(size) for size in match.group('radius', 'length', 'width') if size] if (
        match) else []
    if not sizes or not all(_LEAST_M <= size <= _MOST_M for size in sizes):
        raise ConfigError(f'no body {name!r}: write round:RADIUS or rectangle:LENGTHxWIDTH in '
                          f'metres, {_LEAST_M:g} to {_MOST_M:g}')
    if len(sizes) == 1:
        return Shape(sizes[0], margin_m=_ERROR_M + _HALF_CELL_M)
    x, y = (size / 2 for size in sizes)
    return Shape(math.hypot(x, y), ((x, y), (x, -y), (-x, -y), (-x, y)))
