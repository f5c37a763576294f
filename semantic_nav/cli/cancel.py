"""`cancel`: ends the running mission; exit code 0 only if the robot is known to stand."""

import sys

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import carry_out, request_parser


def make_parser() -> Parser:
    """The command's parser."""
    return request_parser('cancel', __doc__)


@command
def main(args: list[str] | None = None) -> int:
    """Stop the robot, even without a mission."""
    return carry_out(make_parser(), args)


if __name__ == '__main__':
    sys.exit(main())
