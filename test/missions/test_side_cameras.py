"""Whole missions of a robot with cameras to its sides."""

import math
from pathlib import Path

import pytest
from nightly import some

from semantic_nav.contracts.journal import read_lines
from semantic_nav_sim.bench.bodies import LIGHT
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.missions import run_case

_SEEDS = range(21, some(22, 29))
_LEAST_REACHED = 0.66


def observations(journal: Path) -> list[dict]:
    """Return the bodies of all observations in a journal of a verifier."""
    return [output['body'] for line in read_lines(journal) for output in line.get('outputs', ())
            if output.get('schema') == 'observation']


@pytest.mark.timeout(1800)
def test_side_cameras_are_looked_through_and_place_things_right(tmp_path: Path) -> None:
    # A model in plain words, for things are told apart by their names below; and a search that
    # looks much.
    runs = [run for seed in _SEEDS for run in run_case(
        Case(f'generated:{seed}:6', seed, 'find the red mug', runs=1, body=LIGHT, embedder='hash',
             robot_profile='default+side_cameras', model_profile='none', policy='sweep'),
        tmp_path / str(seed))]
    assert [run.seed for run in runs if run.collisions or run.unvetted] == []
    assert sum(run.reached for run in runs) >= _LEAST_REACHED * len(runs), [
        (run.seed, run.reason) for run in runs]
    looks, apart_m = 0, []
    for journal in tmp_path.rglob('verifier.jsonl'):
        placed: dict[bool, dict[str, list[list[float]]]] = {True: {}, False: {}}
        for seen in observations(journal):
            aside = seen['camera'] != 'camera'
            looks += aside
            for item in seen['objects']:
                if not item['provisional']:
                    placed[aside].setdefault(item['name'], []).append(item['position'])
        apart_m += [min(math.dist(position, other) for other in placed[False][name])
                    for name, positions in placed[True].items() if name in placed[False]
                    for position in positions]
    assert looks >= len(runs)
    # There may be several things of a name, and a box shows more of one from elsewhere.
    assert len(apart_m) >= 3 and sorted(apart_m)[len(apart_m) // 2] < 0.15, apart_m
