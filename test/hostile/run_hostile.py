"""Puts hostile hypotheses one at a time to the verifier, and a second checker judges each answer.

`make hostile`, or run it with `--help`. Then as many come at full rate, with nobody waiting for an
answer. Exit code 1 where both judges differ, where the second one has no opinion of too many, or
where anything moved the robot without a verdict; what differs prints the command that replays it.
"""

import argparse
import logging
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parent / 'support', HERE.parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
for _name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ.setdefault(_name, '1')

from draws import Case, draw_case  # noqa: E402
from flood import Flood, flood  # noqa: E402
from stage import Play, Stage  # noqa: E402
from tqdm import tqdm  # noqa: E402
from verifier_rig import MOTIONS  # noqa: E402
from workers import workers  # noqa: E402
from worlds import PER_WORLD, draw_world  # noqa: E402

from semantic_nav.contracts.errors import ContractError  # noqa: E402
from semantic_nav.contracts.vocabulary import Code  # noqa: E402

_SHOWN = 20
#: Of so many the second checker may have no opinion, as a share.
_MOST_UNSURE = 0.01


@dataclass
class Tally:
    """What came of the hypotheses.

    Attributes:
        codes: of the decisions, with what the second checker said of them.
        kinds: of the hypotheses, with accepted or refused.
        disagreements: number of the hypothesis, and what both say.
        unvetted: number, and what moved the robot.
        unsure: kinds of those of which the second checker has no opinion.
        paths_left_out: paths of which it has none, in whose place the planner found none.
    """

    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    disagreements: list[tuple[int, str]] = field(default_factory=list)
    unvetted: list[tuple[int, str]] = field(default_factory=list)
    unsure: Counter[str] = field(default_factory=Counter)
    paths_left_out: int = 0

    @property
    def count(self) -> int:
        return self.kinds.total()

    @property
    def accepted(self) -> int:
        return sum(count for (_, came), count in self.kinds.items() if came == 'accepted')

    def add(self, other: 'Tally') -> None:
        """Add what came of others."""
        self.codes += other.codes
        self.kinds += other.kinds
        self.disagreements += other.disagreements
        self.unvetted += other.unvetted
        self.unsure += other.unsure
        self.paths_left_out += other.paths_left_out

    @property
    def is_good(self) -> bool:
        """Whether both agree on all of which the second checker is sure, and that is most."""
        return not (self.disagreements or self.unvetted
                    or self.unsure.total() > max(1, _MOST_UNSURE * self.count))


def put(stage: Stage, seed: int, number: int, tally: Tally, hazard: str = '') -> None:
    """Put one hypothesis to the verifier and judge what comes of it."""
    case = draw_case(stage.world, seed, number, hazard)
    play = Play(stage, case)
    sent = len([one for one in stage.rig.effects if isinstance(one, MOTIONS)])
    try:
        decision = play.run()
    except (AssertionError, KeyError) as error:
        # The rig holds every motion against the verdicts.
        tally.unvetted.append((number, f'{case.kind}: {error!r}'))
        tally.kinds[case.kind, 'unvetted'] += 1
        return
    except ContractError as error:
        tally.disagreements.append((number, f'{case.kind}: cannot be published: {error}'))
        tally.kinds[case.kind, 'unpublished'] += 1
        return
    accepted = decision is not None and decision.code is Code.OK
    tally.kinds[case.kind, 'accepted' if accepted else 'refused'] += 1
    tally.paths_left_out += play.paths_left_out
    said = 'agrees'
    if play.opinion is None:
        said = 'no opinion'
        tally.unsure[case.kind] += 1
    elif decision is None or accepted is not play.opinion:
        said = 'disagrees'
        play.wrong.append(f'the verifier says {decision.code if decision else None} '
                          f'({decision.reason if decision else ""}), the second checker '
                          f'{"yes" if play.opinion else "no"}')
    tally.codes[decision.code.value if decision is not None else 'NO ANSWER', said] += 1
    moved = len([one for one in stage.rig.effects if isinstance(one, MOTIONS)]) - sent
    if moved and not accepted and not play.is_clearing:
        tally.unvetted.append((number, f'{case.kind}: refused, and moved'))
    tally.disagreements += [(number, f'{case.kind}{_beside(case)}: {one}') for one in play.wrong]


def _beside(case: Case) -> str:
    return ''.join(f', {one}' for one in (case.hazard, case.late_hazard) if one)


def put_many(seed: int, numbers: Iterable[int], hazard: str = '') -> Tally:
    """Put hypotheses one after the other, perhaps all in one hazard; new worlds now and then."""
    tally, stage, world_of = Tally(), None, -1
    for number in numbers:
        if number // PER_WORLD != world_of or stage is None:
            world_of, stage = number // PER_WORLD, Stage(draw_world(seed, number))
        put(stage, seed, number, tally, hazard)
    return tally


def replay(seed: int, number: int) -> Tally:
    """Put a hypothesis again, after those before it in its world."""
    tally = put_many(seed, range(number // PER_WORLD * PER_WORLD, number + 1))
    tally.disagreements = [one for one in tally.disagreements if one[0] == number]
    tally.unvetted = [one for one in tally.unvetted if one[0] == number]
    return tally


# The command line

def lines_of(seed: int, tally: Tally, flooded: Flood, took_s: float) -> list[str]:
    """Return what came of all, for people."""
    came = ('accepted', 'refused')
    lines = [f'{"":>20}   ' + ''.join(f'{one:>12}' for one in (*came, 'no opinion'))]
    lines += [f'{kind:>20}   ' + ''.join(f'{tally.kinds[kind, one]:12}' for one in came)
              + f'{tally.unsure[kind]:12}' for kind in sorted({kind for kind, _ in tally.kinds})]
    said = ('agrees', 'disagrees', 'no opinion')
    lines += ['', f'{"":>20}   ' + ''.join(f'{one:>12}' for one in said)]
    lines += [f'{code:>20}   ' + ''.join(f'{tally.codes[code, one]:12}' for one in said)
              for code in sorted({code for code, _ in tally.codes})]
    for number, what in (tally.disagreements + tally.unvetted)[:_SHOWN]:
        lines += [f'hypothesis {number}: {what}',
                  f"  make hostile ARGS='--seed {seed} --replay {number}'"]
    lines += flooded.unvetted[:_SHOWN]
    share = tally.unsure.total() / max(1, tally.count)
    return [*lines, '',
            f'flood: {flooded.said} hypotheses and acts, {flooded.decided} verdicts, '
            f'{flooded.dropped} dropped, {flooded.motions} motions, '
            f'{len(flooded.unvetted)} unvetted',
            f'{tally.count} hypotheses: {tally.accepted} accepted, '
            f'{tally.count - tally.accepted} refused, {len(tally.disagreements)} disagreements, '
            f'{tally.unsure.total()} without an opinion ({share:.2%}), '
            f'{tally.paths_left_out} paths without one, '
            f'{len(tally.unvetted)} unvetted motions, {took_s:.0f} s']


def _quiet() -> None:
    # What is no number at all fails the checks, which say so in the log, each time.
    logging.getLogger('semantic_nav').setLevel(logging.CRITICAL)


@contextmanager
def _quieted() -> Iterator[None]:
    """Be quiet, and as before after it: others of this process listen to the log."""
    log = logging.getLogger('semantic_nav')
    level = log.level
    _quiet()
    try:
        yield
    finally:
        log.setLevel(level)


def _work(job: tuple[str, int, int, int]) -> tuple[Tally, Flood]:
    what, seed, first, count = job
    if what == 'flood':
        return Tally(), flood(seed, first, count)
    return put_many(seed, range(first, first + count)), Flood()


def run(seed: int, count: int, jobs: int, flooding: int, first: int = 0) -> tuple[Tally, Flood]:
    """Put hypotheses from a number on, and flood, in some processes."""
    step, wave = 5 * PER_WORLD, 1000
    todo = [('put', seed, at, min(step, first + count - at))
            for at in range(first, first + count, step)]
    todo += [('flood', seed, PER_WORLD * index, min(wave, flooding - index * wave))
             for index in range(math.ceil(flooding / wave))]
    tally, flooded = Tally(), Flood()
    if jobs == 1:
        with _quieted():
            for one, other in map(_work, todo):
                tally.add(one)
                flooded.add(other)
        return tally, flooded
    with workers(jobs, _quiet) as pool, tqdm(
            total=count + flooding, unit='said', mininterval=5.0) as bar:
        for one, other in pool.imap(_work, todo):
            tally.add(one)
            flooded.add(other)
            bar.set_postfix({'differ': len(tally.disagreements), 'unsure': tally.unsure.total(),
                             'unvetted': len(tally.unvetted) + len(flooded.unvetted)},
                            refresh=False)
            bar.update(one.count + other.said)
    return tally, flooded


def main(argv: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, prog='make hostile')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=100_000, help='hypotheses')
    parser.add_argument('--first', type=int, default=0, help='number of the first of them')
    parser.add_argument('--flood', type=int, default=None,
                        help='hypotheses and acts at full rate; a tenth of --count')
    parser.add_argument('--jobs', type=int, default=2, help='processes')
    parser.add_argument('--replay', type=int, metavar='NUMBER', help='this hypothesis alone')
    args = parser.parse_args(argv)
    began = time.perf_counter()
    if args.replay is not None:
        _quiet()
        tally, flooded = replay(args.seed, args.replay), Flood()
    else:
        tally, flooded = run(args.seed, args.count, args.jobs,
                             args.count // 10 if args.flood is None else args.flood, args.first)
    print('\n'.join(lines_of(args.seed, tally, flooded, time.perf_counter() - began)))
    return int(not tally.is_good or bool(flooded.unvetted))


if __name__ == '__main__':
    sys.exit(main())
