"""The list of processes of the simulator: where the map comes from, and its robot's faults."""

import ast
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from semantic_nav.bringup.processes import NavSettings, operator_processes
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.processes import SimSettings, simulator_processes

ROOT = Path(__file__).parents[2]


def parameters(**chosen: Any) -> dict[str, dict[str, Any]]:
    return {process.name: process.parameters
            for process in simulator_processes(SimSettings(**chosen))}


def test_the_robot_is_given_the_floor_plan() -> None:
    found = parameters()
    assert found['sim_navigator']['world'] == 'apartment'
    assert 'sim_mapper' not in found


def test_the_robot_makes_its_map() -> None:
    found = parameters(mapping=True, save_map_to='/data/home')
    assert found['sim_navigator']['world'] == ''
    assert found['sim_mapper'] == {'map': '', 'update': True, 'save_to': '/data/home',
                                   'robot_profile': 'default'}


def test_a_saved_map_is_served_or_gone_on_from() -> None:
    for mapping in (False, True):
        found = parameters(saved_map='/data/map.yaml', mapping=mapping)
        assert found['sim_navigator']['world'] == ''
        assert found['sim_mapper'] == {'map': '/data/map.yaml', 'update': mapping, 'save_to': '',
                                       'robot_profile': 'default'}


def test_the_profile_reaches_the_robot_and_who_listens_to_its_cameras() -> None:
    found = parameters(robot_profile='default+side_cameras', mapping=True)
    assert found['sim_robot']['profile'] == 'default+side_cameras'
    for name in ('sim_navigator', 'sim_mapper'):
        assert found[name]['robot_profile'] == 'default+side_cameras'


def test_robot_errs_as_amcl_where_there_is_a_map_and_as_slam_where_it_is_made() -> None:
    for told, localiser in [({}, 'amcl'), ({'mapping': True}, 'slam'),
                            ({'saved_map': '/data/map.yaml'}, 'amcl'),
                            ({'saved_map': '/data/map.yaml', 'mapping': True}, 'amcl')]:
        assert parameters(**told)['sim_robot']['localiser'] == localiser


def test_what_is_silent_reaches_the_robot() -> None:
    assert parameters()['sim_robot']['silent'] == ''
    assert parameters(silent='localisation')['sim_robot']['silent'] == 'localisation'


def test_the_shape_of_the_body_reaches_all_who_must_know() -> None:
    usual, oblong = parameters(), parameters(body_shape='rectangle:0.7x0.5')
    assert usual['sim_robot']['shape'] == usual['sim_navigator']['footprint'] == ''
    assert usual['sim_navigator']['robot_radius'] == NavigatorConfig().robot_radius
    assert oblong['sim_robot']['shape'] == 'rectangle:0.7x0.5'
    told = oblong['sim_navigator']['footprint']
    assert SimSettings(body_shape='rectangle:0.7x0.5').of_verifier == {'footprint': told}
    assert footprint_of(told) is not None
    assert SimSettings().of_verifier == {'robot_radius': NavigatorConfig().robot_radius}


def test_the_operator_page_is_served_on_request_and_not_needed() -> None:
    assert operator_processes(NavSettings()) == []
    page, = operator_processes(NavSettings(operator=True, page_port=1234))
    assert page.parameters == {'port': 1234} and page.is_node and not page.needed


def test_launch_files_need_nothing_from_pypi() -> None:
    # `ros2 launch` runs in the system's Python, and .venv is none of its business.
    listed = subprocess.run(
        [sys.executable, '-I', '-S', '-c',
         f'import sys; sys.path[:0] = {[str(ROOT), str(ROOT / "semantic_nav_sim")]!r}\n'
         'from semantic_nav.contracts.share import share_path\n'
         'from semantic_nav_sim.ports import with_ports\n'
         'from semantic_nav.bringup.processes import *\n'
         'from semantic_nav.bringup.robot_profiles import profile_of\n'
         'from semantic_nav_sim.processes import *\n'
         'from semantic_nav_sim.world.world_files import world_file\n'
         'share_path("config")\n'
         'world_file("apartment")\n'
         'profile_of("turtlebot4")\n'
         'check_profile_names(SimSettings())\n'
         'for one in navigation_processes(NavSettings()) + simulator_processes('
         'with_ports(SimSettings(world="generated:1"))):\n'
         '    print(one.name)'],
        capture_output=True, text=True, check=False)
    assert listed.returncode == 0, listed.stderr
    assert {'hypothesis', 'sim_robot'} <= set(listed.stdout.split())


def test_each_setting_of_the_simulator_is_an_argument_of_its_launch_file() -> None:
    """But what only programs set. Read as text, for where ROS 2 comes from PyPI is no launch."""
    path = ROOT / 'semantic_nav_sim' / 'launch' / 'sim.launch.py'
    tree = ast.parse(path.read_text(encoding='utf-8'))
    arguments, = (ast.literal_eval(one.value) for one in tree.body
                  if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == 'ARGUMENTS')
    assert {item.name for item in fields(SimSettings)} - set(arguments) == {'common'}
