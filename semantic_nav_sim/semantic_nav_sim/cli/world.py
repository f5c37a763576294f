"""`world`: generates, describes, checks and draws the worlds of the built-in simulator."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image
from tqdm import tqdm

from semantic_nav.cli.arguments import Parser, check_new, check_new_file, location, number, numbers
from semantic_nav.cli.command import command
from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.cli import world_map
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.robot.shape import Shape, shape_of
from semantic_nav_sim.running.run_folder import new_folder
from semantic_nav_sim.world.generator.checks import check_world, ways_for
from semantic_nav_sim.world.generator.home import generate_world
from semantic_nav_sim.world.generator.home_cache import write_world
from semantic_nav_sim.world.generator.openings import USUAL_WAYS
from semantic_nav_sim.world.generator.vocabulary import missing
from semantic_nav_sim.world.loading import world_document
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import Stage, stage
from semantic_nav_sim.world.scene_cache import load_scene
from semantic_nav_sim.world.sdf import write_sdf

_NAME = 'a world of config/worlds, the path of a folder, or generated:SEED[:ROOMS[:wide]]'


def make_parser() -> Parser:
    """Make the parser of the command line."""
    parser = Parser(prog='world', description=__doc__)
    actions = parser.add_subparsers(dest='action', required=True,
                                    metavar='{generate,from-map,show,check,to-png,to-sdf,to-usd,'
                                            'contact-sheet}')
    make = actions.add_parser('generate', help='write a home and its map into a folder')
    make.add_argument('--seed', type=number, required=True, help='decides on everything')
    make.add_argument('--rooms', type=int, help='3 to 8, the hall not counted (default: by seed)')
    make.add_argument('--look-alike', action='append', default=[], metavar='THING',
                      help="add what is easily taken for it ('red mug'); may stand several times")
    make.add_argument('--without', action='append', default=[], metavar='THING',
                      help="leave a kind ('mug') or a thing ('red mug') out; may stand several "
                           'times')
    make.add_argument('--out', type=location, required=True, help='the folder, new or empty')
    show = actions.add_parser('show', help='say what is where')
    show.add_argument('name', help=_NAME)
    judge = actions.add_parser('check', help='say what is wrong with a world, or with a map')
    judge.add_argument('name', help=f'{_NAME}; or the map.yaml of a saved map, such as that of '
                                    'your own home')
    world_map.add_options(judge)
    rehearse = actions.add_parser('from-map', help='make a home of a saved map, such as your own')
    world_map.add_home_options(rehearse)
    draw = actions.add_parser('to-png', help='draw it from above')
    draw.add_argument('name', help=_NAME)
    for name, words in (('to-sdf', 'write it for Gazebo, with its map'),
                        ('to-usd', 'write it for Isaac Sim, with its map (needs usd-core)')):
        one = actions.add_parser(name, help=words)
        one.add_argument('name', help=_NAME)
        one.add_argument('--seed', type=number, default=SimSettings().seed,
                         help='where things lie that are moved between missions, and where the '
                              'robot starts')
        one.add_argument('--out', type=location, required=True, help='the folder, new or empty')
    sheet = actions.add_parser('contact-sheet', help='draw several homes on one sheet')
    sheet.add_argument('--seeds', type=numbers, default='1-20', help="such as '1-20' or '3,7,9'")
    for one in (draw, sheet):
        one.add_argument('--out', type=location, required=True, help='the PNG file, a new one')
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """Parse the options of a command line."""
    return make_parser().parse_args(args)


@command
def main(args: list[str] | None = None) -> int:
    """Carry out one action; `check` exits with 1 if it finds a problem."""
    chosen = parse(args)
    match chosen.action:
        case 'generate':
            return _generate(chosen)
        case 'from-map':
            return world_map.make_home(chosen)
        case 'show':
            return _show(chosen.name)
        case 'check':
            return (world_map.check(chosen) if world_map.names_map(chosen.name)
                    else _check(chosen.name, shape_of(chosen.body_shape)))
        case 'to-png':
            from semantic_nav_sim.show.world_pictures import from_above
            check_new_file(chosen.out)
            return _save(from_above(chosen.name), chosen.out)
        case 'to-sdf':
            return _write(chosen, write_sdf)
        case 'to-usd':
            return _write(chosen, _usd_writer())
        case _:
            check_new_file(chosen.out)
            return _contact_sheet(chosen.seeds, chosen.out)


def _contact_sheet(seeds: Sequence[int], out: Path) -> int:
    from semantic_nav_sim.show.world_pictures import contact_sheet
    with tqdm(total=len(seeds), unit='home', disable=None) as bar:
        def drawn(name: str) -> None:
            bar.write(name, sys.stderr)
            bar.update()

        sheet = contact_sheet(seeds, drawn)
    return _save(sheet, out)


def _generate(chosen: argparse.Namespace) -> int:
    check_new(chosen.out)
    document = generate_world(chosen.seed, chosen.rooms, look_alikes=chosen.look_alike,
                              without=chosen.without)
    write_world(document, new_folder(chosen.out))
    print(f'{len(document["rooms"])} rooms, {len(document["furniture"])} pieces of furniture, '
          f'{len(document["objects"])} small things: {chosen.out / "world.yaml"}')
    return 0


def _usd_writer() -> Callable[[Stage, Path], Path]:
    try:
        from semantic_nav_sim.world.usd import write_usd
    except ModuleNotFoundError as error:
        raise ConfigError(f'to-usd: the package {error.name} is missing; run `pip install '
                          f'usd-core`') from error
    return write_usd


def _write(chosen: argparse.Namespace, write: Callable[[Stage, Path], Path]) -> int:
    """Write a home for another simulator."""
    check_new(chosen.out)
    staged = stage(load_scene(chosen.name), chosen.seed)
    path = write(staged, new_folder(chosen.out))
    start = staged.start
    print(f'{len(staged.placings)} things, the robot at x {start.x:.2f} m, y {start.y:.2f} m, yaw '
          f'{start.yaw:.2f} rad: {path}')
    return 0


def _show(name: str) -> int:
    """Print rooms, furniture and objects, and the possible places of seeded objects."""
    document = world_document(name)
    world = world_from(document)
    owners = {item.id: item for item in world.items}
    by_room: dict[str, list[str]] = {room.name: [] for room in world.rooms}

    def room_of(item_id: str) -> str:
        item = owners[item_id]
        if item.at is not None:
            room = world.room_at(item.at[0], item.at[1])
            return room.name if room is not None else 'outside'
        return room_of(item.spot.support) if item.spot is not None else ''

    for item in world.items:
        if item.id not in world.placements:
            by_room.setdefault(room_of(item.id), []).append(item.name)
    for room in world.rooms:
        wide, deep = (high - low for low, high in zip(room.low, room.high, strict=True))
        print(f'{room.name}, {wide:.1f} x {deep:.1f} m')
        for thing, count in Counter(by_room[room.name]).items():
            print(f'    {thing}' + (f' (x{count})' if count > 1 else ''))
    for item_id, spots in world.placements.items():
        places = ', '.join(f'{owners[spot.support].name} ({room_of(spot.support)})'
                           for spot in spots)
        print(f'{owners[item_id].name}, by the seed of the run: {places}')
    return 0


def _check(name: str, shape: Shape) -> int:
    document = world_document(name)
    mapped = bool(document.get('blocks'))
    # A home of a saved map cannot be changed, so it needs to suit only this robot.
    problems = check_world(
        document, ways_for(world_map.radius_of(shape)) if mapped else USUAL_WAYS)
    for problem in problems:
        print(problem)
    lacking = [] if mapped else missing(document)
    for words in lacking:
        print(f'note: {words}')
    print(f'{name}: {len(problems) or "no"} problem{"" if len(problems) == 1 else "s"}')
    return 1 if problems else 0


def _save(image: Image.Image, path: Path) -> int:
    from semantic_nav.show.mission_pictures import save_picture
    path.parent.mkdir(parents=True, exist_ok=True)
    save_picture(image, path)
    print(path)
    return 0
