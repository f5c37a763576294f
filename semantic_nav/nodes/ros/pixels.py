"""Pictures of cameras as arrays, from the encodings of sensor_msgs."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image

from semantic_nav.vlm.picture import decoded

#: Bytes of a pixel of each encoding with eight bits a colour, and OpenCV's conversion to RGB. The
#: order of colours in 8UC3 is not defined: red comes first here, as in rqt_image_view.
_COLOURS: dict[str, tuple[int, int | None]] = {
    'rgb8': (3, None), '8UC3': (3, None), 'bgr8': (3, cv2.COLOR_BGR2RGB),
    'rgba8': (4, cv2.COLOR_RGBA2RGB), 'bgra8': (4, cv2.COLOR_BGRA2RGB),
    'mono8': (1, cv2.COLOR_GRAY2RGB), '8UC1': (1, cv2.COLOR_GRAY2RGB),
    'bayer_rggb8': (1, cv2.COLOR_BayerRGGB2RGB), 'bayer_bggr8': (1, cv2.COLOR_BayerBGGR2RGB),
    'bayer_gbrg8': (1, cv2.COLOR_BayerGBRG2RGB), 'bayer_grbg8': (1, cv2.COLOR_BayerGRBG2RGB),
    'uyvy': (2, cv2.COLOR_YUV2RGB_UYVY), 'yuv422': (2, cv2.COLOR_YUV2RGB_UYVY),
    'yuyv': (2, cv2.COLOR_YUV2RGB_YUY2), 'yuv422_yuy2': (2, cv2.COLOR_YUV2RGB_YUY2),
    'nv12': (1, cv2.COLOR_YUV2RGB_NV12), 'nv21': (1, cv2.COLOR_YUV2RGB_NV21)}
#: Encodings with the colours, of four pixels at a time, below the plane of brightness.
_PLANES = ('nv12', 'nv21')


def encoding_of(message: Image) -> str:
    """Encoding of a picture as sensor_msgs spells it; drivers mistake the case."""
    encoding: str = message.encoding.strip()
    # Types are upper case, colours lower case.
    return encoding.upper() if encoding[:1].isdigit() else encoding.lower()


def rows_of(message: Image, channels: int, kind: type[np.generic], rows: int) -> NDArray[Any]:
    """Numbers of a picture, shape (rows, width, channels), without padding.

    Args:
        message: picture; without padding if its step is missing.
        channels: numbers per pixel.
        kind: type of the numbers.
        rows: rows of numbers.

    Raises:
        ValueError: there is no pixel, or too little data.
    """
    dtype = np.dtype(kind).newbyteorder('>' if message.is_bigendian else '<')
    least = message.width * channels * dtype.itemsize
    step = message.step or least
    if not (rows and message.width):
        raise ValueError(f'it has {message.width} x {message.height} pixels')
    if step < least:
        raise ValueError(f'its rows are said to take {step} bytes, and {message.width} pixels of '
                         f'{least // message.width} bytes take {least}: see its driver')
    if len(message.data) < (rows - 1) * step + least:
        raise ValueError(f'{message.width} x {message.height} pixels with a step of '
                         f'{message.step} do not go into {len(message.data)} bytes')
    picture: NDArray[Any] = np.ndarray(
        (rows, message.width, channels), dtype, message.data,
        strides=(step, channels * dtype.itemsize, dtype.itemsize))
    return np.ascontiguousarray(picture, dtype.newbyteorder('='))


def pixels_of(message: Image | CompressedImage) -> NDArray[np.uint8]:
    """Pixels of a picture, uint8, shape (height, width, 3), red first.

    Raises:
        ValueError: the message is no picture of colours or greys.
    """
    if isinstance(message, CompressedImage):
        return decoded(bytes(message.data))
    encoding = encoding_of(message)
    deep = encoding.endswith('16')
    channels, code = _COLOURS.get(f'{encoding[:-2]}8' if deep else encoding, (0, None))
    if not channels:
        raise ValueError(f'no picture of colours or greys comes so; {", ".join(_COLOURS)} do, '
                         'and those of 16 bits')
    pixels = rows_of(message, channels, np.uint16 if deep else np.uint8,
                     message.height * 3 // 2 if encoding in _PLANES else message.height)
    if deep:
        pixels = pixels >> 8
    rgb = pixels.astype(np.uint8, copy=False)
    try:
        return rgb if code is None else np.asarray(cv2.cvtColor(rgb, code), np.uint8)
    except cv2.error as error:
        raise ValueError(f'OpenCV does not convert it, for {error.err}') from error
