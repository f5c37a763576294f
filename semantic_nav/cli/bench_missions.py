"""`bench missions`: many missions in simulated time, judged by the truth."""

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tqdm import tqdm

from semantic_nav.bench.bodies import BODIES, FULL
from semantic_nav.bench.carrying import (
    AllTold,
    Crashed,
    Job,
    LeftOut,
    home_by_home,
    one_by_one,
)
from semantic_nav.bench.cases import Case, cases_of, check_case
from semantic_nav.bench.missions import run_case
from semantic_nav.bench.pool import in_processes
from semantic_nav.bench.results import Results
from semantic_nav.bench.runs import describe
from semantic_nav.bench.summary import Summary
from semantic_nav.cli.arguments import GOAL, HOME, check_file, location, number, numbers
from semantic_nav.cli.bench_table import show
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.explore.policies import POLICIES
from semantic_nav.running.run_folder import new_folder
from semantic_nav.verify.config import VerifierConfig


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument('--world', action='append', metavar='NAME',
                          help='a world; {seed} stands for the seed (default: '
                               f'{HOME}); may stand several times')
    parser.add_argument('--seed', type=numbers, default='1-10',
                          help="seeds such as '1-10' or '3,7,9' (default: %(default)s)")
    parser.add_argument('--goal', action='append', metavar='WORDS',
                          help='what to find, in words; where a home holds nothing of that name, '
                               'saying so is the success; may stand several times '
                               f'(default: {GOAL})')
    parser.add_argument('--runs', type=int, choices=(1, 2), default=2,
                          help='2: a second mission with the map and memory of the first')
    parser.add_argument('--model-profile', default='default',
                          help='what is wrong with the model, of config/profiles/model')
    parser.add_argument('--robot-profile', default='default',
                          help='what is wrong with the robot, of config/profiles/robot')
    parser.add_argument('--navigator-profile', default='default',
                          help='what is wrong with the navigator, of config/profiles/navigator')
    parser.add_argument('--people', type=number, default=0, metavar='N',
                          help='how many people walk about')
    parser.add_argument('--moving-doors', action='store_true',
                          help='the doors inside close and open')
    parser.add_argument('--embedder', default='minilm', help='of the memory')
    parser.add_argument('--body', choices=BODIES, default=FULL,
                          help='of the robot: full, which is drawn, or light, which is computed '
                               'and some 1.7 times as fast (default: %(default)s)')
    parser.add_argument('--body-shape', default='', metavar='SHAPE',
                          help='of its base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres '
                               '(default: round, 0.2)')
    parser.add_argument('--policy', choices=tuple(POLICIES), default=VerifierConfig.policy,
                          help='of the search (default: %(default)s)')
    parser.add_argument('--out', type=location,
                          help='folder for journals, new or empty (default: thrown away)')
    parser.add_argument('--json', type=location, metavar='FILE',
                          help='write all figures there, to a new file')
    parser.add_argument('--jobs', type=_at_least_one, default=1, metavar='N',
                        help='how many processes carry them out (default: %(default)s)')


def _at_least_one(words: str) -> int:
    count = number(words)
    if count < 1:
        raise argparse.ArgumentTypeError('at least one is needed')
    return count


def carry_out(chosen: argparse.Namespace) -> int:
    """Carry the missions out; exit code 1 if a bar falls short or a case crashed."""
    if chosen.json is not None:
        check_file(chosen.json)
    cases = cases_of(chosen.world or [HOME], chosen.seed, chosen.goal or [GOAL],
                     runs=chosen.runs, model_profile=chosen.model_profile,
                     robot_profile=chosen.robot_profile,
                     navigator_profile=chosen.navigator_profile, people=chosen.people,
                     moving_doors=chosen.moving_doors, embedder=chosen.embedder,
                     body=chosen.body, body_shape=chosen.body_shape,
                     policy=chosen.policy)
    for case in {(case.world, case.goal): case for case in cases}.values():
        check_case(case)
    if chosen.out is not None:
        return _missions(cases, new_folder(chosen.out), chosen)
    with tempfile.TemporaryDirectory(prefix='bench-') as scratch:
        return _missions(cases, Path(scratch), chosen)


def _missions(cases: Sequence[Case], out: Path, chosen: argparse.Namespace) -> int:
    jobs = [Job(index, case, out / f'{index}-{case.seed}') for index, case in enumerate(cases)]
    results = Results(cases)
    try:
        _follow(jobs, chosen.jobs, results)
    except KeyboardInterrupt as error:
        if results.runs:
            _show_all(results, chosen.json)
            error.args = ('the table is of what was finished',)
        raise
    if not results.runs:
        raise ConfigError('no mission was left to be carried out')
    return _show_all(results, chosen.json)


def _follow(jobs: Sequence[Job], processes: int, results: Results) -> None:
    """Carry cases out, and say how each mission went."""
    with (tqdm(total=sum(job.case.runs for job in jobs), unit='mission', disable=None) as bar,
          closing(_told(home_by_home(jobs), processes)) as all_told):
        for job, told in all_told:
            results.take(job.index, told)
            if isinstance(told, LeftOut):
                bar.write(f'left out: {job.case}: {told.why}', sys.stderr)
            elif isinstance(told, Crashed):
                bar.write(f'CRASHED: {job.case}: {told.why}', sys.stderr)
            else:
                bar.write(describe(told))
                sys.stdout.flush()
            bar.update(results.settled - bar.n)


def _told(jobs: Sequence[Job], processes: int) -> AllTold:
    if processes <= 1:
        return one_by_one(jobs, run_case)
    return in_processes(jobs, run_case, min(processes, len(jobs)))


def _show_all(results: Results, file: Path | None) -> int:
    """Show what came of the missions; return the exit code."""
    print()
    runs, crashed = results.runs, [
        {**dataclasses.asdict(results.cases[index]), 'why': why}
        for index, why in sorted(results.crashed.items())]
    summary = Summary(runs, len(results.left_out), len(crashed))
    return show(summary.measures(), file, runs=[dataclasses.asdict(run) for run in runs],
                crashed=crashed)
