"""The index of places: scores, order, reasons, and what lies near a pose."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.memory.place import (
    MAX_SUMMARY_NAMES,
    Place,
    phrases,
    summarise,
    vector_of,
)
from semantic_nav.memory.retrieval import PlaceIndex, Query

DIMENSION = 6


def make_place(place_id: str, tags: Sequence[str] = (), pose: Pose2D | None = None,
               kind: str = '') -> Place:
    return Place(place_id, 'home', pose or Pose2D(0, 0, 0), kind, tuple(tags),
                 summarise(kind, tuple(tags)), 0, 0, 1, 's')


def unit(*values: float) -> NDArray[np.float32]:
    vector = np.zeros(DIMENSION, np.float32)
    vector[:len(values)] = values
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def make_index(*places: tuple[Place, NDArray[np.float32] | None]) -> PlaceIndex:
    index = PlaceIndex(DIMENSION)
    for place, vector in places:
        index.put(place)
        if vector is not None:
            index.set_vector(place.id, vector)
    return index


def test_score_is_four_parts_meaning_and_one_part_words() -> None:
    index = make_index((make_place('a', ['red mug']), unit(3, 4)))
    match, = index.rank(Query.of_text('find the red ball', unit(1)), 5)
    assert match.embedding_score == pytest.approx(0.6, abs=1e-4)
    assert match.keyword_score == 0.5
    assert match.score == pytest.approx(0.8 * 0.6 + 0.2 * 0.5, abs=1e-4)
    assert match.reasons == ("names 'red'", 'similarity 0.60')


def test_opposite_vectors_do_not_count_against_words() -> None:
    index = make_index((make_place('a', ['mugs']), unit(-1)))
    match, = index.rank(Query.of_text('a mug', unit(1)), 5)
    assert match.score == pytest.approx(0.2)
    assert match.embedding_score == -1


def test_equal_scores_are_ordered_by_id() -> None:
    names = ['c', 'a', 'd', 'b']
    index = make_index(*((make_place(name, ['mug']), unit(1)) for name in names))
    query = Query.of_text('mug', unit(1))
    assert [match.place_id for match in index.rank(query, 5)] == ['a', 'b', 'c', 'd']
    assert [match.place_id for match in index.rank(query, 2)] == ['a', 'b']


def test_without_a_vector_only_words_count_and_the_reasons_say_so() -> None:
    index = make_index((make_place('a', ['mug']), None), (make_place('b', ['bed']), unit(1)))
    match, = index.rank(Query.of_text('mug', None, 'the embedder broke'), 5, floor=0.4)
    assert match.place_id == 'a'
    assert match.score == pytest.approx(0.2)
    assert match.reasons == ("names 'mug'", 'keywords only: the embedder broke')
    best = index.rank(Query.of_text('mug', unit(1)), 5)
    assert best[1].reasons[-1] == 'keywords only: the place has no embedding yet'


def test_places_below_the_floor_or_excluded_are_left_out() -> None:
    index = make_index((make_place('a'), unit(1)), (make_place('b'), unit(1, 1)),
                       (make_place('c'), unit(0, 1)))
    query = Query.of_text('x', unit(1))
    assert [match.place_id for match in index.rank(query, 5)] == ['a', 'b']
    assert [match.place_id for match in index.rank(query, 5, floor=0.7)] == ['a']
    assert [match.place_id for match in index.rank(query, 5, excluded={'a', 'other'})] == ['b']


def test_words_side_by_side_are_one_phrase_only_where_they_are() -> None:
    index = make_index((make_place('a', ['red mug']), unit(1)),
                       (make_place('b', ['red chair', 'blue mug']), unit(0.9, 0.1)))
    first, second = index.rank(Query.of_text('the red mugs', unit(1)), 5)
    assert first.reasons[:-1] == ("names 'red mug'",)
    assert second.reasons[:-1] == ("names 'red'", "names 'mug'")


def test_a_changed_place_is_found_by_its_new_words_and_loses_its_vector() -> None:
    index = make_index((make_place('a', ['mug']), unit(1)))
    index.put(make_place('a', ['bed']))
    assert index.vector('a') is None
    assert index.unembedded == [make_place('a', ['bed'])]
    assert index.rank(Query.of_text('mug', None), 5) == []
    assert index.rank(Query.of_text('bed', None), 5)[0].place_id == 'a'
    assert len(index) == 1


def test_a_place_seen_again_without_change_keeps_its_vector() -> None:
    index = make_index((make_place('a', ['mug']), unit(1)))
    index.put(make_place('a', ['mug']))
    assert np.array_equal(index.vector('a'), unit(1))  # type: ignore[arg-type]


@given(st.lists(st.tuples(
    st.lists(st.integers(-3, 3), min_size=DIMENSION, max_size=DIMENSION).filter(any),
    st.lists(st.sampled_from(['mug', 'bed', 'chair', 'red']), max_size=3, unique=True)),
    min_size=1, max_size=150), st.integers(1, 20))
def test_ranking_agrees_with_the_formula(
        places: list[tuple[list[int], list[str]]], limit: int) -> None:
    index = make_index(*((make_place(f'p{number:03}', tags), unit(*vector))
                         for number, (vector, tags) in enumerate(places)))
    expected = {
        f'p{number:03}': 0.8 * max(0.0, float(unit(*vector) @ unit(1, 1)))
        + 0.2 * len({'red', 'mug'} & set(tags)) / 2
        for number, (vector, tags) in enumerate(places)}
    best = sorted((-round(score, 4), name) for name, score in expected.items() if score > 1e-5)
    found = index.rank(Query.of_text('red mug', unit(1, 1)), limit)
    assert [match.score for match in found] == pytest.approx(
        [-score for score, _ in best[:limit]], abs=2e-4)
    assert all(match.score == pytest.approx(expected[match.place_id], abs=1e-4)
               for match in found)


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
