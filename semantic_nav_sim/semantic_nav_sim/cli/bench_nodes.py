"""`bench nodes`: processor time and memory of the four nodes, idle and on a mission."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from semantic_nav.bringup.processes import NavSettings, navigation_processes
from semantic_nav.cli.arguments import duration, number
from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.vocabulary import NODES
from semantic_nav.show.table import Measure, at_most
from semantic_nav_sim.cli.bench_table import show
from semantic_nav_sim.cli.defaults import GOAL, HOME
from semantic_nav_sim.ports import with_ports
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.isolation import isolated
from semantic_nav_sim.running.node_cost import Cost, active_after_s, cost_over, running_nodes
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.supervisor import Supervisor

if TYPE_CHECKING:
    from semantic_nav_sim.running.simulated_robot import SimulatedRobot

#: Budget of the four idle nodes on a small computer.
_IDLE_PERCENT, _IDLE_MB, _START_S = 15.0, 700.0, 2.0
_ACTIVE_S, _SETTLE_S = 60.0, 10.0
#: As on a robot, since this run is not replayed.
_UNREPLAYED = {'journal_blobs': False}


class NotActive(SemanticNavError):
    """A node did not become active in time."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, except --json."""
    parser.add_argument('--running', action='store_true',
                        help='measure the nodes that run on this machine in this ROS domain, for '
                             '--idle-s, and start nothing; whether they are idle you must know')
    parser.add_argument('--idle-s', type=duration, default=30.0, metavar='S',
                        help='how long without a mission (default: %(default)s)')
    parser.add_argument('--mission-s', type=duration, default=60.0, metavar='S',
                        help='how long on a mission, at most (default: %(default)s)')
    parser.add_argument('--goal', default=GOAL, help='of the mission (default: %(default)s)')
    parser.add_argument('--seed', type=number, default=4,
                        help='of the home (default: %(default)s)')


def carry_out(chosen: argparse.Namespace) -> int:
    """Measure and print the table; exit code 1 if a figure misses its bar."""
    measures = _of_running(chosen.idle_s) if chosen.running else _of_simulated(chosen)
    return show(measures, chosen.json)


def measures_of(costs: Mapping[str, Cost], when: str, *, bars: bool) -> list[Measure]:
    """The table rows of each node, and of all together.

    Args:
        costs: by node name.
        when: in words, such as 'idle'.
        bars: whether the limits of an idle robot apply.
    """
    percent = sum(one.core_percent for one in costs.values())
    memory_mb = sum(one.memory_mb for one in costs.values())
    together = (f'together, {when} [% of a core]', percent), (f'together, {when} [MB]', memory_mb)
    return [*(Measure(f'{name}, {when} [% of a core]', one.core_percent)
              for name, one in costs.items()),
            *(Measure(f'{name}, {when} [MB]', one.memory_mb) for name, one in costs.items()),
            *(at_most(name, figure, bar) if bars else Measure(name, figure)
              for (name, figure), bar in zip(together, (_IDLE_PERCENT, _IDLE_MB), strict=True))]


def _say(words: str) -> None:
    print(f'bench: {words}', file=sys.stderr, flush=True)


def _timed(wait: Callable[[], object]) -> Callable[[], float]:
    def pass_time() -> float:
        began = time.monotonic()
        wait()
        return time.monotonic() - began

    return pass_time


def _of_running(span_s: float) -> list[Measure]:
    pids = running_nodes(os.environ.get('ROS_DOMAIN_ID') or '0')
    _say(f'the nodes are measured for {span_s:.0f} s')
    costs = cost_over(pids, _timed(lambda: time.sleep(span_s)))
    return measures_of(costs, 'as they run', bars=True)


def _of_simulated(chosen: argparse.Namespace) -> list[Measure]:
    # Only here: running nodes are measured without ROS, like everything else in `bench`.
    from semantic_nav_sim.running.simulated_robot import simulated_robot

    settings = SimSettings(world=HOME.replace('{seed}', str(chosen.seed)), seed=chosen.seed)
    nav = NavSettings(common=_UNREPLAYED)
    narrator = Narrator(lambda line: None)
    with tempfile.TemporaryDirectory(prefix='semantic_nav_') as name:
        _say('each node is started alone')
        alone = _started_alone(Path(name, 'alone'))
        _say('the simulator and the nodes are started')
        with simulated_robot(RunFolder(Path(name)), settings, narrator, nav) as robot:
            return _measured(robot, narrator, chosen) + alone


def _started_alone(folder: Path) -> list[Measure]:
    """The start-up time of each node, while no other one starts.

    Args:
        folder: for all output.

    Raises:
        NotActive: a node is not active in time.
    """
    # Only here, see above; it is the clock of the logs.
    from rclpy.clock import Clock

    run, clock, measures = RunFolder(folder), Clock(), []
    # Explicit, since the environment may name another server; the server need not answer.
    nav = NavSettings(vlm_backend='ollama', base_url=with_ports(SimSettings()).base_url,
                      memory_db=str(run.memory), common={
                          'journal_dir': str(run.journals), **_UNREPLAYED})
    with isolated(run.logs):
        for process in navigation_processes(nav):
            with Supervisor(run.logs, share_path('config', 'semantic_nav.yaml')) as supervisor:
                supervisor.start(process)
                log, pid = run.logs / f'{process.name}.log', supervisor.pid(process.name)
                deadline_s, taken_s = time.monotonic() + _ACTIVE_S, None
                while taken_s is None:
                    supervisor.check()
                    if time.monotonic() > deadline_s:
                        raise NotActive(f'{process.name} is not active after {_ACTIVE_S:.0f} s')
                    time.sleep(0.05)
                    taken_s = active_after_s(log, pid, clock.now().nanoseconds / NS_PER_S)
            measures.append(at_most(f'{process.name}, start to active, alone [s]', taken_s,
                                    _START_S))
    return measures


def _measured(robot: 'SimulatedRobot', narrator: Narrator,
              chosen: argparse.Namespace) -> list[Measure]:
    pids = {name: robot.supervisor.pid(name) for name in NODES}
    logs = {name: robot.run.logs / f'{name}.log' for name in NODES}
    started: dict[str, float | None] = {}

    def active() -> bool:
        now_s = robot.operator.get_clock().now().nanoseconds / NS_PER_S
        for name in NODES:
            if started.get(name) is None:
                started[name] = active_after_s(logs[name], pids[name], now_s)
        return None not in started.values()

    if not robot.until(active, _ACTIVE_S):
        raise NotActive(f'after {_ACTIVE_S:.0f} s these are not active: '
                        + ', '.join(name for name in NODES if started[name] is None))
    # The memory node loads its embedder after it is active.
    robot.until(lambda: False, _SETTLE_S)
    _say(f'idle for {chosen.idle_s:.0f} s')
    idle = cost_over(pids, _timed(lambda: robot.until(lambda: False, chosen.idle_s)))
    _say(f'on a mission for {chosen.mission_s:.0f} s at most')
    robot.say(chosen.goal)
    busy = cost_over(pids, _timed(
        lambda: robot.until(lambda: narrator.outcome is not None, chosen.mission_s)))
    return [*measures_of(idle, 'idle', bars=True), *measures_of(busy, 'on a mission', bars=False),
            *(Measure(f'{name}, start to active, all at once [s]', taken_s or 0.0)
              for name, taken_s in started.items())]
