"""`replay`: feeds journals back through the cores; the outputs must be the same, bit for bit."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from semantic_nav.cli.command import command
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import read_journal, read_lines
from semantic_nav.contracts.parameters import build
from semantic_nav.parts import PARTS


@dataclass(frozen=True)
class Difference:
    """Where a replay left the recorded course."""

    node: str
    event: int
    recorded: str
    replayed: str


def nodes_of(path: Path) -> list[str]:
    """Return the nodes whose journals a file holds, in order of appearance."""
    return list(dict.fromkeys(line['node'] for line in read_lines(path)))


def replay(path: Path, node: str, blobs: Path) -> Iterator[Difference | None]:
    """Feed a node's journal through a new core.

    Args:
        path: the journal; it may hold those of other nodes too.
        node: whose part is replayed.
        blobs: folder of the arrays that were kept beside it.

    Yields:
        For each event None, or the first difference, which ends the replay.

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
        outputs = core.handle(codec.decode(record.event), record.now)
        recorded = [_text(output) for output in record.outputs]
        replayed = [_text(codec.encode(output)) for output in outputs]
        if recorded != replayed:
            a, b = next(((a, b) for a, b in zip(recorded, replayed, strict=False) if a != b),
                        (f'{len(recorded)} outputs', f'{len(replayed)} outputs'))
            yield Difference(node, number, a, b)
            return
        yield None


def _blobs_beside(path: Path) -> Path:
    """Return where the blobs of a journal lie: beside it, or beside the journals it is made of."""
    merged = path.parent / 'journal' / 'blobs'
    return merged if merged.is_dir() else path.parent / 'blobs'


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@command
def main(args: list[str] | None = None) -> int:
    """Replay every node of a journal and print what came of it; exit 1 on a difference."""
    parser = argparse.ArgumentParser(prog='replay', description=__doc__)
    parser.add_argument('journal', type=Path, help='a journal, or a folder with journal.jsonl')
    parser.add_argument('--blobs', type=Path, help='folder of the blobs (default: beside it)')
    options = parser.parse_args(args)
    path: Path = options.journal
    if path.is_dir():
        path = path / 'journal.jsonl'
    if not path.is_file():
        raise ContractError(f'{path} is not there')
    blobs = options.blobs or _blobs_beside(path)
    failed = False
    for node in nodes_of(path):
        steps = list(replay(path, node, blobs))
        difference = steps[-1] if steps else None
        if difference is None:
            print(f'{node}: {len(steps)} events, the same outputs')
        else:
            failed = True
            print(f'{node}: event {difference.event} differs\n'
                  f'  recorded {difference.recorded}\n  replayed {difference.replayed}')
    return 1 if failed else 0
