"""Missions in real processes, in each of which one thing goes wrong at a random moment of a drive.

Run `make chaos`. A line for each mission says what went wrong, how it ended, and what was broken:
no mission may end without an outcome, claim what is not so, collide, drive for more than a second
without belief or verifier, or send a goal without its verdict.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from tqdm import tqdm

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journals import audit, merge_journals
from semantic_nav.processes import NavSettings, SimSettings
from semantic_nav.running.run_folder import RunFolder
from semantic_nav.running.simulated_robot import SimulatedRobot, simulated_robot
from semantic_nav.show.narrator import Narrator

GOAL = 'find the red mug'
NODES = ('hypothesis', 'memory', 'belief', 'verifier')
#: Start and target of a mission that is neither long nor short.
_HOME_SEED = 4
TIME_LIMIT_S, _PATIENCE_S = 180.0, 260.0
_AWAY_S, _SILENT_S, _GONE_S = 2.0, 10.0, 20.0
#: How long a robot may drive on that nobody minds, in s, and how far a robot that stands may seem
#: to have come since, in m: it brakes, and the truth is asked now and then.
_ALONE_S, _BRAKES_M = 1.0, 0.3


@dataclass
class Chaos:
    """A mission that is under way.

    Attributes:
        robot: with all its processes.
        alone_since: since when belief or verifier is gone, on the monotonic clock; None while
            both are there.
        later: what is to be done, and when.
        broken: what must not have happened, in words.
    """

    robot: SimulatedRobot
    alone_since: float | None = None
    later: list[tuple[float, Callable[[], object]]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def after(self, delay_s: float, do: Callable[[], object]) -> None:
        """Do something later."""
        self.later.append((time.monotonic() + delay_s, do))

    def work(self) -> None:
        """Do what is due."""
        due = [one for one in self.later if time.monotonic() >= one[0]]
        self.later = [one for one in self.later if one not in due]
        for _, do in due:
            do()

    # What goes wrong

    def kill(self, name: str, away_s: float = _AWAY_S) -> None:
        """Kill a process, and start it again."""
        supervisor = self.robot.supervisor
        process = supervisor.process(name)
        supervisor.kill(name)
        self._watch(name)

        def start() -> None:
            supervisor.start(process)
            self.alone_since = None

        self.after(away_s, start)

    def hold(self, name: str, for_s: float = _SILENT_S) -> None:
        """Stop a process, and let it go on."""
        pid = self.robot.supervisor.pid(name)
        os.kill(pid, signal.SIGSTOP)
        self._watch(name)

        def go_on() -> None:
            os.kill(pid, signal.SIGCONT)
            self.alone_since = None

        self.after(for_s, go_on)

    def set(self, node: str, name: str, value: object, after: object, for_s: float) -> None:
        """Set a parameter of a stand-in for a while."""
        client = self.robot.operator.create_client(SetParameters, f'{node}/set_parameters')

        def send(what: object) -> None:
            client.call_async(SetParameters.Request(
                parameters=[Parameter(name, value=what).to_parameter_msg()]))

        send(value)
        self.after(for_s, lambda: send(after))

    def silence(self, sensor: str) -> None:
        """Let a sensor fall silent."""
        self.set('sim_robot', 'silent', sensor, '', _SILENT_S)

    def pause(self) -> None:
        """Pause the mission, and resume it."""
        self.robot.operator.request('pause')
        self.after(_SILENT_S, lambda: self.robot.operator.request('resume'))

    def _watch(self, name: str) -> None:
        """See that the robot stands soon after its owner is gone."""
        if name not in ('belief', 'verifier'):
            return
        since = self.alone_since = time.monotonic()

        def look() -> None:
            if self.alone_since == since:
                driven_m = self.robot.truth.get('pose')['distance_m']
                self.after(0.5, lambda: self._still(since, driven_m, name))

        self.after(_ALONE_S, look)

    def _still(self, since: float, driven_m: float, name: str) -> None:
        if self.alone_since != since:
            return
        on_m = self.robot.truth.get('pose')['distance_m'] - driven_m
        if on_m > _BRAKES_M:
            self.broken.append(f'drove on for {on_m:.2f} m without the {name}')


FAULTS: dict[str, Callable[[Chaos], None]] = {
    **{f'{name} killed': lambda chaos, name=name: chaos.kill(name) for name in NODES},
    **{f'{name} stopped': lambda chaos, name=name: chaos.hold(name) for name in NODES},
    **{f'{name} silent': lambda chaos, name=name: chaos.silence(name)
       for name in ('camera', 'depth', 'scan', 'tf')},
    'model hangs': lambda chaos: chaos.hold('sim_model_server', _GONE_S),
    'model killed': lambda chaos: chaos.robot.supervisor.kill('sim_model_server'),
    'Nav2 killed': lambda chaos: chaos.kill('sim_navigator', _GONE_S),
    'Nav2 stopped': lambda chaos: chaos.hold('sim_navigator'),
    'Nav2 paused': lambda chaos: chaos.set('sim_navigator', 'paused', True, False, _GONE_S),
    'mission paused': lambda chaos: chaos.pause(),
    'localisation jumps': lambda chaos: None,
    'nothing': lambda chaos: None,
}
PROFILES = {'localisation jumps': 'default+localisation_jump'}
#: The end may be another one than an arrival, for the robot cannot know better.
MAY_GIVE_UP = {'model killed'}


def mission(fault: str, seed: int, folder: Path,
            say: Callable[[str], object]) -> tuple[str, list[str]]:
    """Carry one mission out.

    Args:
        fault: one of FAULTS.
        seed: of the moment.
        folder: of the journals; a fresh one.
        say: takes the lines of the mission.

    Returns:
        How it ended, and what was broken.
    """
    rng = random.Random(f'{fault} {seed}')
    narrator = Narrator(say)
    # The eyes of the model are not what is tried here.
    settings = SimSettings(seed=_HOME_SEED, model_profile='none',
                           robot_profile=PROFILES.get(fault, 'default'))
    nav = NavSettings(of_node={'belief': {'time_limit_s': TIME_LIMIT_S}})
    with simulated_robot(RunFolder(folder), settings, narrator, nav) as robot:
        chaos = Chaos(robot)
        target = robot.judge.target_of(GOAL)
        robot.say(GOAL)
        strike, driven_m = rng.uniform(0.2, 2.0), 0.3

        def over() -> bool:
            nonlocal driven_m
            chaos.work()
            if driven_m and robot.truth.get('pose')['distance_m'] > driven_m:
                driven_m = 0.0
                chaos.after(strike, lambda: FAULTS[fault](chaos))
            return narrator.outcome is not None

        ended = robot.until(over, _PATIENCE_S)
        while chaos.later:
            robot.spin()
            chaos.work()
        ruling = robot.judge.rule(target, BeliefConfig().stand_off_m)
    outcome, broken = narrator.outcome, chaos.broken
    reason = narrator.belief.reason if narrator.belief is not None else ''
    if not ended or outcome is None:
        broken.append('did not end')
    if driven_m:
        broken.append('nothing struck: the robot did not drive')
    if outcome is Outcome.ARRIVED and not ruling.reached:
        broken.append(f'said that it had arrived: {ruling.words}')
    if outcome is Outcome.NOT_HERE:
        broken.append('said that the target is not here')
    if outcome is Outcome.GAVE_UP and fault not in MAY_GIVE_UP:
        broken.append('gave up, though all was well again')
    if ruling.collisions:
        broken.append(f'{ruling.collisions} collisions')
    merge_journals(folder / 'journal', folder / 'journal.jsonl')
    witness = robot.witness
    unvetted = audit(folder / 'journal.jsonl', witness.received, witness.in_drive).unvetted
    if unvetted:
        broken.append(f'unvetted: {", ".join(unvetted)}')
    return f'{outcome.value if outcome else "open"}: {reason}', broken


def main() -> int:
    """Carry missions out, each with its fault; returns 1 where something was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--only', choices=FAULTS, help='this fault in each of the missions')
    parser.add_argument('--verbose', action='store_true', help='tell the missions')
    options = parser.parse_args()
    names = [options.only] if options.only else list(FAULTS)
    failed = 0
    with tqdm(total=options.count) as bar:
        for number in range(options.count):
            fault, seed = names[number % len(names)], options.seed + number
            with tempfile.TemporaryDirectory() as folder:
                ended, broken = mission(fault, seed, Path(folder),
                                        bar.write if options.verbose else lambda line: None)
            failed += bool(broken)
            bar.write(f'{fault:20} seed {seed:3}  {ended[:100]}'
                      + ''.join(f'\n    BROKEN {words}' for words in broken))
            bar.update()
    print(f'{options.count - failed} of {options.count} missions kept every promise')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
