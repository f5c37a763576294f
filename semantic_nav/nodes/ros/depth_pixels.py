"""Depth as cameras publish it, raw or losslessly compressed, in millimetres."""

import struct

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image

from semantic_nav.nodes.ros.pixels import encoding_of, rows_of

#: Encodings of depth: two in millimetres, the last in metres.
_ENCODINGS = ('16UC1', 'mono16', '32FC1')
#: Largest median of a depth picture, in m; a larger one is in millimetres.
_MOST_M = 200.0
_FLOAT = '32FC1'
#: Header before the PNG of compressed_depth_image_transport: number of its format, and the two
#: parameters by which inverse metres were quantised.
_HEADER = struct.Struct('<iff')
#: Largest pixel value: no distance, but for many drivers the mark of a missing one.
_NO_MM = np.iinfo(np.uint16).max


def millimetres_of(message: Image | CompressedImage) -> NDArray[np.uint16]:
    """Depth as in REP 118 (float metres, or integer millimetres) in uint16 mm, 0 if not measured.

    Args:
        message: if compressed, a PNG of compressed_image_transport or of
            compressed_depth_image_transport.

    Raises:
        ValueError: the message is no depth picture.
    """
    if isinstance(message, CompressedImage):
        return _unpacked(message)
    encoding = encoding_of(message)
    if encoding not in _ENCODINGS:
        raise ValueError(f'it comes as {message.encoding!r} and not as one of '
                         f'{", ".join(_ENCODINGS)}')
    kind = np.float32 if encoding == _FLOAT else np.uint16
    try:
        depth = rows_of(message, 1, kind, message.height)[..., 0]
    except ValueError as error:
        raise ValueError(f'it comes as {message.encoding}, but {error}') from error
    return _without_fill(depth) if kind is np.uint16 else _of_metres(depth)


def _of_metres(metres: NDArray[np.floating]) -> NDArray[np.uint16]:
    measured = metres[np.isfinite(metres) & (metres > 0.0)]
    if measured.size and float(np.median(measured)) > _MOST_M:
        raise ValueError(f'it comes as {_FLOAT}, which is in metres (REP 118), with a median of '
                         f'{np.median(measured):.0f}: millimetres are to be published as 16UC1')
    told = np.nan_to_num(metres.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0) * 1000.0
    return np.where(told < _NO_MM, told.clip(0.0), 0.0).astype(np.uint16)


def _without_fill(depth: NDArray[np.uint16]) -> NDArray[np.uint16]:
    return np.where(depth == _NO_MM, np.uint16(0), depth)


def _unpacked(message: CompressedImage) -> NDArray[np.uint16]:
    told, data = message.format, bytes(message.data)
    by_transport = 'compressedDepth' in told
    packed = data[_HEADER.size:] if by_transport else data
    picture = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_UNCHANGED) if (
        packed) else None
    if picture is None or picture.dtype != np.uint16 or picture.ndim != 2:
        raise ValueError(f'it comes as {told!r} in {len(data)} bytes, which hold no PNG with 16 '
                         'bits: name the raw topic, or set the format of the transport to png')
    if not (by_transport and told.startswith(_FLOAT)):
        return _without_fill(picture)
    _, scale, shift = _HEADER.unpack_from(data)
    with np.errstate(divide='ignore', invalid='ignore'):
        return _of_metres(np.where(picture > 0, scale / (picture - np.float64(shift)), 0.0))
