"""Whether what a last look shows is what was sought."""

import pytest

from semantic_nav.belief.confirm import found_before


@pytest.mark.parametrize(('away_m', 'deep_m', 'same'), [
    (0.45, 0.0, True), (0.55, 0.0, False), (0.55, 0.6, True), (0.65, 0.6, False)])
def test_thing_that_reaches_far_is_the_same_farther_off(
        away_m: float, deep_m: float, same: bool) -> None:
    """Of a wardrobe another look measures another part; its height tells nothing."""
    assert found_before((1.0, 2.0, 0.3), deep_m, [(9.0, 9.0, 0.0), (1.0 + away_m, 2.0, 1.9)]
                        ) is same
