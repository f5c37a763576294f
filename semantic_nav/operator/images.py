"""Encoding of pixels as image files."""

from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_JPEG_QUALITY = 80


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """RGBA pixels, shape (height, width, 4), as a PNG."""
    content = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels), 'RGBA').save(content, 'PNG', compress_level=3)
    return content.getvalue()


def jpeg_of(pixels: NDArray[np.uint8]) -> bytes:
    """RGB pixels, shape (height, width, 3), as a JPEG."""
    content = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(content, 'JPEG', quality=_JPEG_QUALITY)
    return content.getvalue()
