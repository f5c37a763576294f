"""`verdicts`: tells and draws why each goal of a mission was refused or taken."""

import argparse
import sys
from pathlib import Path

from semantic_nav.cli.arguments import Parser, check_new_file, location
from semantic_nav.cli.command import command
from semantic_nav.cli.replay import blobs_beside
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.errors import ContractError
from semantic_nav.journal.compare import missions_in
from semantic_nav.journal.verdicts import ToldVerdict, kept, verdicts_of
from semantic_nav.show.mission_pictures import save_picture
from semantic_nav.show.verdict_pictures import draw_verdicts

#: Most panels of a sheet; a larger one is hard to view.
_MOST_PANELS = 90


def make_parser() -> Parser:
    """The command's parser."""
    parser = Parser(prog='verdicts', description=__doc__)
    parser.add_argument('journal', type=location,
                        help='a journal of the verifier, a merged one, or the folder of a mission')
    parser.add_argument('--out', type=location, metavar='FILE.png',
                        help='draw them too, each on the map of its moment, where that was kept '
                             '(journal_blobs)')
    parser.add_argument('--blobs', type=location, help='folder of the blobs (default: beside it)')
    parser.add_argument('--refused', action='store_true', help='only what was refused')
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    return make_parser().parse_args(args)


@command
def main(args: list[str] | None = None) -> int:
    """Print a line for each verdict, and draw the decisions if a file is given."""
    chosen = parse(args)
    if chosen.out is not None:
        check_new_file(chosen.out)
    journal = _journal_of(chosen.journal)
    found = list(verdicts_of(journal))
    if not found:
        print('verdicts: there are none', file=sys.stderr)
        return 1
    verdicts = [one for one in found if not chosen.refused or one.is_refusal]
    for verdict in verdicts:
        print(line_of(verdict))
    if not verdicts:
        print(f'verdicts: of {len(found)} none is a refusal', file=sys.stderr)
    if chosen.out is not None:
        _draw([one for one in verdicts if one.code is not None], chosen.out,
              chosen.blobs or blobs_beside(journal))
    return 0


def _journal_of(path: Path) -> Path:
    missions = missions_in(path)
    if len(missions) > 1:
        raise ContractError(f'{path} holds {len(missions)} missions: name one of them, as '
                            f'{next(iter(missions.values()))}')
    return next(iter(missions.values()))


def line_of(verdict: ToldVerdict) -> str:
    """A verdict as a line: time, act, code, robot, goal and reason."""
    places = ' '.join(f'{name} ({pose.x:.2f}, {pose.y:.2f}, {pose.yaw:.2f})' for name, pose in (
        ('robot', verdict.at.robot), ('goal', verdict.goal)) if pose is not None)
    return f'{verdict.after_s:8.1f} s  {verdict.action:<10} {verdict.word:<18} {places}: ' \
           f'{verdict.reason}'


def _draw(verdicts: list[ToldVerdict], out: Path, folder: Path) -> None:
    if not verdicts:
        return
    drawn, blobs = verdicts[:_MOST_PANELS], FolderBlobs(folder)
    save_picture(draw_verdicts(drawn, blobs), out)
    if len(drawn) < len(verdicts):
        print(f'verdicts: the first {len(drawn)} are drawn', file=sys.stderr)
    if all(kept(verdict.at.map, blobs) is None for verdict in drawn):
        print(f'verdicts: no map was kept in {folder} (journal_blobs of the verifier)',
              file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
