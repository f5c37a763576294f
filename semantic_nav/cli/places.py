"""`places`: lists and draws what is remembered; names a place, or lets the robot forget it."""

import argparse
import sys
import time
from pathlib import Path

from semantic_nav.cli.arguments import Parser, check_new_file, location
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import CommandDesk, at_desk, namespace_in, reply_of_memory, words_of
from semantic_nav.client.mission_client import NoAnswer
from semantic_nav.client.narrator import harmless
from semantic_nav.client.running_demo import meant
from semantic_nav.contracts.documents import ToolQuery
from semantic_nav.contracts.errors import StoreError
from semantic_nav.contracts.map_file import MapError, load_map
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.place import Place
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.memory.store import StoredMap
from semantic_nav.nodes.ros.memory_file import default_memory
from semantic_nav.show.memory_pictures import draw_memory
from semantic_nav.show.mission_pictures import save_picture

_ANSWER_S = 10.0


def make_parser() -> Parser:
    """The command's parser."""
    parser = Parser(prog='places', description=__doc__)
    actions = parser.add_subparsers(dest='action', required=True, metavar='action')
    for name, what in (('list', 'tell all places, those seen last first'),
                       ('plot', 'draw all places and the ways between them')):
        action = actions.add_parser(name, help=what, description=what)
        action.add_argument('--db', type=location, default=None, metavar='FILE',
                            help="of the memory (default: that of the namespace's robot, "
                                 'in $ROS_HOME/semantic_nav)')
        action.add_argument('--namespace', default='', help='namespace of the robot')
        action.add_argument('--map-id', default=MemoryConfig.map_id,
                            help='name of the map, as of the memory node')
        if name == 'plot':
            action.add_argument('--out', type=location, default=Path('places.png'),
                                metavar='FILE.png')
            action.add_argument('--map', type=location, metavar='FILE.yaml',
                                help='the map beneath, as map_server keeps it')
    naming = actions.add_parser('name', help='give a place a name (of a robot that runs)')
    naming.add_argument('place', help='its id, or `here`: the nearest to the robot')
    naming.add_argument('name', nargs='*', help='the name; none takes it away')
    forgetting = actions.add_parser('forget', help='forget a place (of a robot that runs)')
    forgetting.add_argument('place', help='its id')
    for action in (naming, forgetting):
        action.add_argument('--namespace', default='', help='namespace of the robot')
    return parser


@command
def main(args: list[str] | None = None) -> int:
    """List, draw, name or forget places."""
    parser = make_parser()
    chosen = parser.parse_args(words_of(args, parser.prog))
    if chosen.action in ('list', 'plot'):
        file = chosen.db or _usual(namespace_in(parser, chosen.namespace))
        stored, others = _read(file, chosen.map_id)
        if chosen.action == 'list' and not stored.places:
            print(harmless(f'places: none is remembered on the map {chosen.map_id!r}' + (
                f'; --map-id may be {", ".join(others)}' if others else '')), file=sys.stderr)
        return _list(stored) if chosen.action == 'list' else _plot(stored, chosen)
    arguments = {'node_id': chosen.place}
    tool = QueryTool.FORGET_PLACE
    if chosen.action == 'name':
        tool, arguments = QueryTool.NAME_PLACE, {**arguments, 'name': ' '.join(chosen.name)}
    return at_desk(lambda desk: _order(desk, ToolQuery(tool, arguments, _ANSWER_S)), args,
                   namespace_in(parser, chosen.namespace), as_json=False)


def _usual(namespace: str) -> Path:
    """The memory file of the running demo, or of the robot of a namespace."""
    demo = None if namespace else meant()
    return default_memory(namespace) if demo is None else Path(demo.memory)


def _read(path: Path, map_id: str) -> tuple[StoredMap, list[str]]:
    """The stored places of a map, and the names of all maps that have some."""
    if not path.is_file():
        raise StoreError(f'there is no memory {path}; name it with --db')
    store = SqliteStore(path, copied=True)
    try:
        return store.load(map_id, '', 0), store.map_ids()
    finally:
        store.close()


def _list(stored: StoredMap) -> int:
    for place in sorted(stored.places, key=lambda one: -one.last_seen_calendar_ns):
        print(harmless(_line_of(place)))
    return 0 if stored.places else 1


def _line_of(place: Place) -> str:
    seen = time.strftime('%Y-%m-%d %H:%M', time.localtime(place.last_seen_calendar_ns / 1e9))
    return (f'{place.id}  {seen}  ({place.pose.x:.2f}, {place.pose.y:.2f})  visits '
            f'{place.visits}  {place.summary}')


def _plot(stored: StoredMap, chosen: argparse.Namespace) -> int:
    check_new_file(chosen.out)
    try:
        grid = load_map(chosen.map) if chosen.map is not None else None
    except MapError as error:
        raise StoreError(f'the map cannot be drawn: {error}') from error
    save_picture(draw_memory(stored.places, stored.edges, grid), chosen.out)
    print(f'{len(stored.places)} places, {len(stored.edges)} ways: {chosen.out}')
    return 0


def _order(desk: CommandDesk, query: ToolQuery) -> int:
    reply = reply_of_memory(desk, query)
    if reply is None:
        return 1
    if reply.error or reply.place is None:
        raise NoAnswer(reply.error)
    place = reply.place
    done = 'forgotten' if query.tool is QueryTool.FORGET_PLACE else (
        f'is called {place.name}' if place.name else 'has no name any more')
    desk.say(f'{place.node_id} {done}: {place.summary}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
