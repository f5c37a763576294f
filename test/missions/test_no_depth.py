"""Whole missions of a robot without a depth camera."""

from pathlib import Path

import pytest
from nightly import some

from semantic_nav_sim.bench.bodies import LIGHT
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.missions import run_case

_SEEDS = range(21, some(22, 31))
_LEAST_REACHED = 0.66


@pytest.mark.timeout(1800)
def test_most_targets_are_found_without_depth(tmp_path: Path) -> None:
    runs = [run for seed in _SEEDS for run in run_case(
        Case(f'generated:{seed}:6', seed, 'find the red mug', runs=1, body=LIGHT, embedder='hash',
             robot_profile='default+no_depth'), tmp_path / str(seed))]
    assert [run.seed for run in runs if run.collisions or run.unvetted or not run.honest] == []
    assert sum(run.reached for run in runs) >= _LEAST_REACHED * len(runs), [
        (run.seed, run.reason) for run in runs]
