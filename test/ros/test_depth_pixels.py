"""Depth is read as drivers publish it, and refused where its unit or its packing spoils it."""

import struct
from typing import Any

import cv2
import numpy as np
import pytest
from sensor_msgs.msg import CompressedImage, Image

from semantic_nav.nodes.ros.depth_pixels import millimetres_of

WIDTH, HEIGHT = 8, 4
MM = np.arange(1000, 1000 + WIDTH * HEIGHT, dtype=np.uint16).reshape(HEIGHT, WIDTH)
MM[0, 0] = 0


def message(encoding: str, depth: np.ndarray, **fields: Any) -> Image:
    return Image(**{'height': HEIGHT, 'width': WIDTH, 'encoding': encoding,
                    'step': depth[0].nbytes, 'data': depth.tobytes(), **fields})


@pytest.mark.parametrize(('encoding', 'depth', 'fields'), [
    ('16UC1', MM, {}), ('16uc1', MM, {}), ('mono16', MM, {}), ('16UC1', MM, {'step': 0}),
    ('16UC1', MM.astype('>u2'), {'is_bigendian': 1}),
    ('16UC1', np.pad(MM, ((0, 0), (0, 3))), {}),
    ('32FC1', (MM + 0.5).astype(np.float32) / 1000, {}),
    ('32FC1', ((MM + 0.5) / 1000).astype('>f4'), {'is_bigendian': 1})])
def test_depth_is_read_in_each_encoding(encoding: str, depth: np.ndarray,
                                        fields: dict[str, Any]) -> None:
    read = millimetres_of(message(encoding, depth, **fields))
    assert read.dtype == np.uint16 and (read == MM).all()


def test_what_was_not_measured_is_nothing() -> None:
    metres = np.full((HEIGHT, WIDTH), 1.5, np.float32)
    metres[0, :6] = (np.nan, np.inf, -np.inf, -1.0, 65.535, 1e4)
    read = millimetres_of(message('32FC1', metres))
    assert (read[0, :6] == 0).all() and (read[1:] == 1500).all()
    assert not millimetres_of(message('32FC1', np.full_like(metres, np.nan))).any()


def test_largest_number_of_a_pixel_is_no_distance() -> None:
    filled = MM.copy()
    filled[0] = 65535
    for read in (millimetres_of(message('16UC1', filled)),
                 millimetres_of(compressed('16UC1; png compressed ', filled))):
        assert (read[0] == 0).all() and (read[1:] == MM[1:]).all()


def test_millimetres_in_the_place_of_metres_are_refused() -> None:
    with pytest.raises(ValueError, match='32FC1, which is in metres.*median of 1016.*16UC1'):
        millimetres_of(message('32FC1', MM.astype(np.float32)))


def compressed(told: str, picture: np.ndarray, kind: str = '.png',
               header: bytes = b'') -> CompressedImage:
    return CompressedImage(format=told, data=header + cv2.imencode(kind, picture)[1].tobytes())


@pytest.mark.parametrize('told', ['16UC1; compressedDepth', '16UC1; compressedDepth png'])
def test_png_of_compressed_depth_is_read(told: str) -> None:
    assert (millimetres_of(compressed(told, MM, header=struct.pack('<iff', 0, 0, 0))) == MM).all()
    assert (millimetres_of(compressed('16UC1; png compressed ', MM)) == MM).all()


def test_metres_of_compressed_depth_are_read() -> None:
    """As compressed_depth_image_transport rounds them (codec.cpp): by their inverse."""
    metres = np.linspace(0.5, 8.0, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH)
    scale = 100.0 * (100.0 + 1.0)
    shift = 1.0 - scale / 10.0
    packed = (scale / metres + shift).astype(np.uint16)
    packed[0, 0] = 0
    read = millimetres_of(compressed('32FC1; compressedDepth png', packed,
                                     header=struct.pack('<iff', 0, scale, shift)))
    assert read[0, 0] == 0
    np.testing.assert_allclose(read.ravel()[1:], metres.ravel()[1:] * 1000.0, rtol=0.01)


@pytest.mark.parametrize('spoilt', [
    compressed('16UC1; compressedDepth rvl', MM), compressed('16UC1; jpeg compressed',
                                                             (MM >> 8).astype(np.uint8), '.jpg'),
    CompressedImage(format='16UC1; compressedDepth png'),
    CompressedImage(format='16UC1; compressedDepth png', data=bytes(40)),
    compressed('16UC1; compressedDepth png', MM[..., None].repeat(3, axis=2),
               header=bytes(12))])
def test_depth_that_is_packed_otherwise_is_refused(spoilt: CompressedImage) -> None:
    with pytest.raises(ValueError, match='raw topic') as caught:
        millimetres_of(spoilt)
    assert repr(spoilt.format) in str(caught.value)
