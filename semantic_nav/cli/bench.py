"""`bench`: measures the product in simulated time, faster than a real clock."""

import argparse
import dataclasses
import json
import tempfile
from pathlib import Path

from semantic_nav.bench.missions import Report, cases_of, describe, run_case
from semantic_nav.bench.table import lines_of
from semantic_nav.cli.command import command
from semantic_nav.cli.world import HOME, seeds


def parse(args: list[str] | None) -> argparse.Namespace:
    """Return the options of a command line."""
    parser = argparse.ArgumentParser(prog='bench', description=__doc__)
    which = parser.add_subparsers(dest='which', required=True)
    missions = which.add_parser('missions', help='missions in many homes, judged by the truth')
    missions.add_argument('--world', action='append', metavar='NAME',
                          help='a world; {seed} stands for the seed (default: '
                               f'{HOME}); may stand several times')
    missions.add_argument('--seed', default='1-10', help="seeds such as '1-10' or '3,7,9'")
    missions.add_argument('--goal', default='find the red mug', help='what to find, in words')
    missions.add_argument('--runs', type=int, choices=(1, 2), default=2,
                          help='2: a second mission with the map and memory of the first')
    missions.add_argument('--model-profile', default='default',
                          help='what is wrong with the model, of config/profiles/model')
    missions.add_argument('--robot-profile', default='default',
                          help='what is wrong with the robot, of config/profiles/robot')
    missions.add_argument('--navigator-profile', default='default',
                          help='what is wrong with the navigator, of config/profiles/navigator')
    missions.add_argument('--people', type=int, default=0, metavar='N',
                          help='how many people walk about')
    missions.add_argument('--moving-doors', action='store_true',
                          help='the doors inside close and open')
    missions.add_argument('--embedder', default='minilm', help='of the memory')
    missions.add_argument('--out', type=Path, help='folder for journals (default: thrown away)')
    missions.add_argument('--json', type=Path, metavar='FILE', help='write all figures there')
    return parser.parse_args(args)


@command
def main(args: list[str] | None = None) -> int:
    """Run a benchmark; exit code 1 if a bar falls short."""
    chosen = parse(args)
    with tempfile.TemporaryDirectory(prefix='bench-') as scratch:
        return _missions(chosen, chosen.out or Path(scratch))


def _missions(chosen: argparse.Namespace, out: Path) -> int:
    cases = cases_of(chosen.world or [HOME], seeds(chosen.seed), chosen.goal,
                     runs=chosen.runs, model_profile=chosen.model_profile,
                     robot_profile=chosen.robot_profile,
                     navigator_profile=chosen.navigator_profile, people=chosen.people,
                     moving_doors=chosen.moving_doors, embedder=chosen.embedder)
    report = Report()
    for index, case in enumerate(cases):
        for run in run_case(case, out / f'{index}-{case.seed}'):
            print(describe(run), flush=True)
            report.runs.append(run)
    measures = report.measures()
    print('\n'.join(['', *lines_of(measures)]))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps({
            'measures': [dataclasses.asdict(one) for one in measures],
            'runs': [dataclasses.asdict(run) for run in report.runs]}, indent=2) + '\n',
            encoding='utf-8')
    return 1 if any(one.holds is False for one in measures) else 0

