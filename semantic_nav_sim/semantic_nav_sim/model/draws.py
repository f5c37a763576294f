"""Where chance comes from: most of it belongs to a thing and a view, the rest to one picture.

Real confusions stay: what looks like a bowl from here looks like a bowl in the next picture from
here too. From elsewhere it may be seen rightly.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeVar

T = TypeVar('T')
_BITS = 53
_NORMAL = NormalDist()
#: Distances are told apart by halves of a doubling from this one on, in metres.
_NEAR_M, _BINS_A_DOUBLING = 0.5, 2.0
#: Directions from which something is seen, and those in which a camera looks.
_SECTOR_RAD = math.radians(30.0)
#: Edge of the squares of floor that tell one point of view from another, in metres.
_FLOOR_M = 1.0


class Draws:
    """Numbers for one picture, each by what it decides; the order in which they come is nothing.

    Args:
        seed: of the model.
        persistence: share of the decisions that are the same in each picture of a view, 0..1.
        picture: what tells this picture, and the question, from others.
    """

    def __init__(self, seed: int, persistence: float, picture: bytes = b'') -> None:
        self._seed, self._persistence = seed, persistence
        self._picture = hashlib.blake2b(picture, digest_size=16).digest()

    def uniform(self, what: str, thing: str = '', view: str = '') -> float:
        """Return a number of 0..1, the same for a thing in a view in most pictures.

        Args:
            what: is decided.
            thing: identity of the object; empty for the whole picture.
            view: the cell from which it is seen.
        """
        name = f'{what}/{thing}/{view}'
        if self._fixed(f'stays/{name}') < self._persistence:
            return self._fixed(name)
        return self._number(name.encode(), self._picture)

    def steady(self, what: str, thing: str = '') -> float:
        """Return a number of 0..1 that is the same for a thing from wherever it is seen."""
        return self._fixed(f'{what}/{thing}')

    def lasting(self, what: str, thing: str, view: str, share: float) -> float:
        """Return the same as `steady` for a share of the things, as `uniform` for the others."""
        if self.steady(f'lasts/{what}', thing) < share:
            return self.steady(what, thing)
        return self.uniform(what, thing, view)

    def normal(self, what: str, thing: str = '', view: str = '') -> float:
        """Return the same as `uniform`, of the standard normal distribution."""
        return _NORMAL.inv_cdf(min(max(self.uniform(what, thing, view), 1e-9), 1.0 - 1e-9))

    def pick(self, choices: Sequence[T], what: str, thing: str = '', view: str = '') -> T:
        """Return one of several, the same for a thing in a view in most pictures."""
        return choices[int(self.uniform(what, thing, view) * len(choices))]

    def steady_pick(self, choices: Sequence[T], what: str, thing: str = '') -> T:
        """Return one of several, the same for a thing from wherever it is seen."""
        return choices[int(self.steady(what, thing) * len(choices))]

    def _fixed(self, name: str) -> float:
        return self._number(name.encode(), b'')

    def _number(self, name: bytes, picture: bytes) -> float:
        head = f'{self._seed}/'.encode() + name + b'/'
        digest = hashlib.blake2b(head + picture, digest_size=8).digest()
        return (int.from_bytes(digest) >> (64 - _BITS)) / float(1 << _BITS)


def view_of_thing(distance_m: float, from_rad: float) -> str:
    """Return the cell from which an object is seen.

    Args:
        distance_m: from the camera.
        from_rad: direction of the camera, seen from the object, in the map.
    """
    near = max(0, math.floor(_BINS_A_DOUBLING * math.log2(max(distance_m, _NEAR_M) / _NEAR_M)))
    return f'{near}:{_sector(from_rad)}'


def view_of_camera(x_m: float, y_m: float, yaw_rad: float) -> str:
    """Return the cell of a camera in the map that looks somewhere."""
    return f'{math.floor(x_m / _FLOOR_M)}:{math.floor(y_m / _FLOOR_M)}:{_sector(yaw_rad)}'


def _sector(angle_rad: float) -> int:
    return math.floor((angle_rad % math.tau) / _SECTOR_RAD)
