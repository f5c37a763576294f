"""Which picture of a camera answers a wish, and what is kept of it."""

import io

import numpy as np
import pytest
from PIL import Image

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import (
    MOST_LOOKS,
    CropPicture,
    PictureCropped,
    PictureFailed,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.picture import crop, prepare
from semantic_nav.vlm.picture_taker import PictureTaker

AFTER_NS = 20 * NS_PER_S
WISH = TakePicture('request-1', AFTER_NS, 2.0)
CONFIG = HypothesisConfig()


def shade(value: int) -> np.ndarray:
    return np.full((48, 64, 3), value, dtype=np.uint8)


def textured(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (48, 64, 3)).astype(np.uint8)


@pytest.fixture
def taker() -> PictureTaker:
    return PictureTaker(lambda rgb, boxes: prepare(rgb, CONFIG, boxes),
                        lambda rgb, box: crop(rgb, box, CONFIG), 'front')


def offered(taker: PictureTaker, stamp_ns: int, value: int = 90) -> Event | None:
    return taker.take(stamp_ns, 'camera', 'rgb8', lambda: shade(value))


def test_the_first_picture_taken_after_the_moment_answers(taker: PictureTaker) -> None:
    assert offered(taker, AFTER_NS + 1) is None, 'nobody wants one'
    taker.ask(WISH)
    assert offered(taker, AFTER_NS - 5) is None
    assert offered(taker, AFTER_NS) is None, 'it may show what was before'
    taken = offered(taker, AFTER_NS + 1, value=40)
    assert isinstance(taken, PictureTaken)
    assert (taken.request_id, taken.stamp_ns, taken.frame_id, taken.camera) == (
        'request-1', AFTER_NS + 1, 'camera', 'front')
    assert (taken.width_px, taken.height_px) == (64, 48)
    with Image.open(io.BytesIO(taken.jpeg)) as sent:
        assert sent.size == (taken.sent_width_px, taken.sent_height_px)
    assert offered(taker, AFTER_NS + 2) is None, 'one is enough'


def test_a_newer_wish_replaces_an_open_one(taker: PictureTaker) -> None:
    taker.ask(WISH)
    taker.ask(TakePicture('request-2', AFTER_NS, 2.0))
    assert taker.give_up(WISH, 'image') is None
    taken = offered(taker, AFTER_NS + 1)
    assert isinstance(taken, PictureTaken) and taken.request_id == 'request-2'


def test_a_wish_that_is_forgotten_gets_nothing(taker: PictureTaker) -> None:
    taker.ask(WISH)
    taker.forget()
    assert offered(taker, AFTER_NS + 1) is None
    assert taker.give_up(WISH, 'image') is None


@pytest.mark.parametrize(('stamp_ns', 'said'), [
    (None, 'no picture came on image within 2.0 s'), (AFTER_NS - NS_PER_S, '1.00 s older')])
def test_a_wish_without_a_picture_in_time_says_what_came(
        taker: PictureTaker, stamp_ns: int | None, said: str) -> None:
    taker.ask(WISH)
    if stamp_ns is not None:
        offered(taker, stamp_ns)
    failed = taker.give_up(WISH, 'image')
    assert isinstance(failed, PictureFailed) and said in failed.reason
    assert taker.give_up(WISH, 'image') is None
    assert offered(taker, AFTER_NS + 1) is None


@pytest.mark.parametrize(('stamp_ns', 'said'), [
    (0, 'the pictures on image were taken: its stamp is 0: let its driver stamp it'),
    (AFTER_NS - NS_PER_S, 'its stamp stands still at 19.0 s: let its driver stamp it')])
def test_stamps_that_tell_no_time_are_named(taker: PictureTaker, stamp_ns: int,
                                            said: str) -> None:
    taker.ask(WISH)
    for _ in range(3):
        assert offered(taker, stamp_ns) is None
    failed = taker.give_up(WISH, 'image')
    assert isinstance(failed, PictureFailed) and said in failed.reason
    taker.ask(WISH)
    offered(taker, AFTER_NS - NS_PER_S)
    failed = taker.give_up(WISH, 'image')
    assert isinstance(failed, PictureFailed) and '1.00 s older' in failed.reason


def test_stamps_since_the_start_of_the_camera_are_another_clock(taker: PictureTaker) -> None:
    wish = TakePicture('request-1', 1_800_000_000 * NS_PER_S, 2.0)
    taker.ask(wish)
    offered(taker, 5 * NS_PER_S)
    failed = taker.give_up(wish, 'image')
    assert isinstance(failed, PictureFailed) and 'use_sim_time' in failed.reason
    assert failed.reason.startswith('image has the time of a simulation')


def spoilt(taker: PictureTaker, stamp_ns: int, error: Exception) -> Event | None:
    def decode() -> np.ndarray:
        raise error

    return taker.take(stamp_ns, 'camera', 'bayer_rggb8', decode)


@pytest.mark.parametrize('error', [ValueError('no pixels'), TypeError('no pixels')])
def test_damaged_pictures_do_not_end_the_wish(taker: PictureTaker, error: Exception) -> None:
    taker.ask(WISH)
    assert spoilt(taker, AFTER_NS + 1, error) is None
    assert spoilt(taker, AFTER_NS + 2, error) is None
    taken = offered(taker, AFTER_NS + 3)
    assert isinstance(taken, PictureTaken) and taken.stamp_ns == AFTER_NS + 3


def test_wish_that_got_only_damaged_pictures_says_what_is_wrong_with_them(
        taker: PictureTaker) -> None:
    taker.ask(WISH)
    for later_ns in (1, 2):
        spoilt(taker, AFTER_NS + later_ns, ValueError('no pixels'))
    failed = taker.give_up(WISH, 'image')
    assert isinstance(failed, PictureFailed) and failed.request_id == 'request-1'
    assert failed.reason == ("of 2 pictures on image within 2.0 s none can be used; a picture in "
                             "'bayer_rggb8' cannot be used: no pixels")
    taker.ask(WISH)
    failed = taker.give_up(WISH, 'image')
    assert isinstance(failed, PictureFailed) and 'no picture came' in failed.reason


def test_pictures_that_show_nothing_are_passed_over_and_named(taker: PictureTaker) -> None:
    taker.ask(WISH)
    assert offered(taker, AFTER_NS + 1, value=0) is None
    failed = taker.give_up(WISH, 'image')
    assert isinstance(failed, PictureFailed) and 'it shows nothing: all of it is dark' in (
        failed.reason)


def test_a_picture_bears_what_is_the_same_for_equal_ones(taker: PictureTaker) -> None:
    pictures = []
    for rgb in (textured(0), textured(0), textured(1)):
        taker.ask(WISH)
        taken = taker.take(AFTER_NS + 1, 'camera', 'rgb8', lambda rgb=rgb: rgb)
        assert isinstance(taken, PictureTaken)
        pictures.append(taken.fingerprint)
    assert pictures[0] == pictures[1] != pictures[2]


def test_a_part_is_cut_only_of_the_pictures_given_lately(taker: PictureTaker) -> None:
    def asked(stamp_ns: int) -> Event:
        return taker.crop(CropPicture('crop-1', stamp_ns, (0, 0, 500, 500)))

    assert isinstance(asked(AFTER_NS + 1), PictureFailed)
    for later_ns in range(1, MOST_LOOKS + 2):
        taker.ask(WISH)
        offered(taker, AFTER_NS + later_ns)
    for later_ns in range(2, MOST_LOOKS + 2):
        part = asked(AFTER_NS + later_ns)
        assert isinstance(part, PictureCropped) and part.request_id == 'crop-1'
    assert isinstance(asked(AFTER_NS + 1), PictureFailed)
