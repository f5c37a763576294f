"""`bench`: measures the product: missions in simulated time, single parts, the nodes."""

import argparse
import shlex
import sys
from functools import partial

from semantic_nav.cli.arguments import Parser, check_file, location, number
from semantic_nav.cli.command import command
from semantic_nav_sim.bench import body_cost, boundary, search_cost, verifying
from semantic_nav_sim.cli import bench_detector, bench_missions, bench_nodes, bench_reality
from semantic_nav_sim.cli.bench_table import show
from semantic_nav_sim.cli.defaults import GOAL, HOME

#: Benchmarks of single parts.
_PARTS = {'model': boundary.measure, 'verify': verifying.measure,
          'search': search_cost.measure, 'body': partial(body_cost.measure, HOME, GOAL)}
_JSON_HELP = 'write all figures there, to a new file'


def make_parser() -> Parser:
    """Make the parser of the command line."""
    parser = Parser(prog='bench', description=__doc__)
    which = parser.add_subparsers(dest='which', required=True,
                                  metavar='{missions,model,verify,search,body,nodes,detector,reality}')
    bench_missions.add_options(which.add_parser(
        'missions', help='missions in many homes, judged by the truth'))
    for name, told, rounds, counted, seed, seeded in (
            ('model', 'what gate, request and client cost around a call',
             200, 'calls of each kind', 0, 'of pictures and replies'),
            ('verify', 'what a verdict costs on a large map, and how far groundings err',
             200, 'verdicts of each kind', 0, 'of map, poses and views'),
            ('search', 'what a look costs the search on a large map',
             300, 'looks', 0, 'of map and way'),
            ('body', 'what the light body costs in missions',
             10, 'missions, each in a home of its own', 1, 'of the first home')):
        part = which.add_parser(name, help=told)
        part.add_argument('--rounds', type=number, default=rounds, metavar='N', help=counted)
        part.add_argument('--seed', type=number, default=seed, help=seeded)
        part.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    nodes = which.add_parser(
        'nodes', help='what the four nodes cost the computer, idle and on a mission')
    bench_nodes.add_options(nodes)
    nodes.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    detector = which.add_parser(
        'detector', help='what a detector finds in the pixels of drawn pictures')
    bench_detector.add_options(detector)
    detector.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    reality = which.add_parser(
        'reality', help='how right places are in frames of a real camera, or how searches go on '
                        'maps of real places')
    bench_reality.add_options(reality)
    reality.add_argument('--json', type=location, metavar='FILE', help=_JSON_HELP)
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """Parse the options of a command line."""
    parser = make_parser()
    chosen = parser.parse_args(args)
    words = sys.argv[1:] if args is None else args
    chosen.command = shlex.join(['python', '-m', 'semantic_nav', parser.prog, *words])
    if chosen.which in _PARTS and chosen.rounds < 2:
        parser.error('--rounds must be at least 2')
    if chosen.which == 'detector' and chosen.views < 1:
        parser.error('--views must be at least 1')
    return chosen


@command
def main(args: list[str] | None = None) -> int:
    """Run a benchmark; exit code 1 if a figure misses its bar."""
    chosen = parse(args)
    if chosen.which == 'missions':
        return bench_missions.carry_out(chosen)
    if chosen.json is not None:
        check_file(chosen.json)
    if chosen.which == 'nodes':
        return bench_nodes.carry_out(chosen)
    if chosen.which == 'detector':
        return bench_detector.carry_out(chosen)
    if chosen.which == 'reality':
        return bench_reality.carry_out(chosen)
    return show(_PARTS[chosen.which](chosen.rounds, chosen.seed), chosen.json)
