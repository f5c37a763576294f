"""`schema`: compares the files of `schema/` with the documents, or writes them."""

import argparse

from semantic_nav.cli.command import command
from semantic_nav.contracts.schema_writer import COMMAND, differing_files, schema_files
from semantic_nav.contracts.share import share_path


def make_parser() -> argparse.ArgumentParser:
    """The command's parser."""
    parser = argparse.ArgumentParser(prog='schema', description=__doc__)
    parser.add_argument('--write', action='store_true',
                        help='write those that differ from semantic_nav/contracts')
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    return make_parser().parse_args(args)


@command
def main(args: list[str] | None = None) -> int:
    """Name the files that differ, or count those that agree; exit code 1 if some still differ."""
    write = parse(args).write
    differing = differing_files()
    for name, text in differing.items():
        if write:
            share_path('schema', name).write_text(text, encoding='utf-8')
        print(f'{name} {"written" if write else "differs from semantic_nav/contracts"}')
    if differing and not write:
        print(f'to write them: {COMMAND}')
        return 1
    print(f'{len(schema_files())} schemas agree with the documents')
    return 0
