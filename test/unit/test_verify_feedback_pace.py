"""For how long a server that gives feedback may be silent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.verify.driving.feedback_pace import FeedbackPace

MOST_S = 1.0


def pace_of(*pauses_s: float) -> FeedbackPace:
    pace, now_s = FeedbackPace(MOST_S), 100.0
    pace.take(now_s)
    for pause_s in pauses_s:
        now_s += pause_s
        pace.take(now_s)
    return pace


def test_pace_is_known_only_after_a_while() -> None:
    assert FeedbackPace(MOST_S).silence_s == pace_of().silence_s == MOST_S
    assert pace_of(*[0.01] * 49).silence_s == MOST_S, 'it may have hurried at first'
    assert pace_of(*[0.01] * 51).silence_s == 0.5


@pytest.mark.parametrize(('pause_s', 'silence_s'), [
    (0.01, 0.5), (0.05, 0.5), (0.1, 0.5), (0.4, 0.8), (0.5, 1.0), (1.0, 1.0)])
def test_silence_of_a_server_is_judged_by_its_own_pace(pause_s: float, silence_s: float) -> None:
    assert pace_of(*[pause_s] * 150).silence_s == pytest.approx(silence_s)


def test_busy_machine_makes_it_patient() -> None:
    assert pace_of(*[0.01] * 150, 0.35, *[0.01] * 150).silence_s == pytest.approx(0.7)


def test_pace_of_one_goal_holds_for_the_next() -> None:
    pace = pace_of(*[0.01] * 150, 0.35)
    pace.begin()
    assert pace.silence_s == pytest.approx(0.7), 'so it does before the first feedback'
    pace.take(1000.0)
    pace.take(1000.01)
    assert pace.silence_s == pytest.approx(0.7), 'between two goals there is no pause'
    pace.begin()
    assert pace.silence_s == pytest.approx(0.5), 'a busy moment is forgotten'


@given(st.lists(st.floats(0.0, 10.0), max_size=60), st.floats(0.2, 60.0))
def test_silence_is_never_longer_than_allowed_and_never_within_the_pace(
        pauses_s: list[float], most_s: float) -> None:
    pace, now_s = FeedbackPace(most_s), 0.0
    for pause_s in pauses_s:
        now_s += pause_s
        pace.take(now_s)
    assert pace.silence_s <= most_s
    assert pace.silence_s >= min(most_s, max(pauses_s[1:], default=0.0))
