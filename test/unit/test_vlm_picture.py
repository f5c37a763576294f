"""Pictures on the patch grid."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import BadPicture
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.picture import PATCH_PX, check_jpeg, decoded, prepare, sent_size


@pytest.mark.parametrize(('size', 'long_side_px', 'sent'), [
    ((640, 480), 644, (644, 476)),
    ((480, 640), 644, (476, 644)),
    ((1920, 1080), 644, (644, 364)),
    ((320, 240), 644, (336, 252)),
    ((640, 480), 336, (336, 252)),
    ((20, 10), 644, (28, 28)),
])
def test_the_proportions_are_kept_and_nothing_is_blown_up(
        size: tuple[int, int], long_side_px: int, sent: tuple[int, int]) -> None:
    assert sent_size(*size, long_side_px, BoxConvention.PERMILLE) == sent


@pytest.mark.parametrize(('size', 'long_side_px', 'sent'), [
    ((640, 480), 644, (1036, 784)),
    ((1920, 1080), 644, (1204, 672)),
    ((640, 480), 1288, (1036, 784)),
    ((1600, 1600), 2016, (1428, 1428)),
])
def test_boxes_in_pixels_need_a_size_that_the_server_keeps(
        size: tuple[int, int], long_side_px: int, sent: tuple[int, int]) -> None:
    assert sent_size(*size, long_side_px, BoxConvention.PIXELS) == sent


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(56, 2016),
       st.sampled_from(list(BoxConvention)))
def test_every_size_is_on_the_grid(width: int, height: int, long_side_px: int,
                                   boxes: BoxConvention) -> None:
    sent = sent_size(width, height, long_side_px, boxes)
    assert all(side >= PATCH_PX and side % PATCH_PX == 0 for side in sent)
    patches = sent[0] * sent[1] // PATCH_PX ** 2
    aspect = max(width, height) / min(width, height)
    if boxes is BoxConvention.PIXELS and aspect < 10:
        assert 1024 <= patches <= 2674
    if max(sent) >= 560 and aspect < 4:
        assert abs(np.log((sent[0] / sent[1]) / (width / height))) < 0.12


def test_the_colours_stay_what_they_are() -> None:
    rgb = np.zeros((480, 640, 3), np.uint8)
    rgb[:, :320] = (200, 30, 30)
    rgb[:, 320:] = (30, 30, 200)
    picture = prepare(rgb, HypothesisConfig(vlm_backend='mock'))
    assert (picture.width_px, picture.height_px) == (640, 480)
    assert (picture.sent_width_px, picture.sent_height_px) == (644, 476)
    image = Image.open(io.BytesIO(picture.jpeg))
    assert (image.format, image.mode, image.size) == ('JPEG', 'RGB', (644, 476))
    for x, colour in ((100, (200, 30, 30)), (540, (30, 30, 200))):
        assert np.abs(np.asarray(image)[200, x].astype(int) - colour).max() < 12


def test_a_picture_may_be_a_view_of_another_array() -> None:
    bgr = np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8)
    config = HypothesisConfig(vlm_backend='mock')
    assert prepare(bgr[..., ::-1], config) == prepare(bgr[..., ::-1].copy(), config)


def jpeg(width_px: int = 640, height_px: int = 480) -> bytes:
    noise = np.random.default_rng(0).integers(0, 256, (height_px, width_px, 3), np.uint8)
    return prepare(noise, HypothesisConfig()).jpeg


def test_a_whole_picture_may_be_sent() -> None:
    check_jpeg(jpeg())
    check_jpeg(jpeg(1, 1))


@pytest.mark.parametrize('damage', [
    lambda data: b'', lambda data: b'no picture', lambda data: data[:2],
    lambda data: data[:len(data) // 2], lambda data: data[:-100], lambda data: data[:-4],
    lambda data: b'\x89PNG' + data])
def test_a_damaged_picture_is_refused(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(BadPicture, match='cannot be sent'):
        check_jpeg(damage(jpeg()))


def packed(kind: str, **how: object) -> bytes:
    picture = Image.new('RGB', (8, 4), (200, 30, 30))
    into = io.BytesIO()
    picture.save(into, kind, **how)
    return into.getvalue()


def test_a_compressed_picture_is_read_red_first_and_as_its_pixels_lie() -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # orientation: a quarter turn
    for data in (packed('png'), packed('jpeg'), packed('jpeg', exif=turned.tobytes())):
        rgb = decoded(data)
        assert (rgb.shape, rgb.dtype) == ((4, 8, 3), np.uint8)
        assert np.abs(rgb.astype(int) - (200, 30, 30)).max() < 12


@pytest.mark.parametrize('data', [b'', b'no picture', packed('png')[:40], packed('jpeg')[:-40]])
def test_what_is_no_picture_or_cut_off_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match='no picture can be read'):
        decoded(data)
