"""The shapes of base that a simulated robot can have, by their names."""

import math
import re
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.errors import ConfigError

#: Nav2 is told of a body that is larger by what its local costmap errs, about; by half a cell more
#: where it goes by the distance from the middle of a cell, not by the cells under an outline.
_ERROR_M, _HALF_CELL_M = 0.02, 0.025
_NAME = re.compile(r'round:(?P<radius>\d+(\.\d+)?)'
                   r'|rectangle:(?P<length>\d+(\.\d+)?)x(?P<width>\d+(\.\d+)?)')
_LEAST_M, _MOST_M = 0.05, 2.0


@dataclass(frozen=True)
class Shape:
    """The outline of a base on the floor.

    Attributes:
        radius_m: of the disc round its middle that holds it.
        corners: of its outline, x and y in base_link in metres; none of a round one.
        margin_m: Nav2 is told of a body that is larger by so much on all sides.
    """

    radius_m: float
    corners: tuple[tuple[float, float], ...] = ()
    margin_m: float = _ERROR_M

    @property
    def footprint(self) -> str:
        """What Nav2 and the verifier are told of its corners; empty for a round one."""
        grown = [[round(value + math.copysign(self.margin_m, value), 4) for value in corner]
                 for corner in self.corners]
        return str(grown) if grown else ''

    @property
    def nav2_radius_m(self) -> float:
        """What Nav2 is told of the radius of a round one."""
        return round(self.radius_m + self.margin_m, 4)

    @property
    def told(self) -> dict[str, Any]:
        """What the verifier is told of it, by the name of the parameter."""
        return {'footprint': self.footprint} if self.corners else {
            'robot_radius': self.nav2_radius_m}


#: The usual one, as all figures are of it where no other is named.
USUAL = Shape(0.20)


def shape_of(name: str) -> Shape:
    """Return a shape by its name.

    Args:
        name: as 'round:0.18', with the radius, or 'rectangle:0.7x0.5', with length and width, both
            in metres; base_link is its middle. Empty: the usual one.

    Raises:
        ConfigError: there is no such shape.
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
