"""By how much the front of a thing is nearer than its middle."""

import pytest

from semantic_nav.verify.grounding.extent import begins_before_m


@pytest.mark.parametrize(('sigma_m', 'from_x', 'from_y', 'before_m'), [
    ((0.03, 0.03, 0.05), 0.0, 0.0, 0.0),  # a mug
    ((0.577, 0.4, 0.1), 0.0, 0.0, 0.8),  # a bed of two metres, from its foot
    ((0.577, 0.4, 0.1), 3.0, 2.0, 0.493),  # from its side
    ((0.577, 0.4, 0.1), 3.0, 0.0, 0.0)])  # nowhere is before what is here
def test_front_is_nearer_than_the_middle_of_what_is_deep(
        sigma_m: tuple[float, float, float], from_x: float, from_y: float,
        before_m: float) -> None:
    found = begins_before_m(sigma_m, (3.0, 0.0, 0.5), from_x, from_y)
    assert found == pytest.approx(before_m, abs=1e-3)
