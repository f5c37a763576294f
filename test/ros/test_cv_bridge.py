"""cv_bridge, the real one or the stand-in: what goes in comes out."""

import array
import sys

import numpy as np
import pytest
from cv_bridge import CvBridge, CvBridgeError
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import Image
from std_msgs.msg import Header

ENCODINGS = {
    'rgb8': (np.uint8, 3),
    'bgr8': (np.uint8, 3),
    'rgba8': (np.uint8, 4),
    'bgra8': (np.uint8, 4),
    'mono8': (np.uint8, 1),
    '8UC1': (np.uint8, 1),
    '8UC3': (np.uint8, 3),
    'mono16': (np.uint16, 1),
    '16UC1': (np.uint16, 1),
    '32FC1': (np.float32, 1),
}
OTHER_ORDER = '>' if sys.byteorder == 'little' else '<'

bridge = CvBridge()


def picture(encoding: str, height: int = 5, width: int = 7) -> np.ndarray:
    dtype, channels = ENCODINGS[encoding]
    values = np.random.default_rng(1).integers(0, 255, (height, width, channels)).astype(dtype)
    return values[:, :, 0] if channels == 1 else values


def padded(message: Image, padding: int) -> Image:
    """Return the same picture with some bytes of rubbish after each row."""
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    rubbish = np.full((message.height, padding), 0xAB, np.uint8)
    return Image(
        height=message.height,
        width=message.width,
        encoding=message.encoding,
        is_bigendian=message.is_bigendian,
        step=message.step + padding,
        data=array.array('B', np.hstack([rows, rubbish]).tobytes()),
    )


@pytest.mark.parametrize('encoding', ENCODINGS)
def test_round_trip(encoding: str) -> None:
    header = Header(frame_id='camera')
    image = picture(encoding)
    message = bridge.cv2_to_imgmsg(image, encoding, header)
    assert (message.height, message.width, message.encoding) == (5, 7, encoding)
    assert message.step * message.height == len(message.data) == image.nbytes
    assert message.header == header
    assert not message.is_bigendian
    back = bridge.imgmsg_to_cv2(message)
    assert back.dtype == image.dtype
    np.testing.assert_array_equal(back, image)


@given(
    encoding=st.sampled_from(sorted(ENCODINGS)),
    height=st.integers(1, 9),
    width=st.integers(1, 9),
    padding_px=st.integers(0, 3),
)
def test_row_padding_is_skipped(encoding: str, height: int, width: int, padding_px: int) -> None:
    image = picture(encoding, height, width)
    pixel_bytes = image.nbytes // (height * width)
    message = padded(bridge.cv2_to_imgmsg(image, encoding), padding_px * pixel_bytes)
    np.testing.assert_array_equal(bridge.imgmsg_to_cv2(message), image)


@pytest.mark.parametrize('encoding', ['16UC1', '32FC1', 'mono16'])
def test_the_byte_order_of_the_message_counts(encoding: str) -> None:
    image = picture(encoding)
    message = bridge.cv2_to_imgmsg(image, encoding)
    message.data = array.array('B', image.astype(image.dtype.newbyteorder(OTHER_ORDER)).tobytes())
    message.is_bigendian = int(OTHER_ORDER == '>')
    np.testing.assert_array_equal(bridge.imgmsg_to_cv2(message), image)


def test_an_array_of_the_other_byte_order_says_so() -> None:
    image = picture('16UC1').astype(np.dtype(np.uint16).newbyteorder(OTHER_ORDER))
    message = bridge.cv2_to_imgmsg(image, '16UC1')
    assert bool(message.is_bigendian) == (OTHER_ORDER == '>')
    np.testing.assert_array_equal(bridge.imgmsg_to_cv2(message), image)


def test_a_view_is_sent_as_it_looks() -> None:
    image = picture('rgb8')[::2, ::-1]
    np.testing.assert_array_equal(bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(image, 'rgb8')), image)


def test_passthrough_names_the_layout() -> None:
    assert bridge.cv2_to_imgmsg(picture('rgb8')).encoding == '8UC3'
    assert bridge.cv2_to_imgmsg(picture('32FC1')).encoding == '32FC1'


@pytest.mark.parametrize('source', ['rgb8', 'bgr8', 'rgba8', 'bgra8'])
@pytest.mark.parametrize('target', ['rgb8', 'bgr8', 'rgba8', 'bgra8', 'mono8'])
def test_colours(source: str, target: str) -> None:
    colour = {'r': 250, 'g': 100, 'b': 30, 'a': 255}
    image = np.zeros((2, 3, len(source) - 1), np.uint8) + np.array(
        [colour[letter] for letter in source[:-1]], np.uint8
    )
    result = bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(image, source), target)
    if target == 'mono8':
        # ITU-R BT.601
        luma = 0.299 * colour['r'] + 0.587 * colour['g'] + 0.114 * colour['b']
        assert result.shape == (2, 3)
        np.testing.assert_allclose(result, luma, atol=1)
    else:
        np.testing.assert_array_equal(result[1, 2], [colour[letter] for letter in target[:-1]])


def test_grey_to_colour() -> None:
    image = picture('mono8')
    result = bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(image, 'mono8'), 'bgra8')
    np.testing.assert_array_equal(result[:, :, :3], np.dstack([image] * 3))
    assert (result[:, :, 3] == 255).all()


def test_white_stays_white() -> None:
    image = np.full((1, 1, 3), 255, np.uint8)
    assert bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(image, 'rgb8'), 'mono8')[0, 0] == 255


def test_depth_in_both_units_of_storage() -> None:
    millimetres = np.array([[0, 1, 65535]], np.uint16)
    as_float = bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(millimetres, '16UC1'), '32FC1')
    assert as_float.dtype == np.float32
    np.testing.assert_array_equal(as_float, millimetres)
    floats = np.array([[0.4, 1.6, 1e6, -3.0]], np.float32)
    as_integer = bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(floats, '32FC1'), '16UC1')
    np.testing.assert_array_equal(as_integer, [[0, 2, 65535, 0]])


@pytest.mark.parametrize(
    'change',
    [
        {'data': array.array('B', [0] * 10)},
        {'height': 4000},
        {'step': 3},
    ],
)
def test_a_message_that_lies_about_its_size_is_refused(change: dict[str, object]) -> None:
    message = bridge.cv2_to_imgmsg(picture('rgb8'), 'rgb8')
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(TypeError):
        bridge.imgmsg_to_cv2(message)


@pytest.mark.parametrize(
    ('image', 'encoding'),
    [
        (picture('rgb8'), 'mono8'),
        (picture('mono8'), 'rgb8'),
        (picture('32FC1'), '16UC1'),
    ],
)
def test_an_array_of_another_layout_is_refused(image: np.ndarray, encoding: str) -> None:
    with pytest.raises(CvBridgeError):
        bridge.cv2_to_imgmsg(image, encoding)


@pytest.mark.parametrize('encoding', ['', 'rgb', 'RGB8', '24UC1'])
def test_an_unknown_encoding_is_refused(encoding: str) -> None:
    message = bridge.cv2_to_imgmsg(picture('rgb8'), 'rgb8')
    message.encoding = encoding
    with pytest.raises(CvBridgeError):
        bridge.imgmsg_to_cv2(message)
    with pytest.raises(CvBridgeError):
        bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(picture('rgb8'), 'rgb8'), encoding)


def test_depth_does_not_become_colour() -> None:
    with pytest.raises(CvBridgeError):
        bridge.imgmsg_to_cv2(bridge.cv2_to_imgmsg(picture('32FC1'), '32FC1'), 'rgb8')
