"""Pictures are read in whichever encoding of sensor_msgs a driver publishes them."""

import io
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as PilImage
from sensor_msgs.msg import CompressedImage, Image

from semantic_nav.nodes.ros.pixels import pixels_of

WIDTH, HEIGHT = 16, 8
#: Left red, right grey: where colours change places, or rows are shifted, it shows.
RGB = np.full((HEIGHT, WIDTH, 3), 100, np.uint8)
RGB[:, :8] = (200, 30, 60)
GREY = cv2.cvtColor(RGB, cv2.COLOR_RGB2GRAY)


def message(encoding: str, pixels: np.ndarray, **fields: Any) -> Image:
    return Image(**{'height': HEIGHT, 'width': WIDTH, 'encoding': encoding,
                    'step': pixels[0].nbytes, 'data': pixels.tobytes(), **fields})


def mosaic(upper: str, lower: str) -> np.ndarray:
    """Return a picture behind a filter of colours."""
    raw = np.empty((HEIGHT, WIDTH), np.uint8)
    for row, colours in enumerate((upper, lower)):
        for column, colour in enumerate(colours):
            raw[row::2, column::2] = RGB[row::2, column::2, 'rgb'.index(colour)]
    return raw


def yuv422(order: str) -> np.ndarray:
    """Return pairs of pixels with colours in common, in this order of bytes."""
    y, blue, red = GREY.astype(int), RGB[..., 2].astype(int), RGB[..., 0].astype(int)
    # The narrow range of video (ITU-R BT.601).
    part = {'y': 16 + y * 219 / 255, 'u': 128 + (blue - y) * 112 / 226,
            'v': 128 + (red - y) * 112 / 179}
    raw = np.empty((HEIGHT, WIDTH, 2), np.uint8)
    for at, name in enumerate(order):
        raw[:, at // 2::2, at % 2] = part[name][:, at // 2::2]
    return raw


def nv(order: str) -> np.ndarray:
    """Return brightness, and below it the colours of four pixels at a time."""
    planes = cv2.cvtColor(RGB, cv2.COLOR_RGB2YUV_I420)
    y, rest = planes[:HEIGHT], planes[HEIGHT:].reshape(2, -1)
    pair = np.stack([rest['uv'.index(name)] for name in order], axis=1)
    return np.concatenate([y, pair.reshape(-1, WIDTH)])


@pytest.mark.parametrize(('encoding', 'pixels'), [
    ('rgb8', RGB), ('RGB8', RGB), (' rgb8 ', RGB), ('8UC3', RGB), ('8uc3', RGB),
    ('bgr8', RGB[..., ::-1]), ('rgba8', np.dstack([RGB, GREY])),
    ('bgra8', np.dstack([RGB[..., ::-1], GREY])), ('rgb16', RGB.astype('<u2') << 8),
    ('bgra16', np.dstack([RGB[..., ::-1], GREY]).astype('<u2') << 8)], ids=str)
def test_colours_stay_as_they_are(encoding: str, pixels: np.ndarray) -> None:
    rgb = pixels_of(message(encoding, np.ascontiguousarray(pixels)))
    assert rgb.dtype == np.uint8 and (rgb == RGB).all()


@pytest.mark.parametrize(('encoding', 'raw', 'big'), [
    ('mono8', GREY, 0), ('8UC1', GREY, 0), ('mono16', GREY.astype('<u2') << 8, 0),
    ('Mono16', (GREY.astype('u2') << 8).astype('>u2'), 1)])
def test_greys_become_colours(encoding: str, raw: np.ndarray, big: int) -> None:
    assert (pixels_of(message(encoding, raw, is_bigendian=big)) == GREY[..., None]).all()


@pytest.mark.parametrize(('encoding', 'raw'), [
    ('bayer_rggb8', mosaic('rg', 'gb')), ('bayer_bggr8', mosaic('bg', 'gr')),
    ('bayer_gbrg8', mosaic('gb', 'rg')), ('bayer_grbg8', mosaic('gr', 'bg')),
    ('bayer_rggb16', mosaic('rg', 'gb').astype('<u2') << 8),
    ('uyvy', yuv422('uyvy')), ('yuv422', yuv422('uyvy')), ('yuyv', yuv422('yuyv')),
    ('yuv422_yuy2', yuv422('yuyv')), ('nv12', nv('uv')), ('nv21', nv('vu'))])
def test_colours_that_are_told_together_are_taken_apart(encoding: str, raw: np.ndarray) -> None:
    rgb = pixels_of(message(encoding, raw)).astype(int)
    # Where two colours meet a mosaic says little.
    np.testing.assert_allclose(rgb[2:-2, 2:6], RGB[2:-2, 2:6], atol=12)
    np.testing.assert_allclose(rgb[2:-2, 10:14], RGB[2:-2, 10:14], atol=12)


def test_padding_is_left_out_and_may_be_unsaid() -> None:
    padded = np.pad(RGB.reshape(HEIGHT, -1), ((0, 0), (0, 16)))
    assert (pixels_of(message('rgb8', padded)) == RGB).all()
    assert (pixels_of(message('rgb8', RGB, step=0)) == RGB).all()


@pytest.mark.parametrize(('encoding', 'fields'), [
    ('rgb8', {'data': bytes(100)}), ('rgb8', {'step': 20}), ('rgb8', {'width': 0}),
    ('rgb8', {'height': 0}), ('rgb8', {'step': 0, 'width': 1000}), ('nv12', {'data': bytes(128)}),
    ('uyvy', {'width': 15, 'step': 30}), ('nv12', {'width': 15, 'step': 15}),
    ('h264', {}), ('', {}), ('16UC1', {}), ('32FC1', {}), ('nv24', {}), ('rgb32', {})])
def test_what_is_no_picture_is_a_value_error(encoding: str, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match='.'):
        pixels_of(message(encoding, RGB, **fields))


def compressed(pixels: np.ndarray, kind: str) -> CompressedImage:
    packed = io.BytesIO()
    PilImage.fromarray(pixels).save(packed, kind)
    return CompressedImage(format=f'rgb8; {kind} compressed ', data=packed.getvalue())


def test_compressed_pictures_are_read_but_for_depth() -> None:
    assert (pixels_of(compressed(RGB, 'png')) == RGB).all()
    assert (pixels_of(compressed(GREY, 'png')) == GREY[..., None]).all()
    with pytest.raises(ValueError, match='depth'):
        pixels_of(compressed(GREY.astype(np.uint16), 'png'))
    with pytest.raises(ValueError, match='neither JPEG nor PNG'):
        pixels_of(CompressedImage(format='h264', data=bytes(50)))
