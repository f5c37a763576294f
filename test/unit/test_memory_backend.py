"""The backend: effects on a real file and real embedders, and core and backend together."""

import dataclasses
import queue
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from spoilt_memory import spoil_table

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Effect, Event, Report
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.embed.registry import load_embedder
from semantic_nav.memory.backend import MemoryBackend
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.core import MemoryCore
from semantic_nav.memory.events import (
    Embed,
    Embedded,
    EmbedFailed,
    LoadStore,
    PlaceSaved,
    SaveFailed,
    SavePlace,
    Started,
    StoreFailed,
    StoreLoaded,
)
from semantic_nav.memory.place import Edge, Place
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.nodes.ros.memory_worker import MemoryWorker

NOW = Now(0, 0, 0)
PLACES = [Place(f'place-s-{number}', 'default', Pose2D(3.0 * number, 0, 0), 'kitchen',
                (f'mug {number}',), f'kitchen with mug {number}', 1, 1, 1, 's')
          for number in range(20)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / 'memory.sqlite'


def run(backend: MemoryBackend, core: MemoryCore) -> tuple[Started, dict[str, int]]:
    """Let a core start, and carry out its effects until none is left; return its figures too."""
    started = backend.start()
    events: list[Event] = [started]
    figures: dict[str, int] = {}
    while events:
        for output in core.handle(events.pop(0), NOW):
            if isinstance(output, Report):
                figures.update(output.figures)
            elif isinstance(output, LoadStore | Embed | SavePlace):
                events.append(backend.carry_out(output))
    return started, figures


@pytest.mark.slow
def test_an_embedder_sees_to_the_places_that_another_one_left(path: Path) -> None:
    try:
        load_embedder('minilm')
    except ConfigError as error:
        pytest.skip(str(error))
    store = SqliteStore(path)
    for place in PLACES:
        store.save(place)
    store.close()
    ids = []
    for name in ('hash', 'minilm', 'hash'):
        backend = MemoryBackend(str(path), name)
        core = MemoryCore(MemoryConfig(embedder=name), f'with {name}')
        started, figures = run(backend, core)
        backend.close()
        assert figures['unembedded'] == 0
        assert figures['places'] == len(PLACES)
        ids.append(started.embedder)
    store = SqliteStore(path)
    for embedder, dimension in ((ids[0], 512), (ids[1], 384)):
        stored = store.load('default', embedder, dimension)
        assert stored.unembedded == ()
        assert np.linalg.norm(stored.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    store.close()


def test_a_write_without_store_fails_by_name(path: Path) -> None:
    edge = Edge('place-s-0', 'place-s-1', 3.0)
    result = MemoryBackend(str(path), 'hash').carry_out(SavePlace(PLACES[1], None, edge))
    assert result == SaveFailed('place-s-1', edge, f'the memory {path} is not open')


def test_the_store_can_be_opened_again(path: Path) -> None:
    backend = MemoryBackend(str(path), 'hash')
    load = LoadStore('default', 'e', 4)
    assert isinstance(backend.carry_out(load), StoreLoaded)
    assert backend.carry_out(SavePlace(PLACES[0], None, None)) == PlaceSaved('place-s-0')
    again = backend.carry_out(load)
    assert isinstance(again, StoreLoaded)
    assert again.places == (PLACES[0],)
    backend.close()
    path.write_bytes(b'x' * 200)
    failed = backend.carry_out(load)
    assert isinstance(failed, StoreFailed)
    assert str(path) in failed.reason


def test_what_nobody_thought_of_fails_by_name_too(path: Path) -> None:
    backend = MemoryBackend(str(path), 'hash')
    backend.start()
    load = LoadStore('default', 'e', 4)
    assert isinstance(backend.carry_out(load), StoreLoaded)
    backend.carry_out(SavePlace(PLACES[0], None, None))
    # No store of ours writes that.
    unwritable = dataclasses.replace(PLACES[1], tags=(object(),))  # type: ignore[arg-type]
    unsaved = backend.carry_out(SavePlace(unwritable, None, None))
    assert isinstance(unsaved, SaveFailed) and unsaved.place_id == 'place-s-1'
    assert str(path) in unsaved.reason and 'TypeError' in unsaved.reason
    unembedded = backend.carry_out(Embed('r', (7,)))  # type: ignore[arg-type]
    assert isinstance(unembedded, EmbedFailed) and unembedded.request_id == 'r'
    backend.close()
    spoil_table(path)
    failed = backend.carry_out(load)
    assert isinstance(failed, StoreFailed) and str(path) in failed.reason
    assert isinstance(backend.carry_out(SavePlace(PLACES[0], None, None)), SaveFailed)
    with pytest.raises(TypeError, match='no effect of the memory'):
        backend.carry_out(Effect())


def test_embedder_that_is_half_installed_is_replaced_and_named(
        path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('onnxruntime', 'tokenizers'):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    backend = MemoryBackend(str(path), 'minilm')
    started = backend.start()
    assert started.embedder.startswith('hash-')
    assert started.embedder_doubt


def test_worker_outlives_what_it_cannot_do(path: Path) -> None:
    done: queue.SimpleQueue[Event] = queue.SimpleQueue()
    worker = MemoryWorker(MemoryBackend(str(path), 'hash'), done.put)
    assert isinstance(done.get(timeout=30.0), Started)
    worker.put(Effect())
    worker.put(Embed('r', ('mug',)))
    assert isinstance(done.get(timeout=30.0), Embedded)
    assert worker.stop(30.0)
    assert done.empty()


def test_embedding_answers_the_request(path: Path) -> None:
    backend = MemoryBackend(str(path), 'hash')
    assert backend.carry_out(Embed('r', ('a',))) == EmbedFailed('r', 'the embedder is not loaded')
    started = backend.start()
    answer = backend.carry_out(Embed('r', ('mug', 'bed')))
    assert isinstance(answer, Embedded)
    assert answer.request_id == 'r'
    assert answer.vectors.shape == (2, started.dimension)


def test_a_missing_model_is_replaced_and_named(
        path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'onnxruntime', None)  # type: ignore[arg-type]
    backend = MemoryBackend(str(path), 'minilm')
    started = backend.start()
    assert started.embedder.startswith('hash-')
    assert 'pip package onnxruntime' in started.embedder_doubt
    assert MemoryBackend(str(path), 'hash').start().embedder_doubt == ''
