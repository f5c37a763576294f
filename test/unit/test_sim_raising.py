"""A home made of a saved map: walls where it was occupied, closed where it was unknown."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from saved_maps import flat, with_cell
from scipy import ndimage

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.map_file import load_map, save_map
from semantic_nav_sim.cli.world import main
from semantic_nav_sim.saved_map.raising import raise_home
from semantic_nav_sim.saved_map.rectangles import rectangles_of
from semantic_nav_sim.saved_map.survey import clear_m_of, survey
from semantic_nav_sim.saved_map.things import Thing
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.generator.checks import check_world, ways_for
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import build_scene, stage

RADIUS_M = 0.22


def home(grid: OccupancyGrid, seed: int = 0, *things: Thing) -> dict[str, Any]:
    return raise_home('home', survey(grid, RADIUS_M), seed, things)


def plan_of(document: dict[str, Any]) -> OccupancyGrid:
    return floor_plan(build_scene(world_from(document)))


def same_places(plan: OccupancyGrid, grid: OccupancyGrid) -> np.ndarray[Any, Any]:
    """Return the values of a plan at the centres of the cells of a map."""
    x, y = np.meshgrid(*grid.centres_of(*(np.arange(count) for count in grid.shape)))
    return plan.values_at(x.ravel(), y.ravel()).reshape(grid.shape)


def test_a_home_can_be_lived_in() -> None:
    assert check_world(home(flat()), ways_for(RADIUS_M)) == []


def test_its_map_is_the_saved_one_but_for_the_tables() -> None:
    grid = flat()
    raised = home(grid, 0, Thing('red mug', (1.0, 1.0)))
    values = same_places(plan_of(raised), grid)
    # A table of about half a metre, and nothing else, stands where it was free.
    taken = grid.free & (values == LETHAL)
    assert 0.15 < taken.sum() * 0.05 ** 2 < 0.45
    assert (values[grid.free & ~taken] == 0).all()
    # What was occupied beside the floor is so still.
    assert (values[9, 20:80] == LETHAL).all()
    assert (values[:5] == UNKNOWN).all()


def test_rays_through_a_window_stay_outside_and_the_window_is_closed() -> None:
    grid = flat(window_m=0.2)
    values = same_places(plan_of(home(grid)), grid)
    assert (values[:, :4] == UNKNOWN).all()
    assert (values[48:52, 4:10] == LETHAL).any(axis=1).all()


def test_a_leg_is_lower_than_a_wall() -> None:
    heights = {block['height_m'] for block in
               home(with_cell(flat(), 2.0, 2.0))['blocks']}
    assert heights == {0.75, 2.6}


def test_rooms_are_cut_along_the_wall_between_them() -> None:
    rooms = home(flat())['rooms']
    assert len(rooms) == 2
    assert rooms[0]['rectangle_m'][2] == pytest.approx(rooms[1]['rectangle_m'][0], abs=0.3)
    assert rooms[0]['rectangle_m'][2] == pytest.approx(4.1, abs=0.2)


def test_a_listed_thing_lies_where_it_is_wanted_and_nothing_else_does() -> None:
    raised = home(flat(), 0, Thing('red mug', (7.0, 0.5)), Thing('blue mug', (1.0, 3.5)))
    scene = build_scene(world_from(raised))
    truth = {one.name: one for one in stage(scene, 0).truth() if one.kind == 'mug'}
    assert set(truth) == {'red mug', 'blue mug'}
    assert truth['red mug'].position[:2] == pytest.approx((7.0, 0.5), abs=0.4)
    assert len(raised['objects']) == 2


def test_the_same_seed_gives_the_same_home_and_another_one_another() -> None:
    assert home(flat(), 3) == home(flat(), 3)
    assert home(flat(), 3) != home(flat(), 4)


def test_tables_leave_wide_ways_wide() -> None:
    def wide_parts(grid: OccupancyGrid) -> int:
        parts, _ = ndimage.label(grid.free & (clear_m_of(grid) > RADIUS_M + 0.15), np.ones((3, 3)))
        # The corner beside a table is no way.
        return int(np.count_nonzero(np.bincount(parts.ravel())[1:] > 20))

    grid = flat(door_m=1.2)
    in_the_door = Thing('red mug', (4.1, 2.0))
    assert wide_parts(plan_of(home(grid, 0, in_the_door))) == wide_parts(grid) == 1


def test_without_a_list_the_red_mug_is_elsewhere_from_run_to_run() -> None:
    scene = build_scene(world_from(home(flat())))
    places = {one.position for seed in range(8) for one in stage(scene, seed).truth()
              if one.name == 'red mug'}
    assert len(places) > 1


@pytest.mark.parametrize(('thing', 'said'), [
    (Thing('red sofa', (1.0, 1.0)), "no thing 'red sofa': name one of "),
    (Thing('pixelated mug', (1.0, 1.0)), "no thing 'pixelated mug'"),
    (Thing('red mug', (-3.0, 1.0)), r'no place for red mug within 1\.5 m of \(-3\.00, 1\.00\)'),
])
def test_what_cannot_be_is_refused_with_words(thing: Thing, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        home(flat(), 0, thing)


@given(arrays(np.bool_, (7, 9), elements=st.booleans()))
def test_rectangles_hold_each_cell_once_and_no_other(cells: np.ndarray[Any, Any]) -> None:
    grid = OccupancyGrid(np.zeros(cells.shape, np.int8), 0.05, -1.0, 2.0, 'map', 0)
    held = np.zeros(cells.shape, int)
    for one in rectangles_of(grid, cells):
        held[one.window(grid)] += 1
    assert np.array_equal(held, cells.astype(int))


def test_from_map_writes_a_home_that_other_commands_take(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_map(flat(window_m=0.2), tmp_path)
    folder = tmp_path / 'home'
    assert main(['from-map', str(tmp_path / 'map.yaml'), '--thing', 'red mug=1,3',
                 '--out', str(folder)]) == 0
    told = capsys.readouterr().out
    assert 'm² of floor in 2 rooms, with red mug: ' in told
    assert 'note: 1 strips of ' in told
    assert {path.name for path in folder.iterdir()} == {'world.yaml', 'map.yaml', 'map.pgm'}
    assert yaml.safe_load((folder / 'world.yaml').read_text(encoding='utf-8'))['blocks']
    assert load_map(folder / 'map.yaml').free.sum() * 0.05 ** 2 == pytest.approx(32.0, abs=1.0)
    assert main(['check', str(folder)]) == 0
    assert main(['show', str(folder)]) == 0
    assert 'red mug' in capsys.readouterr().out
