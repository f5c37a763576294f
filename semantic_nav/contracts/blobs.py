"""Stores for the arrays of a journal, named by the SHA-256 of their content."""

import hashlib
import io
import os
import zlib
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.whole_file import write_whole

Array = NDArray[Any]


class Blobs(Protocol):
    """A store for arrays."""

    def put(self, array: Array) -> str:
        """Keep an array; returns its SHA-256 in hexadecimal."""

    def get(self, sha256: str) -> Array:
        """A kept array.

        Raises:
            ContractError: it was not kept, or cannot be read.
        """


def _npy(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


class NoBlobs:
    """A store that keeps nothing: its journal can be read but not replayed."""

    def put(self, array: Array) -> str:
        """The array's SHA-256 in hexadecimal."""
        return hashlib.sha256(_npy(array)).hexdigest()

    def get(self, sha256: str) -> Array:
        """Raise ContractError, because nothing was kept."""
        raise ContractError(f'blob {sha256[:12]} was not kept')


class FolderBlobs:
    """A store with one compressed file per array in a folder."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which is made for the first array."""
        self._folder = folder

    def put(self, array: Array) -> str:
        """Keep an array, in one file however often it comes; returns its hexadecimal SHA-256."""
        data = _npy(array)
        sha256 = hashlib.sha256(data).hexdigest()
        path = self._path(sha256)
        try:
            # Marks it as in use: cleaning up removes files that no journal has named for long.
            os.utime(path)
        except FileNotFoundError:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, zlib.compress(data, level=1))
        return sha256

    def get(self, sha256: str) -> Array:
        """A kept array, checked against its name.

        Raises:
            ContractError: it was not kept, cannot be read, or was changed.
        """
        try:
            data = zlib.decompress(self._path(sha256).read_bytes())
        except FileNotFoundError:
            raise ContractError(f'{self._folder} holds no blob {sha256[:12]}: it was not kept, as '
                                'by `bench missions`, or was removed since') from None
        except (OSError, zlib.error) as error:
            raise ContractError(f'blob {sha256[:12]} cannot be read: {error}') from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ContractError(f'blob {sha256[:12]} was changed')
        array: Array = np.load(io.BytesIO(data), allow_pickle=False)
        return array

    def _path(self, sha256: str) -> Path:
        return self._folder / f'{sha256}.npy.z'
