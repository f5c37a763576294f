"""The two rankings: what they compare, how they score, and what they leave out."""

import json
import math
import re
import string
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from ranked_places import at_cosine, make_place, unit

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.embed.words import tokens
from semantic_nav.memory.place import Place
from semantic_nav.memory.place_index import PlaceIndex
from semantic_nav.memory.retrieval import RANKINGS, Match, QueryPose, Ranked

CLASSIC, CONTENT_WORDS = RANKINGS['classic'], RANKINGS['content_words']
Vector = NDArray[np.float32]
HOME = Pose2D(0.0, 0.0, 0.0)


def rank(name: str, places: Sequence[tuple[Place, Vector | None]], goal: str,
         vector: Vector | None, limit: int = 5, floor: float = 0.0,
         excluded: Sequence[str] = (), why: str = '') -> list[Match]:
    ranking = RANKINGS[name]
    index = PlaceIndex(len(unit(1)), ranking.words_of_place)
    for place, of_place in places:
        index.put(place)
        if of_place is not None:
            index.set_vector(place.id, of_place)
    query = ranking.query(goal, vector, why)
    return Ranked(ranking, index, query, floor).best(limit, excluded)


# What holds of both


@pytest.mark.parametrize('name', RANKINGS)
def test_equal_scores_are_ordered_by_the_number_of_the_id(name: str) -> None:
    places = [(make_place(f'place-s-{number}', ['mug']), unit(1, number % 3 * 1e-9))
              for number in (10, 9, 2, 100, 1)]
    found = rank(name, places, 'mug', unit(1))
    assert [match.place_id for match in found] == [
        'place-s-1', 'place-s-2', 'place-s-9', 'place-s-10', 'place-s-100']


@pytest.mark.parametrize('name', RANKINGS)
def test_the_same_places_in_another_order_give_the_same(name: str) -> None:
    places = [(make_place(f'place-s-{number}', ['mug', 'bed'][:number % 3]),
               unit(1, number % 4, number % 5)) for number in range(1, 30)]
    found = rank(name, places, 'the mug', unit(1, 1))
    assert found == rank(name, places[::-1], 'the mug', unit(1, 1))
    assert len(found) == 5


@pytest.mark.parametrize('name', RANKINGS)
def test_scores_are_plain_numbers(name: str) -> None:
    (match,) = rank(name, [(make_place('a', ['red mug']), unit(3, 4))], 'red ball', unit(1))
    for value in (match.score, match.embedding_score, match.keyword_score):
        assert type(value) is float
    json.dumps([match.score, match.embedding_score, match.keyword_score])


@pytest.mark.parametrize('name', RANKINGS)
def test_what_is_excluded_makes_room_for_the_next(name: str) -> None:
    places = [(make_place('a', ['mug']), unit(1)), (make_place('b', ['mug']), unit(1, 1)),
              (make_place('c', ['mug']), unit(1, 3))]
    found = rank(name, places, 'mug', unit(1), 2, excluded=['a', 'gone'])
    assert [match.place_id for match in found] == ['b', 'c']


@pytest.mark.parametrize('name', RANKINGS)
def test_reasons_tell_what_was_compared(name: str) -> None:
    places = [(make_place('a', ['red mug']), unit(3, 4)), (make_place('b', ['red bed']), None)]
    first, second = rank(name, places, 'red mug', unit(1))
    assert first.reasons == ("names 'red mug'", 'similarity 0.60')
    assert second.reasons == ("names 'red'", 'keywords only: the place has no embedding yet')
    without = rank(name, places, 'red mug', None, why='the embedder broke')
    assert without[0].reasons == ("names 'red mug'", 'keywords only: the embedder broke')


@pytest.mark.parametrize('name', RANKINGS)
def test_an_empty_memory_finds_nothing(name: str) -> None:
    assert rank(name, [], 'mug', unit(1)) == []


# Classic


@pytest.mark.parametrize(('tags', 'goal', 'cosine', 'score'), [
    (['red', 'mug'], 'red mug', 1.0, 1.0),
    (['red', 'mug'], 'red mug', -1.0, 0.2),
    (['red', 'mug'], 'red mug', 0.0, 0.8 * 0.5 + 0.2),
    (['red', 'mug'], 'find the red mug', 0.5, 0.8 * 0.75 + 0.2 * 2 / 4),
    (['red', 'mug'], 'the mug on the mug', 0.5, 0.8 * 0.75 + 0.2 * 1 / 3),
    # Nothing is folded, and no word is left out.
    (['mugs'], 'mug', 0.5, 0.8 * 0.75),
    (['the'], 'the bed', 0.5, 0.8 * 0.75 + 0.2 / 2),
    # No word agrees, and the embedding says nothing: half.
    (['bed'], 'mug', 0.0, 0.5 * 0.8 * 0.5),
    (['bed'], 'mug', 0.098, 0.5 * 0.8 * 1.098 / 2),
    (['bed'], 'mug', -0.098, 0.5 * 0.8 * 0.902 / 2),
    # The embedding says something, for or against.
    (['bed'], 'mug', 0.102, 0.8 * 1.102 / 2),
    (['bed'], 'mug', -0.102, 0.8 * 0.898 / 2),
    # A word agrees.
    (['bed'], 'mug bed', 0.0, 0.8 * 0.5 + 0.2 / 2)])
def test_classic_score(tags: list[str], goal: str, cosine: float, score: float) -> None:
    (match,) = rank('classic', [(make_place('a', tags), at_cosine(cosine))], goal, unit(1))
    assert match.score == pytest.approx(score, abs=2e-6)
    assert match.embedding_score == pytest.approx((cosine + 1) / 2, abs=2e-6)


def test_classic_ranks_every_place_whatever_the_floor() -> None:
    places = [(make_place('p-1', ['bed']), unit(-1)), (make_place('p-2', ['mug']), unit(1)),
              (make_place('p-3'), None)]
    found = rank('classic', places, 'mug', unit(1), floor=0.9)
    assert [(match.place_id, match.score) for match in found] == [
        ('p-2', 1.0), ('p-3', 0.2), ('p-1', 0.0)]


def test_classic_without_a_vector_goes_by_words_alone() -> None:
    places = [(make_place('p-1', ['bed']), unit(1)), (make_place('p-2', ['mug']), unit(1))]
    found = rank('classic', places, 'mug', None)
    assert [(match.place_id, match.score) for match in found] == [('p-2', 0.6), ('p-1', 0.2)]


def test_classic_knows_a_place_by_its_kind_too() -> None:
    (match,) = rank('classic', [(make_place('a', ['mug'], kind='kitchen'), None)], 'kitchen', None)
    assert match.keyword_score == 1


@given(st.lists(st.tuples(
    st.floats(-1, 1), st.lists(st.sampled_from(['mug', 'bed', 'red', 'the']), max_size=3)),
    min_size=1, max_size=40), st.lists(st.sampled_from(['mug', 'red', 'the', 'cup']), min_size=1))
def test_classic_is_its_formula(places: list[tuple[float, list[str]]], goal: list[str]) -> None:
    expected = []
    for number, (cosine, tags) in enumerate(places):
        embedding = (float(at_cosine(cosine) @ unit(1)) + 1) / 2
        overlap = len(set(goal) & set(tags)) / len(set(goal))
        score = 0.8 * embedding + 0.2 * overlap
        if overlap == 0 and abs(embedding - 0.5) < 0.05:
            score *= 0.5
        expected.append((min(max(score, 0.0), 1.0), number))
    found = rank('classic', [
        (make_place(f'place-s-{number}', tags), at_cosine(cosine))
        for number, (cosine, tags) in enumerate(places)], ' '.join(goal), unit(1))
    best = sorted(expected, key=lambda one: (-round(one[0], 6), one[1]))[:5]
    assert [match.score for match in found] == pytest.approx(
        [score for score, _ in best], abs=2e-6)
    by_id = {f'place-s-{number}': score for score, number in expected}
    assert all(math.isclose(match.score, by_id[match.place_id], abs_tol=2e-6) for match in found)


# The tokeniser


@pytest.mark.parametrize(('text', 'expected'), [
    ('Find the Red MUGS, please!', ['find', 'the', 'red', 'mugs', 'please']),
    ("the children's bed-side table", ['the', 'childrens', 'bedside', 'table']),
    ('Küche 2 (oben)', ['küche', '2', 'oben']),
    ('coat_rack', ['coatrack']), ('', []), ('  \n', []), ('?! … —', []), ('___', [])])
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text(st.sampled_from(string.punctuation + ' \t\n')))
def test_punctuation_has_no_tokens(text: str) -> None:
    assert tokens(text) == []


@given(st.text())
def test_tokens_hold_neither_space_nor_punctuation(text: str) -> None:
    assert all(re.fullmatch(r'[^\W_]+', token) for token in tokens(text))


# Content words


def test_score_is_four_parts_meaning_and_one_part_words() -> None:
    (match,) = rank('content_words', [(make_place('a', ['red mug']), unit(3, 4))],
                    'find the red ball', unit(1))
    assert match.embedding_score == pytest.approx(0.6, abs=1e-6)
    assert match.keyword_score == 0.5
    assert match.score == pytest.approx(0.8 * 0.6 + 0.2 * 0.5, abs=1e-6)


def test_opposite_vectors_do_not_count_against_words() -> None:
    (match,) = rank('content_words', [(make_place('a', ['mugs']), unit(-1))], 'a mug', unit(1))
    assert match.score == pytest.approx(0.2)
    assert match.embedding_score == -1


def test_a_place_that_was_not_compared_stays_above_the_floor() -> None:
    (match,) = rank('content_words', [(make_place('a', ['mug']), None),
                                      (make_place('b', ['bed']), unit(1))],
                    'mug', None, floor=0.4)
    assert (match.place_id, match.score) == ('a', pytest.approx(0.2))


def test_places_below_the_floor_or_without_a_score_are_left_out() -> None:
    places = [(make_place('a'), unit(1)), (make_place('b'), unit(1, 1)),
              (make_place('c'), unit(0, 1))]
    assert [match.place_id for match in rank('content_words', places, 'x', unit(1))] == ['a', 'b']
    assert [match.place_id for match in rank('content_words', places, 'x', unit(1),
                                             floor=0.7)] == ['a']


def test_words_side_by_side_are_one_phrase_only_where_they_are() -> None:
    first, second = rank('content_words', [
        (make_place('a', ['red mug']), unit(1)),
        (make_place('b', ['red chair', 'blue mug']), unit(0.9, 0.1))], 'the red mugs', unit(1))
    assert first.reasons[:-1] == ("names 'red mug'",)
    assert second.reasons[:-1] == ("names 'red'", "names 'mug'")


@given(st.lists(st.tuples(
    st.lists(st.integers(-3, 3), min_size=6, max_size=6).filter(any),
    st.lists(st.sampled_from(['mug', 'bed', 'chair', 'red']), max_size=3, unique=True)),
    min_size=1, max_size=150), st.integers(1, 20))
def test_content_words_agree_with_the_formula(
        places: list[tuple[list[int], list[str]]], limit: int) -> None:
    expected = {
        f'p{number:03}': 0.8 * max(0.0, float(unit(*vector) @ unit(1, 1)))
        + 0.2 * len({'red', 'mug'} & set(tags)) / 2
        for number, (vector, tags) in enumerate(places)}
    best = sorted((-round(score, 6), name) for name, score in expected.items() if score > 1e-5)
    found = rank('content_words', [
        (make_place(f'p{number:03}', tags), unit(*vector))
        for number, (vector, tags) in enumerate(places)], 'red mug', unit(1, 1), limit)
    assert [match.score for match in found] == pytest.approx(
        [-score for score, _ in best[:limit]], abs=2e-6)
    assert all(match.score == pytest.approx(expected[match.place_id], abs=2e-6)
               for match in found)


# Nearness, age and uncertainty


NOW_NS = 1_800_000_000 * NS_PER_S
DAY_NS = 86400 * NS_PER_S


def seen(number: int, x_m: float, ago_ns: int, visits: int, *names: str) -> Place:
    return replace(make_place(f'place-s-{number}', list(names)), pose=Pose2D(x_m, 0.0, 0.0),
                   last_seen_calendar_ns=NOW_NS - ago_ns, visits=visits)


def best_from(places: Sequence[Place], goal: str, robot: Pose2D | None = HOME,
              limit: int = 5, threshold: float = 1.0, excluded: Sequence[str] = ()) -> list[Match]:
    index = PlaceIndex(len(unit(1)), CONTENT_WORDS.words_of_place)
    for place in places:
        index.put(place)
    return Ranked(CONTENT_WORDS, index, CONTENT_WORDS.query(goal, None, 'none')).best_from(
        QueryPose(robot, Now(0, 0, NOW_NS)), limit, threshold, excluded)


def ids(matches: Sequence[Match]) -> list[int]:
    return [int(match.place_id.rpartition('-')[2]) for match in matches]


def test_of_places_that_fit_as_well_the_near_the_new_and_the_often_seen_come_first() -> None:
    assert ids(best_from([seen(1, 9.0, 0, 1, 'mug'), seen(2, 2.0, 0, 1, 'mug')], 'mug')) == [2, 1]
    assert ids(best_from([seen(1, 2.0, 90 * DAY_NS, 1, 'mug'),
                          seen(2, 2.0, DAY_NS, 1, 'mug')], 'mug')) == [2, 1]
    assert ids(best_from([seen(1, 2.0, 0, 1, 'mug'), seen(2, 2.0, 0, 7, 'mug')], 'mug')) == [2, 1]


def test_where_the_robot_is_not_known_nothing_is_near() -> None:
    places = [seen(1, 9.0, 0, 1, 'mug'), seen(2, 2.0, 0, 1, 'mug')]
    assert ids(best_from(places, 'mug', None)) == [1, 2]


def test_what_fits_clearly_better_comes_first_however_far_and_old_it_is() -> None:
    places = [seen(1, 0.0, 0, 100, 'mug'), seen(2, 1000.0, 9999 * DAY_NS, 1, 'red mug')]
    assert ids(best_from(places, 'red mug')) == [2, 1]


def test_none_falls_below_the_threshold_for_being_far_or_uncertain() -> None:
    far, = best_from([seen(1, 1000.0, 9999 * DAY_NS, 1, 'mug')], 'mug', threshold=0.195)
    assert far.score == 0.195
    assert best_from([seen(1, 1000.0, 9999 * DAY_NS, 1, 'mug')], 'mug')[0].score == (
        pytest.approx(0.2 * 0.9, abs=1e-5))


def test_a_place_that_is_struck_out_is_not_offered_and_makes_room() -> None:
    places = [seen(number, float(number), 0, 1, 'mug') for number in range(1, 9)]
    assert ids(best_from(places, 'mug', limit=2, excluded=['place-s-1', 'place-s-3'])) == [2, 4]


@given(st.lists(st.tuples(st.floats(0, 50), st.integers(0, 400), st.integers(0, 9),
                          st.sets(st.sampled_from(['mug', 'red', 'bed', 'sink']))),
                min_size=1, max_size=40), st.integers(1, 6))
def test_short_list_holds_what_all_places_would_give(
        drawn: list[tuple[float, int, int, set[str]]], limit: int) -> None:
    places = [seen(number, x_m, days * DAY_NS, visits, ' '.join(sorted(names)) or 'lamp')
              for number, (x_m, days, visits, names) in enumerate(drawn)]
    assert ids(best_from(places, 'red mug bed', limit=limit)) == ids(
        best_from(places, 'red mug bed', limit=len(places)))[:limit]


@pytest.mark.parametrize(('visits', 'ago_ns', 'uncertainty'), [
    (1, 0, 1 / 3), (0, 0, 1 / 2), (8, 0, 1 / 10), (8, 30 * DAY_NS, 1 - 0.45),
    (8, -DAY_NS, 1 / 10), (8, 10**6 * DAY_NS, 1.0)])
def test_uncertainty_falls_with_visits_and_rises_with_age(
        visits: int, ago_ns: int, uncertainty: float) -> None:
    index = PlaceIndex(0, CONTENT_WORDS.words_of_place)
    index.put(seen(1, 3.0, ago_ns, visits, 'mug'))
    standing = QueryPose(Pose2D(0.0, 4.0, 1.0), Now(0, 0, NOW_NS)).standing(index, [0])
    assert standing.uncertainty[0] == pytest.approx(uncertainty)
    assert standing.age_s[0] == max(ago_ns, 0) / NS_PER_S
    assert standing.distance_m is not None and standing.distance_m[0] == 5.0
