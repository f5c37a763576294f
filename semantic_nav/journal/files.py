"""What can be read from the journals of a run."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.core import Effect
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.journal import read_lines
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.journal.cores import PARTS

Json = dict[str, Any]
#: Journals of nodes in a folder of journals, each in the folder of its session.
OF_NODES = '*/*.jsonl'
#: Effects that move the robot, by the name of their records; each names its goal.
MOTIONS = frozenset(kind.__name__ for part in PARTS.values() for kind in part.kinds
                    if issubclass(kind, Effect) and kind.durable)


def files_of(journal: Path) -> list[Path]:
    """Return the files of a journal: itself, or those of the nodes below a folder."""
    return sorted(journal.glob(OF_NODES)) if journal.is_dir() else [journal]


def lines_of(journal: Path) -> Iterable[Json]:
    """Return the lines of a journal: of a file, or merged of those below a folder.

    Raises:
        ContractError: one of them is broken.
    """
    return merged_lines(journal) if journal.is_dir() else read_lines(journal)


def merged_lines(folder: Path) -> list[Json]:
    """Return the lines of the journals of all nodes in the order of the steady clock.

    Args:
        folder: holds a folder for each session, with the journals of its nodes.

    Raises:
        ContractError: one of them is broken.
    """
    entries = []
    for number, path in enumerate(files_of(folder)):
        when = 0
        for index, line in enumerate(read_lines(path)):
            when = line['now']['steady_ns'] if 'now' in line else when
            entries.append((when, number, index, line))
    entries.sort(key=lambda entry: entry[:3])
    return [line for *_, line in entries]


def merge_journals(folder: Path, target: Path) -> int:
    """Write the journals of all nodes into one file in the order of the steady clock.

    Returns:
        How many records it holds.

    Raises:
        OSError: it cannot be written; there is no part of it then.
    """
    lines = merged_lines(folder)
    text = ''.join(json.dumps(line, ensure_ascii=False, separators=(',', ':')) + '\n'
                   for line in lines)
    # As the journals themselves have it: half a surrogate pair is written as JSON's own escape.
    write_whole(target, text.encode(errors='backslashreplace'))
    return len(lines)


@dataclass(frozen=True)
class Audit:
    """Which motion goals had an OK verdict before they were sent.

    Attributes:
        sent: how many goals the journal says were sent.
        unvetted: UUIDs of those that no earlier verdict OK announced with the same pose, turn or
            way back, and of those that the navigator received although the journal knows nothing
            of them.
        recoveries: UUIDs of goals that Nav2 gave itself on a drive.
        missing: how many records the journal lacks, as on a full disk; what they held is not
            known.
    """

    sent: int
    unvetted: tuple[str, ...]
    recoveries: tuple[str, ...] = ()
    missing: int = 0


def audit(journal: Path, received: Iterable[str] = (), in_drive: Iterable[str] = ()) -> Audit:
    """Compare what a merged journal says was sent, and what the navigator received, with verdicts.

    Args:
        journal: its file.
        received: UUIDs of all motion goals that the navigator got.
        in_drive: those of spin and backup among them that came while it drove.
    """
    return audit_lines(read_lines(journal), received, in_drive)


def audit_lines(lines: Iterable[Json], received: Iterable[str] = (),
                in_drive: Iterable[str] = ()) -> Audit:
    """Compare the same, of the lines of a journal in the order of the steady clock."""
    announced: dict[str, Json] = {}
    sent, missing, unvetted = 0, 0, []
    for line in lines:
        missing += line.get('gap', {}).get('records', 0)
        for output in line.get('outputs', ()):
            if output['type'] == 'Document' and output['schema'] == 'verdict':
                decision = output['body']['decision']
                if decision is not None and decision['code'] == Code.OK.value:
                    announced[decision['nav_goal_id']] = decision
            elif output['type'] in MOTIONS:
                sent += 1
                goal_id = output['nav_goal_id']
                if goal_id not in announced or not _agree(announced[goal_id], output):
                    unvetted.append(goal_id)
    recoveries = set(in_drive) - set(announced) - set(unvetted)
    strangers = set(received) - set(announced) - set(unvetted) - recoveries
    return Audit(sent, (*unvetted, *sorted(strangers)), tuple(sorted(recoveries)), missing)


def how_often(journal: Path, effect: type[Effect]) -> int:
    """Return how often a merged journal has an effect carried out."""
    return sum(output['type'] == effect.__name__ for line in read_lines(journal)
               for output in line.get('outputs', ()))


def _agree(decision: Json, motion: Json) -> bool:
    """Tell whether a motion is what was decided.

    A turn has an angle, a way back a distance, a drive a goal.
    """
    by = (motion.get('angle_rad'), motion.get('distance_m'))
    if by != (decision.get('turn_rad'), decision.get('back_up_m')):
        return False
    return by != (None, None) or bool(decision['goal'] == motion.get('goal'))


def picture_of(hypothesis: Document, folder: Path) -> BytesIO | None:
    """Return the JPEG of the picture that a hypothesis is about, if it was kept."""
    for path in folder.glob('*/hypothesis.jsonl'):
        for line in read_lines(path):
            event = line.get('event', {})
            if event.get('type') == 'PictureTaken' and (
                    event['stamp_ns'] == hypothesis.stamp_ns):
                return BytesIO(FolderBlobs(folder / 'blobs').get(event['jpeg']['blob']).tobytes())
    return None
