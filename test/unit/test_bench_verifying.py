"""`bench verify`: that it measures what it says, not how fast this machine is."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code
from semantic_nav_sim.bench import grounding_errors
from semantic_nav_sim.bench.verifying import (
    fine_floor,
    follow,
    inflated,
    judge,
    known_of,
    ring,
    rooms,
)
from semantic_nav_sim.cli.bench import main

HERE, THERE, WALL = Pose2D(2.5, 2.5, 0.0), Pose2D(47.5, 47.5, 1.0), Pose2D(5.05, 5.05, 0.0)


def test_verdicts_are_on_a_map_over_which_ways_lead() -> None:
    grid = rooms(np.random.default_rng(3))
    known = known_of(grid, inflated(grid), HERE)
    assert grid.shape == (1000, 1000)
    assert judge(known, THERE) is None
    refused = judge(known, WALL)
    assert refused is not None and refused.code is Code.COLLISION_DETECTED
    assert known.way_to(THERE.x, THERE.y) > HERE.distance_to(THERE.x, THERE.y)
    assert len(ring(known, THERE, (0.55, 0.9))) == 3


def test_path_over_small_cells_is_judged_to_its_end() -> None:
    floor = fine_floor()
    assert all(follow(floor, Pose2D(1.0, 1.0, yaw)) is None for yaw in (-1.6, 0.0, 1.6))
    met = follow(replace(floor, cells=floor.cells.T[::-1]), HERE)
    assert met is not None and met.code is Code.UNKNOWN_SPACE


def test_maps_and_views_differ_by_seed() -> None:
    first, again, other = (rooms(np.random.default_rng(seed)).cells for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).any()


def test_truth_is_what_the_views_show() -> None:
    """Where nothing is hidden, the middle of what is seen lies within the box, at its depth."""
    seen = list(grounding_errors.views(8, 5))
    assert len(seen) == 8
    for view in seen:
        x, y, z = view.map_T_camera.inverse().apply(view.true[None])[0]
        (cx, cy), focal = view.camera.centre_px, view.camera.focal_px
        u, v = (x / z * focal + cx) / view.camera.width, (y / z * focal + cy) / view.camera.height
        x1, y1, x2, y2 = view.box
        assert x1 <= u * 1000 <= x2 and y1 <= v * 1000 <= y2
        assert 0.5 < z < 4.5 and (view.depth_mm == 0).mean() > 0.02


@pytest.mark.slow
def test_the_table_is_printed_and_written(tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / 'figures.json'
    main(['verify', '--rounds', '20', '--json', str(file)])
    measures = json.loads(file.read_text(encoding='utf-8'))['measures']
    timed = [one for one in measures if one['name'].endswith('[ms]')]
    assert [one['bar'] for one in timed] == [
        '<= 2', '<= 2', '<= 60', '<= 10', '<= 10', '<= 10', '<= 50', '<= 3']
    # What is no matter of the machine holds everywhere.
    errors = [one for one in measures if one not in timed and one['bar']]
    assert len(errors) == 7 and all(one['holds'] for one in errors)
    assert len(capsys.readouterr().out.splitlines()) == len(measures) + 1
