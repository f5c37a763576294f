"""What is decided in a few short missions: carried out, written down and read.

`make recordings` writes test/missions/recorded anew, a line for each decision: on what, what came
of it, and why. Goals are rounded to centimetres.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE.parent / 'support', HERE.parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import small_world  # noqa: E402

from semantic_nav.bringup.processes import ONE_THREAD  # noqa: E402
from semantic_nav.client.running_demo import environment  # noqa: E402
from semantic_nav.journal.compare import (  # noqa: E402
    Divergence,
    RecordedDecision,
    decisions_of,
    parting,
)
from semantic_nav_sim.bench.bodies import LIGHT  # noqa: E402
from semantic_nav_sim.bench.cases import Case  # noqa: E402
from semantic_nav_sim.bench.missions import run_case  # noqa: E402

FOLDER = HERE / 'recorded'
#: The small home, of which each process writes a copy of its own.
SMALL = 'small'
_case = partial(Case, runs=1, body=LIGHT, embedder='hash')
_MUG = 'find the red mug'
#: Short ones, and no others: in a long one the last digit of a sum comes to decide something.
MISSIONS = {
    'two_visits': _case('apartment', 6, _MUG, runs=2),
    'harsh': _case(SMALL, 3, _MUG, model_profile='harsh', robot_profile='harsh',
                   navigator_profile='harsh'),
    'absent': _case(SMALL, 4, 'find the piano'),
    'absent_alike': _case(SMALL, 3, 'find the piano'),
    'large': _case('generated:9003:6', 9003, 'find the bed'),
    'in_vain': _case('generated:9013:6', 9013, 'find the bed'),
    'wrong_boxes': _case(SMALL, 3, _MUG, model_profile='hallucinated_box'),
    'invented_places': _case(SMALL, 3, _MUG, model_profile='hallucinated_node'),
    'no_depth': _case(SMALL, 2, _MUG, robot_profile='default+no_depth')}
#: Goals that lie closer together are the same, in m and rad.
WITHIN = 0.05
#: What has numpy, its linear algebra and libm reckon as on an old processor.
OLD_PROCESSOR = {'OPENBLAS_CORETYPE': 'Nehalem', 'NPY_DISABLE_CPU_FEATURES': 'X86_V3',
                 'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4'}

Decisions = list[RecordedDecision]


def carry_out(name: str) -> list[Decisions]:
    """Carry out one of MISSIONS; return what was decided on each visit."""
    case = MISSIONS[name]
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        if case.world == SMALL:
            case = replace(case, world=str(small_world.write_world(folder / SMALL)))
        visits = [run.number for run in run_case(case, folder / 'case')]
        return [[_rounded(decision)
                 for decision in decisions_of(folder / 'case' / f'journal{number}.jsonl')]
                for number in visits]


def _rounded(decision: RecordedDecision) -> RecordedDecision:
    # Of a zero there are two.
    return replace(decision, values=tuple(
        tuple(round(number, 2) + 0.0 for number in value) if isinstance(value, tuple) else value
        for value in decision.values))


def file_of(name: str, visit: int) -> Path:
    """Return where the decisions of a visit, from 1, are written down."""
    return FOLDER / f'{name}_{visit}.jsonl'


def files() -> list[Path]:
    """Return where all of them are."""
    return [file_of(name, visit) for name, case in MISSIONS.items()
            for visit in range(1, case.runs + 1)]


def written(path: Path) -> Decisions:
    """Return the decisions of a file."""
    return [RecordedDecision(subject, tuple(
        tuple(value) if isinstance(value, list) else value for value in values), reason)
        for subject, values, reason in map(json.loads, path.read_text('utf-8').splitlines())]


def _write(path: Path, decisions: Iterable[RecordedDecision]) -> None:
    path.write_text(''.join(
        json.dumps([one.subject, one.values, one.reason], ensure_ascii=False) + '\n'
        for one in decisions), encoding='utf-8')


def compared(ours: Decisions, theirs: Decisions) -> Divergence | None:
    """Return where two visits part."""
    return parting(ours, theirs, WITHIN)


def _all_carried_out(**variables: str) -> list[list[Decisions]]:
    """Carry out all missions in processes with these variables of the environment."""
    with environment(**ONE_THREAD, **variables), ProcessPoolExecutor(
            min(len(MISSIONS), os.cpu_count() or 1), get_context('spawn')) as pool:
        return list(pool.map(carry_out, MISSIONS))


def main() -> int:
    """Write all of them anew; exit code 1 if one hangs on what a processor makes of a sum."""
    here, elsewhere = _all_carried_out(), _all_carried_out(**OLD_PROCESSOR)
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    frail = False
    for name, ours, theirs in zip(MISSIONS, here, elsewhere, strict=True):
        for visit, (one, other) in enumerate(zip(ours, theirs, strict=True), start=1):
            _write(file_of(name, visit), one)
            found = compared(one, other)
            if found is not None:
                frail = True
                print(f'{name}, visit {visit}: {found.told("here", "on an old processor")}\n'
                      'Choose another seed for it.', file=sys.stderr)
    return frail


if __name__ == '__main__':
    sys.exit(main())
