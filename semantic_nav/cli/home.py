"""`home`: sends the robot to the place that was named home (`places name here home`)."""

import sys

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import words_of
from semantic_nav.cli.following import mission_parser
from semantic_nav.cli.go import send
from semantic_nav.client.mission_client import HOME


def make_parser() -> Parser:
    """The command's parser."""
    return mission_parser('home', __doc__)


@command
def main(args: list[str] | None = None) -> int:
    """Go home; exit code 0 only if the robot says that it has arrived."""
    parser = make_parser()
    return send(parser, args, parser.parse_args(words_of(args, parser.prog)), HOME)


if __name__ == '__main__':
    sys.exit(main())
