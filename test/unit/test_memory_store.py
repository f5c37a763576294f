"""What holds of any store; another kind of store is added to `KINDS` and to nothing else here."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored_places import make_place, make_vector

from semantic_nav.contracts.errors import ConfigError, StoreError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.place import Edge, Place, PlaceVector
from semantic_nav.memory.store import Store
from semantic_nav.memory.store_url import check_url, open_store


@dataclass(frozen=True)
class Kind:
    """A kind of store: how it is named, and whether it outlives its closing."""

    url: Callable[[Path], str]
    lasting: bool = True


KINDS = {
    'sqlite': Kind(lambda folder: (folder / 'not there' / 'memory.sqlite').as_uri().replace(
        'file:', 'sqlite:')),
    'memory': Kind(lambda folder: 'memory:', lasting=False),
}


@dataclass
class Kept:
    """A store, and the same one again: closed and opened, if it is of a kind that lasts."""

    url: str
    lasting: bool
    store: Store = field(init=False)

    def __post_init__(self) -> None:
        self.store = open_store(self.url)

    def again(self) -> Store:
        if self.lasting:
            self.store.close()
            self.store = open_store(self.url)
        return self.store


@pytest.fixture(params=KINDS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    kind = KINDS[request.param]
    kept = Kept(kind.url(tmp_path), kind.lasting)
    yield kept
    kept.store.close()


def test_a_new_store_is_empty(kept: Kept) -> None:
    loaded = kept.again().load('home', 'one', 4)
    assert loaded.places == loaded.edges == loaded.vector_ids == loaded.unembedded == ()
    assert loaded.vectors.shape == (0, 4)
    assert loaded.vectors.dtype == np.float32


def test_what_was_saved_is_loaded_in_its_order(kept: Kept) -> None:
    first, second, edge = make_place(2), make_place(1), Edge('place-s-2', 'place-s-1', 3.25)
    kept.store.save(first, make_vector(first.id))
    kept.store.save(second, None, edge)
    loaded = kept.again().load('home', 'one', 4)
    assert loaded.places == (first, second)
    assert loaded.edges == (edge,)
    assert loaded.vector_ids == (first.id,)
    assert loaded.unembedded == (second.id,)
    assert np.array_equal(loaded.vectors[0], make_vector(first.id).values)
    assert loaded.vectors.dtype == np.float32


def test_a_place_that_changed_is_stored_as_it_is_now(kept: Kept) -> None:
    kept.store.save(make_place(1))
    kept.store.save(make_place(2))
    changed = replace(make_place(1), pose=Pose2D(7.5, -2.0, 1.5), kind='study', tags=('lamp',),
                      summary='study with lamp', last_seen_calendar_ns=9, visits=4)
    kept.store.save(changed)
    assert kept.again().load('home', 'one', 4).places == (changed, make_place(2))


def test_maps_do_not_mix(kept: Kept) -> None:
    kept.store.save(make_place(1), make_vector('place-s-1'), Edge('place-s-1', 'place-s-2', 1.0))
    kept.store.save(make_place(1, map_id='office', summary='desk'))
    store = kept.again()
    assert store.load('home', 'one', 4).places == (make_place(1),)
    office = store.load('office', 'one', 4)
    assert office.places[0].summary == 'desk'
    assert office.edges == office.vector_ids == ()
    assert store.load('cellar', 'one', 4).places == ()


def test_vectors_of_two_embedders_stand_side_by_side(kept: Kept) -> None:
    kept.store.save(make_place(1), make_vector('place-s-1', 'one', 4))
    kept.store.save(make_place(1), make_vector('place-s-1', 'two', 8))
    kept.store.save(make_place(2), make_vector('place-s-2', 'one', 4))
    store = kept.again()
    assert store.load('home', 'one', 4).vector_ids == ('place-s-1', 'place-s-2')
    two = store.load('home', 'two', 8)
    assert two.vector_ids == ('place-s-1',)
    assert two.unembedded == ('place-s-2',)
    assert store.load('home', 'three', 4).unembedded == ('place-s-1', 'place-s-2')


def test_a_vector_of_another_length_counts_as_none(kept: Kept) -> None:
    kept.store.save(make_place(1), make_vector('place-s-1', 'one', 8))
    assert kept.again().load('home', 'one', 4).unembedded == ('place-s-1',)


def test_a_new_vector_takes_the_place_of_the_old_one(kept: Kept) -> None:
    kept.store.save(make_place(1), make_vector('place-s-1'))
    newer = replace(make_vector('place-s-1'), values=np.array([0, 0, 1, 0], np.float32))
    kept.store.save(make_place(1), newer)
    assert np.array_equal(kept.again().load('home', 'one', 4).vectors, [newer.values])


def test_a_new_summary_drops_the_vectors_of_the_old_one(kept: Kept) -> None:
    kept.store.save(make_place(1), make_vector('place-s-1'))
    kept.store.save(make_place(1), make_vector('place-s-1', 'two'))
    kept.store.save(make_place(2), make_vector('place-s-2'))
    kept.store.save(make_place(1, visits=2))
    assert kept.store.load('home', 'one', 4).unembedded == ()
    kept.store.save(make_place(1, summary='kitchen', visits=3))
    store = kept.again()
    loaded = store.load('home', 'one', 4)
    assert loaded.vector_ids == ('place-s-2',)
    assert loaded.places[0].visits == 3
    assert store.load('home', 'two', 4).vector_ids == ()


def test_a_new_summary_may_come_with_its_vector(kept: Kept) -> None:
    kept.store.save(make_place(1), make_vector('place-s-1'))
    kept.store.save(make_place(1, summary='kitchen'), make_vector('place-s-1'))
    assert kept.again().load('home', 'one', 4).unembedded == ()


def test_a_shorter_way_replaces_the_longer(kept: Kept) -> None:
    kept.store.save(make_place(1), None, Edge('place-s-1', 'place-s-2', 5.0))
    kept.store.save(make_place(1), None, Edge('place-s-1', 'place-s-2', 3.0))
    assert kept.again().load('home', 'one', 4).edges == (Edge('place-s-1', 'place-s-2', 3.0),)


def test_what_is_closed_is_used_no_more(kept: Kept) -> None:
    kept.store.close()
    with pytest.raises(StoreError):
        kept.store.load('home', 'one', 4)
    with pytest.raises(StoreError):
        kept.store.save(make_place(1))
    kept.store.close()


# Rows that no program of ours writes

def text(chars: int) -> str:
    return 'x' * chars


BAD_PLACES: dict[str, dict[str, Any]] = {
    'yaw of 1e300': {'pose': Pose2D(0.0, 0.0, 1e300)},
    'x of 1e300': {'pose': Pose2D(1e300, 0.0, 0.0)},
    'infinite y': {'pose': Pose2D(0.0, -math.inf, 0.0)},
    'no id': {'id': ''}, 'id of 1000 characters': {'id': text(1000)},
    'long kind': {'kind': text(61)}, 'long tag': {'tags': (text(61),)},
    'many tags': {'tags': ('mug',) * 65},
    'long summary': {'summary': text(2001)}, 'long session': {'session': text(201)},
    'visited less than never': {'visits': -1}}


@pytest.mark.parametrize('changes', BAD_PLACES.values(), ids=BAD_PLACES)
def test_a_place_that_cannot_be_offered_is_left_out_and_named(
        kept: Kept, changes: dict[str, Any]) -> None:
    bad = make_place(2, **changes)
    kept.store.save(make_place(1), make_vector('place-s-1'), Edge('place-s-1', bad.id, 1.0))
    kept.store.save(bad, make_vector(bad.id))
    loaded = kept.again().load('home', 'one', 4)
    assert loaded.places == (make_place(1),)
    assert loaded.vector_ids == ('place-s-1',)
    assert loaded.left_out == 1 and loaded.left_out_reason
    assert len(loaded.left_out_reason) < 300


@pytest.mark.parametrize('values', [
    [math.nan, 0, 0, 0], [0, math.inf, 0, 0], [0, 0, -math.inf, 0], [1e30, 0, 0, 0],
    [1.0], [0.1] * 5, []], ids=str)
def test_a_vector_that_is_none_is_left_out_and_made_anew(kept: Kept, values: list[float]) -> None:
    kept.store.save(make_place(1), PlaceVector('place-s-1', 'one', np.array(values, np.float32)))
    kept.store.save(make_place(2), make_vector('place-s-2'))
    loaded = kept.again().load('home', 'one', 4)
    assert loaded.unembedded == ('place-s-1',) and loaded.vector_ids == ('place-s-2',)
    assert loaded.left_out == 1 and 'place-s-1' in loaded.left_out_reason


@pytest.mark.parametrize('length_m', [-1.0, math.inf])
def test_a_way_of_no_length_is_left_out(kept: Kept, length_m: float) -> None:
    kept.store.save(make_place(1), None, Edge('place-s-1', 'place-s-2', length_m))
    loaded = kept.again().load('home', 'one', 4)
    assert loaded.edges == () and loaded.left_out == 1


def test_of_many_that_are_left_out_some_are_named(kept: Kept) -> None:
    for number in range(50):
        kept.store.save(make_place(number, visits=-1))
    loaded = kept.again().load('home', 'one', 4)
    assert loaded.places == () and loaded.left_out == 50
    assert len(loaded.left_out_reason) < 500


metres, angles = st.floats(-1e5, 1e5), st.floats(-7, 7)
plain_text = st.text(st.characters(exclude_categories=('Cs',)), max_size=60)
counts = st.integers(0, 2**62)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(place=st.builds(
    Place, id=st.uuids().map(str), map_id=st.just('home'),
    pose=st.builds(Pose2D, metres, metres, angles), kind=plain_text,
    tags=st.lists(plain_text, max_size=24).map(tuple), summary=plain_text,
    created_calendar_ns=counts, last_seen_calendar_ns=counts, visits=counts, session=plain_text))
def test_any_place_comes_back_as_it_was(kept: Kept, place: Place) -> None:
    place = replace(place, id=f'{place.id}-{len(kept.store.load("home", "one", 4).places)}')
    kept.store.save(place)
    assert kept.store.load('home', 'one', 4).places[-1] == place


# URLs


@pytest.mark.parametrize('url', [
    'sqlite://{folder}/a%20b%3Fc%23d.sqlite', 'sqlite:///{folder}/a%20b%3Fc%23d.sqlite',
    '{folder}/a b?c#d.sqlite'])
def test_a_file_is_named_by_url_or_by_path(tmp_path: Path, url: str) -> None:
    open_store(url.format(folder=tmp_path)).close()
    assert [path.name for path in tmp_path.iterdir()] == ['a b?c#d.sqlite']


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', str(tmp_path))
    open_store('~/memory.sqlite').close()
    assert (tmp_path / 'memory.sqlite').is_file()


@pytest.mark.parametrize('url', [
    '', 'postgresql://robot@host/places', 'sqlite:', 'sqlite:///', 'sqlite:memory.sqlite',
    'sqlite://memory.sqlite', 'sqlite:///m.sqlite?mode=ro', 'sqlite:///m.sqlite#1', 'memory:x',
    'memory:///x', 'http:', 'memory', ':memory:', 'places.sqlite', './m.sqlite', '../m.sqlite',
    '~nobody_of_this_name/m.sqlite'])
def test_a_url_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        check_url(url)
    with pytest.raises(ConfigError):
        open_store(url)


def test_a_path_that_is_not_absolute_is_refused_with_both_cures() -> None:
    """A person who writes it means one of two: a memory in no file, or this file."""
    with pytest.raises(ConfigError) as caught:
        check_url('memory')
    assert str(caught.value) == (
        "'memory' names no memory, as it is no absolute path: it may be "
        f"'{Path.cwd() / 'memory'}' for a file, or 'memory:', with its colon and in quotes, for "
        'one that ends with the node')


@pytest.mark.parametrize('kind', KINDS.values(), ids=KINDS)
def test_a_url_is_checked_without_opening_anything(kind: Kind, tmp_path: Path) -> None:
    check_url(kind.url(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_is_forgotten_is_gone_with_vectors_and_ways(kept: Kept) -> None:
    for number in (1, 2):
        kept.store.save(make_place(number), make_vector(f'place-s-{number}'),
                        Edge('place-s-1', 'place-s-2', 2.0) if number == 2 else None)
        kept.store.save(make_place(number, map_id='cellar'))
    kept.store.forget('home', 'place-s-1')
    kept.store.forget('home', 'place-s-7')
    store = kept.again()
    if kept.lasting or kept.url == 'memory:':
        home, cellar = store.load('home', 'one', 4), store.load('cellar', 'one', 4)
        assert [place.id for place in home.places] == ['place-s-2']
        assert home.vector_ids == ('place-s-2',) and home.edges == ()
        assert len(cellar.places) == 2


def test_a_name_is_stored(kept: Kept) -> None:
    kept.store.save(make_place(1))
    kept.store.save(make_place(1, name='home'))
    assert kept.again().load('home', 'one', 4).places == (make_place(1, name='home'),)


def test_two_of_a_name_are_one_place_and_a_way_to_itself_is_none(kept: Kept) -> None:
    kept.store.save(make_place(1, name='home', last_seen_calendar_ns=5))
    kept.store.save(make_place(2, name='HOME', last_seen_calendar_ns=9), None,
                    Edge('place-s-2', 'place-s-2', 0.0))
    stored = kept.store.load('home', 'one', 4)
    assert stored.edges == () and 'it leads nowhere' in stored.left_out_reason
    graph = PlaceGraph(MemoryConfig(), 's')
    graph.add(stored.places, (Edge('place-s-2', 'place-s-2', 0.0),))
    assert [one.id for one in graph.index.called('home')] == ['place-s-2']
    graph.forget('place-s-2')
    assert [one.id for one in graph.index.called('home')] == ['place-s-1']
