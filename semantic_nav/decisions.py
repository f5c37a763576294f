"""What was decided in a mission, from its journal, so that two runs can be compared.

Two runs of the same code never have the same journal over DDS, and two versions of the code seldom
do. What must not differ is what the robot was allowed to do, where it went and how it ended.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import read_lines

#: The nodes that decide; without them a journal tells nothing of a mission's course.
_DECIDING = frozenset({'belief', 'verifier'})
#: What `bench missions --out` calls the folder of a home: its number in the run, and the seed.
_HOME = re.compile(r'(\d+)-(\d+)')
#: Journals in the folder of a demonstration, or in one of its missions.
_OF_DEMO, _MERGED = '*/journal.jsonl', 'journal.jsonl'
#: A link to the last of several runs.
_LATEST = 'latest'


@dataclass(frozen=True)
class RecordedDecision:
    """A verdict, the result of a drive or the outcome of a mission, without ids and times.

    Attributes:
        subject: what was decided on, in words.
        values: what came of it; a goal as x, y [m] and yaw [rad] in the map frame.
    """

    subject: str
    values: tuple[Any, ...]

    def __str__(self) -> str:
        """Return it as words."""
        return f'{self.subject}: {", ".join(_words(value) for value in self.values)}'


@dataclass(frozen=True)
class Divergence:
    """Where two missions part.

    Attributes:
        number: of the first decision that differs, from 1.
        ours, theirs: that decision; None where a mission is over by then.
    """

    number: int
    ours: RecordedDecision | None
    theirs: RecordedDecision | None


def decisions_of(journal: Path) -> Iterator[RecordedDecision]:
    """Yield the decisions of a journal in their order.

    Args:
        journal: of one node, or merged of all; of any version of the package.

    Raises:
        ContractError: it cannot be read, or no node that decides has written in it.
    """
    told: dict[str, str] = {}
    decided = False
    try:
        for line in read_lines(journal):
            decided = decided or line['node'] in _DECIDING
            for output in line.get('outputs', ()):
                if output.get('type') == 'Document':
                    yield from _decisions_in(output, told)
    except OSError as error:
        raise ContractError(f'{journal} cannot be read: {error.strerror}') from error
    except (KeyError, TypeError) as error:
        raise ContractError(f'{journal} is no journal of ours: {error!r}') from error
    if not decided:
        raise ContractError(f'{journal} holds no record of belief or verifier, who decide')


def _decisions_in(output: dict[str, Any], told: dict[str, str]) -> Iterator[RecordedDecision]:
    body = output['body']
    if output['schema'] == 'verdict':
        decision, result = body['decision'], body['result']
        if decision is not None:
            yield RecordedDecision(f'verdict on {body["action"]}', (
                decision['code'], _place(decision['goal'])))
        if result is not None:
            yield RecordedDecision(f'result of {body["action"]}', (
                result['outcome'], result['nav_status']))
    elif output['schema'] == 'belief' and body['outcome'] != told.get(output['goal_id']):
        # It is published again as often as something else changes in it.
        told[output['goal_id']] = body['outcome']
        yield RecordedDecision(f'outcome of {body["goal_text"]!r}', (body['outcome'] or 'none',))


def _place(goal: dict[str, float] | None) -> tuple[float, float, float] | None:
    return None if goal is None else (goal['x'], goal['y'], goal['yaw'])


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return 'goal ' + ' '.join(f'{name} {number!r}'
                                  for name, number in zip(('x', 'y', 'yaw'), value, strict=True))
    return 'no goal' if value is None else str(value)


def divergence(ours: Path, theirs: Path) -> Divergence | None:
    """Return where the missions of two journals part, None if they do not.

    Raises:
        ContractError: one of them cannot be read.
    """
    # Both to their ends: what is unreadable further on is an error too.
    pairs = list(zip_longest(decisions_of(ours), decisions_of(theirs)))
    return next((Divergence(number, *pair) for number, pair in enumerate(pairs, start=1)
                 if pair[0] != pair[1]), None)


def missions_in(path: Path) -> dict[str, Path]:
    """Return the journals of missions, by names that are the same for the same mission.

    Args:
        path: a journal; a folder of `bench missions --out` or of `demo`; or a folder of runs with
            a link `latest`.

    Raises:
        ContractError: there is none.
    """
    if not path.is_dir():
        return {'': path}
    if (path / _MERGED).is_file():
        return {'': path / _MERGED}
    found = _bench_missions(path) or {
        journal.parent.name: journal for journal in sorted(path.glob(_OF_DEMO))
        if not journal.parent.is_symlink()}
    if not found and (path / _LATEST).is_dir():
        return missions_in(path / _LATEST)
    if not found:
        raise ContractError(f'{path} is no journal, and no folder with journals of missions')
    return found


def _bench_missions(folder: Path) -> dict[str, Path]:
    homes = sorted((int(match[1]), match[2], home) for home in folder.iterdir()
                   if (match := _HOME.fullmatch(home.name)))
    found: dict[str, Path] = {}
    of_seed: Counter[str] = Counter()
    for _, seed, home in homes:
        of_seed[seed] += 1
        again = f', no. {of_seed[seed]} of that seed' if of_seed[seed] > 1 else ''
        found |= {f'seed {seed}{again}, mission {number}': journal for number in (1, 2)
                  if (journal := home / f'journal{number}.jsonl').is_file()}
    return found
