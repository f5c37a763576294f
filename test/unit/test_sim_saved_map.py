"""A saved map looked over: what keeps a robot from its floor, and how a whole search goes."""

from pathlib import Path

import pytest
from saved_maps import flat, with_cell

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.map_file import save_map
from semantic_nav_sim.bench.map_search import MapSearch
from semantic_nav_sim.cli.world import main
from semantic_nav_sim.robot.shape import USUAL
from semantic_nav_sim.saved_map.survey import survey

RADIUS_M = 0.22


def test_a_good_map_has_nothing_in_the_way() -> None:
    found = survey(flat(), RADIUS_M)
    assert (found.passages, found.tight, found.enclosed, found.spots, found.strips,
            found.openings) == ((), (), (), (), (), ())
    # Two rooms and the doorway.
    assert found.floor_m2 == pytest.approx(2 * 16.0 + 0.27, abs=0.3)


def test_a_passage_that_is_too_narrow_is_told_with_its_place_and_width() -> None:
    found = survey(flat(door_m=0.3), RADIUS_M, (1.0, 2.0))
    (passage,) = found.passages
    assert passage.width_m == pytest.approx(0.3, abs=0.05)
    assert passage.at == pytest.approx((4.1, 2.0), abs=0.3)
    assert passage.behind_m2 == pytest.approx(16.0, abs=0.5)
    assert not found.enclosed


def test_a_smaller_robot_passes() -> None:
    found = survey(flat(door_m=0.3), 0.1)
    assert not found.passages
    # With 0.1 m to spare.
    (tight,) = found.tight
    assert tight.width_m == pytest.approx(0.3, abs=0.05)
    assert tight.at == pytest.approx((4.1, 2.0), abs=0.3)
    assert tight.behind_m2 == pytest.approx(16.0, abs=0.5)
    assert not survey(flat(door_m=0.3), 0.05).tight


def test_a_room_behind_a_wall_is_out_of_reach_whatever_the_robot() -> None:
    found = survey(flat(door_m=0.0), 0.1, (1.0, 2.0))
    (room,) = found.enclosed
    assert not found.passages
    assert room.at[0] == pytest.approx(6.2, abs=0.2) and room.size == pytest.approx(16.0, abs=0.5)


def test_a_leg_on_the_floor_is_a_spot_and_one_at_the_wall_is_not() -> None:
    grid = with_cell(with_cell(flat(), 2.0, 1.0), 0.07, 3.0)
    (spot,) = survey(grid, RADIUS_M).spots
    assert spot.at == pytest.approx((2.0, 1.0), abs=0.05)


def test_rays_through_a_gap_are_strips_and_wide_glass_is_an_opening() -> None:
    (strip,) = survey(flat(window_m=0.2), RADIUS_M).strips
    assert strip.at[0] < 0.0
    (opening,) = survey(flat(window_m=1.6), RADIUS_M).openings
    assert opening.at[0] < 0.0 and opening.size >= 1.0


def test_a_map_without_room_for_the_robot_is_refused_with_words() -> None:
    with pytest.raises(ConfigError, match=r'nowhere .* 3\.00 m radius .* too narrow'):
        survey(flat(), 3.0)
    with pytest.raises(ConfigError, match=r'no room at \(-9\.00, 0\.00\)'):
        survey(flat(), RADIUS_M, (-9.0, 0.0))


def test_a_whole_search_looks_at_all_floor_in_reach_and_ends() -> None:
    search = MapSearch(flat(), (1.0, 2.0), USUAL)
    for _ in search.looks():
        pass
    done = search.done
    assert done.looked_share > 0.97
    assert done.p_here < 0.25
    # It went through the door.
    assert max(x for x, _ in done.points) > 4.3
    assert done.way_m / 0.4 < done.time_s < 900.0


@pytest.mark.parametrize(('door_m', 'code', 'said'), [
    (0.9, 0, ': no problems\n'),
    (0.3, 1, 'wide on the map, this robot needs more than 0.44 m'),
    (0.5, 0, 'less than 0.15 m to spare, and may need several tries, where it is 0.'),
])
def test_check_says_it_in_words(door_m: float, code: int, said: str, tmp_path: Path,
                                capsys: pytest.CaptureFixture[str]) -> None:
    save_map(flat(door_m), tmp_path)
    assert main(['check', str(tmp_path / 'map.yaml'), '--start=1,2']) == code
    told = capsys.readouterr().out
    assert said in told
    assert 'a whole search for what is not there takes about ' in told


def test_a_map_that_is_not_there_is_one_line(tmp_path: Path,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['check', str(tmp_path / 'flat.yaml')]) == 1
    assert capsys.readouterr().err.startswith('world: ')
