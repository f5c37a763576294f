"""The part of cv_bridge that needs no OpenCV.

Names, arguments and results are those of cv_bridge on ROS 2 Jazzy. Arrays are (rows, columns) for
one channel and (rows, columns, channels) for more. Conversions exist among rgb8, bgr8, rgba8,
bgra8 and mono8, and between 16UC1 and 32FC1; other pairs raise CvBridgeError.
"""

from __future__ import annotations

import array
import re
import sys

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import Image
from std_msgs.msg import Header

# Where red, green, blue (and alpha) stand in a pixel.
_COLOURS = {
    'rgb8': (0, 1, 2),
    'bgr8': (2, 1, 0),
    'rgba8': (0, 1, 2, 3),
    'bgra8': (2, 1, 0, 3),
}
_NAMED = {
    'rgb8': ('u1', 3),
    'bgr8': ('u1', 3),
    'rgba8': ('u1', 4),
    'bgra8': ('u1', 4),
    'mono8': ('u1', 1),
    'mono16': ('u2', 1),
}
_DEPTHS = {
    '8U': 'u1',
    '8S': 'i1',
    '16U': 'u2',
    '16S': 'i2',
    '32S': 'i4',
    '32F': 'f4',
    '64F': 'f8',
}
_DEPTH_NAMES = {dtype: name for name, dtype in _DEPTHS.items()}
_GENERIC = re.compile(r'(8U|8S|16U|16S|32S|32F|64F)(?:C([1-9][0-9]*))?')

# ITU-R BT.601 luma in 15-bit fixed point, the weights OpenCV uses.
_LUMA = np.array([9798, 19235, 3735], dtype=np.uint32)
_LUMA_SHIFT = 15


class CvBridgeError(TypeError):
    """An image cannot be converted."""


class CvBridge:
    """Converts images in both directions; it holds no state."""

    def encoding_to_dtype_with_channels(self, encoding: str) -> tuple[str, int]:
        """Tell how a pixel of an encoding is stored.

        Args:
            encoding: A name of sensor_msgs/image_encodings, such as rgb8 or 16UC1.

        Returns:
            The numpy type without byte order, such as 'uint16', and the number of channels.

        Raises:
            CvBridgeError: The encoding is not known.
        """
        code, channels = _layout(encoding)
        return np.dtype(code).name, channels

    def imgmsg_to_cv2(self, img_msg: Image, desired_encoding: str = 'passthrough') -> NDArray:
        """Make an array of an image message.

        Args:
            img_msg: The image; row padding (step) and byte order are honoured.
            desired_encoding: What to convert to; 'passthrough' keeps the message's encoding.

        Returns:
            Rows x columns (x channels), contiguous and in the machine's byte order. Without
            padding and conversion it shares the message's memory.

        Raises:
            CvBridgeError: The encoding is unknown, the conversion is not supported, or the
                message holds less data than its size says.
        """
        code, channels = _layout(img_msg.encoding)
        dtype = np.dtype(code).newbyteorder('>' if img_msg.is_bigendian else '<')
        pixel_bytes = dtype.itemsize * channels
        height, width, step = img_msg.height, img_msg.width, img_msg.step
        if step < width * pixel_bytes:
            raise CvBridgeError(
                f'a row of {width} pixels in {img_msg.encoding} takes {width * pixel_bytes} '
                f'bytes, but step is {step}'
            )
        needed = (height - 1) * step + width * pixel_bytes if height and width else 0
        if len(img_msg.data) < needed:
            raise CvBridgeError(
                f'{width}x{height} in {img_msg.encoding} with step {step} takes {needed} bytes, '
                f'but the message holds {len(img_msg.data)}'
            )
        if needed:
            image: NDArray = np.ndarray(
                shape=(height, width, channels),
                dtype=dtype,
                buffer=img_msg.data,
                strides=(step, pixel_bytes, dtype.itemsize),
            )
        else:
            image = np.empty((height, width, channels), dtype)
        if channels == 1:
            image = image[:, :, 0]
        image = np.ascontiguousarray(image, dtype=dtype.newbyteorder('='))
        if desired_encoding == 'passthrough':
            return image
        return _convert(image, img_msg.encoding, desired_encoding)

    def cv2_to_imgmsg(
        self, cvim: NDArray, encoding: str = 'passthrough', header: Header | None = None
    ) -> Image:
        """Make an image message of an array.

        Args:
            cvim: Rows x columns (x channels).
            encoding: What the array holds; nothing is converted. 'passthrough' names the layout
                only, such as 8UC3.
            header: The message's header.

        Returns:
            The message, without row padding.

        Raises:
            CvBridgeError: The array is not of that encoding, or is not an image.
        """
        if not isinstance(cvim, np.ndarray) or cvim.ndim not in (2, 3):
            raise CvBridgeError('an image is a numpy array of two or three dimensions')
        channels = 1 if cvim.ndim == 2 else cvim.shape[2]
        code = cvim.dtype.str[1:]
        if code not in _DEPTH_NAMES:
            raise CvBridgeError(f'no image encoding holds {cvim.dtype}')
        if encoding == 'passthrough':
            encoding = f'{_DEPTH_NAMES[code]}C{channels}'
        elif _layout(encoding) != (code, channels):
            raise CvBridgeError(
                f'{encoding} was asked for, but the array is {cvim.dtype} with {channels} channels'
            )
        message = Image()
        if header is not None:
            message.header = header
        message.height, message.width = cvim.shape[:2]
        message.encoding = encoding
        byte_order = cvim.dtype.byteorder
        message.is_bigendian = int(
            byte_order == '>' or (byte_order == '=' and sys.byteorder == 'big')
        )
        message.step = cvim.shape[1] * channels * cvim.dtype.itemsize
        data = array.array('B')
        data.frombytes(cvim.tobytes())
        message.data = data
        return message


def _layout(encoding: str) -> tuple[str, int]:
    """Return the numpy type code without byte order, and the number of channels."""
    if encoding in _NAMED:
        return _NAMED[encoding]
    match = _GENERIC.fullmatch(encoding)
    if match is None:
        raise CvBridgeError(f'image encoding {encoding!r} is not supported')
    return _DEPTHS[match[1]], int(match[2] or 1)


def _convert(image: NDArray, source: str, target: str) -> NDArray:
    if source == target:
        return image
    if source in _COLOURS and target in _COLOURS:
        return _reorder(image, _COLOURS[source], _COLOURS[target])
    if source in _COLOURS and target == 'mono8':
        rgb = image[:, :, list(_COLOURS[source][:3])]
        luma = rgb @ _LUMA + np.uint32(1 << (_LUMA_SHIFT - 1))
        return (luma >> np.uint32(_LUMA_SHIFT)).astype(np.uint8)
    if source == 'mono8' and target in _COLOURS:
        grey = np.repeat(image[:, :, np.newaxis], len(_COLOURS[target]), axis=2)
        grey[:, :, 3:] = 255
        return grey
    if (source, target) == ('16UC1', '32FC1'):
        return image.astype(np.float32)
    if (source, target) == ('32FC1', '16UC1'):
        # Rounded and saturated; what is not a number becomes 0, which depth images call unknown.
        rounded = np.rint(np.nan_to_num(image, nan=0.0, posinf=65535.0, neginf=0.0))
        return np.clip(rounded, 0, 65535).astype(np.uint16)
    if _layout(source) == _layout(target) and {source, target} - set(_NAMED):
        # A generic name and a colour of the same layout, such as 8UC3 and rgb8.
        return image
    raise CvBridgeError(f'no conversion from {source} to {target}')


def _reorder(image: NDArray, source: tuple[int, ...], target: tuple[int, ...]) -> NDArray:
    result = np.empty((*image.shape[:2], len(target)), np.uint8)
    for colour, place in enumerate(target):
        result[:, :, place] = image[:, :, source[colour]] if colour < len(source) else 255
    return result
