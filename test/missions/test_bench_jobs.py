"""Whole missions in several processes, and with a goal in free words."""

import json
from pathlib import Path
from typing import Any

import pytest
import small_world
import yaml

from semantic_nav_sim.cli.bench import main


@pytest.fixture(scope='module')
def preset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('bench')
    home = small_world.write_world(folder / 'small')
    path = folder / 'preset.yaml'
    path.write_text(yaml.safe_dump({
        'description': 'two goals in a small home', 'budget_s': 60, 'worlds': [str(home)],
        'seeds': [small_world.SEED_STOOL], 'runs': 1, 'body': 'light', 'embedder': 'hash',
        'goals': [
            {'words': 'find something to drink from', 'fits': {'kinds': ['mug', 'bottle']}},
            {'words': 'find the piano', 'fits': {}}]}))
    return path


def figures(preset: Path, file: Path, *more: str) -> dict[str, Any]:
    assert main(['missions', '--preset', str(preset), '--json', str(file), *more]) == 0
    said: dict[str, Any] = json.loads(file.read_text())
    return said


def without_clock(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: value for name, value in run.items() if name != 'wall_s'}
            for run in said['runs']]


def test_two_processes_come_to_what_one_comes_to(preset: Path, tmp_path: Path) -> None:
    alone = figures(preset, tmp_path / 'alone.json')
    together = figures(preset, tmp_path / 'together.json', '--jobs', '2',
                       '--report', str(tmp_path / 'report'))
    assert without_clock(together) == without_clock(alone)
    drink, piano = together['runs']
    assert drink['reached'] and not drink['wrong_object'] and 0.0 < drink['spl'] <= 1.0
    assert (piano['absent'], piano['success'], piano['outcome']) == (True, True, 'not_here')
    assert (tmp_path / 'report' / 'report.html').is_file()
