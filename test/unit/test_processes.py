"""The list of processes of the simulator: where the map comes from, and its robot's faults."""

from typing import Any

from semantic_nav.contracts.share import share_path
from semantic_nav.processes import SimSettings, simulator_processes


def parameters(**chosen: Any) -> dict[str, dict[str, Any]]:
    return {process.name: process.parameters
            for process in simulator_processes(SimSettings(**chosen))}


def test_the_robot_is_given_the_floor_plan() -> None:
    found = parameters()
    assert found['sim_navigator']['map'] == str(
        share_path('config', 'worlds', 'apartment', 'map.yaml'))
    assert 'sim_mapper' not in found


def test_the_robot_makes_its_map() -> None:
    found = parameters(mapping=True, save_map_to='/data/home')
    assert found['sim_navigator']['map'] == ''
    assert found['sim_mapper'] == {'map': '', 'update': True, 'save_to': '/data/home'}


def test_a_saved_map_is_served_or_gone_on_from() -> None:
    for mapping in (False, True):
        found = parameters(saved_map='/data/map.yaml', mapping=mapping)
        assert found['sim_navigator']['map'] == ''
        assert found['sim_mapper'] == {'map': '/data/map.yaml', 'update': mapping, 'save_to': ''}


def test_the_profile_reaches_the_robot() -> None:
    assert parameters(robot_profile='default+wheel_slip')['sim_robot']['profile'] == (
        'default+wheel_slip')
