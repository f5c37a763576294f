"""`replay`: feeds journals back through the cores; the outputs must be the same, bit for bit.

With --diff it compares the decisions of two runs instead: verdicts, goals, results and outcomes.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from semantic_nav.cli.arguments import Parser, location
from semantic_nav.cli.command import command
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import Gap, read_journal, read_lines
from semantic_nav.contracts.parameters import build
from semantic_nav.journal.compare import divergence, missions_in
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import files_of

#: Exit code of a comparison that could not be made.
UNREADABLE = 2
_BLOBS = 'blobs'


@dataclass(frozen=True)
class Difference:
    """The first output at which a replay differs from the record."""

    node: str
    event: int
    recorded: str
    replayed: str


def nodes_of(path: Path) -> list[str]:
    """The nodes whose journals a file holds, in order of appearance."""
    return list(dict.fromkeys(line['node'] for line in read_lines(path)))


def replay(path: Path, node: str, blobs: Path) -> Iterator[Difference | Gap | None]:
    """Feed a node's journal through a new core.

    Args:
        path: the journal; it may hold those of other nodes too.
        node: the node to replay.
        blobs: folder of the arrays that were kept beside the journal.

    Yields:
        For each event None, or the first difference or gap, which ends the replay.

    Raises:
        ContractError: the journal or a blob cannot be read.
    """
    if node not in PARTS:
        raise ContractError(f'{path.name} holds a journal of {node}, which is no node of ours')
    part = PARTS[node]
    start, records = read_journal(path, node)
    core = part.core(build(part.config, start.parameters), start.session, start.seed)
    codec = part.codec(FolderBlobs(blobs))
    for number, record in enumerate(records, start=1):
        if isinstance(record, Gap):
            # The core took events in that the journal lacks.
            yield record
            return
        outputs = core.handle(codec.decode(record.event), record.now)
        recorded = [_text(output) for output in record.outputs]
        replayed = [_text(codec.encode(output)) for output in outputs]
        if recorded != replayed:
            a, b = next(((a, b) for a, b in zip(recorded, replayed, strict=False) if a != b),
                        (f'{len(recorded)} outputs', f'{len(replayed)} outputs'))
            yield Difference(node, number, a, b)
            return
        yield None


def blobs_beside(path: Path) -> Path:
    """The folder of a journal's blobs.

    It lies beside the journal, beside the journals that it was merged from, or beside its session.
    """
    if path.is_dir():
        return path / _BLOBS
    places = (path.parent / 'journal' / _BLOBS, path.parent.parent / _BLOBS)
    return next((place for place in places if place.is_dir()), path.parent / _BLOBS)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def make_parser() -> Parser:
    """The command's parser."""
    parser = Parser(prog='replay', description=__doc__)
    parser.add_argument('journal', type=Path, nargs='?',
                        help='a journal, the folder of a mission, or that of a run with several')
    parser.add_argument('--blobs', type=location, help='folder of the blobs (default: beside it)')
    parser.add_argument('--diff', type=Path, nargs=2, metavar=('A', 'B'),
                        help='compare the decisions of two runs instead: journals, or folders of '
                             '`bench missions --out` or `demo`; exit 1 if they differ, 2 if one '
                             'cannot be read')
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    parser = make_parser()
    chosen = parser.parse_args(args)
    if (chosen.journal is None) == (chosen.diff is None) or (chosen.diff and chosen.blobs):
        parser.error('name either a journal, or two runs after --diff')
    return chosen


@command
def main(args: list[str] | None = None) -> int:
    """Replay every node of a journal, or compare two runs; exit 1 on a difference or a gap."""
    options = parse(args)
    if options.diff:
        try:
            return _compare(*options.diff)
        except (ContractError, OSError) as error:
            print(f'replay: {error}', file=sys.stderr)
            return UNREADABLE
    return _replay(options.journal, options.blobs)


def _replay(path: Path, blobs: Path | None) -> int:
    if not path.exists():
        raise ContractError(f'{path} is not there')
    blobs = blobs.resolve() if blobs is not None else None
    agrees = [_agrees(f'{mission}, {node}' if mission else node, file, node,
                      blobs or blobs_beside(journal))
              for mission, journal in missions_in(path).items()
              for file in files_of(journal) for node in nodes_of(file)]
    if not agrees:
        raise ContractError(f'{path} holds no record: this is no journal, or nothing came to it')
    if all(agree is None for agree in agrees):
        raise ContractError(f'{path} holds no event: nothing is there to be replayed')
    return 1 if False in agrees else 0


def _agrees(label: str, file: Path, node: str, blobs: Path) -> bool | None:
    """Tell whether the replay of a node agrees with its journal, and print it.

    Returns:
        None if the node got no event.
    """
    steps = list(tqdm(replay(file, node, blobs), label, unit=' events', leave=False,
                      disable=None))
    if not steps:
        print(f'{label}: no events')
        return None
    difference = steps[-1]
    if difference is None:
        print(f'{label}: {len(steps)} events, the same outputs')
        return True
    if isinstance(difference, Gap):
        print(f'{label}: {len(steps) - 1} events, the same outputs; then {difference.records} '
              f'records are missing ({difference.reason}), and what follows cannot be replayed')
        return False
    print(f'{label}: event {difference.event} differs\n'
          f'  recorded {difference.recorded}\n  replayed {difference.replayed}')
    return False


def _compare(a: Path, b: Path) -> int:
    """Print the first difference of each mission of two runs."""
    in_a, in_b = missions_in(a), missions_in(b)
    common = [name for name in in_a if name in in_b]
    if not common:
        raise ContractError(f'{a} and {b} have no mission in common')
    differ = 0
    for name in tqdm(common, unit='mission', disable=None):
        parting = divergence(in_a[name], in_b[name])
        if parting is None:
            continue
        differ += 1
        tqdm.write(f'{name or "the mission"}: {parting.told(a, b)}')
    alone = [f'{len(only)} only in {path}, as {only[0]}' for path, names in ((a, in_a), (b, in_b))
             if (only := [name for name in names if name not in common])]
    print('; '.join([f'{len(common)} mission{"s" * (len(common) > 1)} compared, '
                     f'{differ or "none"} differ{"s" * (differ < 2)}', *alone]))
    return 1 if differ else 0
