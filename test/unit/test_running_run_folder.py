"""Folders of runs: fresh ones, with a link to the last."""

import os
import shutil
from pathlib import Path

import pytest

from semantic_nav.cli.arguments import check_new
from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.running.run_folder import (
    LATEST,
    check_room,
    folder_of_this_run,
    new_folder,
)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob('*') if path.is_file() and not path.is_symlink()}


def test_each_run_has_a_folder_of_its_own_and_the_link_names_the_last(tmp_path: Path) -> None:
    runs = [folder_of_this_run(tmp_path / 'out') for _ in range(3)]
    assert len(set(runs)) == 3
    assert all(run.is_dir() and not any(run.iterdir()) for run in runs)
    link = tmp_path / 'out' / LATEST
    assert link.is_symlink() and link.resolve() == runs[-1].resolve()
    assert len(list((tmp_path / 'out').iterdir())) == 4


def test_what_lies_there_stays(tmp_path: Path) -> None:
    for name in ('first/mine', 'map/mine', 'summary.json', 'memory.sqlite'):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    before = content(tmp_path)
    folder_of_this_run(tmp_path)
    assert content(tmp_path) == before


def test_a_folder_that_is_called_as_the_link_stays_and_that_is_told_once(tmp_path: Path) -> None:
    (tmp_path / LATEST).mkdir()
    (tmp_path / LATEST / 'mine').write_text('mine')
    told: list[str] = []
    run = folder_of_this_run(tmp_path, told.append)
    assert len(told) == 1 and str(tmp_path / LATEST) in told[0]
    assert content(tmp_path) == {f'{LATEST}/mine': b'mine'}
    assert {path.name for path in tmp_path.iterdir()} == {LATEST, run.name}


def test_a_link_to_a_run_that_was_removed_is_replaced(tmp_path: Path) -> None:
    (tmp_path / LATEST).symlink_to('gone')
    told: list[str] = []
    run = folder_of_this_run(tmp_path, told.append)
    assert os.readlink(tmp_path / LATEST) == run.name
    assert told == []


def test_an_empty_folder_is_as_good_as_a_new_one(tmp_path: Path) -> None:
    assert new_folder(tmp_path / 'a' / 'b').is_dir()
    assert new_folder(tmp_path / 'a' / 'b').is_dir()
    (tmp_path / 'a' / 'b' / '.hidden').touch()
    with pytest.raises(ConfigError, match='not empty'):
        new_folder(tmp_path / 'a' / 'b')


def test_checking_makes_nothing(tmp_path: Path) -> None:
    check_new(tmp_path / 'a' / 'b')
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('below', ['file', 'file/folder', 'dangling', 'dangling/folder'])
def test_what_is_no_folder_is_named(tmp_path: Path, below: str) -> None:
    (tmp_path / 'file').write_text('mine')
    (tmp_path / 'dangling').symlink_to('nowhere')
    for make in (check_new, new_folder, folder_of_this_run):
        with pytest.raises(ConfigError, match=f'{below.partition("/")[0]} is no folder'):
            make(tmp_path / below)
    assert (tmp_path / 'file').read_text() == 'mine'


def test_a_file_system_that_takes_nothing_says_so() -> None:
    with pytest.raises(ConfigError, match='/proc'):
        folder_of_this_run(Path('/proc/semantic_nav'))


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write anywhere')
def test_rights_are_looked_at_before(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ConfigError, match='nothing may be written'):
            check_new(tmp_path / 'out')
    finally:
        tmp_path.chmod(0o700)


def test_a_disk_without_room_for_a_run_is_named_before(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    check_room(tmp_path / 'a' / 'b', free // 2)
    with pytest.raises(ConfigError, match=f'{2 * free / 1e6:.0f} MB.*{tmp_path / "a"}'):
        check_room(tmp_path / 'a', 2 * free)
    assert not list(tmp_path.iterdir())
