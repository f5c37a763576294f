"""The shapes of base that a simulated robot can have, by their names."""

import math
import re
from dataclasses import dataclass

from semantic_nav.contracts.errors import ConfigError

#: The usual one.
USUAL = 'round:0.2'
#: Nav2 is told of a body that is larger by so much on all sides, as robots are set up.
_MARGIN_M = 0.02
_NAME = re.compile(r'round:(?P<radius>\d+(\.\d+)?)'
                   r'|rectangle:(?P<length>\d+(\.\d+)?)x(?P<width>\d+(\.\d+)?)')
_LEAST_M, _MOST_M = 0.05, 2.0


@dataclass(frozen=True)
class Shape:
    """The outline of a base on the floor.

    Attributes:
        radius_m: of the disc round its middle that holds it.
        corners: of its outline, x and y in base_link in metres; none of a round one.
    """

    radius_m: float
    corners: tuple[tuple[float, float], ...] = ()

    @property
    def footprint(self) -> str:
        """What Nav2 and the verifier are told of its corners; empty for a round one."""
        grown = [[round(value + math.copysign(_MARGIN_M, value), 4) for value in corner]
                 for corner in self.corners]
        return str(grown) if grown else ''

    @property
    def nav2_radius_m(self) -> float:
        """What Nav2 is told of the radius of a round one."""
        return round(self.radius_m + _MARGIN_M, 4)


def shape_of(name: str) -> Shape:
    """Return a shape by its name.

    Args:
        name: as 'round:0.18', with the radius, or 'rectangle:0.7x0.5', with length and width, both
            in metres; base_link is its middle.

    Raises:
        ConfigError: there is no such shape.
    """
    match = _NAME.fullmatch(name)
    sizes = [float(size) for size in match.group('radius', 'length', 'width') if size] if (
        match) else []
    if not sizes or not all(_LEAST_M <= size <= _MOST_M for size in sizes):
        raise ConfigError(f'no body {name!r}: write round:RADIUS or rectangle:LENGTHxWIDTH in '
                          f'metres, {_LEAST_M:g} to {_MOST_M:g}')
    if len(sizes) == 1:
        return Shape(sizes[0])
    x, y = (size / 2 for size in sizes)
    return Shape(math.hypot(x, y), ((x, y), (x, -y), (-x, -y), (-x, y)))
