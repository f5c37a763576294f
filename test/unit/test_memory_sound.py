"""Whatever stands in a store, the memory starts, answers, and says only what others can read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_rig import HASH, KITCHEN, STARTED, Bench, of_type
from steps import at_most
from strategies import examples

from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import Candidates, Document, ToolQuery, ToolReply
from semantic_nav.contracts.fields import MAX_INTEGER
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.memory.backend import MemoryBackend
from semantic_nav.memory.events import LoadStore, PlaceSaved, SavePlace, StoreLoaded
from semantic_nav.memory.place import Edge, Found, Place, PlaceVector
from semantic_nav.memory.sound import fault_of_place
from semantic_nav.memory.volatile_store import VolatileStore

#: Lines of the product that one event may take.
STEPS = 200_000
NUMBERS = st.one_of(st.floats(-7, 7), st.floats(allow_nan=True, allow_infinity=True))
#: Half a surrogate pair among them, and texts of any length.
TEXTS = st.one_of(st.just('red mug'), st.text(max_size=70), st.integers(0, 2500).map('x'.__mul__))
IDS = st.one_of(st.integers(0, 4).map('place-s-{}'.format), TEXTS)
COUNTS = st.integers(-2**63, 2**63 - 1)
PLACES = st.builds(
    Place, IDS, st.just('default'), st.builds(Pose2D, NUMBERS, NUMBERS, NUMBERS), TEXTS,
    st.lists(TEXTS, max_size=70).map(tuple), TEXTS, COUNTS, COUNTS, COUNTS, TEXTS,
    found=st.one_of(st.none(), st.builds(
        Found, TEXTS, st.tuples(NUMBERS, NUMBERS, NUMBERS), NUMBERS)))
EDGES = st.builds(Edge, IDS, IDS, NUMBERS)
SINGLES = st.one_of(st.floats(-2, 2, width=32), st.floats(width=32))
VECTORS = st.builds(
    lambda value, length: np.full(length, value, np.float32), SINGLES,
    st.sampled_from([HASH.dimension, HASH.dimension, 0, 3]))


@settings(max_examples=examples(30))
@given(rows=st.lists(st.tuples(PLACES, VECTORS, EDGES), max_size=6))
def test_whatever_is_stored_the_memory_answers(
        rows: list[tuple[Place, np.ndarray, Edge]]) -> None:
    store = VolatileStore()
    for place, values, edge in rows:
        store.save(place, PlaceVector(place.id, HASH.id, values), edge)
    with at_most(STEPS):
        stored = store.load('default', HASH.id, HASH.dimension)
    assert bool(stored.left_out) == bool(stored.left_out_reason)
    memory = Bench(working=False)
    with at_most(STEPS):
        memory.feed(STARTED)
        memory.feed(StoreLoaded(stored.places, stored.edges, stored.vector_ids, stored.vectors,
                                stored.left_out, stored.left_out_reason))
    memory.working = True
    memory.be_at(0.0)
    for happens in (memory.believe, lambda: memory.look(KITCHEN),
                    lambda: memory.look(KITCHEN, seen='box')):
        with at_most(STEPS):
            happens()
    for place in stored.places[:3]:
        with at_most(STEPS):
            memory.receive(ToolQuery(QueryTool.DESCRIBE_PLACE, {'node_id': place.id}, 5.0))
    for document in of_type(memory.outputs, Document):
        assert decode_document(encode_document(document), document.schema) == document
    bodies = [document.body for document in memory.published]
    assert any(isinstance(body, Candidates) for body in bodies)
    replies = [body for body in bodies if isinstance(body, ToolReply)]
    assert len(replies) == len(stored.places[:3])
    assert all(reply.place is not None for reply in replies)


@pytest.mark.parametrize('visits', [MAX_INTEGER - 1, MAX_INTEGER])
def test_place_of_the_most_visits_is_kept_and_counts_no_further(
        tmp_path: Path, visits: int) -> None:
    """SQLite keeps integers in 64 bits; one more could be written by nobody, ever again."""
    backend = MemoryBackend(str(tmp_path / 'memory.sqlite'), 'hash')
    assert isinstance(backend.carry_out(LoadStore('default', HASH.id, 4)), StoreLoaded)
    place = Place('place-s-1', 'default', Pose2D(0.0, 0.0, 0.0), 'kitchen', (), 'kitchen', 1, 1,
                  visits, 's')
    backend.carry_out(SavePlace(place, None, None))
    loaded = backend.carry_out(LoadStore('default', HASH.id, 4))
    assert isinstance(loaded, StoreLoaded) and loaded.places == (place,)
    memory = Bench(working=False)
    memory.feed(STARTED)
    memory.feed(loaded)
    memory.be_at(0.0)
    memory.look(KITCHEN)
    saves = of_type(memory.outputs, SavePlace)
    assert [one.place.visits for one in saves] == [MAX_INTEGER]
    assert backend.carry_out(saves[0]) == PlaceSaved('place-s-1')
    backend.close()


@pytest.mark.parametrize('change', [
    {'visits': MAX_INTEGER + 1}, {'visits': -1}, {'created_calendar_ns': MAX_INTEGER + 1},
    {'last_seen_calendar_ns': -MAX_INTEGER - 1}, {'last_seen_calendar_ns': 10**400}])
def test_integers_that_no_file_holds_are_left_out(change: dict[str, int]) -> None:
    place = Place('place-s-1', 'default', Pose2D(0.0, 0.0, 0.0), 'hall', (), 'hall', 1, 1, 1, 's')
    assert not fault_of_place(place)
    assert fault_of_place(replace(place, **change))  # type: ignore[arg-type]
