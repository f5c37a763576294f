"""`completion`: writes what lets bash complete the commands, their options and their choices."""

# shtab takes the value of an option for a command, and argcomplete starts the command at each tab,
# a second where it loads ROS; neither completes what follows `ros2 run`.

import argparse
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from semantic_nav.__main__ import COMMANDS, parser_of
from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command
from semantic_nav.contracts.share import share_path

_SCRIPT = 'completion.bash'
#: Path of the top level in the script, as bash allows no empty subscript.
_FIRST = '-'


@dataclass
class Words:
    """Completions after a command, or after an action of one.

    Attributes:
        path: the command and its action, separated by a space; empty for the top level.
        actions: the actions and positional choices.
        flags: options without a value.
        options: options with a value, each with its choices if it has a few.
    """

    path: str
    actions: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)


def make_parser() -> Parser:
    """The command's parser."""
    parser = Parser(prog='completion', description=__doc__)
    parser.add_argument('shell', nargs='?', choices=('bash',), default='bash', help='for which')
    return parser


@command
def main(args: list[str] | None = None) -> int:
    """Write the script, which is to be sourced."""
    make_parser().parse_args(args)
    first = Words('', list(COMMANDS), ['--help', '--version'], {'--namespace': []})
    print('\n'.join(script_of([first, *_of_commands()])), end='')
    return 0


def _of_commands() -> Iterator[Words]:
    for name in COMMANDS:
        try:
            parser = parser_of(name)
        except ImportError as error:
            print(f'completion: {name} without its options: {error}', file=sys.stderr)
        else:
            yield from words_of(parser, name)


def words_of(parser: argparse.ArgumentParser, path: str) -> Iterator[Words]:
    """Yield the completions of a command, and then those of each action of it."""
    words, below = Words(path), []
    # argparse has no public interface for this.
    for action in parser._actions:
        choices = [str(one) for one in action.choices or ()]
        if isinstance(action, argparse._SubParsersAction):
            words.actions += choices
            below += action.choices.items()
        elif not action.option_strings:
            words.actions += choices
        elif action.nargs == 0:
            words.flags += action.option_strings
        else:
            words.options |= dict.fromkeys(action.option_strings, choices)
    yield words
    for name, one in below:
        yield from words_of(one, f'{path} {name}')


def script_of(commands: list[Words]) -> Iterator[str]:
    """Yield the lines of the script: tables of the words, and the functions that read them."""
    rows: dict[str, dict[str, list[str]]] = {
        'actions': {one.path: one.actions for one in commands if one.actions},
        'options': {one.path: [*one.flags, *one.options] for one in commands},
        'choices': {f'{one.path or _FIRST} {option}': choices for one in commands
                    for option, choices in one.options.items()}}
    for table, entries in rows.items():
        yield f'declare -gA _semantic_nav_{table}=('
        for path, words in entries.items():
            yield f'    [{shlex.quote(path or _FIRST)}]={shlex.quote(" ".join(words))}'
        yield ')'
    yield share_path('config', _SCRIPT).read_text(encoding='utf-8')


if __name__ == '__main__':
    sys.exit(main())
