"""`resume`: lets the paused mission go on."""

import sys

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import carry_out, request_parser


def make_parser() -> Parser:
    """The command's parser."""
    return request_parser('resume', __doc__)


@command
def main(args: list[str] | None = None) -> int:
    """Resume the mission."""
    return carry_out(make_parser(), args)


if __name__ == '__main__':
    sys.exit(main())
