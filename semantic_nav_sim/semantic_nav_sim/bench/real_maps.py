"""Searches for absent targets on maps of real places."""

import time
from collections.abc import Iterator
from pathlib import Path

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.show.table import Measure, at_least, at_most
from semantic_nav_sim.bench.map_search import MapSearch
from semantic_nav_sim.robot.shape import USUAL
from semantic_nav_sim.saved_map.raising import raise_home
from semantic_nav_sim.saved_map.survey import survey
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import build_scene

#: Least share of the reachable floor to look at. The rest are nooks that no view is worth.
_LOOKED_SHARE = 0.97
#: Largest share of planning in the duration of a search.
_PLANNING_SHARE = 0.1


def map_files_in(folder: Path) -> list[Path]:
    """The YAML files of the maps in a folder, by name.

    Raises:
        ConfigError: there is none.
    """
    found = sorted(folder.rglob('*.yaml'))
    if not found:
        raise ConfigError(f'{folder} holds no map: map_saver_cli writes NAME.yaml and NAME.pgm')
    return found


def measures_of_map(grid: OccupancyGrid, name: str) -> Iterator[Measure]:
    """Build a home from a map, search all of it, and yield the figures.

    Args:
        grid: the map.
        name: of the map.

    Raises:
        ConfigError: the robot does not fit on the map.
    """
    found = survey(grid, USUAL.nav2_radius_m)
    home = raise_home('saved_map', found, 0)
    build_scene(world_from(home))
    search = MapSearch(grid, found.start(), USUAL)
    for _ in search.looks(time.thread_time):
        pass
    done = search.done
    own = (
        Measure('floor in reach [m2]', found.floor_m2),
        Measure('rooms, blocks and things of its home',
                len(home['rooms']) + len(home['blocks']) + len(home['objects'])),
        Measure('looks', len(done.points)),
        Measure('way [m]', done.way_m),
        Measure('simulated time [s]', done.time_s),
        at_least('floor in reach that was looked at [share]', done.looked_share, _LOOKED_SHARE),
        at_most('that the target is here, at the end', done.p_here,
                BeliefConfig().not_here_below),
        at_most('planning [share of the time]', done.planning_s / done.time_s, _PLANNING_SHARE))
    for one in own:
        yield Measure(one.name, one.figure, one.bar, one.holds, group=name)
