"""The belief's phases and its evidence for people to read, drawn from the tables that decide.

`docs/belief.md` is what `markdown` returns; a test compares them.
"""

from collections.abc import Sequence

from semantic_nav.belief.events import CancelRequested
from semantic_nav.belief.phases import WORDS, Stopping
from semantic_nav.belief.state_machine import FIRST, OPEN, TABLE
from semantic_nav.belief.table import TABLE as EVIDENCE
from semantic_nav.belief.table import Evidence
from semantic_nav.contracts.vocabulary import Status

_PHASES = tuple(WORDS)
_EVENTS = tuple(dict.fromkeys(kind for _, kind in TABLE))


def markdown() -> str:
    """Return the whole page."""
    return '\n\n'.join((
        '# The belief', _INTRODUCTION, '## Phases', _phases(), '## Transitions', _diagram(),
        _TRANSITIONS, _transitions(), '## Evidence', _EVIDENCE, _evidence())) + '\n'


_INTRODUCTION = (
    'This page is generated from the code (`test/support/belief_page.py`); a test holds that\n'
    'the two agree. A mission is in one phase at a time. Events and documents lead from phase to\n'
    'phase; steps for the other nodes are what follows on the way.')
_TRANSITIONS = (
    'The phases that may follow, by what happens. A new goal ends the mission in hand and begins\n'
    'the next. What answers an earlier step or belongs to an earlier goal is dropped and counted.')
_EVIDENCE = (
    'What the belief holds of the target, its `status`, changes by evidence alone. Where the\n'
    'table is empty nothing changes.')


def _phases() -> str:
    rows = []
    for phase, word in WORDS.items():
        assert phase.__doc__ is not None
        meaning = phase.__doc__.partition('\n')[0]
        held = ', '.join(f'`{name}`' for name in phase.__annotations__)
        rows.append((f'`{phase.__name__}`', f'`{word.value}`', meaning, held))
    return _table(('phase', '`phase` in `belief`', 'meaning', 'holds'), rows)


def _diagram() -> str:
    lines = ['```mermaid', 'stateDiagram-v2']
    lines += [f'    [*] --> {phase.__name__}: GoalReceived' for phase in _PHASES if phase in FIRST]
    lines.append(f'    [*] --> {Stopping.__name__}: {CancelRequested.__name__}')
    for phase in OPEN:
        for next_phase in _PHASES:
            events = [kind.__name__ for kind in _EVENTS if next_phase is not phase and (
                (phase, kind) in TABLE and next_phase in TABLE[phase, kind].follow)]
            if events:
                lines.append(
                    f'    {phase.__name__} --> {next_phase.__name__}: {", ".join(events)}')
    ends = [phase.__name__ for phase in _PHASES if phase not in OPEN]
    return '\n'.join([*lines, *(f'    {name} --> [*]' for name in ends), '```'])


def _transitions() -> str:
    rows = []
    for kind in _EVENTS:
        cells = []
        for phase in OPEN:
            row = TABLE.get((phase, kind))
            cells.append('' if row is None else ', '.join(
                'stays' if one is phase else one.__name__ for one in sorted(
                    row.follow, key=lambda one: (one is not phase, _PHASES.index(one)))))
        rows.append((f'`{kind.__name__}`', *cells))
    return _table(('', *(f'in {phase.__name__}' for phase in OPEN)), rows)


def _evidence() -> str:
    rows = []
    for evidence in Evidence:
        found = [EVIDENCE.get((status, evidence)) for status in Status]
        rows.append((f'`{evidence.value}`',
                     *('' if one is None else f'`{one[0].value}`: {one[1]}' for one in found)))
    return _table(('', *(f'`{status.value}`' for status in Status)), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(line) + ' |' for line in lines)


if __name__ == '__main__':
    print(markdown(), end='')
