"""`bench missions`: many missions in simulated time, or through the nodes, judged by the truth."""

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from semantic_nav.cli.arguments import check_file, location, number, numbers, share
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import version
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.journal.compare import CASES
from semantic_nav_sim.bench.ablations import ABLATIONS
from semantic_nav_sim.bench.bodies import BODIES
from semantic_nav_sim.bench.both_worlds import both_worlds
from semantic_nav_sim.bench.carrying import (
    AllTold,
    Crashed,
    Job,
    LeftOut,
    home_by_home,
    one_by_one,
)
from semantic_nav_sim.bench.cases import INFORMED, MEASURED, NODES, Case, Options, check_case
from semantic_nav_sim.bench.groups import names_of, under, unusual
from semantic_nav_sim.bench.missions import run_case
from semantic_nav_sim.bench.plan import Goal, Plan, load_preset, preset_names
from semantic_nav_sim.bench.pool import in_processes
from semantic_nav_sim.bench.results import Results
from semantic_nav_sim.bench.run_log import (
    RunLog,
    beside,
    digest_of,
    is_begun,
    package_digest,
    plain,
)
from semantic_nav_sim.bench.runs import Run, describe
from semantic_nav_sim.bench.summary import Summary
from semantic_nav_sim.cli.bench_table import show
from semantic_nav_sim.cli.defaults import GOAL, HOME
from semantic_nav_sim.policies.compared import POLICIES
from semantic_nav_sim.running.run_folder import new_folder
from semantic_nav_sim.show.bench_report import PAGE, RUNS, Remarks, takes_report, write_report

_T = TypeVar('_T')
_USUAL = Plan(worlds=(HOME,), seeds=tuple(range(1, 11)), goals=(Goal(GOAL),))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command.

    Options of the plan have the names of the fields of `Plan` and no defaults: an option that is
    not given is as in the preset.
    """
    def add(option: str, field: str, **more: Any) -> None:
        parser.add_argument(option, dest=field, default=argparse.SUPPRESS, **more)

    parser.add_argument('--preset', type=load_preset, metavar='NAME',
                        help=f'{", ".join(preset_names())}, or the path of a YAML file; the other '
                             'options change it')
    add('--world', 'worlds', action='append', metavar='NAME',
        help=f'a world; {{seed}} stands for the seed (default: {HOME}); may stand several times')
    add('--seed', 'seeds', type=numbers, metavar='SEEDS',
        help="seeds such as '1-10' or '3,7,9' (default: 1-10)")
    add('--goal', 'goals', action='append', type=Goal, metavar='WORDS',
        help='what to find, in words; where a home holds nothing of that name, saying so is the '
             f'success; may stand several times (default: {GOAL})')
    add('--runs', 'runs', type=int, choices=(1, 2),
        help='2: a second mission with the map and memory of the first (default: 2)')
    for part in ('model', 'robot', 'navigator'):
        add(f'--{part}-profile', f'{part}_profiles', action='append', metavar='NAME',
            help=f'what is wrong with the {part}, of config/profiles/{part}; may stand several '
                 'times (default: default)')
    add('--people', 'people', type=number, metavar='N', help='how many people walk about')
    add('--moving-doors', 'moving_doors', action='store_true',
        help='the doors inside close and open')
    add('--moved', 'moved', type=share, metavar='SHARE',
        help='of the things placed by the seed, 0 to 1, that lie elsewhere at the second mission '
             '(default: 0)')
    add('--usual-places', 'usual_places', action='store_true',
        help='things that the seed places lie where such things usually do, as homes of ProcTHOR '
             'tell, and not at all of their places alike')
    add('--measured', 'measured', action='store_true',
        help=f'each robot once more in the world as it was measured to be: --model-profile '
             f'{MEASURED} --usual-places; the table has both beside each other')
    add('--embedder', 'embedder', help=f'of the memory (default: {Options.embedder})')
    add('--body', 'body', choices=BODIES,
        help='of the robot: full, which is drawn, or light, which is computed and some 1.7 times '
             f'as fast (default: {Options.body})')
    add('--body-shape', 'body_shape', metavar='SHAPE',
        help='of its base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres (default: round, '
             '0.2)')
    add('--policy', 'policies', action='append', choices=(*POLICIES, INFORMED),
        help='of the search; may stand several times, each in the same homes as the first, with '
             f'which it is compared; {INFORMED} is a bound, computed on the true map (default: '
             f'{Options.policy})')
    add('--without', 'without', action='append', choices=tuple(ABLATIONS)[1:],
        help='a part of the product that is left out, beside the whole, with which it is '
             'compared; may stand several times')
    add('--ros', 'ros', action='store_true',
        help='each case through the four nodes and the simulator over DDS, too, in real time: how '
             'many end as those through the cores alone')
    add('--jobs', 'jobs', type=_at_least_one, metavar='N',
        help='how many processes carry them out (default: 1)')
    parser.add_argument('--out', type=location,
                        help='folder for journals, new or empty (default: thrown away)')
    parser.add_argument('--json', type=location, metavar='FILE',
                        help='write all figures there, to a new file; runs are kept beside it as '
                             'they end, and the same command again goes on from there')
    parser.add_argument('--report', type=location, metavar='DIR',
                        help=f'write {PAGE}, with a map of each failure, and {RUNS} there')


def _at_least_one(words: str) -> int:
    count = number(words)
    if count < 1:
        raise argparse.ArgumentTypeError('at least one is needed')
    return count


def plan_of(chosen: argparse.Namespace) -> Plan:
    """The plan that a command line asks for."""
    given = {one.name: getattr(chosen, one.name) for one in fields(Plan) if one.name in chosen}
    return replace(chosen.preset or _USUAL, **{
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items()})


def carry_out(chosen: argparse.Namespace) -> int:
    """Carry out the missions; exit code 1 if a figure misses its bar or a case crashed."""
    plan = plan_of(chosen)
    if plan.ros:
        _check_real_time(plan)
    cases = plan.cases()
    for case in {replace(case, seed=0): case for case in cases}.values():
        check_case(case)
    results = Results(cases)
    with ExitStack() as stack:
        path = None if chosen.json is None else beside(chosen.json)
        # Only then the contents of --out and --report belong to this command.
        again = path is not None and is_begun(path)
        if chosen.json is not None and not again:
            check_file(chosen.json)
        if chosen.report is not None and not (
                again and takes_report(chosen.report, chosen.command)):
            new_folder(chosen.report)
        if chosen.out is None:
            out = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='bench-')))
        else:
            out = chosen.out if again else new_folder(chosen.out)
        log = None if path is None else RunLog(path, digest_of(cases, chosen.out))
        if log is not None:
            stack.callback(log.close)
            log.fill(results)
        code = _missions(results, out, log, plan, chosen.json)
        if chosen.report is not None:
            _report(results, plan, chosen.report, chosen.command)
        return code


def _check_real_time(plan: Plan) -> None:
    if plan.jobs > 1:
        raise ConfigError('a case in real time needs the machine for itself: with --ros say '
                          '--jobs 1')
    if find_spec('rclpy') is None:
        raise ConfigError('this shell has no rclpy: first `. ros_wheels/env.sh`, or on a robot '
                          '`source /opt/ros/jazzy/setup.bash` and that of the workspace')


def _missions(results: Results, out: Path, log: RunLog | None, plan: Plan,
              file: Path | None) -> int:
    began, before = time.monotonic(), results.settled
    try:
        _follow(results, out, log, plan.jobs)
    except KeyboardInterrupt as error:
        if results.runs:
            _show_all(results, plan, file)
            error.args = ('the table is of what was finished',)
        raise
    code = _show_all(results, plan, file)
    if not results.runs:
        print('no mission was carried out', file=sys.stderr)
        code = 1
    if plan.budget_s:
        took = f'took {time.monotonic() - began:.0f} s' + (
            f' ({before} missions were there before)' if before else '')
        print(f'\n{took}; the budget is {plan.budget_s:.0f} s on {plan.jobs} free cores')
    return code


def _follow(results: Results, out: Path, log: RunLog | None, processes: int) -> None:
    """Carry out the missing cases, and report each mission."""
    names = names_of(case.options for case in results.cases)
    folders = [out / f'{index}-{case.seed}' for index, case in enumerate(results.cases)]
    _name_cases(out / CASES, {
        folder.name: under(unusual(case.options), case)
        for folder, case in zip(folders, results.cases, strict=True)})
    jobs = [Job(index, results.cases[index], folders[index]) for index in results.missing()]
    for job in jobs:
        # The remains of a case that an earlier process of this command did not finish.
        shutil.rmtree(job.folder, ignore_errors=True)
    with (tqdm(total=sum(case.runs for case in results.cases), initial=results.settled,
               unit='mission', disable=None) as bar,
          closing(_told(home_by_home(jobs), processes)) as all_told):
        for job, told in all_told:
            if log is not None:
                log.add(job.index, told)
            results.take(job.index, told)
            name = names[job.case.options]
            if isinstance(told, LeftOut):
                bar.write(f'left out: {under(name, job.case)}: {told.why}', sys.stderr)
            elif isinstance(told, Crashed):
                bar.write(f'CRASHED: {under(name, job.case)}: {told.why}', sys.stderr)
            else:
                bar.write(under(name, describe(told)))
                sys.stdout.flush()
            bar.update(results.settled - bar.n)


def _name_cases(file: Path, cases: dict[str, str]) -> None:
    """Record which case each folder belongs to, so that two runs can be compared."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(cases, ensure_ascii=False, indent=1).encode())


def _told(jobs: Sequence[Job], processes: int) -> AllTold:
    if processes <= 1:
        return one_by_one(jobs, _run_either)
    return in_processes(jobs, run_case, min(processes, len(jobs)))


def _run_either(case: Case, folder: Path) -> Iterator[Run]:
    if case.through == NODES:
        # Only here: everything else in this command works without ROS.
        from semantic_nav_sim.running.case_through_nodes import run_case_through_nodes
        return run_case_through_nodes(case, folder)
    return run_case(case, folder)


def _show_all(results: Results, plan: Plan, file: Path | None) -> int:
    """Show the results of the missions; returns the exit code."""
    print()
    left_out, crashed = _without_runs(results, lambda case, why: {**asdict(case), 'why': why})
    summary = _summary(results, plan)
    code = show(summary.measures(), file, left_out=left_out, crashed=crashed,
                runs=[_told_in_full(run) for run in results.runs])
    for lines in both_worlds(summary.runs, plan.bars):
        print('', *lines, sep='\n')
    return code


def _report(results: Results, plan: Plan, folder: Path, command: str) -> None:
    names = names_of(case.options for case in results.cases)
    left_out, crashed = _without_runs(
        results, lambda case, why: f'{under(names[case.options], case)}: {why}')
    write_report(folder, _summary(results, plan).measures(), results.runs,
                 Remarks(_about(command), left_out, crashed))
    print(f'\nthe report is {folder / PAGE}')


def _without_runs(results: Results, tell: Callable[[Case, str], _T]) -> tuple[list[_T], list[_T]]:
    """The reports on the cases that were left out, and on those that crashed."""
    left_out, crashed = ([tell(results.cases[index], why) for index, why in sorted(whys.items())]
                         for whys in (results.left_out, results.crashed))
    return left_out, crashed


def _about(command: str) -> list[str]:
    return [command, f'Version {version()}, digest of its files {package_digest()[:12]}; '
            f'{time.strftime("%Y-%m-%d")}, {os.cpu_count()} cores {platform.machine()}.']


def _summary(results: Results, plan: Plan) -> Summary:
    return Summary(results.runs, len(results.left_out), len(results.crashed), plan.bars)


def _told_in_full(run: Run) -> dict[str, object]:
    """All values of a run except the points of its way, which are kept beside the figures."""
    return {name: value for name, value in plain(run).items() if name != 'driven'}
