"""What is decided for a thing and a view, and what for one picture."""

import pytest

from semantic_nav_sim.model.draws import Draws, view_of_camera, view_of_thing

PICTURES = [str(number).encode() for number in range(40)]
THINGS = [f'thing_{number}' for number in range(300)]


def drawn(persistence: float, thing: str, view: str = 'here', seed: int = 1) -> list[float]:
    return [Draws(seed, persistence, picture).uniform('missed', thing, view)
            for picture in PICTURES]


def test_all_stays_or_nothing_does() -> None:
    assert len(set(drawn(1.0, 'mug'))) == 1
    assert len(set(drawn(0.0, 'mug'))) == len(PICTURES)


@pytest.mark.parametrize('persistence', [0.3, 0.8])
def test_the_share_that_stays_is_that_of_the_profile(persistence: float) -> None:
    staying = sum(len(set(drawn(persistence, thing))) == 1 for thing in THINGS)
    assert staying / len(THINGS) == pytest.approx(persistence, abs=0.08)


def test_a_rate_is_the_same_however_much_stays() -> None:
    for persistence in (0.0, 0.8, 1.0):
        low = [one < 0.2 for thing in THINGS for one in drawn(persistence, thing)]
        assert sum(low) / len(low) == pytest.approx(0.2, abs=0.05)


def test_from_elsewhere_it_is_decided_anew() -> None:
    views = {drawn(1.0, 'mug', view)[0] for view in ('here', 'there', 'far')}
    assert len(views | {drawn(1.0, 'cup')[0], drawn(1.0, 'mug', seed=2)[0]}) == 5


def test_what_is_steady_depends_on_the_thing_alone() -> None:
    draws = [Draws(1, 0.0, picture) for picture in PICTURES]
    assert len({one.steady('colour', 'mug') for one in draws}) == 1
    assert len({one.steady_pick('abcdefgh', 'word', 'mug') for one in draws}) == 1
    assert len({one.pick('abcdefgh', 'word', 'mug', 'here') for one in draws}) > 3


def test_normal_numbers_are_normal() -> None:
    numbers = [Draws(1, 0.0, b'').normal('edge', thing) for thing in THINGS]
    assert sum(numbers) / len(numbers) == pytest.approx(0.0, abs=0.2)
    assert sum(abs(one) < 1.0 for one in numbers) / len(numbers) == pytest.approx(0.68, abs=0.1)


def test_views_of_a_camera() -> None:
    assert view_of_camera(1.2, 3.4, 0.1) == view_of_camera(1.8, 3.9, 0.4)
    assert len({view_of_camera(*pose) for pose in (
        (1.2, 3.4, 0.1), (2.2, 3.4, 0.1), (1.2, 2.4, 0.1), (1.2, 3.4, 1.1))}) == 4
    assert view_of_thing(0.1, 0.0) == view_of_thing(0.5, 0.0)
