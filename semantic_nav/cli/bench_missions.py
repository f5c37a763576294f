"""`bench missions`: many missions in simulated time, judged by the truth."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from itertools import product
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
from semantic_nav.bench.cases import Options, cases_of, check_case
from semantic_nav.bench.groups import names_of
from semantic_nav.bench.missions import run_case
from semantic_nav.bench.pool import in_processes
from semantic_nav.bench.results import Results
from semantic_nav.bench.run_log import RunLog, beside, digest_of, plain
from semantic_nav.bench.runs import Run, describe
from semantic_nav.bench.summary import Summary
from semantic_nav.cli.arguments import GOAL, HOME, check_file, location, number, numbers
from semantic_nav.cli.bench_table import show
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.explore.policies import POLICIES
from semantic_nav.running.run_folder import new_folder


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
    for part in ('model', 'robot', 'navigator'):
        parser.add_argument(f'--{part}-profile', action='append', metavar='NAME',
                            help=f'what is wrong with the {part}, of config/profiles/{part}; may '
                                 'stand several times (default: default)')
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
    parser.add_argument('--policy', action='append', choices=tuple(POLICIES),
                        help='of the search; may stand several times, each in the same homes as '
                             f'the first, with which it is compared (default: {Options.policy})')
    parser.add_argument('--out', type=location,
                        help='folder for journals, new or empty (default: thrown away)')
    parser.add_argument('--json', type=location, metavar='FILE',
                        help='write all figures there, to a new file; runs are kept beside it as '
                             'they end, and the same command again goes on from there')
    parser.add_argument('--jobs', type=_at_least_one, default=1, metavar='N',
                        help='how many processes carry them out (default: %(default)s)')


def _at_least_one(words: str) -> int:
    count = number(words)
    if count < 1:
        raise argparse.ArgumentTypeError('at least one is needed')
    return count


def options_of(chosen: argparse.Namespace) -> list[Options]:
    """Return one for each robot that is asked for, policies side by side."""
    usual = ['default']
    return list(dict.fromkeys(
        Options(model_profile=model, robot_profile=robot, navigator_profile=navigator,
                people=chosen.people, moving_doors=chosen.moving_doors, embedder=chosen.embedder,
                body=chosen.body, body_shape=chosen.body_shape, policy=policy)
        for model, robot, navigator, policy in product(
            chosen.model_profile or usual, chosen.robot_profile or usual,
            chosen.navigator_profile or usual, chosen.policy or [Options.policy])))


def carry_out(chosen: argparse.Namespace) -> int:
    """Carry the missions out; exit code 1 if a bar falls short or a case crashed."""
    cases = cases_of(chosen.world or [HOME], chosen.seed, chosen.goal or [GOAL], chosen.runs,
                     options_of(chosen))
    for case in {replace(case, seed=0): case for case in cases}.values():
        check_case(case)
    results = Results(cases)
    with ExitStack() as stack:
        path = None if chosen.json is None else beside(chosen.json)
        again = path is not None and path.exists()
        if chosen.json is not None and not again:
            check_file(chosen.json)
        if chosen.out is None:
            out = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='bench-')))
        else:
            out = chosen.out if again else new_folder(chosen.out)
        log = None if path is None else RunLog(path, digest_of(cases, chosen.out))
        if log is not None:
            stack.callback(log.close)
            log.fill(results)
        return _missions(results, out, log, chosen)


def _missions(results: Results, out: Path, log: RunLog | None,
              chosen: argparse.Namespace) -> int:
    try:
        _follow(results, out, log, chosen.jobs)
    except KeyboardInterrupt as error:
        if results.runs:
            _show_all(results, chosen.json)
            error.args = ('the table is of what was finished',)
        raise
    if not results.runs:
        raise ConfigError('no mission was left to be carried out')
    return _show_all(results, chosen.json)


def _follow(results: Results, out: Path, log: RunLog | None, processes: int) -> None:
    """Carry out the cases that are missing, and say how each mission went."""
    jobs = [Job(index, results.cases[index], out / f'{index}-{results.cases[index].seed}')
            for index in results.missing()]
    for job in jobs:
        # What an earlier process of the same command left of a case that it did not finish.
        shutil.rmtree(job.folder, ignore_errors=True)
    names = names_of(case.options for case in results.cases)
    with (tqdm(total=sum(case.runs for case in results.cases), initial=results.settled,
               unit='mission', disable=None) as bar,
          closing(_told(home_by_home(jobs), processes)) as all_told):
        for job, told in all_told:
            if log is not None:
                log.add(job.index, told)
            results.take(job.index, told)
            named = f'[{name}] ' if (name := names[job.case.options]) else ''
            if isinstance(told, LeftOut):
                bar.write(f'left out: {named}{job.case}: {told.why}', sys.stderr)
            elif isinstance(told, Crashed):
                bar.write(f'CRASHED: {named}{job.case}: {told.why}', sys.stderr)
            else:
                bar.write(named + describe(told))
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
        {**asdict(results.cases[index]), 'why': why}
        for index, why in sorted(results.crashed.items())]
    summary = Summary(runs, len(results.left_out), len(crashed))
    return show(summary.measures(), file, runs=[_told_in_full(run) for run in runs],
                crashed=crashed)


def _told_in_full(run: Run) -> dict[str, object]:
    """Return all of a run but the points of its way, which are kept beside the figures."""
    return {name: value for name, value in plain(run).items() if name != 'driven'}
