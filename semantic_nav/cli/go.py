"""`go`: sends the robot to a remembered place and follows it; Ctrl-C cancels."""

import argparse
import sys

from semantic_nav.belief.goal import words_of_way
from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import at_desk, namespace_in, words_of
from semantic_nav.cli.following import follow, mission_parser


def make_parser() -> Parser:
    """The command's parser."""
    parser = mission_parser('go', __doc__)
    parser.add_argument('place', nargs='+',
                        help='name of the place, or its id; `places list` tells both')
    return parser


@command
def main(args: list[str] | None = None) -> int:
    """Go there; exit code 0 only if the robot says that it has arrived."""
    parser = make_parser()
    chosen = parser.parse_args(words_of(args, parser.prog))
    place = ' '.join(chosen.place).strip()
    if not place:
        parser.error('say where to go')
    return send(parser, args, chosen, place)


def send(parser: Parser, args: list[str] | None, chosen: argparse.Namespace, place: str) -> int:
    """Send the robot to a place with the options of a command, and follow it."""
    return at_desk(
        lambda desk: follow(desk, words_of_way(place), lambda: desk.operator.go(place),
                            chosen.timeout, yes=chosen.yes, place=place),
        args, namespace_in(parser, chosen.namespace), as_json=chosen.as_json)


if __name__ == '__main__':
    sys.exit(main())
