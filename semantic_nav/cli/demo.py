"""`demo`: a mission in the built-in simulator, over real DDS, judged by the simulator's truth."""

import argparse
import json
import shutil
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from PIL import Image

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.cli.command import command
from semantic_nav.cli.narrator import Narrator
from semantic_nav.cli.pictures import MissionSketch, draw_box, draw_map
from semantic_nav.cli.resources import Usage, table
from semantic_nav.cli.simulated import RunFolder, SimulatedRobot, simulated_robot
from semantic_nav.contracts.documents import Hypothesis, Outcome
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.journals import audit, merge_journals, picture_of
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.processes import SimSettings
from semantic_nav.sim.judge import Ruling

#: What a run leaves in its folder; a new run begins without it.
_LEFT_BEHIND = ('journal', 'log', 'journal.jsonl', 'memory.sqlite', 'memory.sqlite-wal',
                'memory.sqlite-shm', 'map.png', 'arrival.png', 'summary.json')


@dataclass(frozen=True)
class Options:
    """What the operator chose."""

    goal: str
    out: Path
    settings: SimSettings
    timeout_s: float


def parse(args: list[str] | None) -> Options:
    """Return the options of a command line."""
    parser = argparse.ArgumentParser(prog='demo', description=__doc__)
    parser.add_argument('--goal', default='find the red mug', help='what to find, in words')
    parser.add_argument('--seed', type=int, default=SimSettings().seed,
                        help='start pose, places of movable things, noise')
    parser.add_argument('--out', type=Path, default=Path('out/demo'),
                        help='folder of the results')
    parser.add_argument('--world', default='apartment', help='a folder of config/worlds')
    parser.add_argument('--model-profile', default=SimSettings().model_profile,
                        metavar='NAME[+NAME...]',
                        help='what is wrong with the model server: config/profiles/model')
    parser.add_argument('--timeout', type=float, default=900.0, help='longest mission, in s')
    chosen = parser.parse_args(args)
    settings = SimSettings(world=chosen.world, seed=chosen.seed,
                           model_profile=chosen.model_profile)
    return Options(chosen.goal, chosen.out, settings, chosen.timeout)


@command
def main(args: list[str] | None = None) -> int:
    """Run a mission; exit code 0 only if the robot truly stands in front of the target."""
    options = parse(args)
    _clear(options.out)
    began = time.monotonic()

    def say(line: str) -> None:
        print(f'{time.monotonic() - began:7.1f} s  {line}', flush=True)

    narrator = Narrator(say)
    run = RunFolder(options.out)
    say(f'starting  the world {options.settings.world!r}, seed {options.settings.seed}; '
        'the first time it is built')
    with simulated_robot(run, options.settings, narrator) as robot:
        target = robot.judge.target_of(options.goal)
        say(f'goal      {options.goal}')
        robot.say(options.goal)
        if not robot.until(lambda: narrator.outcome is not None, options.timeout_s):
            say(f'timeout   the mission took longer than {options.timeout_s:.0f} s')
        ruling = robot.judge.rule(target, BeliefConfig().stand_off_m)
        _draw(options, run, robot, narrator, ruling)
        cost = robot.supervisor.usage()
    return _conclude(options, run, robot, narrator, ruling, cost)


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


def _draw(options: Options, run: RunFolder, robot: SimulatedRobot, narrator: Narrator,
          ruling: Ruling) -> None:
    outcome = narrator.outcome.value if narrator.outcome is not None else 'timeout'
    with closing(SqliteStore(run.memory)) as store:
        places = [place.pose for place in store.load(MemoryConfig().map_id, '', 1).places]
    sketch = MissionSketch(
        options.goal, f'seed {options.settings.seed}, {narrator.cycles} cycles, '
        f'{ruling.driven_m:.1f} m driven, {len(places)} places remembered: {outcome}',
        narrator.path, places, narrator.refused, ruling.target[:2], ruling.robot)
    draw_map(robot.truth.overview(), sketch).save(options.out / 'map.png')
    final = narrator.final
    if final is not None and isinstance(final.body, Hypothesis):
        picture = picture_of(final, run.journals)
        if picture is not None:
            draw_box(Image.open(picture).convert('RGB'), final.body.hypothesis.target_box,
                     f'{options.goal}: {ruling.words}').save(options.out / 'arrival.png')


def _conclude(options: Options, run: RunFolder, robot: SimulatedRobot, narrator: Narrator,
              ruling: Ruling, cost: dict[str, Usage]) -> int:
    say, journal = narrator.say, options.out / 'journal.jsonl'
    lines = merge_journals(run.journals, journal)
    goals = audit(journal, robot.witness.received)
    reached = ruling.reached and narrator.outcome is Outcome.ARRIVED
    say(f'truth     {ruling.words}; {ruling.collisions} collisions, '
        f'{ruling.driven_m:.1f} m driven')
    say(f'journal   {lines} records; {goals.sent} goals sent, {len(robot.witness.received)} '
        f'received by the navigator, {len(goals.unvetted)} unvetted')
    for line in table(cost):
        say(f'cost      {line}')
    for name in ('map.png', 'arrival.png', 'journal.jsonl'):
        if (options.out / name).exists():
            say(f'wrote     {options.out / name}')
    (options.out / 'summary.json').write_text(json.dumps({
        'goal': options.goal, 'seed': options.settings.seed, 'reached': reached,
        'outcome': narrator.outcome, 'truth': ruling.words, 'collisions': ruling.collisions,
        'driven_m': round(ruling.driven_m, 2), 'cycles': narrator.cycles,
        'goals_sent': goals.sent, 'goals_received': len(robot.witness.received),
        'unvetted': goals.unvetted,
        'cost': {name: asdict(usage) for name, usage in cost.items()}}, indent=2) + '\n',
        encoding='utf-8')
    if goals.unvetted:
        say(f'FAILED    goals without a verdict: {", ".join(goals.unvetted)}')
        return 1
    if not reached:
        why = narrator.belief.reason if narrator.belief is not None else 'no belief came'
        say(f'FAILED    the robot does not stand in front of the target; the robot says: {why}')
        return 1
    say('SUCCESS   the robot stands in front of the target')
    return 0
