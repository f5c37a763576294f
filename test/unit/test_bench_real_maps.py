"""`bench reality --maps`: searches of saved maps for what is not there."""

import json
from pathlib import Path

import pytest
from saved_maps import flat

from semantic_nav.contracts.map_file import save_map
from semantic_nav_sim.cli.bench import main


def named(grid_folder: Path, name: str) -> None:
    """Give the map of a folder another name, as its file has it."""
    (grid_folder / 'map.yaml').rename(grid_folder / f'{name}.yaml')


def test_each_map_is_searched_and_one_that_is_none_is_told(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maps = tmp_path / 'maps'
    save_map(flat(), maps / 'flat')
    named(maps / 'flat', 'flat')
    (maps / 'rotated.yaml').write_text(
        'image: flat/map.pgm\nresolution: 0.05\norigin: [0, 0, 0.5]\nnegate: 0\n'
        'occupied_thresh: 0.65\nfree_thresh: 0.196\n', encoding='utf-8')
    file = tmp_path / 'told.json'
    assert main(['reality', '--maps', str(maps), '--json', str(file)]) == 1
    said = capsys.readouterr().out
    assert 'refused: rotated: ' in said and 'unrotated' in said
    told = {one['name']: one for one in json.loads(file.read_text(encoding='utf-8'))['measures']}
    assert told['maps']['figure'] == 1 and told['maps that are refused']['figure'] == 1
    looked = told['floor in reach that was looked at [share]']
    assert looked['holds'] is True and looked['group'] == 'flat'
    assert told['that the target is here, at the end']['holds'] is True
    assert told['floor in reach [m2]']['figure'] == pytest.approx(32.3, abs=0.5)
    assert told['looks']['figure'] > 5


def test_a_folder_without_maps_is_one_line(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['reality', '--maps', str(tmp_path)]) == 1
    assert 'holds no map' in capsys.readouterr().err
