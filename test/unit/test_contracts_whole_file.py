"""Files are whole or not there, and a full disk is told with the name of the file."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from full_disk import no_room

from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import MapError, save_map
from semantic_nav.contracts.whole_file import write_whole


@pytest.mark.parametrize('before', [b'', b'what lay there'])
def test_full_disk_leaves_what_lay_there_and_names_the_file(tmp_path: Path,
                                                            before: bytes) -> None:
    path = tmp_path / 'map.png'
    if before:
        path.write_bytes(before)
    with no_room(), pytest.raises(OSError) as failed:
        write_whole(path, b'x' * 100)
    assert (failed.value.errno, failed.value.filename) == (errno.EFBIG, str(path))
    assert str(failed.value).endswith(f': {str(path)!r}')
    assert [one.read_bytes() for one in tmp_path.iterdir()] == ([before] if before else [])
    write_whole(path, b'x' * 100)
    assert path.read_bytes() == b'x' * 100
    assert list(tmp_path.iterdir()) == [path]


def test_file_that_cannot_take_its_place_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / 'folder').mkdir()
    for path in (tmp_path / 'folder', tmp_path / 'nowhere' / 'file'):
        with pytest.raises(OSError) as failed:
            write_whole(path, b'content')
        assert (failed.value.filename, failed.value.filename2) == (str(path), None)
    assert [path.name for path in tmp_path.iterdir()] == ['folder']


def test_link_stays_one_and_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / 'link').symlink_to('file')
    write_whole(tmp_path / 'link', b'content')
    assert (tmp_path / 'link').is_symlink() and (tmp_path / 'file').read_bytes() == b'content'
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b'content')
    assert os.read(reader, 100) == b'content'
    os.close(reader)
    assert pipe.is_fifo()


def test_full_disk_leaves_no_part_of_a_map_or_a_blob(tmp_path: Path) -> None:
    grid = OccupancyGrid(np.zeros((20, 20), np.int8), 0.1, 0.0, 0.0, 'map', 0)
    with no_room():
        with pytest.raises(MapError, match=r'map\.pgm'):
            save_map(grid, tmp_path / 'map')
        with pytest.raises(OSError):
            FolderBlobs(tmp_path / 'blobs').put(np.arange(100))
    assert [path for path in tmp_path.rglob('*') if path.is_file()] == []
