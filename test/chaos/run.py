"""Missions in real processes, in each of which one thing goes wrong at a random moment of a drive.

Run `make chaos`. A line for each mission says what went wrong, how it ended, and what was broken:
it must end as docs/failsafe.html says, without a collision, a drive of more than a second without
belief or verifier, a motion without its verdict, or a word to the operator that is not so.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from chaos import FAULTS, Chaos
from tqdm import tqdm
from witness import Witness

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.bringup.processes import NavSettings
from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journal.files import audit, merge_journals
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import simulated_robot
from semantic_nav_sim.world.world_files import world_file

GOAL = 'find the red mug'
#: Start and target of a mission that is neither long nor short, and how far it has driven when
#: something goes wrong, in m: of 4.6 m until it arrives.
_HOME_SEED, _DRIVEN_M = 4, (0.3, 4.2)
TIME_LIMIT_S, _PATIENCE_S, _AFTERWARDS_S = 180.0, 260.0, 3.0


def mission(name: str, seed: int, folder: Path,
            say: Callable[[str], object]) -> tuple[str, list[str]]:
    """Carry one mission out.

    Args:
        name: one of FAULTS.
        seed: of the moment.
        folder: of the journals; a fresh one.
        say: takes the lines of the mission.

    Returns:
        How it ended, and what was broken.
    """
    rng, fault = random.Random(f'{name} {seed}'), FAULTS[name]
    narrator = Narrator(say)
    time_from = {'use_sim_time': True} if fault.steered_clock else {}
    # The eyes of the model are not what is tried here.
    settings = SimSettings(
        seed=_HOME_SEED, model_profile='none', common=time_from,
        saved_map=str(world_file(SimSettings.world, 'map.yaml')) if fault.map_server else '')
    nav = NavSettings(common=time_from, of_node={'belief': {'time_limit_s': TIME_LIMIT_S}})
    with simulated_robot(RunFolder(folder), settings, narrator, nav) as robot:
        chaos = Chaos(robot, rng)
        witness = Witness(robot, chaos)
        witness.listen()
        chaos.prepare(fault)
        try:
            targets = robot.judge.targets_of(GOAL)
            robot.say(GOAL)
            strike_m, struck = rng.uniform(*_DRIVEN_M), False

            def ended() -> bool:
                nonlocal struck
                chaos.work()
                witness.look(time.monotonic())
                if not struck and witness.driven_m > strike_m:
                    struck = True
                    say(f'STRIKES   {name}')
                    fault.strike(chaos)
                return narrator.outcome is not None

            robot.until(ended, _PATIENCE_S)
            ruling = robot.judge.rule_any(targets, BeliefConfig().stand_off_m)
            robot.until(lambda: ended() and False, _AFTERWARDS_S)
            robot.until(lambda: ended() and chaos.over, _PATIENCE_S)
        finally:
            chaos.close()
    broken = list(witness.broken.values())
    outcome = narrator.outcome
    reason = narrator.belief.reason if narrator.belief is not None else ''
    if outcome is None:
        broken.append('did not end')
    elif outcome is not fault.ends:
        broken.append(f'ended with {outcome.value} instead of {fault.ends.value}')
    if not struck:
        broken.append(f'nothing struck: the robot drove {witness.driven_m:.1f} m')
    if outcome is Outcome.ARRIVED and not ruling.reached:
        broken.append(f'said that it had arrived: {ruling.words}')
    if ruling.collisions:
        broken.append(f'{ruling.collisions} collisions')
    if fault.told and not witness.not_ok & set(fault.told):
        broken.append(f'nobody was told by {" or ".join(fault.told)}')
    merge_journals(folder / 'journal', folder / 'journal.jsonl')
    audited = audit(folder / 'journal.jsonl', robot.witness.received, robot.witness.in_drive)
    if audited.unvetted:
        broken.append(f'unvetted: {", ".join(audited.unvetted)}')
    if bool(audited.missing) is not fault.loses_records:
        broken.append(f'the journals say that they lack {audited.missing} records')
    return (f'after {strike_m:.1f} of {ruling.driven_m:.1f} m; '
            f'{outcome.value if outcome else "open"}: {reason}'), broken


def main() -> int:
    """Carry missions out, each with its fault; returns 1 where something was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=1, help='of the moments; counts up')
    parser.add_argument('--count', type=int,
                        help='missions (default: one of each fault; with --only, one)')
    parser.add_argument('--only', choices=FAULTS, help='this fault in each of the missions')
    parser.add_argument('--verbose', action='store_true', help='tell the missions')
    parser.add_argument('--keep', type=Path, help='where broken missions leave their files')
    options = parser.parse_args()
    names = [options.only] if options.only else list(FAULTS)
    count = len(names) if options.count is None else options.count
    failed = 0
    with tqdm(total=count) as bar:
        for number in range(count):
            name, seed = names[number % len(names)], options.seed + number
            with tempfile.TemporaryDirectory() as folder:
                try:
                    ended, broken = mission(name, seed, Path(folder),
                                            bar.write if options.verbose else lambda line: None)
                except SemanticNavError as error:
                    ended, broken = 'broke off', [str(error)]
                if broken and options.keep:
                    shutil.copytree(folder, options.keep / f'{name} {seed}', dirs_exist_ok=True)
            failed += bool(broken)
            bar.write(f'{name:20} seed {seed:3}  {ended[:140]}'
                      + ''.join(f'\n    BROKEN {words}' for words in broken))
            bar.update()
    print(f'{count - failed} of {count} missions kept every promise')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
