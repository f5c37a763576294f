"""The actions of `world` on a saved map: check it for a robot, or make a home of it."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.cli.arguments import check_new, location, number
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.map_file import load_map
from semantic_nav_sim.bench.map_search import MapSearch, Searched, minutes
from semantic_nav_sim.bench.robot_configs import configs_for
from semantic_nav_sim.robot.shape import Shape, shape_of
from semantic_nav_sim.running.run_folder import new_folder
from semantic_nav_sim.saved_map.raising import raise_home
from semantic_nav_sim.saved_map.survey import TIGHT_M, Area, Point, Survey, survey
from semantic_nav_sim.saved_map.things import Thing
from semantic_nav_sim.world.generator.home_cache import write_world

#: Number of places that are listed for each kind.
_TOLD = 5
#: Upper bounds of a whole mission: a multiple of an undisturbed search, and additional seconds for
#: each tight passage (measured, semantic_nav_sim/docs/benchmark.md).
_WHOLE, _TIGHT_S = 2.5, 120.0


def names_map(name: str) -> bool:
    """Tell whether a name is that of a saved map's file, not of a world."""
    path = Path(name)
    return path.suffix in ('.yaml', '.yml') and not path.is_dir()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a check of a saved map."""
    add_body_options(parser)
    parser.add_argument('--no-search', action='store_true',
                        help='on a map: leave out how long a whole search takes, which needs some '
                             'minutes for a large one')


def add_body_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the robot on a saved map."""
    parser.add_argument('--body-shape', default='', metavar='SHAPE',
                        help='on a map: of the base, round:RADIUS or rectangle:LENGTHxWIDTH, in '
                             'metres (default: round, 0.2)')
    parser.add_argument('--start', type=_point, metavar='X,Y',
                        help='on a map: where the robot is, in metres; write --start=X,Y where X '
                             'is negative (default: the roomiest place of the largest floor)')


def add_home_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a home made of a saved map."""
    parser.add_argument('map', type=location, help='the map.yaml of the saved map')
    parser.add_argument('--seed', type=number, default=0,
                        help='decides on looks, and on things and places where none are given')
    parser.add_argument('--thing', type=_thing, action='append', default=[],
                        metavar='WORDS=X,Y',
                        help="what stands where, in metres, on a small table: 'red mug=1.5,-0.3'; "
                             'may stand several times (default: a red mug that is elsewhere from '
                             'run to run, and others, by the seed)')
    add_body_options(parser)
    parser.add_argument('--out', type=location, required=True, help='the folder, new or empty')


def _thing(words: str) -> Thing:
    name, _, place = words.rpartition('=')
    return Thing(name.strip(), _point(place))


def _point(words: str) -> Point:
    try:
        x, y = (float(part) for part in words.split(','))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{words!r}: write x and y in metres, as '1.5,-0.3'"
                                         ) from None
    return x, y


def radius_of(shape: Shape) -> float:
    """The clearance between a robot's centre and occupied cells, in metres."""
    footprint = footprint_of(shape.footprint)
    return shape.nav2_radius_m if footprint is None else footprint.inscribed_m


def check(chosen: argparse.Namespace) -> int:
    """Print the obstacles to a robot on a map; exit code 1 if they prevent a whole search."""
    shape = shape_of(chosen.body_shape)
    found = survey(load_map(chosen.name), radius_of(shape), chosen.start)
    print(f'{found.floor_m2:.1f} m² of floor in reach')
    problems = list(_in_the_way(found))
    notes = list(_worth_knowing(found))
    if not chosen.no_search:
        done = _searched(found, chosen.start or found.start(), shape)
        most_s = _WHOLE * done.time_s + _TIGHT_S * len(found.tight)
        problems += _beyond_budgets(done, most_s, configs_for(shape)['belief'])
        notes.append(_search_in_words(done, most_s))
    for words in problems:
        print(words)
    for words in notes:
        print(f'note: {words}')
    print(f'{chosen.name}: {len(problems) or "no"} problem{"" if len(problems) == 1 else "s"}')
    return 1 if problems else 0


def make_home(chosen: argparse.Namespace) -> int:
    """Write a home made of a saved map, and print the parts that were left out."""
    check_new(chosen.out)
    found = survey(load_map(chosen.map), radius_of(shape_of(chosen.body_shape)), chosen.start)
    home = raise_home('saved_map', found, chosen.seed, chosen.thing)
    write_world(home, new_folder(chosen.out))
    for words in (*_in_the_way(found), *_worth_knowing(found)):
        print(f'note: {words}')
    things = ', '.join(one['name'] for one in home['objects'])
    print(f'{found.floor_m2:.0f} m² of floor in {len(home["rooms"])} rooms, with {things}: '
          f'{chosen.out / "world.yaml"}')
    return 0


def _searched(found: Survey, start: Point, shape: Shape) -> Searched:
    search = MapSearch(found.grid, start, shape)
    for _ in tqdm(search.looks(), unit='look', disable=None):
        pass
    return search.done


def _in_the_way(found: Survey) -> Iterator[str]:
    for one in found.passages:
        yield (f'{one.behind_m2:.1f} m² of floor are out of reach: the passage at '
               f'{_at(one.at)} is {one.width_m:.2f} m wide on the map, this robot needs more than '
               f'{found.needed_m:.2f} m; widen it, or touch up the map if it is wider in truth')
    for area in found.enclosed:
        yield (f'{area.size:.1f} m² of floor round {_at(area.at)} are out of reach: no passage '
               'leads there; open the door that was closed, drive there once more while mapping, '
               'or leave it if it lies outside')


def _worth_knowing(found: Survey) -> Iterator[str]:
    if found.tight:
        yield (f'this robot fits with less than {TIGHT_M:.2f} m to spare, and may need several '
               'tries, where it is ' + _list(
                   [f'{one.width_m:.2f} m wide at {_at(one.at)}' for one in found.tight]))
    if found.openings:
        yield (f'the floor ends in the unknown in {_places(found.openings, "m")}: glass that the '
               'laser went through, or a room half seen; close it with a no-go zone, or map on')
    if found.strips:
        total_m2 = sum(area.size for area in found.strips)
        yield (f'{len(found.strips)} strips of {total_m2:.1f} m² together lie between unknown '
               'cells: rays that left through windows or gaps; the largest at '
               f'{_at(found.strips[0].at)}')
    if found.spots:
        yield (f'{len(found.spots)} small spots stand alone on the floor, legs of furniture or '
               f'noise: {_list([_at(area.at) for area in found.spots])}')


def _beyond_budgets(done: Searched, most_s: float, limits: BeliefConfig) -> Iterator[str]:
    for taken, limit, name, unit in (
            (most_s, limits.time_limit_s, 'time_limit_s', 's'),
            (_WHOLE * done.way_m, limits.distance_limit_m, 'distance_limit_m', 'm'),
            (_WHOLE * len(done.points), limits.model_calls_limit, 'model_calls_limit', 'looks')):
        if taken > limit:
            yield (f'a whole search may take {taken:.0f} {unit}, a mission ends at {limit:.0f}: '
                   f'set {name} of the belief node to {_round_up(taken)} or more')


def _round_up(value: float) -> int:
    """The number plus a third, rounded up to hundreds."""
    return (int(value * 4 / 3) // 100 + 1) * 100


def _search_in_words(done: Searched, most_s: float) -> str:
    return (f'a whole search for what is not there takes about {minutes(done.time_s)}, with '
            f'{len(done.points)} looks on {done.way_m:.0f} m of way, which show '
            f'{done.looked_share:.0%} of the floor in reach; with views that are blocked, looks '
            f'that show little and tries in tight passages up to {minutes(most_s)}')


def _at(point: Point) -> str:
    return f'({point[0]:.1f}, {point[1]:.1f})'


def _places(areas: Sequence[Area], unit: str) -> str:
    return (f'{len(areas)} place{"" if len(areas) == 1 else "s"}: ' + _list(
        [f'{area.size:.1f} {unit} at {_at(area.at)}' for area in areas]))


def _list(words: Sequence[str]) -> str:
    more = len(words) - _TOLD
    return ', '.join(words[:_TOLD]) + (f' and {more} more' if more > 0 else '')
