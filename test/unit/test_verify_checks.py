"""The one list of checks, and that the documentation tells it."""

import dataclasses
import typing
from pathlib import Path as FilePath

import pytest
from situations import Known

from semantic_nav.contracts.parameters import specs
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.journal.cores import PARTS
from semantic_nav.verify.checks.checks import CHECKS, Check, first_rejection
from semantic_nav.verify.checks.subjects import HERE, GoalPose, Halting, Path, Subject, Views

DOCS = FilePath(__file__).parents[2] / 'docs' / 'interfaces.md'
BEGIN, END = '<!-- checks: test/unit/test_verify_checks.py -->\n', '<!-- end of checks -->\n'
#: Codes that no check gives: no refusal.
OTHERS = {Code.OK}


def limit_of(check: Check) -> str:
    part, _, name = check.parameter.partition('.')
    if not name:
        return '–'
    default = specs(PARTS[part].config)[name][0]
    of = '' if part == 'verifier' else f' of {part}'
    shown = f'{default:g}' if isinstance(default, float) else default or 'none'
    return f'`{name}`{of} ({shown})'


def table() -> str:
    """Return the table of checks as it stands in the documentation."""
    rows = [f'| `{check.code}` | {check.sentence} | {limit_of(check)} |' for check in CHECKS]
    return '\n'.join(['| code | refused because | limit |', '|---|---|---|', *rows]) + '\n'


def test_documentation_lists_the_checks() -> None:
    text = DOCS.read_text(encoding='utf-8')
    assert text.count(BEGIN) == text.count(END) == 1
    between = text.partition(BEGIN)[2].partition(END)[0]
    assert between == table(), f'put this into {DOCS.name}:\n{table()}'


def test_documentation_says_of_each_code_what_belief_does() -> None:
    rows = DOCS.read_text(encoding='utf-8').partition('| code | what belief does |\n')[2]
    told = [row.split('`')[1] for row in rows.partition('\n\n')[0].splitlines()[1:]]
    assert sorted(told) == sorted(code.value for code in Code if code is not Code.OK)


def test_every_code_has_a_check() -> None:
    assert {check.code for check in CHECKS} == set(Code) - OTHERS


@pytest.mark.parametrize('check', CHECKS, ids=lambda check: check.sentence[:30])
def test_each_check_is_described(check: Check) -> None:
    assert check.sentence and check.of in typing.get_args(Subject)
    assert dataclasses.is_dataclass(check.of)
    part, _, name = check.parameter.partition('.')
    if part == 'verifier':
        assert check.default == specs(PARTS['verifier'].config)[name][0]
    else:
        assert check.default is None
        assert not name or name in specs(PARTS[part].config)


def test_nav2_comes_last() -> None:
    last = [index for index, check in enumerate(CHECKS) if check.of in (Halting, Path)]
    assert last == list(range(len(CHECKS) - len(last), len(CHECKS)))


def test_first_check_that_fails_is_the_answer_whatever_the_order_of_the_subjects() -> None:
    known = Known(robot=None)
    wall, nothing = GoalPose(0.05, 3.0), Views(0)
    for subjects in ((HERE, nothing), (nothing, HERE)):
        rejection = first_rejection(known.situation, *subjects)
        assert rejection is not None and rejection.code is Code.POSE_UNAVAILABLE
    known = Known()
    assert first_rejection(known.situation, HERE) is None
    for subjects in ((wall, nothing), (nothing, wall)):
        rejection = first_rejection(known.situation, *subjects)
        assert rejection is not None and rejection.code is Code.COLLISION_DETECTED
    assert first_rejection(known.situation, HERE, GoalPose(6.0, 3.0), Views(1)) is None
