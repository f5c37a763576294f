"""`operator`: serves the operator page, of a robot or of a journal; Ctrl-C ends it."""

import json
import math
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

from semantic_nav.cli.arguments import Parser, location, number
from semantic_nav.cli.command import command, remark
from semantic_nav.cli.replay import blobs_beside
from semantic_nav.client.running_demo import robot_reached
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build
from semantic_nav.journal.compare import missions_in
from semantic_nav.operator.config import OperatorConfig
from semantic_nav.operator.desk import Desk
from semantic_nav.operator.recorded import history_of
from semantic_nav.operator.serving import Serving

_LONG_S = 3600.0


def make_parser() -> Parser:
    """The command's parser."""
    usual = OperatorConfig()
    parser = Parser(prog='operator', description=__doc__)
    parser.add_argument('--journal', type=location, metavar='DIR',
                        help='a journal, or the folder of a mission: a slider over what happened, '
                             'without ROS')
    parser.add_argument('--blobs', type=location,
                        help='folder of its pictures and maps (default: beside it)')
    parser.add_argument('--namespace', default='', help='namespace of the robot')
    parser.add_argument('--bind', default=usual.bind,
                        help='address to listen on; any but that of this machine needs a token '
                             '(default: %(default)s)')
    parser.add_argument('--port', type=number, default=usual.port,
                        help='0: any free one (default: %(default)s)')
    parser.add_argument('--token-file', default=usual.token_file, metavar='FILE',
                        help='with the token that the page asks for; its mode must be 0600')
    parser.add_argument('--allowed-hosts', default=usual.allowed_hosts, metavar='NAMES',
                        help='by which the page may be called besides its address, with commas')
    parser.add_argument('--image-topic', default=usual.image_topic, metavar='TOPIC',
                        help='pictures of the camera (default: %(default)s)')
    parser.add_argument('--map-topic', default=usual.map_topic, metavar='TOPIC',
                        help='the map (default: %(default)s)')
    return parser


@command
def main(args: list[str] | None = None) -> int:
    """Serve until a signal comes."""
    options = make_parser().parse_args(args)
    config = build(OperatorConfig, {
        'bind': options.bind, 'port': options.port, 'token_file': options.token_file,
        'allowed_hosts': options.allowed_hosts, 'image_topic': options.image_topic,
        'map_topic': options.map_topic})
    if options.journal is not None:
        return _serve_journal(options.journal, options.blobs, config)
    return _serve_robot(options.namespace, config)


def _serve_journal(path: Path, blobs: Path | None, config: OperatorConfig) -> NoReturn:
    missions = missions_in(path)
    if len(missions) > 1:
        raise ConfigError(f'{path} holds {len(missions)} missions: name one of them, as '
                          f'{next(iter(missions.values()))}')
    journal, = missions.values()
    history = history_of(journal, FolderBlobs(blobs or blobs_beside(journal)))
    desk = Desk(lambda: math.inf, history)
    with Serving(desk, config) as serving:
        print(f'operator: {serving.url} shows {journal}; Ctrl-C ends it', flush=True)
        while True:
            time.sleep(_LONG_S)


def _serve_robot(namespace: str, config: OperatorConfig) -> int:
    # A journal is shown without ROS.
    from semantic_nav.cli.desk import namespace_of
    from semantic_nav.operator import node

    namespace = namespace_of(namespace)
    with robot_reached(namespace, remark):
        return node.main(['--ros-args', '-r', f'__ns:=/{namespace}', *(
            word for name, value in asdict(config).items()
            for word in ('-p', f'{name}:={json.dumps(value)}'))])


if __name__ == '__main__':
    sys.exit(main())
