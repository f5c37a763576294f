"""The checks of the verifier for people to read, from the tuple that decides.

`docs/verification.md` is what `markdown` returns; a test compares them.
"""

from collections.abc import Collection
from itertools import groupby
from typing import Any

from semantic_nav.contracts.parameters import specs
from semantic_nav.verify.checks.checks import CHECKS, Check
from semantic_nav.verify.config import VerifierConfig

#: Where the pictures lie, beside the page; each is named after the function of its check.
PICTURES = 'images/checks'

_INTRODUCTION = (
    'This page is generated from the code (`test/support/verification_page.py`), its pictures by\n'
    'the real checks on situations made by hand (`test/support/check_pictures.py`); a test\n'
    'holds that all of them agree. The verifier asks the checks in this order, from cheap to\n'
    'dear, and the first that fails is its answer: a code, and a reason in words. What belief\n'
    'makes of each code stands in [interfaces.md](interfaces.md#codes); what was decided on\n'
    'a robot is told by `python -m semantic_nav verdicts`.')
_LEGEND = (
    'In the pictures the robot is black, and the pose or target red where it is refused, green\n'
    'where it is not. Pale red is too near to something, hatched is unknown, a red line is the\n'
    'border of a closed zone, blue a path, and a ring what else the answer is about.')


def markdown(drawn: Collection[str]) -> str:
    """Return the whole page.

    Args:
        drawn: names of the functions of the checks of which there is a picture.
    """
    parts = ['# What the verifier checks', _INTRODUCTION, _LEGEND]
    numbered = list(enumerate(CHECKS, start=1))
    for of, checks in groupby(numbered, key=lambda pair: pair[1].of):
        parts.append(f'## {of.__name__}: {_first_line(of)}')
        parts += [_entry(number, check, drawn) for number, check in checks]
    return '\n\n'.join(parts) + '\n'


def _entry(number: int, check: Check[Any], drawn: Collection[str]) -> str:
    name = check.test.__name__
    lines = [f'### {number}. `{check.code}`: {check.sentence}', '',
             f'{_first_line(check.test)}: `{name}`.']
    if check.parameter:
        lines += ['', _limit(check)]
    if name in drawn:
        lines += ['', f'![{name}: refused, accepted]({PICTURES}/{name}.svg)']
    return '\n'.join(lines)


def _limit(check: Check[Any]) -> str:
    part, _, name = check.parameter.partition('.')
    if part != 'verifier':
        return f'Limit: `{name}` of {part}, which comes with the act.'
    default, spec = specs(VerifierConfig)[name]
    shown = f'{default:g}' if isinstance(default, float) else default or 'none'
    return f'Limit: `{name}` ({shown}). {spec.description}'


def _first_line(documented: Any) -> str:
    return (documented.__doc__ or '').strip().partition('\n')[0].removesuffix('.')
