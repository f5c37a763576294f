"""Poses that jump, and come back or not."""

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.mapper.displaced import Displaced


def displaced_after(*seen: tuple[float, float, float]) -> list[bool]:
    """Return whether each pose counts as displaced: seconds, x and y in metres."""
    follows, told = Displaced(), []
    for at_s, x, y in seen:
        follows.see(Pose2D(x, y, 0.0), round(at_s * NS_PER_S))
        told.append(follows.now)
    return told


def test_a_drive_is_no_jump() -> None:
    assert not any(displaced_after(*((0.2 * step, 0.12 * step, 0.0) for step in range(50))))
    assert not any(displaced_after((0.0, 0.0, 0.0), (2.0, 1.2, 0.0))), 'scans were lost'


def test_a_jump_counts_until_it_is_taken_back() -> None:
    assert displaced_after((0.0, 0.0, 0.0), (0.2, 0.8, 0.0), (3.0, 0.9, 0.0), (5.0, 1.2, 0.4),
                           (5.2, 0.4, 0.4)) == [False, True, True, True, False]
    assert displaced_after((0.0, 0.0, 0.0), (0.2, 0.8, 0.0), (0.4, 0.8, 0.8),
                           (0.6, 0.0, 0.1)) == [False, True, True, False]


def test_a_jump_that_lasts_was_the_truth_and_so_is_a_clock_set_back() -> None:
    assert displaced_after((0.0, 0.0, 0.0), (0.2, 0.8, 0.0), (15.1, 0.8, 0.0),
                           (15.3, 0.8, 0.0)) == [False, True, True, False]
    assert displaced_after((9.0, 0.0, 0.0), (9.2, 0.8, 0.0), (1.0, 0.8, 0.0))[-1] is False


def test_what_stays_unlike_the_map_is_taken_in_until_something_fits_again() -> None:
    follows = Displaced()

    def counts(at_s: float, *, fits: bool = False) -> bool:
        return follows.compare(fits, round(at_s * NS_PER_S))

    assert [counts(at_s) for at_s in (0.0, 5.0, 14.9)] == [False] * 3 and follows.now
    assert all(counts(at_s) for at_s in (15.0, 15.1, 30.0, 90.0)) and not follows.now
    assert counts(91.0, fits=True)
    assert not counts(91.1), 'that may be another matter'
