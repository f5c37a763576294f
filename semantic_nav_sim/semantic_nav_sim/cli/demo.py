"""`demo`: two missions in a simulated home, over real DDS, judged by the simulator's truth.

The first begins with nothing: the robot maps the home while it looks for the target. The second
begins where the first did, with the map and the places that the robot remembers.
"""

import argparse
import json
import math
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.bringup.processes import NavSettings
from semantic_nav.cli.arguments import Parser, check_writable, duration, location, number
from semantic_nav.cli.command import command
from semantic_nav.client.narrator import Narrator
from semantic_nav.client.running_demo import RunningDemo, told
from semantic_nav.contracts.errors import ConfigError, SemanticNavError
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.operator.config import OperatorConfig
from semantic_nav_sim.cli.defaults import GOAL, HOME
from semantic_nav_sim.ports import check_port, free_port
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running import mission_report
from semantic_nav_sim.running.isolation import check_domain
from semantic_nav_sim.running.judged_goals import JudgedGoals, Say, targets_of
from semantic_nav_sim.running.mission_report import MissionReport
from semantic_nav_sim.running.preflight import check_goal, check_settings
from semantic_nav_sim.running.resources import table
from semantic_nav_sim.running.run_folder import (
    RunFolder,
    check_room,
    folder_of_this_run,
    room_bytes,
)
from semantic_nav_sim.running.simulated_robot import SimulatedRobot, simulated_robot

#: Default seed: the target of this home lies some rooms away from the start.
SEED = 4
FIRST, SECOND, OWN = 'first', 'second', 'own'
_MEMORY, _MAP, _SUMMARY = 'memory.sqlite', 'map', 'summary.json'


class RunBroken(SemanticNavError):
    """A run could not write its files."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    goal: str
    out: Path
    settings: SimSettings
    missions: int
    timeout_s: float
    record: bool
    page_port: int
    domain: str = ''


def make_parser() -> Parser:
    """Make the parser of the command line."""
    usual = SimSettings()
    parser = Parser(
        prog='demo', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--goal', default=GOAL, help='what to find, in words')
    parser.add_argument('--seed', type=number, default=SEED,
                        help='the home, start pose, places of movable things, noise')
    parser.add_argument('--out', type=location, default=Path('out/demo'),
                        help='folder; each run makes one of its own in it, and a link `latest` '
                             'to that (default: %(default)s)')
    parser.add_argument('--world', default=HOME,
                        help='generated:N, a folder of config/worlds, or a path; {seed} stands '
                             'for the seed (default: %(default)s)')
    parser.add_argument('--missions', type=int, choices=(0, 1, 2), default=2,
                        help='1: leave the second mission out; 0: leave both out, and wait for '
                             'yours from another terminal')
    parser.add_argument('--model-profile', default=usual.model_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the model server: config/profiles/model')
    parser.add_argument('--robot-profile', default=usual.robot_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the robot: config/profiles/robot')
    parser.add_argument('--navigator-profile', default=usual.navigator_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the stand-in for Nav2: config/profiles/navigator')
    parser.add_argument('--people', type=number, default=usual.people, help='how many walk about')
    parser.add_argument('--moving-doors', action='store_true',
                        help='let the doors inside close and open by themselves')
    parser.add_argument('--usual-places', action='store_true',
                        help='lay things that the seed places where such things usually are')
    parser.add_argument('--body-shape', default=usual.body_shape, metavar='SHAPE',
                        help='of the base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres '
                             '(default: round, 0.2)')
    parser.add_argument('--timeout', type=duration, default=900.0, metavar='S',
                        help='longest mission, in s')
    parser.add_argument('--record', action='store_true',
                        help='record the topics into an MCAP file beside the journals')
    parser.add_argument('--page', action='store_true',
                        help='serve the operator page: watch, ask, pause and cancel in a browser')
    return parser


def parse(args: list[str] | None) -> Options:
    """Parse the options of a command line."""
    chosen = make_parser().parse_args(args)
    settings = SimSettings(
        world=chosen.world.replace('{seed}', str(chosen.seed)), seed=chosen.seed, mapping=True,
        model_profile=chosen.model_profile, robot_profile=chosen.robot_profile,
        navigator_profile=chosen.navigator_profile, people=chosen.people,
        moving_doors=chosen.moving_doors, usual_places=chosen.usual_places,
        body_shape=chosen.body_shape)
    return Options(chosen.goal, chosen.out, settings, chosen.missions, chosen.timeout,
                   chosen.record, _page_port() if chosen.page else 0,
                   os.environ.get('ROS_DOMAIN_ID', '').strip())


def _page_port() -> int:
    """The default port of the operator page, or a free one if that is taken."""
    usual = OperatorConfig().port
    try:
        check_port('port', usual)
    except ConfigError:
        return free_port()
    return usual


def _page(options: Options) -> str:
    return f'http://127.0.0.1:{options.page_port}/' if options.page_port else ''


def _say_page(options: Options, say: Say) -> None:
    usual = OperatorConfig().port
    if options.page_port != usual:
        say(f'page      port {usual} is taken, perhaps by another page: this one has another port')
    say(f'page      {_page(options)} in a browser on this machine'
        + ('; a goal there ends the mission of the demo' if options.missions else ''))


@command
def main(args: list[str] | None = None) -> int:
    """Run the missions; exit code 0 if each one ended and no claim of the robot is refuted."""
    options = parse(args)
    # All checks come before any process and any output.
    check_domain(options.domain)
    check_settings(options.settings)
    check_writable(options.out)
    check_room(options.out, room_bytes(max(options.missions, 1) * options.timeout_s))
    check_goal(options.settings, options.goal)
    folder = folder_of_this_run(
        options.out, lambda words: print(f'demo: {words}', file=sys.stderr))
    try:
        return _demo(options, folder)
    except KeyboardInterrupt as error:
        error.args = (f'all processes are ended; {_left(folder)}',)
        raise
    except OSError as error:
        # Mostly a full disk: the files written until then may be useful.
        raise RunBroken(f'{error}; {_left(folder)}') from error


def _left(folder: Path) -> str:
    return f'what there is of the run lies in {folder}'


def _demo(options: Options, folder: Path) -> int:
    began = time.monotonic()

    def say(line: str) -> None:
        print(f'{time.monotonic() - began:7.1f} s  {line}', flush=True)

    say(f'starting  the world {options.settings.world!r}, seed {options.settings.seed}, which '
        'the robot does not know; built once, then kept')
    say('stand-in  model, camera and Nav2 are simulated; the four nodes are those of a robot')
    if options.page_port:
        _say_page(options, say)
    if not options.missions:
        _wait_for_goals(options, folder, say)
    map_folder = folder / _MAP
    reports: list[MissionReport] = []
    _mission(options, folder, FIRST, replace(
        options.settings, save_map_to=str(map_folder.resolve())), say, reports)
    if options.missions == 2 and reports[0].reached:
        say('again     the same, with the map and the places that the robot remembers')
        _mission(options, folder, SECOND, replace(
            options.settings, saved_map=str((map_folder / 'map.yaml').resolve())), say, reports)
        say(f'compared  {reports[1].driven_m:.1f} m driven, {reports[0].driven_m:.1f} m the first '
            f'time: {reports[1].driven_m / max(reports[0].driven_m, 0.01):.2f}')
    for line in table(reports[-1].cost):
        say(f'cost      {line}')
    first = folder / FIRST
    say(f'look at   {first / mission_report.FILM}, {first / mission_report.MAP}')
    say('replay    in a browser:')
    say(f'          . ros_wheels/env.sh; python -m semantic_nav operator --journal {first}')
    say(f'all in    {folder}')
    return 0 if all(report.right is not False and not report.unvetted for report in reports) else 1


def _wait_for_goals(options: Options, folder: Path, say: Say) -> NoReturn:
    """Start everything and stay until Ctrl-C; goals come from other processes."""
    run = RunFolder(folder / OWN, folder / _MEMORY)
    run.folder.mkdir()
    with _robot(run, options, options.settings, Narrator(say)) as robot:
        say('ready     from another terminal:')
        say(f'          . ros_wheels/env.sh; {_export()}')
        say(f'          python -m semantic_nav ask {shlex.quote(options.goal)}')
        say('          Ctrl-C here ends it')
        robot.listener = JudgedGoals(robot.judge, say).take
        while True:
            robot.until(lambda: False, math.inf)


@contextmanager
def _robot(run: RunFolder, options: Options, settings: SimSettings,
           narrator: Narrator) -> Iterator[SimulatedRobot]:
    """Hold a simulated robot, and announce it to other commands."""
    with simulated_robot(run, settings, narrator, _nav(options),
                         domain=options.domain) as robot, told(RunningDemo(
            int(os.environ['ROS_DOMAIN_ID']), robot.settings.base_url, robot.settings.model,
            str(run.memory.resolve()), _page(options), str(run.folder.resolve())), narrator.say):
        yield robot


def _export() -> str:
    """The environment that other programs need to hear the robot; our own commands find it."""
    return 'export ' + ' '.join(f'{name}={os.environ[name]}' for name in (
        'ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE'))


def _nav(options: Options) -> NavSettings:
    return NavSettings(of_node={'verifier': {'map_is_live': True}}, record=options.record,
                       operator=options.page_port > 0, page_port=options.page_port)


def _mission(options: Options, folder: Path, name: str, settings: SimSettings, say: Say,
             reports: list[MissionReport]) -> None:
    """Run and judge a mission, save the report, and then draw the pictures."""
    run = RunFolder(folder / name, folder / _MEMORY)
    run.folder.mkdir()
    narrator = Narrator(say)
    with _robot(run, options, settings, narrator) as robot:
        say(f'goal      {options.goal}')
        targets = targets_of(robot.judge, options.goal, say)
        robot.say(options.goal)
        if not robot.until_over(options.timeout_s):
            say(f'timeout   the mission took longer than {options.timeout_s:.0f} s')
        robot.hear_out()
        ruling = robot.judge.rule_any(targets or (), BeliefConfig().stand_off_m)
        if targets is None:
            ruling = replace(ruling, words='nobody judges what it stands before')
        home = mission_report.home_of(robot, say)
        cost = robot.supervisor.usage()
    reports.append(mission_report.judge(run, options.goal, robot, narrator, ruling, cost,
                                        judged=targets is not None))
    _save(options, folder, reports, say)
    mission_report.draw(run, options.goal, narrator, ruling, home)


def _save(options: Options, folder: Path, reports: Sequence[MissionReport], say: Say) -> None:
    summary = {'world': options.settings.world,
               'missions': [report.plain() for report in reports]}
    try:
        write_whole(folder / _SUMMARY, (json.dumps(summary, indent=2) + '\n').encode())
    except OSError as error:
        # The verdict has been printed, and the exit code states it.
        say(f'warning   {folder / _SUMMARY} is not there: {error}')
