"""`tour`: lets the robot look at all that it can reach, so that it knows the home afterwards."""

import sys

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import at_desk, namespace_in, words_of
from semantic_nav.cli.following import follow, mission_parser


def make_parser() -> Parser:
    """The command's parser."""
    return mission_parser('tour', __doc__)


@command
def main(args: list[str] | None = None) -> int:
    """Follow the tour to its end; exit code 0 only if all in reach was looked at."""
    parser = make_parser()
    chosen = parser.parse_args(words_of(args, parser.prog))
    return at_desk(
        lambda desk: follow(desk, 'a tour', desk.operator.tour, chosen.timeout,
                            yes=chosen.yes), args,
        namespace_in(parser, chosen.namespace), as_json=chosen.as_json)


if __name__ == '__main__':
    sys.exit(main())
