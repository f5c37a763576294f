"""The page of the checks and its pictures say what the checks do."""

import pytest
from check_cases import cases
from check_pictures import DOCS, answers, pictures
from verification_page import PICTURES, markdown

from semantic_nav.verify.checks.checks import CHECKS
from semantic_nav.verify.checks.subjects import (
    GoalPose,
    Here,
    InPicture,
    Path,
    Planned,
    StandOffs,
    Target,
    Turn,
    UnderWay,
    Views,
    VisitPose,
)

#: Subjects that are about a place; of others some checks are.
PLACED = (GoalPose, InPicture, VisitPose, Path, Planned, StandOffs, Target, Turn, UnderWay, Views)
ANEW = 'write it anew: python test/support/check_pictures.py'
#: What names no place: of Nav2, of an exploration, of the outline of the robot.
NOWHERE = {'no_planner', 'no_floor', 'no_view', 'unknown_body'}
ANSWERS = answers()


@pytest.mark.parametrize('check', CHECKS, ids=lambda check: check.test.__name__)
def test_check_refuses_one_case_and_lets_the_other_pass(check: object) -> None:
    name = check.test.__name__  # type: ignore[attr-defined]
    if name not in ANSWERS:
        assert check.of not in PLACED or name in NOWHERE  # type: ignore[attr-defined]
        return
    refused, accepted = ANSWERS[name]
    assert refused.startswith(f'{check.code.value}: ')  # type: ignore[attr-defined]
    assert accepted == ''


def test_every_case_is_of_a_check() -> None:
    names = {check.test.__name__ for check in CHECKS}
    assert set(cases()) <= names and names >= NOWHERE
    assert not {check.test.__name__ for check in CHECKS if check.of is Here} & set(cases())


def test_page_is_what_the_code_says() -> None:
    assert (DOCS / 'verification.md').read_text(encoding='utf-8') == markdown(cases()), ANEW


def test_pictures_are_those_of_the_checks() -> None:
    drawn = pictures()
    files = sorted((DOCS / PICTURES).glob('*.svg'))
    assert [file.stem for file in files] == sorted(drawn), ANEW
    for file in files:
        assert file.read_text(encoding='utf-8') == drawn[file.stem], f'{file.name}: {ANEW}'
    assert sum(file.stat().st_size for file in files) < 1_500_000
