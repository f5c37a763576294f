"""Files of the journals of a run: their lines, an audit of the motion goals, and pictures."""

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
#: Pattern of the nodes' journals below a folder of journals, each in the folder of its session.
OF_NODES = '*/*.jsonl'
#: Names of the effects that move the robot, as in the records; each has the id of its goal.
MOTIONS = frozenset(kind.__name__ for part in PARTS.values() for kind in part.kinds
                    if issubclass(kind, Effect) and kind.durable)


def files_of(journal: Path) -> list[Path]:
    """The files of a journal: the journal itself, or the nodes' journals below a folder."""
    return sorted(journal.glob(OF_NODES)) if journal.is_dir() else [journal]


def lines_of(journal: Path) -> Iterable[Json]:
    """The lines of a journal: those of a file, or those of all files below a folder, merged.

    Raises:
        ContractError: a file is broken.
    """
    return merged_lines(journal) if journal.is_dir() else read_lines(journal)


def merged_lines(folder: Path) -> list[Json]:
    """The lines of the journals of all nodes, in the order of the steady clock.

    Args:
        folder: holds a folder for each session, with the journals of its nodes.

    Raises:
        ContractError: a file is broken.
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
    """Write the journals of all nodes into one file, in the order of the steady clock.

    Returns:
        The number of records.

    Raises:
        OSError: the file cannot be written; no part of it is left then.
    """
    lines = merged_lines(folder)
    text = ''.join(json.dumps(line, ensure_ascii=False, separators=(',', ':')) + '\n'
                   for line in lines)
    # As in the journals themselves, half a surrogate pair is written as JSON's own escape.
    write_whole(target, text.encode(errors='backslashreplace'))
    return len(lines)


@dataclass(frozen=True)
class Audit:
    """Audit of the motion goals: an OK verdict must announce each before it is sent.

    Attributes:
        sent: number of goals sent, by the journal.
        unvetted: UUIDs of goals that no earlier OK verdict announced with the same pose, turn or
            way back, and of goals that the navigator received but the journal does not have.
        recoveries: UUIDs of goals that Nav2 gave itself during a drive.
        missing: number of records missing from the journal, as on a full disk; their content is
            unknown.
    """

    sent: int
    unvetted: tuple[str, ...]
    recoveries: tuple[str, ...] = ()
    missing: int = 0


def audit(journal: Path, received: Iterable[str] = (), in_drive: Iterable[str] = ()) -> Audit:
    """Audit the motion goals of a merged journal, and those that the navigator received.

    Args:
        journal: file of the merged journal.
        received: UUIDs of all motion goals that the navigator received.
        in_drive: UUIDs of the spin and backup goals among them that came during a drive.
    """
    return audit_lines(read_lines(journal), received, in_drive)


def audit_lines(lines: Iterable[Json], received: Iterable[str] = (),
                in_drive: Iterable[str] = ()) -> Audit:
    """Audit the lines of a journal, in the order of the steady clock; see `audit`."""
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
    """Number of times that a merged journal has an effect carried out."""
    return sum(output['type'] == effect.__name__ for line in read_lines(journal)
               for output in line.get('outputs', ()))


def _agree(decision: Json, motion: Json) -> bool:
    """Tell whether a motion agrees with the decision that announced it.

    A turn is compared by its angle, a way back by its distance, a drive by its goal pose.
    """
    by = (motion.get('angle_rad'), motion.get('distance_m'))
    if by != (decision.get('turn_rad'), decision.get('back_up_m')):
        return False
    return by != (None, None) or bool(decision['goal'] == motion.get('goal'))


def picture_of(hypothesis: Document, folder: Path) -> BytesIO | None:
    """JPEG of the picture that a hypothesis is about; None if it was not kept."""
    for path in folder.glob('*/hypothesis.jsonl'):
        for line in read_lines(path):
            event = line.get('event', {})
            if event.get('type') == 'PictureTaken' and (
                    event['stamp_ns'] == hypothesis.stamp_ns):
                return BytesIO(FolderBlobs(folder / 'blobs').get(event['jpeg']['blob']).tobytes())
    return None
