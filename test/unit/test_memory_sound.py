"""Whatever stands in a store, the memory starts, answers, and says only what others can read."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_rig import HASH, KITCHEN, STARTED, Bench, of_type
from steps import at_most
from strategies import examples

from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import Candidates, Document, ToolQuery, ToolReply
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.memory.events import StoreLoaded
from semantic_nav.memory.place import Edge, Found, Place, PlaceVector
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
