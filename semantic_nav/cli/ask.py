"""`ask`: asks for a mission in words and follows it; Ctrl-C cancels it."""

import sys
from dataclasses import dataclass

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import (
    REQUESTS,
    add_options,
    ask_for,
    at_desk,
    namespace_in,
    words_of,
)
from semantic_nav.cli.following import add_mission_options, follow


@dataclass(frozen=True)
class Options:
    """The operator's choice: a goal, or else a request about the running mission."""

    goal: str
    request: str
    namespace: str
    timeout_s: float
    as_json: bool = False
    yes: bool = False


def make_parser() -> Parser:
    """The command's parser."""
    parser = Parser(prog='ask', description=__doc__)
    parser.add_argument('goal', nargs='*', help='what to find, in words')
    add_mission_options(parser)
    for request, what in REQUESTS.items():
        parser.add_argument(f'--{request}', action='append_const', dest='requests',
                            const=request, default=[], help=f'{what}; the same as `{request}`')
    add_options(parser)
    return parser


def parse(args: list[str] | None) -> Options:
    """The options of a command line."""
    parser = make_parser()
    chosen = parser.parse_args(words_of(args, parser.prog))
    goal = ' '.join(chosen.goal)
    if len(chosen.requests) + bool(goal.strip()) != 1:
        parser.error('say either what to find, or one of --cancel, --pause, --resume and '
                     '--status')
    return Options(goal, ''.join(chosen.requests), namespace_in(parser, chosen.namespace),
                   chosen.timeout, chosen.as_json, chosen.yes)


@command
def main(args: list[str] | None = None) -> int:
    """Follow a mission to its end; exit code 0 only if the robot says that it has arrived."""
    options = parse(args)
    return at_desk(
        lambda desk: ask_for(desk, options.request) if options.request else follow(
            desk, options.goal, lambda: desk.operator.find(options.goal), options.timeout_s,
            yes=options.yes),
        args, options.namespace, as_json=options.as_json)


if __name__ == '__main__':
    sys.exit(main())
