"""What can be told of a picture without a model."""

import numpy as np
import pytest

from semantic_nav.vlm.content import fault_of_content, fingerprint


def shade(value: int) -> np.ndarray:
    return np.full((480, 640, 3), value, np.uint8)


def noisy(value: int, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0.0, 3.0, (480, 640, 3))
    return (shade(value) + noise).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(('picture', 'words'), [
    (shade(0), 'all of it is dark'), (noisy(4), 'all of it is dark'), (shade(255), 'white'),
    (shade(40), ''), (noisy(60), ''), (noisy(235), '')])
def test_picture_that_shows_nothing_is_named(picture: np.ndarray, words: str) -> None:
    fault = fault_of_content(picture)
    assert words in fault and bool(fault) is bool(words)


def test_a_lamp_in_the_dark_and_a_dark_thing_before_white_show_something() -> None:
    for ground, thing in ((shade(5), 200), (shade(255), 30)):
        ground[100:180, 300:380] = thing
        assert fault_of_content(ground) == ''


def test_dead_pixels_show_nothing() -> None:
    picture = shade(0)
    picture[::100, ::100] = 255
    assert fault_of_content(picture) != ''


def test_equal_pictures_have_one_fingerprint() -> None:
    assert fingerprint(noisy(90)) == fingerprint(noisy(90)) != ''
    assert fingerprint(noisy(90)) != fingerprint(noisy(90, seed=1))
    assert fingerprint(shade(90)) == '', 'two walls may be of one shade'
