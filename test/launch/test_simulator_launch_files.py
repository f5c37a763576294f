"""The launch files for Gazebo and Isaac Sim: what they would start, with which arguments."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from launch import Action, LaunchContext
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.utilities import perform_substitutions
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage
from test_launch_files import arguments, load, refuse_others

from semantic_nav.contracts.share import share_path
from semantic_nav_sim.launch_simulators import HANDED_ON
from semantic_nav_sim.share import share_path as sim_path

FILES = ('gazebo.launch.py', 'isaac.launch.py')
ROOT = Path(__file__).parents[2]
FOREIGN = ('ros_gz_sim', 'ros_gz_bridge', 'robot_state_publisher', 'depth_image_proc',
           'rclcpp_components', 'nav2_bringup', 'pointcloud_to_laserscan', 'carter_navigation')
#: Of nav2_bringup/launch/bringup_launch.py, branch jazzy.
NAV2_ARGUMENTS = {'namespace', 'use_namespace', 'slam', 'map', 'use_localization', 'use_sim_time',
                  'params_file', 'autostart', 'use_composition', 'use_respawn', 'log_level'}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let all packages of others be installed, as far as launch can tell."""
    for name in FOREIGN:
        marker = tmp_path / 'share/ament_index/resource_index/packages' / name
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
        (tmp_path / 'share' / name).mkdir()
    params = tmp_path / 'share/carter_navigation/params/carter_navigation_params.yaml'
    params.parent.mkdir()
    params.write_text('bt_navigator: {ros__parameters: {default_server_timeout: 20, '
                      'odom_topic: o}}')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    # What is written for Nav2 goes with the test.
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path))
    return tmp_path


def started(name: str, **chosen: str) -> tuple[LaunchContext, list[Action]]:
    """Return what a launch file starts at once; it is called for once, as launch does."""
    context = LaunchContext()
    context.launch_configurations.update(chosen)
    actions: list[Action] = []
    for item in load(name).entities:
        if isinstance(item, DeclareLaunchArgument):
            item.visit(context)
        elif isinstance(item, OpaqueFunction):
            actions += item.execute(context) or []
    return context, actions


def in_gazebo(tmp_path: Path, code: int = 0, **chosen: str) -> tuple[list[str], list[Action]]:
    """Return the command that writes the home, and what is started when it has ended."""
    out = tmp_path / 'home'
    out.mkdir()
    context, (writer,) = started('gazebo.launch.py', out=str(out), **chosen)
    assert isinstance(writer, ExecuteProcess)
    program, *rest = writer.cmd
    executable, = program
    assert isinstance(executable, ExecutableInPackage)
    words = [perform_substitutions(context, executable.executable),
             *(perform_substitutions(context, word) for word in rest)]
    (out / 'start.json').write_text(json.dumps({'x': 1.5, 'y': 2.5, 'yaw': -0.5}))
    then = writer._ExecuteLocal__on_exit(SimpleNamespace(returncode=code), context)
    return words, then


def included(actions: list[Action]) -> dict[str, dict[str, Any]]:
    """Return the arguments of each launch file that is included, by its name."""
    found = {}
    for action in actions:
        if isinstance(action, IncludeLaunchDescription):
            source = action.launch_description_source
            path = perform_substitutions(
                LaunchContext(), source._LaunchDescriptionSource__location)
            found[Path(path).name] = dict(action.launch_arguments)
    return found


def executables(actions: list[Action]) -> set[tuple[str, str]]:
    return {(node._Node__package, node._Node__node_executable)
            for node in actions if isinstance(node, Node)}


@pytest.mark.parametrize('name', FILES)
def test_every_argument_is_described_and_has_a_default(name: str) -> None:
    found = arguments(name)
    assert set(found) >= {*HANDED_ON, 'robot', 'params_file', 'nav2', 'nav2_params_file'}
    assert all(len(one.description) > 10 and one.default_value is not None
               for one in found.values())


@pytest.mark.parametrize('name', FILES)
def test_an_argument_that_there_is_not_is_named(
        name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('sys.argv', ['ros2', 'launch', 'semantic_nav_sim', name])
    refuse_others(name, ['rviz:=true'])
    with pytest.raises(RuntimeError, match=f'{name} has no argument wrld;'):
        refuse_others(name, ['wrld:=apartment'])


def test_what_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch,
                                                   tmp_path: Path) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    with pytest.raises(RuntimeError, match='apt install ros-jazzy-ros-gz-sim ros-jazzy-ros-gz-br'):
        started('gazebo.launch.py')
    with pytest.raises(RuntimeError, match='apt install ros-jazzy-pointcloud-to-laserscan '
                                           'ros-jazzy-nav2-bringup'):
        started('isaac.launch.py')
    with pytest.raises(RuntimeError, match='apt install ros-jazzy-nav2-bringup'):
        started('isaac.launch.py', points_topic='none')


def test_gazebo_gets_a_home_that_is_written_first(installed: Path, tmp_path: Path) -> None:
    words, actions = in_gazebo(tmp_path, world='generated:7', seed='4')
    home = tmp_path / 'home'
    assert words == ['world', 'to-sdf', 'generated:7', '--seed', '4', '--out', str(home)]
    setup = (ROOT / 'setup.py').read_text()
    assert f"'{words[0]} = {{PACKAGE}}" in setup
    gazebo = actions[0]
    assert isinstance(gazebo, ExecuteProcess)
    command = [perform_substitutions(LaunchContext(), word) for word in gazebo.cmd]
    assert command == ['gz', 'sim', '-r', str(home / 'world.sdf')]
    assert executables(actions) == {
        ('ros_gz_sim', 'create'), ('ros_gz_bridge', 'parameter_bridge'),
        ('robot_state_publisher', 'robot_state_publisher'),
        ('rclcpp_components', 'component_container')}


def test_the_robot_is_put_where_nav2_believes_it(installed: Path, tmp_path: Path) -> None:
    _, actions = in_gazebo(tmp_path)
    spawner, = (node for node in actions if isinstance(node, Node)
                and node._Node__node_executable == 'create')
    words = [word if isinstance(word, str) else perform_substitutions(LaunchContext(), word)
             for word in spawner._Node__arguments]
    told = dict(zip(words[::2], words[1::2], strict=True))
    assert (told['-x'], told['-y'], told['-Y']) == ('1.5', '2.5', '-0.5')
    assert Path(told['-file']) == sim_path('config', 'gazebo', 'robot.sdf')
    path = Path(included(actions)['bringup_launch.py']['params_file'])
    params = yaml.safe_load(path.read_text())
    amcl = params['amcl']['ros__parameters']
    assert amcl['set_initial_pose'] is True
    assert amcl['initial_pose'] == {'x': 1.5, 'y': 2.5, 'z': 0.0, 'yaw': -0.5}
    own = yaml.safe_load(share_path('config', 'nav2_params.yaml').read_text())
    assert {node: params[node] for node in own if node != 'amcl'} == {
        node: own[node] for node in own if node != 'amcl'}


@pytest.mark.parametrize('name', FILES)
def test_launch_files_that_are_included_have_these_arguments(
        name: str, installed: Path, tmp_path: Path) -> None:
    _, actions = (in_gazebo(tmp_path, model='llava') if name == FILES[0]
                  else started(name, model='llava'))
    found = included(actions)
    assert set(found) == {'nav.launch.py', 'bringup_launch.py'}
    own = arguments('nav.launch.py')
    assert set(found['nav.launch.py']) <= set(own)
    assert found['nav.launch.py']['use_sim_time'] == 'true'
    assert found['nav.launch.py']['model'] == 'llava'
    for argument, value in found['nav.launch.py'].items():
        assert own[argument].choices is None or value in own[argument].choices
    assert set(found['bringup_launch.py']) <= NAV2_ARGUMENTS
    assert found['bringup_launch.py']['use_sim_time'] == 'True'


def test_nav2_and_the_window_can_be_left_out(installed: Path, tmp_path: Path) -> None:
    _, actions = in_gazebo(tmp_path, nav2='false', headless='true')
    assert set(included(actions)) == {'nav.launch.py'}
    assert '-s' in [perform_substitutions(LaunchContext(), word) for word in actions[0].cmd]
    _, actions = started('isaac.launch.py', nav2='false', points_topic='none')
    assert set(included(actions)) == {'nav.launch.py'} and not executables(actions)


def test_a_home_that_could_not_be_written_ends_the_launch(
        installed: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match='the home could not be written: code 1'):
        in_gazebo(tmp_path, code=1)


def test_the_carter_of_isaac_has_time_for_acknowledgements(installed: Path) -> None:
    _, actions = started('isaac.launch.py')
    assert executables(actions) == {('pointcloud_to_laserscan', 'pointcloud_to_laserscan_node')}
    bringup = included(actions)['bringup_launch.py']
    params = yaml.safe_load(Path(bringup['params_file']).read_text())
    assert params['bt_navigator']['ros__parameters'] == {
        'default_server_timeout': 1000, 'odom_topic': 'o'}
    assert bringup['map'].endswith('carter_navigation/maps/carter_warehouse_navigation.yaml')


def test_without_the_carters_package_it_is_said_what_to_give(
        installed: Path, tmp_path: Path) -> None:
    (installed / 'share/ament_index/resource_index/packages/carter_navigation').unlink()
    with pytest.raises(RuntimeError, match='build it from .*, or give map and nav2_params_file'):
        started('isaac.launch.py')


def test_the_page_names_every_argument() -> None:
    text = (ROOT / 'semantic_nav_sim' / 'docs' / 'simulator.md').read_text()
    page = text.partition('\n## Gazebo Harmonic\n')[2]
    for name in FILES:
        named = set(re.findall(r'`(\w+)`', page))
        assert set(arguments(name)) - set(HANDED_ON) <= named, name


def test_nothing_empty_reaches_nav2_through_a_name_that_both_have() -> None:
    """Includes share their arguments, and an empty log level ends every node."""
    assert all(default for name, default in HANDED_ON.items() if name in NAV2_ARGUMENTS)
