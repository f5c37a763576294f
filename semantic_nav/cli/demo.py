"""`demo`: two missions in a simulated home, over real DDS, judged by the simulator's truth.

The first begins with nothing: the robot maps the home while it looks for the target. The second
begins where the first did, with the map and the places that the robot remembers.
"""

import argparse
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.cli.arguments import HOME
from semantic_nav.cli.command import command
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.processes import NavSettings, SimSettings
from semantic_nav.running import mission_report
from semantic_nav.running.mission_report import MissionReport
from semantic_nav.running.resources import table
from semantic_nav.running.simulated_robot import RunFolder, simulated_robot
from semantic_nav.show.narrator import Narrator

#: Usual seed: of a home in which the target lies some rooms away from the start.
SEED = 4
FIRST, SECOND = 'first', 'second'
_MEMORY, _MAP, _SUMMARY = 'memory.sqlite', 'map', 'summary.json'
#: What a run leaves in its folder; a new run begins without it.
_LEFT_BEHIND = (FIRST, SECOND, _MAP, _MEMORY, f'{_MEMORY}-wal', f'{_MEMORY}-shm', _SUMMARY)

Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What the operator chose."""

    goal: str
    out: Path
    settings: SimSettings
    missions: int
    timeout_s: float


def parse(args: list[str] | None) -> Options:
    """Return the options of a command line."""
    usual = SimSettings()
    parser = argparse.ArgumentParser(
        prog='demo', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--goal', default='find the red mug', help='what to find, in words')
    parser.add_argument('--seed', type=int, default=SEED,
                        help='the home, start pose, places of movable things, noise')
    parser.add_argument('--out', type=Path, default=Path('out/demo'),
                        help='folder of the results')
    parser.add_argument('--world', default=HOME,
                        help='generated:N, a folder of config/worlds, or a path; {seed} stands '
                             'for the seed (default: %(default)s)')
    parser.add_argument('--missions', type=int, choices=(1, 2), default=2,
                        help='1: leave the second mission out')
    parser.add_argument('--model-profile', default=usual.model_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the model server: config/profiles/model')
    parser.add_argument('--robot-profile', default=usual.robot_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the robot: config/profiles/robot')
    parser.add_argument('--navigator-profile', default=usual.navigator_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the stand-in for Nav2: config/profiles/navigator')
    parser.add_argument('--people', type=int, default=usual.people, help='how many walk about')
    parser.add_argument('--moving-doors', action='store_true',
                        help='let the doors inside close and open by themselves')
    parser.add_argument('--timeout', type=float, default=900.0, help='longest mission, in s')
    chosen = parser.parse_args(args)
    settings = SimSettings(
        world=chosen.world.format(seed=chosen.seed), seed=chosen.seed, mapping=True,
        model_profile=chosen.model_profile, robot_profile=chosen.robot_profile,
        navigator_profile=chosen.navigator_profile, people=chosen.people,
        moving_doors=chosen.moving_doors)
    return Options(chosen.goal, chosen.out, settings, chosen.missions, chosen.timeout)


@command
def main(args: list[str] | None = None) -> int:
    """Run the missions; exit code 0 only if the robot truly stood before the target each time."""
    options = parse(args)
    _clear(options.out)
    began = time.monotonic()

    def say(line: str) -> None:
        print(f'{time.monotonic() - began:7.1f} s  {line}', flush=True)

    say(f'starting  the world {options.settings.world!r}, seed {options.settings.seed}, which '
        'the robot does not know; the first time it is built')
    map_folder = options.out / _MAP
    reports = [_mission(options, FIRST, replace(
        options.settings, save_map_to=str(map_folder.resolve())), say)]
    if options.missions == 2 and reports[0].reached:
        say('again     the same, with the map and the places that the robot remembers')
        reports.append(_mission(options, SECOND, replace(
            options.settings, saved_map=str((map_folder / 'map.yaml').resolve())), say))
        say(f'compared  {reports[1].driven_m:.1f} m driven, {reports[0].driven_m:.1f} m the first '
            f'time: {reports[1].driven_m / max(reports[0].driven_m, 0.01):.2f}')
    for line in table(reports[-1].cost):
        say(f'cost      {line}')
    (options.out / _SUMMARY).write_text(json.dumps(
        {'world': options.settings.world, 'missions': [report.plain() for report in reports]},
        indent=2) + '\n', encoding='utf-8')
    done = all(report.reached and not report.unvetted for report in reports)
    return 0 if done and len(reports) == options.missions else 1


def _clear(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f'{folder} is no folder')
    for name in _LEFT_BEHIND:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)


def _mission(options: Options, name: str, settings: SimSettings, say: Say) -> MissionReport:
    run = RunFolder(options.out / name, options.out / _MEMORY)
    run.folder.mkdir()
    narrator = Narrator(say)
    nav = NavSettings(of_node={'verifier': {'map_is_live': True}})
    with simulated_robot(run, settings, narrator, nav) as robot:
        target = robot.judge.target_of(options.goal)
        say(f'goal      {options.goal}')
        robot.say(options.goal)
        if not robot.until(lambda: narrator.outcome is not None, options.timeout_s):
            say(f'timeout   the mission took longer than {options.timeout_s:.0f} s')
        ruling = robot.judge.rule(target, BeliefConfig().stand_off_m)
        mission_report.draw(run, options.goal, robot, narrator, ruling)
        cost = robot.supervisor.usage()
    return mission_report.conclude(run, options.goal, robot, narrator, ruling, cost)
