"""`bench`: measures the product, whole missions in simulated time and single parts."""

import argparse
import dataclasses
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from semantic_nav.bench import boundary, verifying
from semantic_nav.bench.bodies import BODIES, FULL
from semantic_nav.bench.missions import Case, Summary, cases_of, check_case, describe, run_case
from semantic_nav.bench.table import Measure, lines_of
from semantic_nav.cli.arguments import (
    GOAL,
    HOME,
    Parser,
    check_file,
    location,
    number,
    numbers,
)
from semantic_nav.cli.command import command
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.explore.policies import POLICIES
from semantic_nav.running.run_folder import new_folder
from semantic_nav.sim.judge import Ambiguous
from semantic_nav.verify.config import VerifierConfig


def parse(args: list[str] | None) -> argparse.Namespace:
    """Return the options of a command line."""
    parser = Parser(prog='bench', description=__doc__)
    which = parser.add_subparsers(dest='which', required=True, metavar='{missions,model,verify}')
    missions = which.add_parser('missions', help='missions in many homes, judged by the truth')
    missions.add_argument('--world', action='append', metavar='NAME',
                          help='a world; {seed} stands for the seed (default: '
                               f'{HOME}); may stand several times')
    missions.add_argument('--seed', type=numbers, default='1-10',
                          help="seeds such as '1-10' or '3,7,9' (default: %(default)s)")
    missions.add_argument('--goal', action='append', metavar='WORDS',
                          help='what to find, in words; where a home holds nothing of that name, '
                               'saying so is the success; may stand several times '
                               f'(default: {GOAL})')
    missions.add_argument('--runs', type=int, choices=(1, 2), default=2,
                          help='2: a second mission with the map and memory of the first')
    missions.add_argument('--model-profile', default='default',
                          help='what is wrong with the model, of config/profiles/model')
    missions.add_argument('--robot-profile', default='default',
                          help='what is wrong with the robot, of config/profiles/robot')
    missions.add_argument('--navigator-profile', default='default',
                          help='what is wrong with the navigator, of config/profiles/navigator')
    missions.add_argument('--people', type=number, default=0, metavar='N',
                          help='how many people walk about')
    missions.add_argument('--moving-doors', action='store_true',
                          help='the doors inside close and open')
    missions.add_argument('--embedder', default='minilm', help='of the memory')
    missions.add_argument('--body', choices=BODIES, default=FULL,
                          help='of the robot: full, which is drawn, or light, which is computed '
                               'and some 1.7 times as fast (default: %(default)s)')
    missions.add_argument('--body-shape', default='', metavar='SHAPE',
                          help='of its base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres '
                               '(default: round, 0.2)')
    missions.add_argument('--policy', choices=tuple(POLICIES), default=VerifierConfig.policy,
                          help='of the search (default: %(default)s)')
    missions.add_argument('--out', type=location,
                          help='folder for journals, new or empty (default: thrown away)')
    missions.add_argument('--json', type=location, metavar='FILE',
                          help='write all figures there, to a new file')
    model = which.add_parser('model', help='what gate, request and client cost around a call')
    model.add_argument('--rounds', type=number, default=200, metavar='N',
                       help='calls of each kind')
    model.add_argument('--seed', type=number, default=0, help='of pictures and replies')
    model.add_argument('--json', type=location, metavar='FILE',
                       help='write all figures there, to a new file')
    verify = which.add_parser('verify', help='what a verdict costs on a large map, and how far '
                              'groundings err')
    verify.add_argument('--rounds', type=number, default=200, metavar='N',
                        help='verdicts of each kind')
    verify.add_argument('--seed', type=number, default=0, help='of map, poses and views')
    verify.add_argument('--json', type=location, metavar='FILE',
                        help='write all figures there, to a new file')
    chosen = parser.parse_args(args)
    if chosen.which != 'missions' and chosen.rounds < 2:
        parser.error('--rounds must be at least 2')
    return chosen


@command
def main(args: list[str] | None = None) -> int:
    """Run a benchmark; exit code 1 if a bar falls short."""
    chosen = parse(args)
    if chosen.json is not None:
        check_file(chosen.json)
    if chosen.which == 'model':
        return _show(boundary.measure(chosen.rounds, chosen.seed), chosen.json)
    if chosen.which == 'verify':
        return _show(verifying.measure(chosen.rounds, chosen.seed), chosen.json)
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
        return _missions(cases, new_folder(chosen.out), chosen.json)
    with tempfile.TemporaryDirectory(prefix='bench-') as scratch:
        return _missions(cases, Path(scratch), chosen.json)


def _missions(cases: Sequence[Case], out: Path, file: Path | None) -> int:
    summary = Summary()
    try:
        _carry_out(cases, out, summary)
    except KeyboardInterrupt as error:
        if summary.runs:
            _show_all(summary, file)
            error.args = ('the table is of what was finished',)
        raise
    if not summary.runs:
        raise ConfigError('no mission was left to be carried out')
    return _show_all(summary, file)


def _carry_out(cases: Sequence[Case], out: Path, summary: Summary) -> None:
    """Carry missions out, and add each that is finished to a summary."""
    with tqdm(total=sum(case.runs for case in cases), unit='mission', disable=None) as bar:
        for index, case in enumerate(cases):
            try:
                for run in run_case(case, out / f'{index}-{case.seed}'):
                    bar.write(describe(run))
                    sys.stdout.flush()
                    summary.runs.append(run)
                    bar.update()
            except Ambiguous as error:
                summary.left_out += 1
                bar.write(f'left out: {case.world} seed {case.seed}: {error}', sys.stderr)
                bar.update(case.runs)


def _show_all(summary: Summary, file: Path | None) -> int:
    """Show what came of the missions; return the exit code."""
    print()
    return _show(summary.measures(), file,
                 runs=[dataclasses.asdict(run) for run in summary.runs])


def _show(measures: Sequence[Measure], file: Path | None, **more: object) -> int:
    """Print the table, write it to a file with whatever else there is; return the exit code."""
    print('\n'.join(lines_of(measures)))
    if file is not None:
        write_whole(file, (json.dumps(_finite({
            'measures': [dataclasses.asdict(one) for one in measures], **more}), indent=2) + '\n'
            ).encode())
    return 1 if any(one.holds is False for one in measures) else 0


def _finite(value: Any) -> Any:
    """Return a value in which null stands for what JSON has no number for."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
