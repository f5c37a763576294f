"""Checks of a picture's content without a model: emptiness, and a fingerprint."""

import hashlib

import numpy as np
from numpy.typing import NDArray

#: Sampling step in pixels, a number that stripes seldom have.
_STEP = 7
#: Bounds of the shades of a picture that shows nothing: nearly all is darker, or brighter.
_DARK, _BRIGHT = 16, 252
#: Largest difference of the shades in an even picture; two such pictures may well be equal.
_EVEN = 2
#: Share of outlying pixels that is ignored, in percent: dead ones, a time stamp written in.
_OTHERWISE = 0.5


def fault_of_content(rgb: NDArray[np.uint8]) -> str:
    """Reason why a picture shows nothing, in words; empty if it shows something.

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
    """SHA-256 of a picture's pixels; empty for an even picture.

    Two pictures of a camera are never equal, because its pixels have noise.

    Args:
        rgb: shape (height, width, 3).
    """
    least, most = _shades(rgb)
    if (most - least).max() <= _EVEN:
        return ''
    return hashlib.sha256(np.ascontiguousarray(rgb).data).hexdigest()


def _shades(rgb: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The darkest and the brightest shade of each colour, without a few outlying pixels."""
    some = rgb[::_STEP, ::_STEP].reshape(-1, 3)
    least, most = np.percentile(some, (_OTHERWISE, 100.0 - _OTHERWISE), axis=0)
    return least, most
