"""What can be told of a picture without a model: that it shows nothing, or what another one shows.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

#: Every so many pixels are looked at, a number that stripes seldom have.
_STEP = 7
#: Nearly all of a picture is darker, or brighter, where it shows nothing.
_DARK, _BRIGHT = 16, 252
#: Where shades differ by no more, two pictures of different places may well be alike.
_EVEN = 2
#: Share of the pixels, in percent, that may be otherwise: dead ones, the time of day written in.
_OTHERWISE = 0.5


def fault_of_content(rgb: NDArray[np.uint8]) -> str:
    """Return why nobody can see anything in a picture, in words; empty where one may.

    Args:
        rgb: shape (height, width, 3).
    """
    least, most = _shades(rgb)
    if most.max() <= _DARK:
        return 'it shows nothing: all of it is dark; see the light, the lens cap and the exposure'
    if least.min() >= _BRIGHT:
        return 'it shows nothing: all of it is white; see the exposure'
    return ''


def fingerprint(rgb: NDArray[np.uint8]) -> str:
    """Return what is the same for equal pictures, and for them alone; empty for an even one.

    Two pictures that a camera takes are never equal: its pixels have noise.

    Args:
        rgb: shape (height, width, 3).
    """
    least, most = _shades(rgb)
    if (most - least).max() <= _EVEN:
        return ''
    return hashlib.sha256(np.ascontiguousarray(rgb).data).hexdigest()


def _shades(rgb: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the darkest and the brightest shade of each colour, but for a few pixels."""
    some = rgb[::_STEP, ::_STEP].reshape(-1, 3)
    least, most = np.percentile(some, (_OTHERWISE, 100.0 - _OTHERWISE), axis=0)
    return least, most
