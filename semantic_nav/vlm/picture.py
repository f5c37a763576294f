"""Camera pictures for the model: resized to its patch grid, as JPEG."""

import io
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from semantic_nav.contracts.hypothesis import Box
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import BadPicture
from semantic_nav.vlm.gate.boxes import BoxConvention

#: Edge of a patch in pixels, after the 2x2 merging of Qwen-VL.
PATCH_PX = 28
# A server enlarges or shrinks Qwen-VL pictures outside these bounds by itself, and boxes in pixels
# would then refer to an unknown size: llama.cpp's --image-min-tokens 1024, which Ollama sets for
# this family, and the 2 Mi pixels of Ollama's own image processor.
_MIN_PATCHES = 1024
_MAX_PATCHES = (2 << 20) // PATCH_PX**2
_JPEG_END = b'\xff\xd9'


@dataclass(frozen=True)
class Picture:
    """An encoded picture, ready to be sent.

    Attributes:
        jpeg: encoded picture.
        width_px: width of the original.
        height_px: height of the original.
        sent_width_px: width of the encoded picture.
        sent_height_px: height of the encoded picture.
    """

    jpeg: bytes
    width_px: int
    height_px: int
    sent_width_px: int
    sent_height_px: int


def decoded(data: bytes) -> NDArray[np.uint8]:
    """A compressed picture decoded: uint8, shape (height, width, 3), red first.

    Args:
        data: JPEG, PNG or another format that Pillow reads. Its orientation tag is ignored, since
            camera_info holds for the pixels as they are stored.

    Raises:
        ValueError: it is not a picture, is cut off or too large, or is a depth image.
    """
    try:
        with Image.open(io.BytesIO(data)) as picture:
            if picture.mode.startswith(('I', 'F')):
                raise ValueError('its greys have more than 8 bits, as those of depth have')
            return np.asarray(picture.convert('RGB'))
    except UnidentifiedImageError as error:
        raise ValueError(f'no picture can be read from {len(data)} bytes: they are neither JPEG '
                         'nor PNG nor of another kind that Pillow reads') from error
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f'no picture can be read from {len(data)} bytes: {error}') from error


def sent_size(width_px: int, height_px: int, long_side_px: int,
              boxes: BoxConvention) -> tuple[int, int]:
    """Width and height in pixels at which a picture is sent.

    Both are multiples of the patch size, with proportions as near to the original's as that
    allows. A small picture is not enlarged beyond the next multiple, except for boxes in pixels,
    which need a size that no server changes.
    """
    long_px, short_px = max(width_px, height_px), min(width_px, height_px)

    def short_patches(long_patches: int) -> int:
        return max(1, round(long_patches * short_px / long_px))

    wanted = min(round(long_side_px / PATCH_PX), -(-long_px // PATCH_PX))
    long_patches = max(1, wanted)
    if boxes is BoxConvention.PIXELS:
        while long_patches * short_patches(long_patches) < _MIN_PATCHES:
            long_patches += 1
        while long_patches * short_patches(long_patches) > _MAX_PATCHES:
            long_patches -= 1
    long_sent, short_sent = long_patches * PATCH_PX, short_patches(long_patches) * PATCH_PX
    return (long_sent, short_sent) if width_px >= height_px else (short_sent, long_sent)


def prepare(rgb: NDArray[np.uint8], config: HypothesisConfig,
            boxes: BoxConvention | None = None) -> Picture:
    """A picture resized and encoded.

    Args:
        rgb: shape (height, width, 3), uint8, red first.
        config: sizes and quality.
        boxes: box convention of the model; None for that of its name.

    Raises:
        ValueError: the picture is empty.
    """
    height_px, width_px = rgb.shape[:2]
    if height_px == 0 or width_px == 0:
        raise ValueError(f'a picture of {width_px} x {height_px} pixels')
    size = sent_size(width_px, height_px, config.image_long_side_px, boxes or config.boxes)
    return Picture(_encode(rgb, size, config.jpeg_quality), width_px, height_px, *size)


def crop(rgb: NDArray[np.uint8], box: Box, config: HypothesisConfig) -> Picture:
    """A part of a picture, encoded from the original pixels.

    Args:
        rgb: original picture, shape (height, width, 3), uint8, red first.
        box: part in per mille of the picture; at least one pixel is taken.
        config: sizes and quality.

    Raises:
        ValueError: the picture is empty.
    """
    height_px, width_px = rgb.shape[:2]
    if height_px == 0 or width_px == 0:
        raise ValueError(f'a picture of {width_px} x {height_px} pixels')
    left, right = _span(box[0], box[2], width_px)
    top, bottom = _span(box[1], box[3], height_px)
    part = rgb[top:bottom, left:right]
    # Boxes refer to the whole picture, so a server may change the size of this part.
    size = sent_size(right - left, bottom - top, config.image_long_side_px,
                     BoxConvention.PERMILLE)
    return Picture(_encode(part, size, config.jpeg_quality), right - left, bottom - top, *size)


def _span(low_permille: float, high_permille: float, length_px: int) -> tuple[int, int]:
    low = min(math.floor(low_permille * length_px / 1000), length_px - 1)
    return low, max(math.ceil(high_permille * length_px / 1000), low + 1)


def _encode(rgb: NDArray[np.uint8], size: tuple[int, int], quality: int) -> bytes:
    image = Image.fromarray(np.ascontiguousarray(rgb))
    if image.size != size:
        image = _resized(image, size)
    buffer = io.BytesIO()
    image.save(buffer, 'JPEG', quality=quality)
    return buffer.getvalue()


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """A picture at another size, in the colours that a JPEG keeps.

    JPEG keeps colour at half the resolution of brightness, so only brightness is interpolated.
    """
    brightness, *colours = image.convert('YCbCr').split()
    return Image.merge('YCbCr', (
        brightness.resize(size, Image.Resampling.BILINEAR),
        *(colour.resize(size, Image.Resampling.NEAREST) for colour in colours)))


def check_jpeg(jpeg: bytes) -> None:
    """Check that a picture is a complete JPEG.

    llama.cpp fills the missing part of a truncated JPEG with grey and answers without an error.

    Raises:
        BadPicture: it is not a JPEG, or is cut off.
    """
    try:
        Image.open(io.BytesIO(jpeg), formats=('JPEG',)).close()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadPicture(f'a picture of {len(jpeg)} bytes cannot be sent: {error}') from error
    if not jpeg.endswith(_JPEG_END):
        raise BadPicture(f'a picture of {len(jpeg)} bytes cannot be sent: its end is missing')
