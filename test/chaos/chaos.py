"""What goes wrong in a mission of real processes, and what becomes of it by docs/failsafe.html."""

import json
import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from nav_msgs.msg import OccupancyGrid as GridMessage
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import load_map
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.nodes.ros import qos
from semantic_nav_sim.navigator.ros_messages import map_to_msg
from semantic_nav_sim.running.simulated_robot import SimulatedRobot

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'failsafe.html'
NODES = ('hypothesis', 'memory', 'belief', 'verifier')
#: How long what fails is gone, in s.
_AWAY_S, _SILENT_S, _GONE_S = 2.0, 10.0, 20.0
_BACK_S, _JUMP_M = 5.0, 1.5
_CLOCK_PERIOD_S = 0.02


class SteeredClock:
    """Publishes /clock, which goes on as the steady clock does, until it is set back."""

    def __init__(self, node: Node) -> None:
        """Begin with the time of the day."""
        self._publisher = node.create_publisher(Clock, '/clock', 1)
        self._ahead_ns = time.time_ns() - time.monotonic_ns()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name='clock', daemon=True)
        self._thread.start()

    def set_back(self, by_s: float) -> None:
        """Let the time be earlier from now on."""
        self._ahead_ns -= round(by_s * NS_PER_S)

    def close(self) -> None:
        """Let the time stand."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(_CLOCK_PERIOD_S):
            now = Time(nanoseconds=time.monotonic_ns() + self._ahead_ns)
            self._publisher.publish(Clock(clock=now.to_msg()))


class Chaos:
    """Lets things go wrong in a mission that is under way, and be well again.

    Attributes:
        robot: with all its processes.
        without: belief or verifier, while it is gone or stopped.
        over: whether all is well again that will be.
    """

    def __init__(self, robot: SimulatedRobot, rng: Random) -> None:
        """Let nothing be wrong yet.

        Args:
            robot: with all its processes.
            rng: of what is left to chance.
        """
        self.robot, self._rng = robot, rng
        self.without: set[str] = set()
        self._later: list[tuple[float, Callable[[], object]]] = []
        self._map: Any = None
        self._clock: SteeredClock | None = None

    def prepare(self, fault: 'Fault') -> None:
        """Have what a fault needs before it strikes."""
        node = self.robot.operator
        self._setting = {name: node.create_client(SetParameters, f'{name}/set_parameters')
                         for name in ('sim_robot', 'sim_navigator')}
        if fault.map_server:
            self._map = node.create_publisher(GridMessage, 'map', qos.STATE)
        if fault.steered_clock:
            self._clock = SteeredClock(node)

    def close(self) -> None:
        """Let go of what was prepared."""
        if self._clock is not None:
            self._clock.close()

    @property
    def over(self) -> bool:
        """Whether all is well again that will be."""
        return not self._later

    def work(self) -> None:
        """Do what is due."""
        due = [one for one in self._later if time.monotonic() >= one[0]]
        self._later = [one for one in self._later if one not in due]
        for _, do in due:
            do()

    def _after(self, delay_s: float, do: Callable[[], object]) -> None:
        self._later.append((time.monotonic() + delay_s, do))

    # Processes

    def kill(self, name: str, away_s: float = _AWAY_S) -> None:
        """Kill a process, and start it again."""
        supervisor = self.robot.supervisor
        process = supervisor.process(name)
        supervisor.kill(name)
        self.without.add(name)

        def start() -> None:
            supervisor.start(process)
            self.without.discard(name)

        self._after(away_s, start)

    def hold(self, name: str, for_s: float = _SILENT_S) -> None:
        """Stop a process, and let it go on."""
        pid = self.robot.supervisor.pid(name)
        os.kill(pid, signal.SIGSTOP)
        self.without.add(name)

        def go_on() -> None:
            os.kill(pid, signal.SIGCONT)
            self.without.discard(name)

        self._after(for_s, go_on)

    def fill_disk(self) -> None:
        """Let no node write a byte more into any file: as on a full disk, but for the code."""
        pids = [self.robot.supervisor.pid(name) for name in NODES]
        before = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in pids}
        for pid, (_, hard) in before.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))

        def make_room() -> None:
            for pid, limits in before.items():
                resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)

        self._after(_SILENT_S, make_room)

    # What the stand-ins do

    def set(self, node: str, name: str, value: object, after: object, for_s: float) -> None:
        """Set a parameter of a stand-in for a while."""
        def send(what: object) -> None:
            self._setting[node].call_async(SetParameters.Request(
                parameters=[Parameter(name, value=what).to_parameter_msg()]))

        send(value)
        self._after(for_s, lambda: send(after))

    def replace_map(self) -> None:
        """Publish another map of the home, as SLAM does that has thought it over.

        Its cells lie up to half a cell beside those of before, and there are more of them.
        """
        grid = load_map(self.robot.settings.saved_map)
        self._map.publish(map_to_msg(remade(grid, self._rng), Header(
            stamp=self.robot.operator.get_clock().now().to_msg(), frame_id='map')))

    def set_clock_back(self) -> None:
        """Let it be earlier, for all nodes at once."""
        assert self._clock is not None
        self._clock.set_back(_BACK_S)

    # The operator

    def pause(self) -> None:
        """Pause the mission, and resume it."""
        self.robot.operator.request('pause')
        self._after(_SILENT_S, lambda: self.robot.operator.request('resume'))


def remade(grid: OccupancyGrid, rng: Random) -> OccupancyGrid:
    """Return a map of the same place in other cells."""
    left, right, below, above = (rng.randint(5, 40) for _ in range(4))
    cells = np.pad(grid.cells, ((below, above), (left, right)), constant_values=-1)
    aside_m, up_m = (rng.uniform(-0.5, 0.5) * grid.resolution_m for _ in range(2))
    return replace(grid, cells=cells,
                   origin_x_m=grid.origin_x_m - left * grid.resolution_m + aside_m,
                   origin_y_m=grid.origin_y_m - below * grid.resolution_m + up_m)


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong.

    Attributes:
        strike: lets it.
        case: of docs/failsafe.html, which says how the mission ends; empty: with an arrival.
        told: names of entries of /diagnostics, one of which must not be OK meanwhile.
        loses_records: the journals must say that they lack some.
        map_server: the map comes from a server of its own.
        steered_clock: all nodes go by /clock.
    """

    strike: Callable[[Chaos], None]
    case: str = ''
    told: tuple[str, ...] = ()
    loses_records: bool = False
    map_server: bool = False
    steered_clock: bool = False

    @property
    def ends(self) -> Outcome:
        """How the mission ends, by the page that says it."""
        if not self.case:
            return Outcome.ARRIVED
        line = next(line for line in PAGE.read_text(encoding='utf-8').splitlines()
                    if line.startswith('"reactions": '))
        return Outcome(json.loads(line.partition(': ')[2].rstrip(','))[self.case]['outcome'])


def _silent(sensor: str, *told: str) -> Fault:
    return Fault(lambda chaos: chaos.set('sim_robot', 'silent', sensor, '', _SILENT_S),
                 '' if sensor == 'scan' else f'{sensor}+driving+mended', told)


_MODEL = ('hypothesis: model', 'hypothesis: look', 'hypothesis: circuit')
FAULTS: dict[str, Fault] = {
    **{f'{name} killed': Fault(lambda chaos, name=name: chaos.kill(name),  # type: ignore[misc]
                               f'{name}+driving+mended') for name in NODES},
    **{f'{name} stopped': Fault(lambda chaos, name=name: chaos.hold(name),  # type: ignore[misc]
                                f'{name}+driving+mended') for name in NODES},
    'camera silent': _silent('camera'),
    'depth silent': _silent('depth'),
    'scan silent': _silent('scan'),
    'TF silent': _silent('tf', 'verifier: pose'),
    'TF jumps': Fault(lambda chaos: chaos.set('sim_robot', 'jump_m', _JUMP_M, 0.0, _SILENT_S)),
    'map replaced': Fault(Chaos.replace_map, map_server=True),
    'clock back': Fault(Chaos.set_clock_back, steered_clock=True),
    'model hangs': Fault(lambda chaos: chaos.hold('sim_model_server', _GONE_S),
                         'model+driving+mended'),
    'model killed': Fault(lambda chaos: chaos.robot.supervisor.kill('sim_model_server'),
                          'model+driving+lasts', _MODEL),
    'Nav2 killed': Fault(lambda chaos: chaos.kill('sim_navigator', _GONE_S),
                         'nav2+driving+mended'),
    'Nav2 stopped': Fault(lambda chaos: chaos.hold('sim_navigator'), 'nav2+driving+mended'),
    'Nav2 paused': Fault(
        lambda chaos: chaos.set('sim_navigator', 'paused', True, False, _GONE_S),
        'nav2+driving+mended'),
    'bt_navigator dead': Fault(
        lambda chaos: chaos.set('sim_navigator', 'bt_navigator_alive', False, True, _GONE_S),
        'bt_navigator+driving+mended'),
    'disk full': Fault(Chaos.fill_disk, 'disk+driving+mended', ('verifier: journal',),
                       loses_records=True),
    'mission paused': Fault(Chaos.pause, 'pause+driving+mended'),
}
