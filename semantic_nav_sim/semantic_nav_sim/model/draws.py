"""Random numbers: most depend on a thing and a view, the rest on one picture.

So confusions persist as in reality. An object that looks like a bowl in one picture looks like a
bowl in the next picture from the same place. From elsewhere it may be recognised.
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
#: Bounds of the distance bins: two to a doubling from this distance on, in metres.
_NEAR_M, _BINS_A_DOUBLING = 0.5, 2.0
#: Size of the bins of bearings, of objects and of cameras.
_SECTOR_RAD = math.radians(30.0)
#: Edge of the floor squares that distinguish camera positions, in metres.
_FLOOR_M = 1.0


class Draws:
    """Random numbers for one picture, each by the name of its decision, whatever their order.

    Args:
        seed: of the model.
        persistence: share of the decisions that are equal in all pictures of a view, 0..1.
        picture: identifies the picture and the question.
    """

    def __init__(self, seed: int, persistence: float, picture: bytes = b'') -> None:
        self._seed, self._persistence = seed, persistence
        self._picture = hashlib.blake2b(picture, digest_size=16).digest()

    def uniform(self, what: str, thing: str = '', view: str = '') -> float:
        """A number of 0..1, equal for a thing in a view in most pictures.

        Args:
            what: name of the decision.
            thing: identity of the object; empty for the whole picture.
            view: cell from which it is seen.
        """
        name = f'{what}/{thing}/{view}'
        if self._fixed(f'stays/{name}') < self._persistence:
            return self._fixed(name)
        return self._number(name.encode(), self._picture)

    def steady(self, what: str, thing: str = '') -> float:
        """A number of 0..1, equal for a thing from all views."""
        return self._fixed(f'{what}/{thing}')

    def lasting(self, what: str, thing: str, view: str, share: float) -> float:
        """The number of `steady` for a share of the things, that of `uniform` for the others."""
        if self.steady(f'lasts/{what}', thing) < share:
            return self.steady(what, thing)
        return self.uniform(what, thing, view)

    def normal(self, what: str, thing: str = '', view: str = '') -> float:
        """A number like that of `uniform`, with a standard normal distribution."""
        return _NORMAL.inv_cdf(min(max(self.uniform(what, thing, view), 1e-9), 1.0 - 1e-9))

    def pick(self, choices: Sequence[T], what: str, thing: str = '', view: str = '') -> T:
        """One of several choices, equal for a thing in a view in most pictures."""
        return choices[int(self.uniform(what, thing, view) * len(choices))]

    def steady_pick(self, choices: Sequence[T], what: str, thing: str = '') -> T:
        """One of several choices, equal for a thing from all views."""
        return choices[int(self.steady(what, thing) * len(choices))]

    def _fixed(self, name: str) -> float:
        return self._number(name.encode(), b'')

    def _number(self, name: bytes, picture: bytes) -> float:
        head = f'{self._seed}/'.encode() + name + b'/'
        digest = hashlib.blake2b(head + picture, digest_size=8).digest()
        return (int.from_bytes(digest) >> (64 - _BITS)) / float(1 << _BITS)


def view_of_thing(distance_m: float, from_rad: float) -> str:
    """The cell from which an object is seen.

    Args:
        distance_m: from the camera.
        from_rad: direction from the object to the camera, in the map frame.
    """
    near = max(0, math.floor(_BINS_A_DOUBLING * math.log2(max(distance_m, _NEAR_M) / _NEAR_M)))
    return f'{near}:{_sector(from_rad)}'


def view_of_camera(x_m: float, y_m: float, yaw_rad: float) -> str:
    """The cell of a camera's pose in the map."""
    return f'{math.floor(x_m / _FLOOR_M)}:{math.floor(y_m / _FLOOR_M)}:{_sector(yaw_rad)}'


def _sector(angle_rad: float) -> int:
    return math.floor((angle_rad % math.tau) / _SECTOR_RAD)
