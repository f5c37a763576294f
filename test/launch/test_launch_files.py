"""The launch files, loaded and described as `ros2 launch` does it, and what an end there means."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.launch_description_sources import get_launch_description_from_python_launch_file
from launch.utilities import perform_substitutions
from launch_ros.actions import Node

from semantic_nav.bringup.launch_actions import Common, profile_action
from semantic_nav.bringup.processes import (
    NavSettings,
    navigation_processes,
)
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_path
from semantic_nav_sim.processes import SimSettings, simulator_processes
from semantic_nav_sim.share import share_path as sim_path

FILES = {'nav.launch.py': share_path('launch', 'nav.launch.py'),
         'sim.launch.py': sim_path('launch', 'sim.launch.py')}
COMMON = {'params_file', 'namespace', 'use_sim_time', 'log_level', 'rviz', 'record', 'operator'}
NODES = [process.name for process in navigation_processes(NavSettings())]
SIMULATOR = [process.name for process in simulator_processes(SimSettings())]


def load(name: str) -> LaunchDescription:
    return get_launch_description_from_python_launch_file(str(FILES[name]))


def arguments(name: str) -> dict[str, DeclareLaunchArgument]:
    return {item.name: item for item in load(name).entities
            if isinstance(item, DeclareLaunchArgument)}


def started(name: str, **chosen: str) -> dict[str, ExecuteProcess]:
    """Return what a launch file would start, by the labels of the processes."""
    context = LaunchContext()
    context.launch_configurations.update(chosen)
    actions: list[ExecuteProcess] = []
    for item in load(name).entities:
        if isinstance(item, DeclareLaunchArgument):
            item.visit(context)
        elif isinstance(item, OpaqueFunction):
            actions += [action for action in item.execute(context) or []
                        if isinstance(action, ExecuteProcess)]
    for action in actions:
        if isinstance(action, Node):
            action._perform_substitutions(context)
    return {perform_substitutions(context, action.process_description.name): action
            for action in actions}


def overrides(node: Node) -> dict[str, object]:
    """Return the parameters that the launch file sets beside the parameter file."""
    *_, (path, is_file) = node._Node__expanded_parameter_arguments
    assert is_file
    document = yaml.safe_load(Path(path).read_text())
    if list(document) != [node.node_name]:
        return {}  # the parameter file itself
    return document[node.node_name]['ros__parameters']


@pytest.mark.parametrize('name', FILES)
def test_every_argument_is_described(name: str) -> None:
    found = arguments(name)
    assert set(found) >= COMMON
    assert all(len(item.description) > 10 for item in found.values())


@pytest.mark.parametrize('name', FILES)
def test_every_argument_has_a_default(name: str) -> None:
    assert all(item.default_value is not None for item in arguments(name).values())


def test_nav_starts_the_four_nodes() -> None:
    assert list(started('nav.launch.py')) == NODES


def test_sim_starts_simulator_stand_ins_and_nodes() -> None:
    assert list(started('sim.launch.py')) == [*SIMULATOR, *NODES]


def test_sim_leaves_out_stand_ins_whose_part_is_there() -> None:
    found = started('sim.launch.py', navigator='false', base_url='http://localhost:11434')
    assert list(found) == ['sim_robot', *NODES]
    assert overrides(found['hypothesis'])['base_url'] == 'http://localhost:11434'


def test_sim_maps_on_request_and_the_verifier_knows_that_the_map_is_live() -> None:
    found = started('sim.launch.py', mapping='true', save_map_to='/data/home')
    assert overrides(found['sim_mapper'])['save_to'] == '/data/home'
    assert overrides(found['sim_navigator'])['world'] == ''
    assert overrides(found['verifier']) == {'map_is_live': True, 'robot_radius': 0.22}


@pytest.mark.parametrize('name', FILES)
@pytest.mark.parametrize('installed', [True, False])
def test_rviz_is_started_on_request_where_it_is_installed(
        name: str, installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / 'share/ament_index/resource_index/packages/rviz2'
    marker.parent.mkdir(parents=True)
    if installed:
        marker.touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    without = set(started(name))
    assert 'rviz2' not in without
    watched = started(name, rviz='true')
    assert set(watched) == (without | {'rviz2'} if installed else without)
    assert overrides(watched['verifier'])['show_search'] is True
    assert 'show_search' not in overrides(started(name)['verifier'])


@pytest.mark.parametrize('name', FILES)
def test_the_recorder_is_started_on_request_before_the_others_who_do_without_it(
        name: str) -> None:
    assert 'recorder' not in started(name)
    found = started(name, record='true', use_sim_time='true')
    assert next(iter(found)) == 'recorder'
    assert overrides(found['recorder'])['use_sim_time'] is True
    on_exit = {label: action._ExecuteLocal__on_exit for label, action in found.items()}
    assert not on_exit['recorder'] and all(on_exit[node] for node in NODES)


@pytest.mark.parametrize('name', FILES)
def test_the_operator_page_is_started_on_request_and_the_others_do_without_it(name: str) -> None:
    assert 'operator' not in started(name)
    found = started(name, operator='true')
    assert not found['operator']._ExecuteLocal__on_exit


def test_a_second_simulator_takes_other_ports_and_a_busy_one_is_named() -> None:
    with socket.create_server(('127.0.0.1', 0)) as other:
        port = str(other.getsockname()[1])
        for name in ('truth_port', 'model_port'):
            with pytest.raises(ConfigError, match=f'{name} {port} cannot be had'):
                started('sim.launch.py', **{name: port})
        found = overrides(started('sim.launch.py')['sim_robot'])
        assert found['truth_port'] not in (0, int(port))


def test_a_number_that_is_none_is_named() -> None:
    with pytest.raises(RuntimeError, match='seed:=abc'):
        started('sim.launch.py', seed='abc')


@pytest.mark.parametrize('part', ['model', 'robot', 'navigator'])
def test_a_profile_that_is_not_there_is_named_before_anything_starts(part: str) -> None:
    with pytest.raises(ConfigError, match=f"no profile 'nope' of the {part}: known are .*harsh"):
        started('sim.launch.py', **{f'{part}_profile': 'default+nope'})


def test_a_world_that_is_not_there_is_named_before_anything_starts() -> None:
    with pytest.raises(ConfigError, match="no world 'nowhere': known are apartment"):
        started('sim.launch.py', world='nowhere')


def refuse_others(name: str, argv: list[str]) -> None:
    """Carry out what a launch file does before it starts anything, launched with these words."""
    first, *_ = (item for item in load(name).entities if isinstance(item, OpaqueFunction))
    first.execute(LaunchContext(argv=argv))


@pytest.mark.parametrize('by_path', [True, False])
@pytest.mark.parametrize('name', FILES)
def test_an_argument_that_there_is_not_is_named(
        name: str, by_path: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    package = 'semantic_nav_sim' if name == 'sim.launch.py' else 'semantic_nav'
    words = [str(FILES[name])] if by_path else [package, name]
    monkeypatch.setattr(sys, 'argv', ['ros2', 'launch', *words])
    refuse_others(name, ['model:=llava', 'rviz:=true'])
    with pytest.raises(RuntimeError, match=f'{name} has no argument modell;'):
        refuse_others(name, ['rviz:=true', 'modell:=llava'])


@pytest.mark.parametrize('name', FILES)
def test_a_file_that_includes_it_has_arguments_of_its_own(
        name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'argv', ['ros2', 'launch', 'our_robot', name])
    refuse_others(name, ['arm:=left'])


@pytest.mark.parametrize('content', [b'a: [1', b'\xff\xfe'])
def test_a_parameter_file_that_is_no_yaml_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / 'params.yaml'
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match=f'{path} is no YAML'):
        started('nav.launch.py', params_file=str(path))


def test_an_empty_argument_leaves_the_parameter_file_alone() -> None:
    assert all(overrides(node) == {} for node in started('nav.launch.py').values())


def test_arguments_reach_the_nodes_that_have_the_parameter() -> None:
    found = started('nav.launch.py', model='llava', memory_db='/data/m.sqlite', autostart='false',
                    use_sim_time='true')
    common = {'autostart': False, 'use_sim_time': True}
    assert overrides(found['hypothesis']) == {'model': 'llava', **common}
    assert overrides(found['memory']) == {'memory_db': '/data/m.sqlite', **common}
    assert overrides(found['belief']) == common


def parameter_files(node: Node) -> list[str]:
    return [Path(path).name for path, is_file in node._Node__expanded_parameter_arguments
            if is_file and list(yaml.safe_load(Path(path).read_text())) != [node.node_name]]


def test_the_profile_of_a_robot_goes_before_the_defaults_and_behind_ones_own_file(
        tmp_path: Path) -> None:
    own = tmp_path / 'mine.yaml'
    own.write_text('/**/verifier: {ros__parameters: {robot_radius: 0.3}}')
    for node in started('nav.launch.py', robot='turtlebot4').values():
        assert parameter_files(node) == ['semantic_nav.yaml', 'turtlebot4.yaml']
    for node in started('nav.launch.py', robot='turtlebot4', params_file=str(own)).values():
        assert parameter_files(node) == ['turtlebot4.yaml', 'mine.yaml']
    common = Common(own, profile=share_path('config', 'robots', 'turtlebot4.yaml'))
    said, = profile_action(common)
    assert perform_substitutions(LaunchContext(), said.msg).endswith(': verifier robot_radius')


def test_a_robot_that_is_not_known_is_named() -> None:
    with pytest.raises(ConfigError, match="no robot 'tank': known are .*turtlebot4"):
        started('nav.launch.py', robot='tank')


def test_a_topic_reaches_the_node_that_hears_it() -> None:
    found = started('nav.launch.py', image_topic='front/image', depth_topic='front/depth')
    assert overrides(found['hypothesis']) == {'image_topic': 'front/image'}
    assert overrides(found['verifier']) == {'depth_topic': 'front/depth'}


@pytest.mark.parametrize(('chosen', 'topic'), [
    ({'image_topic': 'front/image'}, 'front/image'),
    ({'robot': 'turtlebot4'}, 'oakd/rgb/preview/image_raw')])
def test_the_operator_page_shows_what_the_model_sees(chosen: dict[str, str], topic: str) -> None:
    page = started('nav.launch.py', operator='true', **chosen)['operator']
    assert overrides(page) == {'image_topic': topic}


def test_ollama_is_started_on_request_with_the_model_of_argument_or_file(tmp_path: Path) -> None:
    def words(**chosen: str) -> list[str]:
        found = started('nav.launch.py', start_ollama='true', **chosen)
        assert [*found] == ['ollama', *NODES]
        assert not found['ollama']._ExecuteLocal__on_exit
        return [perform_substitutions(LaunchContext(), word) for word in found['ollama'].cmd[1:]]

    assert 'ollama' not in started('nav.launch.py')
    assert words() == ['serve']
    own = tmp_path / 'mine.yaml'
    own.write_text('/**/hypothesis: {ros__parameters: {model: llava, base_url: "localhost:1"}}')
    assert words(params_file=str(own)) == [
        'serve', '--model', 'llava', '--base-url', 'localhost:1']
    assert words(params_file=str(own), model='other', vlm_backend='ollama') == [
        'serve', '--backend', 'ollama', '--model', 'other', '--base-url', 'localhost:1']


def test_a_text_stays_a_text() -> None:
    assert overrides(started('nav.launch.py', map_id='3')['memory']) == {'map_id': '3'}


@pytest.mark.parametrize('name', FILES)
@pytest.mark.parametrize('namespace', ['', 'robot1', '/fleet/robot1'])
def test_all_nodes_stand_in_the_namespace(name: str, namespace: str) -> None:
    found = started(name, namespace=namespace)
    prefix = f'/{namespace.strip("/")}/'.replace('//', '/')
    assert {node.node_name for node in found.values() if isinstance(node, Node)} == {
        prefix + label for label, node in found.items() if isinstance(node, Node)}


@pytest.mark.parametrize('name', FILES)
def test_a_missing_parameter_file_is_an_error(name: str) -> None:
    with pytest.raises(RuntimeError, match='is not there'):
        started(name, params_file='/nowhere/params.yaml')


def test_rviz_shows_relative_topics_only() -> None:
    config = yaml.safe_load(share_path('config', 'semantic_nav.rviz').read_text())
    topics = [display['Topic']['Value'] for display in config['Visualization Manager']['Displays']
              if 'Topic' in display]
    assert {'semantic_nav/markers/places', 'semantic_nav/markers/verifier',
            'semantic_nav/verified_goal'} <= set(topics)
    assert not [topic for topic in topics if topic.startswith('/')]


def run_installed(folder: Path, programs: dict[str, str], processes: str) -> str:
    """Launch processes of a package that is installed, as far as launch can tell.

    Args:
        folder: to install it to.
        programs: lines of shell by the name of the executable.
        processes: to launch, in Python.

    Returns:
        What was printed.
    """
    index = folder / 'share' / 'ament_index' / 'resource_index' / 'packages' / 'semantic_nav'
    for path, content in (
            (index, ''), *((folder / 'lib/semantic_nav' / name, f'#!/bin/sh\n{line}\n')
                           for name, line in programs.items())):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(0o755)
    code = f"""
import sys
from launch import LaunchDescription, LaunchService
from semantic_nav.bringup.launch_actions import Common, actions
from semantic_nav.bringup.processes import Process
service = LaunchService()
service.include_launch_description(LaunchDescription(actions([{processes}], Common('none'))))
sys.exit(service.run())
"""
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, 'AMENT_PREFIX_PATH': str(folder), 'ROS_HOME': str(folder)})
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    return said


def test_the_end_of_what_is_not_needed_ends_nothing(tmp_path: Path) -> None:
    said = run_installed(
        tmp_path, {'spare': 'exit 3', 'needed': 'sleep 2; exit 4'},
        "Process('spare', '', 'spare', arguments=('-',), needed=False), "
        "Process('needed', '', 'needed', arguments=('-',))")
    assert 'needed ended with code 4; ending the others' in said
    assert 'spare ended with code 3' not in said


def test_each_pause_before_a_restart_is_twice_as_long() -> None:
    node = started('nav.launch.py')['verifier']
    event = SimpleNamespace(process_name='verifier-1', returncode=-9, action=node)
    pauses = [node._ExecuteLocal__respawn_delay]
    for _ in range(2):
        node._ExecuteLocal__on_exit(event, LaunchContext())
        pauses.append(node._ExecuteLocal__respawn_delay)
    assert pauses == [1.0, 2.0, 4.0]


def test_what_is_killed_again_and_again_ends_all(tmp_path: Path) -> None:
    said = run_installed(tmp_path, {'victim': 'kill -9 $$'},
                         "Process('victim', '', 'victim', restarts=2)")
    assert [f'({number} of 2) in {pause} s' in said
            for number, pause in ((1, 1), (2, 2), (3, 4))] == [True, True, False]
    assert 'victim ended with code -9; ending the others' in said
