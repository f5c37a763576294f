"""The mapper as a process beside the simulated robot: the map grows, is saved, is served."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
import small_world
from depth_eye import Eye
from geometry_msgs.msg import Twist
from nav_msgs.msg import OccupancyGrid
from navigator_rig import HOME, Base, spinning, wait_until
from rclpy.context import Context
from rclpy.node import Node
from std_srvs.srv import Trigger

from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN
from semantic_nav.contracts.map_file import load_map
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.conversions import grid_of


def start(module: str, folder: Path, *parameters: str) -> subprocess.Popen[str]:
    arguments = [word for parameter in parameters for word in ('-p', parameter)]
    return subprocess.Popen(
        [sys.executable, '-m', f'semantic_nav_sim.{module}', '--ros-args', *arguments],
        env={**os.environ, 'XDG_CACHE_HOME': str(folder / 'cache')}, text=True,
        stderr=subprocess.PIPE)


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


class Operator(Node):
    """Reads the map, drives, asks for the map to be saved."""

    def __init__(self, context: Context) -> None:
        super().__init__('operator', context=context)
        self.maps: list[OccupancyGrid] = []
        self.create_subscription(
            OccupancyGrid, 'map', lambda message: self.maps.append(message), qos.STATE)
        self.commands = self.create_publisher(Twist, 'cmd_vel', 10)
        self.save = self.create_client(Trigger, 'save_map')

    def turn(self, speed_rad_s: float) -> None:
        message = Twist()
        message.angular.z = speed_rad_s
        self.commands.publish(message)

    def share(self, value: int) -> float:
        """Return how much of the last map has a value."""
        return float(np.mean(np.asarray(self.maps[-1].data) == value)) if self.maps else 0.0

    def table(self) -> float:
        """Return how much of the table's inner part is occupied on the last map."""
        if not self.maps:
            return 0.0
        grid = grid_of(self.maps[-1])
        values = [grid.value_at(x, y) for x in np.arange(2.0, 2.6, 0.05)
                  for y in np.arange(2.2, 2.6, 0.05)]
        return float(np.mean([value == LETHAL for value in values]))


@pytest.fixture
def operator(ros_domain: int) -> Iterator[Operator]:
    context = Context()
    rclpy.init(context=context)
    operator = Operator(context)
    yield operator
    operator.destroy_node()
    rclpy.shutdown(context=context)


def until(operator: Operator, processes: list[subprocess.Popen[str]],
          condition: Callable[[], object], limit_s: float = 90.0) -> None:
    executor = make_executor(operator.context)
    executor.add_node(operator)
    deadline_s = time.monotonic() + limit_s
    try:
        while not condition():
            assert time.monotonic() < deadline_s, 'the condition did not come true'
            for process in processes:
                assert process.poll() is None, process.communicate()[1]
            executor.spin_once(timeout_sec=0.05)
    finally:
        executor.shutdown()


def answer(operator: Operator, processes: list[subprocess.Popen[str]]) -> Any:
    until(operator, processes, operator.save.service_is_ready)
    future = operator.save.call_async(Trigger.Request())
    until(operator, processes, future.done)
    return future.result()


def test_the_map_is_made_saved_and_served(operator: Operator, tmp_path: Path) -> None:
    home = tmp_path / 'home'
    world = small_world.write_world(tmp_path / 'small')
    robot = start('robot_node', tmp_path, f'world:={world}', f'seed:={small_world.SEED_TABLE}')
    mapper = start('mapper_node', tmp_path, f'save_to:={home}')
    try:
        both = [robot, mapper]
        until(operator, both, lambda: operator.share(FREE) > 0.01)
        assert operator.maps[-1].header.frame_id == 'map'
        assert operator.share(UNKNOWN) > 0.2
        before = int(operator.share(FREE) * len(operator.maps[-1].data))

        def looked_round() -> bool:
            operator.turn(0.4)
            free = operator.share(FREE) * len(operator.maps[-1].data)
            return operator.table() > 0.7 and free > before
        # The scan passes under the table: only the camera can have seen its top.
        until(operator, both, looked_round)
        said = answer(operator, both)
        assert said.success, said.message
        assert (load_map(home / 'map.yaml').cells == LETHAL).sum() > 100
        (home / 'map.yaml').unlink()
    finally:
        codes = [end(mapper), end(robot)]
    assert [code for code, _ in codes] == [0, 0], codes
    saved = load_map(home / 'map.yaml')

    operator.maps.clear()
    server = start('mapper_node', tmp_path, f'map:={home / "map.yaml"}')
    try:
        until(operator, [server], lambda: operator.maps)
        served = grid_of(operator.maps[-1])
        assert np.array_equal(served.cells, saved.cells)
        assert (served.origin_x_m, served.origin_y_m) == (saved.origin_x_m, saved.origin_y_m)
        said = answer(operator, [server])
        assert not said.success and 'save_to' in said.message
    finally:
        code, words = end(server)
    assert code == 0, words


def test_a_further_camera_adds_to_the_map(ros_domain: int, tmp_path: Path) -> None:
    rclpy.init()
    mapper = start('mapper_node', tmp_path, 'robot_profile:=none+side_cameras')
    try:
        operator, base = Operator(rclpy.get_default_context()), Base()

        def top() -> int | None:
            return (grid_of(operator.maps[-1]).value_at(HOME.x + 1.0, HOME.y)
                    if operator.maps else None)
        with spinning(operator, base, Eye('left', base.get_name())):
            wait_until(lambda: top() == LETHAL)
    finally:
        code, words = end(mapper)
        rclpy.shutdown()
    assert code == 0, words


def test_a_map_that_is_not_there_is_told(ros_domain: int, tmp_path: Path) -> None:
    process = start('mapper_node', tmp_path, f'map:={tmp_path / "none.yaml"}')
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and 'none.yaml' in said
