"""Footprints as Nav2's parameters have them."""

import math

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.verify.config import VerifierConfig

RECTANGLE = '[[0.35, 0.25], [0.35, -0.25], [-0.35, -0.25], [-0.35, 0.25]]'


def test_rectangle() -> None:
    footprint = footprint_of(RECTANGLE)
    assert footprint is not None and footprint.corners[0] == (0.35, 0.25)
    assert footprint.inscribed_m == pytest.approx(0.25)
    assert footprint.circumscribed_m == pytest.approx(math.hypot(0.35, 0.25))


def test_base_link_need_not_be_its_middle() -> None:
    footprint = footprint_of('[[.1, .2], [.1, -.2], [-1., -.2], [-1., .2]]')
    assert footprint is not None
    assert footprint.inscribed_m == pytest.approx(0.1)
    assert footprint.circumscribed_m == pytest.approx(math.hypot(1.0, 0.2))


def test_none_is_no_footprint() -> None:
    assert footprint_of('') is footprint_of('  ') is None


@pytest.mark.parametrize('text', [
    '[[0.3, 0.2], [0.3, -0.2]]', '[[0, 0], [1, 1], [2, 2]]', '[]', 'wide', '[1, 2, 3]',
    '[[0.3, 0.2, 0.1], [0.3, -0.2, 0.1], [-0.3, -0.2, 0.1]]', '[[0.3, 0.2], [0.3, -0.2',
    '[[.nan, 0.2], [0.3, -0.2], [-0.3, 0.0]]', '[[350, 250], [350, -250], [-350, 0]]',
    '[[0.3, 0.2], [0.3, 0.2], [-0.3, -0.2], [-0.3, 0.2]]',
    '[[0.3, 0.2], [-0.3, -0.2], [0.3, -0.2], [-0.3, 0.3]]'])
def test_what_is_no_polygon_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match='footprint'):
        VerifierConfig(footprint=text)
