"""The index of places: what it holds, its order, and what lies near a pose."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from ranked_places import DIMENSION, make_place, unit

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.memory.place import MAX_SUMMARY_NAMES, Place, phrases, summarise, vector_of
from semantic_nav.memory.place_index import PlaceIndex


def make_index(*places: tuple[Place, NDArray[np.float32] | None]) -> PlaceIndex:
    index = PlaceIndex(DIMENSION, lambda place: place.tags)
    for place, vector in places:
        index.put(place)
        if vector is not None:
            index.set_vector(place.id, vector)
    return index


def test_a_changed_place_has_its_new_words_and_loses_its_vector() -> None:
    index = make_index((make_place('a', ['mug']), unit(1)))
    index.put(make_place('a', ['bed']))
    assert index.vector('a') is None and not index.has_vector.any()
    assert index.unembedded == [make_place('a', ['bed'])]
    assert index.overlaps(['mug']).tolist() == [0]
    assert index.overlaps(['bed']).tolist() == [1]
    assert len(index) == 1


def test_word_that_was_asked_for_is_found_in_places_that_come_later_and_not_in_changed_ones(
        ) -> None:
    index = make_index((make_place('place-s-1', ['mug']), None))
    assert index.overlaps(['mug']).tolist() == [1.0]
    index.put(make_place('place-s-2', ['mug']))
    assert index.overlaps(['mug']).tolist() == [1.0, 1.0]
    index.put(make_place('place-s-1', ['bed']))
    assert index.overlaps(['mug']).tolist() == [0.0, 1.0]


def test_a_place_seen_again_without_change_keeps_its_vector() -> None:
    index = make_index((make_place('a', ['mug']), unit(1)))
    index.put(make_place('a', ['mug']))
    assert np.array_equal(index.vector('a'), unit(1))  # type: ignore[arg-type]


def test_what_is_missing_counts_as_zero() -> None:
    index = make_index((make_place('a', ['mug']), None), (make_place('b', ['bed']), unit(-1)))
    assert index.cosines(unit(1)).tolist() == [0, -1]
    assert index.cosines(None).tolist() == [0, 0]
    assert index.overlaps([]).tolist() == [0, 0]
    assert index.overlaps(['mug', 'bed', 'cup']).tolist() == pytest.approx([1 / 3, 1 / 3])


def best(ids: Sequence[str], scores: Sequence[float], limit: int,
         excluded: Sequence[str] = ()) -> list[str]:
    index = make_index(*((make_place(one), None) for one in ids))
    rows = index.best(np.array(scores), limit, np.ones(len(ids), bool), excluded)
    return [index.places[row].id for row in rows]


@pytest.mark.parametrize(('ids', 'ordered'), [
    (['place-s-10', 'place-s-9', 'place-s-100', 'place-s-1'],
     ['place-s-1', 'place-s-9', 'place-s-10', 'place-s-100']),
    (['10', '9', '2'], ['2', '9', '10']),
    (['place-s-2', 'place-s-a', 'place-s-1'], ['place-s-1', 'place-s-2', 'place-s-a']),
    # The session's name begins with the date: the older place first.
    (['place-20260202T080000-aa-2', 'place-20260101T080000-bb-10', 'place-20260202T080000-aa-1',
      'place-20260101T080000-bb-9'],
     ['place-20260101T080000-bb-9', 'place-20260101T080000-bb-10', 'place-20260202T080000-aa-1',
      'place-20260202T080000-aa-2'])])
@pytest.mark.parametrize('limit', [1, 2, 3, 4, 9])
def test_equal_scores_are_ordered_by_the_number_of_the_id(
        ids: list[str], ordered: list[str], limit: int) -> None:
    assert best(ids, [0.5] * len(ids), limit) == ordered[:limit]


def test_a_session_that_comes_later_finds_its_place_in_the_order() -> None:
    index = make_index((make_place('place-b-1'), None))
    everything = np.ones(1, bool)
    assert index.best(np.zeros(1), 5, everything) == [0]
    index.put(make_place('place-a-2'))
    assert index.best(np.zeros(2), 5, np.ones(2, bool)) == [1, 0]


def test_the_best_come_first_and_what_is_excluded_not_at_all() -> None:
    ids = ['p-1', 'p-2', 'p-3', 'p-4']
    assert best(ids, [0.1, 0.4, 0.3, 0.4], 3) == ['p-2', 'p-4', 'p-3']
    assert best(ids, [0.1, 0.4, 0.3, 0.4], 3, ['p-2', 'gone']) == ['p-4', 'p-3', 'p-1']
    assert best([], [], 3) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from('ab'), st.integers(0, 300)),
                unique_by=lambda one: one[1:], max_size=60), st.integers(1, 20))
def test_the_order_is_that_of_a_plain_sort(
        places: list[tuple[int, str, int]], limit: int) -> None:
    ids = [f'place-{session}-{number}' for _, session, number in places]
    found = best(ids, [score / 4 for score, _, _ in places], limit)
    assert found == [f'place-{session}-{number}' for _, session, number in sorted(
        places, key=lambda one: (-one[0], *one[1:]))[:limit]]


angles = st.floats(-math.pi, math.pi)
poses = st.builds(Pose2D, st.floats(-3, 3), st.floats(-3, 3), angles)


@given(st.lists(poses, max_size=100), poses, st.floats(0, 3), angles.map(abs))
def test_near_are_those_within_both_limits_nearest_first(
        places: list[Pose2D], pose: Pose2D, distance_m: float, turn_rad: float) -> None:
    index = make_index(*((make_place(f'p{number:03}', pose=place), None)
                         for number, place in enumerate(places)))
    found = index.near(pose, distance_m, turn_rad)
    away = [pose.distance_to(place.pose.x, place.pose.y) for place in found]
    assert away == pytest.approx(sorted(away))
    slack = 1e-9
    for number, place in enumerate(places):
        turn = abs(wrap_angle(place.yaw - pose.yaw))
        inside = (pose.distance_to(place.x, place.y) < distance_m - slack
                  and turn < turn_rad - slack)
        outside = (pose.distance_to(place.x, place.y) > distance_m + slack
                   or turn > turn_rad + slack)
        is_found = any(one.id == f'p{number:03}' for one in found)
        assert is_found or not inside
        assert not is_found or not outside


names = st.text(st.characters(categories=['L']), min_size=1, max_size=60)


@given(st.one_of(st.just(''), names), st.lists(names, max_size=24).map(tuple))
def test_a_summary_is_short_and_holds_whole_names(kind: str, tags: tuple[str, ...]) -> None:
    summary = summarise(kind, tags)
    assert len(summary) <= 300
    told = summary.removeprefix(kind).removeprefix(' with ') if kind else summary
    told_names = tuple(told.split(', ')) if told else ()
    assert told_names == tags[:len(told_names)]
    assert len(told_names) <= MAX_SUMMARY_NAMES


def test_a_places_vector_is_the_mean_direction_of_its_phrases() -> None:
    place = make_place('a', ['mug', 'bed'], kind='kitchen')
    assert place.summary == 'kitchen with mug, bed'
    assert phrases(place) == ('kitchen', 'mug', 'bed')
    vector = vector_of(place, 'e', np.stack([unit(1), unit(0, 1), unit(0, 1)]))
    assert vector.values == pytest.approx(unit(1, 2))
    assert not vector_of(place, 'e', np.zeros((3, DIMENSION), np.float32)).values.any()
