"""`bench`: measures the product: missions in simulated time, single parts, the nodes."""

import argparse
from functools import partial

from semantic_nav.bench import body_cost, boundary, search_cost, verifying
from semantic_nav.cli import bench_detector, bench_missions, bench_nodes
from semantic_nav.cli.arguments import GOAL, HOME, Parser, check_file, location, number
from semantic_nav.cli.bench_table import show
from semantic_nav.cli.command import command

#: What is measured of single parts.
_PARTS = {'model': boundary.measure, 'verify': verifying.measure,
          'search': search_cost.measure, 'body': partial(body_cost.measure, HOME, GOAL)}
_JSON_HELP = 'write all figures there, to a new file'


def make_parser() -> Parser:
    """Return what reads the command line."""
    parser = Parser(prog='bench', description=__doc__)
    which = parser.add_subparsers(dest='which', required=True,
                                  metavar='{missions,model,verify,search,body,nodes,detector}')
    bench_missions.add_options(which.add_parser(
        'missions', help='missions in many homes, judged by the truth'))
    model = which.add_parser('model', help='what gate, request and client cost around a call')
    model.add_argument('--rounds', type=number, default=200, metavar='N',
                       help='calls of each kind')
    model.add_argument('--seed', type=number, default=0, help='of pictures and replies')
    model.add_argument('--json', type=location, metavar='FILE',
                       help=_JSON_HELP)
    verify = which.add_parser('verify', help='what a verdict costs on a large map, and how far '
                              'groundings err')
    verify.add_argument('--rounds', type=number, default=200, metavar='N',
                        help='verdicts of each kind')
    verify.add_argument('--seed', type=number, default=0, help='of map, poses and views')
    verify.add_argument('--json', type=location, metavar='FILE',
                        help=_JSON_HELP)
    search = which.add_parser('search', help='what a look costs the search on a large map')
    search.add_argument('--rounds', type=number, default=300, metavar='N', help='looks')
    search.add_argument('--seed', type=number, default=0, help='of map and way')
    search.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    body = which.add_parser('body', help='what the light body costs in missions')
    body.add_argument('--rounds', type=number, default=10, metavar='N',
                      help='missions, each in a home of its own')
    body.add_argument('--seed', type=number, default=1, help='of the first home')
    body.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    nodes = which.add_parser(
        'nodes', help='what the four nodes cost the computer, idle and on a mission')
    bench_nodes.add_options(nodes)
    nodes.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    detector = which.add_parser(
        'detector', help='what a detector finds in the pixels of drawn pictures')
    bench_detector.add_options(detector)
    detector.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """Return the options of a command line."""
    parser = make_parser()
    chosen = parser.parse_args(args)
    if chosen.which in _PARTS and chosen.rounds < 2:
        parser.error('--rounds must be at least 2')
    if chosen.which == 'detector' and chosen.views < 1:
        parser.error('--views must be at least 1')
    return chosen


@command
def main(args: list[str] | None = None) -> int:
    """Run a benchmark; exit code 1 if a bar falls short."""
    chosen = parse(args)
    if chosen.which == 'missions':
        return bench_missions.carry_out(chosen)
    if chosen.json is not None:
        check_file(chosen.json)
    if chosen.which == 'nodes':
        return bench_nodes.carry_out(chosen)
    if chosen.which == 'detector':
        return bench_detector.carry_out(chosen)
    return show(_PARTS[chosen.which](chosen.rounds, chosen.seed), chosen.json)
