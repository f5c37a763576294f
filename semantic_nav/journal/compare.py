"""Decisions of a mission from its journal, so that two runs can be compared.

Over DDS two runs of the same code never have the same journal, and two versions of the code seldom
do. What must not differ: what the robot was allowed to do, where it went and how it ended.
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.journal.files import OF_NODES, lines_of

#: The nodes that decide; a journal without them tells nothing of the course of a mission.
_DECIDING = frozenset({'belief', 'verifier'})
#: File in the folder of `bench missions --out`: names of the cases, by the names of their folders.
CASES = 'cases.json'
#: In the folder of a mission: the merged journal, and the folder of the nodes' journals that it is
#: merged from at the end.
_MERGED, _JOURNALS = 'journal.jsonl', 'journal'
#: Link to the last of several runs.
_LATEST = 'latest'
_NO_MORE = 'nothing more is recorded'


@dataclass(frozen=True)
class RecordedDecision:
    """A verdict, the result of a drive or the outcome of a mission, without ids and times.

    It may also stand for records missing from a journal, whose decisions are unknown.

    Attributes:
        subject: the matter that was decided, in words.
        values: the decision; a goal pose as x, y [m] and yaw [rad] in the map frame.
        reason: words of the node that decided; they do not count in a comparison.
    """

    subject: str
    values: tuple[Any, ...]
    reason: str = field(default='', compare=False)

    def __str__(self) -> str:
        """The decision in words, with all digits of a goal pose."""
        return self.words()

    def words(self, form: str = '') -> str:
        """The decision in words; `form` is the number format of a goal pose."""
        why = f' ({self.reason})' if self.reason else ''
        return f'{self.subject}: {", ".join(_words(one, form) for one in self.values)}{why}'

    def agrees(self, other: 'RecordedDecision', within: float) -> bool:
        """Tell whether two decisions agree, with goal poses nearer than `within`, in m and rad."""
        return self == other or (
            self.subject == other.subject and len(self.values) == len(other.values) and all(
                one == two or _near(one, two, within)
                for one, two in zip(self.values, other.values, strict=True)))


@dataclass(frozen=True)
class Divergence:
    """Point at which two missions part.

    Attributes:
        number: number of the first decision that differs, from 1.
        ours, theirs: that decision in each mission; None if the mission is over by then.
    """

    number: int
    ours: RecordedDecision | None
    theirs: RecordedDecision | None

    def told(self, ours: object, theirs: object) -> str:
        """The divergence in words, with the names of the two runs and the digits it needs."""
        short, whole = ([one.words(form) if one is not None else _NO_MORE
                         for one in (self.ours, self.theirs)] for form in ('.2f', ''))
        one, other = short if len({*short}) > 1 else whole
        return f'decision {self.number} differs\n  {ours}: {one}\n  {theirs}: {other}'


def decisions_of(journal: Path) -> Iterator[RecordedDecision]:
    """Yield the decisions of a journal in their order.

    Args:
        journal: journal of one node, merged journal of all, or folder of the journals of all
            nodes, of any version of the package.

    Raises:
        ContractError: it cannot be read, or no node that decides has written in it.
    """
    told: dict[str, str] = {}
    decided = False
    try:
        for line in lines_of(journal):
            decided = decided or line['node'] in _DECIDING
            if 'gap' in line:
                yield RecordedDecision(f'journal of the {line["node"]}',
                                       (f'{line["gap"]["records"]} records are missing',))
            for output in line.get('outputs', ()):
                if output.get('type') == 'Document':
                    yield from _decisions_in(output, told)
    except OSError as error:
        raise ContractError(f'{journal} cannot be read: {error.strerror}') from error
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ContractError(f'{journal} is no journal of ours: {error!r}') from error
    if not decided:
        raise ContractError(f'{journal} holds no record of belief or verifier, who decide')


def _decisions_in(output: dict[str, Any], told: dict[str, str]) -> Iterator[RecordedDecision]:
    body = output['body']
    if output['schema'] == 'verdict':
        decision, result = body['decision'], body['result']
        if decision is not None:
            yield RecordedDecision(f'verdict on {body["action"]}', (
                decision['code'], _place(decision['goal'])), decision['reason'])
        if result is not None:
            yield RecordedDecision(f'result of {body["action"]}', (
                result['outcome'], result['nav_status']), result['reason'])
    elif output['schema'] == 'belief' and body['outcome'] != told.get(output['goal_id']):
        # The belief is published again whenever something else in it changes.
        told[output['goal_id']] = body['outcome']
        yield RecordedDecision(f'outcome of {body["goal_text"]!r}', (body['outcome'] or 'none',),
                               body['reason'])


def _place(goal: dict[str, float] | None) -> tuple[float, float, float] | None:
    return None if goal is None else (float(goal['x']), float(goal['y']), float(goal['yaw']))


def _near(one: Any, two: Any, within: float) -> bool:
    return isinstance(one, tuple) and isinstance(two, tuple) and (
        math.dist(one[:2], two[:2]) < within and abs(wrap_angle(one[2] - two[2])) < within)


def _words(value: Any, form: str) -> str:
    if isinstance(value, tuple):
        return 'goal ' + ' '.join(f'{name} {number:{form}}'
                                  for name, number in zip(('x', 'y', 'yaw'), value, strict=True))
    return 'no goal' if value is None else str(value)


def divergence(ours: Path, theirs: Path) -> Divergence | None:
    """Point at which the missions of two journals part; None if they do not.

    Raises:
        ContractError: one of them cannot be read.
    """
    return parting(decisions_of(ours), decisions_of(theirs))


def parting(ours: Iterable[RecordedDecision], theirs: Iterable[RecordedDecision],
            within: float = 0.0) -> Divergence | None:
    """Point at which two missions part; None if they do not.

    Args:
        ours, theirs: decisions of the two missions.
        within: goal poses closer together than this, in m and rad, are equal.
    """
    # Both are read to their ends: something unreadable further on is an error too.
    pairs = list(zip_longest(ours, theirs))
    return next((Divergence(number, one, two) for number, (one, two) in enumerate(pairs, start=1)
                 if one is None or two is None or not one.agrees(two, within)), None)


def missions_in(path: Path) -> dict[str, Path]:
    """Journals of missions, by names that are equal for the same mission in two runs.

    A journal is a file, or, for a mission that was broken off, the folder with the journals of its
    nodes. Links are followed here, once: `latest` may point elsewhere a moment later.

    Args:
        path: a journal; a folder of `bench missions --out`, of a case in it, or of `demo`; a
            folder of runs with a link `latest`; or a folder with the journals of nodes.

    Raises:
        ContractError: there is no journal, or the cases of a folder are not known.
    """
    if not path.exists():
        raise ContractError(f'{path} is not there')
    if not path.is_dir():
        return {'': path.parent.resolve() / path.name}
    path = path.resolve()
    own = _journal_in(path)
    if own is not None:
        return {'': own}
    found = _bench_missions(path) or {
        folder.name: journal for folder in sorted(path.iterdir()) if not folder.is_symlink()
        if (journal := _journal_in(folder)) is not None}
    if not found and any(path.glob(OF_NODES)):
        return {'': path}
    if not found and (path / _LATEST).is_dir():
        return missions_in(path / _LATEST)
    if not found:
        raise ContractError(f'{path} is no journal, and no folder with journals of missions')
    return found


def _journal_in(folder: Path, merged: str = _MERGED, journals: str = _JOURNALS) -> Path | None:
    if (folder / merged).is_file():
        return folder / merged
    return folder / journals if any((folder / journals).glob(OF_NODES)) else None


def _bench_missions(folder: Path) -> dict[str, Path]:
    """Missions of all cases in a folder, or of the one case that the folder belongs to."""
    if (folder / CASES).is_file():
        found = {f'{case}, {name}': journal for home, case in _cases_in(folder / CASES).items()
                 for name, journal in _case_missions(folder / home).items()}
        if not found:
            raise ContractError(f'{folder} holds no journal of the cases in {CASES}')
        return found
    if any(_case_missions(home) for home in folder.iterdir() if home.is_dir()):
        raise ContractError(f'{folder} lacks {CASES}, which says what its folders are of')
    return _case_missions(folder)


def _cases_in(file: Path) -> dict[str, str]:
    try:
        cases = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ContractError(f'{file} cannot be read: {error}') from error
    if not isinstance(cases, dict) or len({str(case) for case in cases.values()}) < len(cases):
        raise ContractError(f'{file} does not name each case by its folder, and each only once')
    return cases


def _case_missions(home: Path) -> dict[str, Path]:
    return {f'mission {number}': journal for number in (1, 2)
            if (journal := _journal_in(home, f'journal{number}.jsonl', f'journal{number}'))
            is not None}
