"""The profiles of robots: parameters that the nodes have, in values that they accept."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from parameter_comments import CONFIGS
from test_parameters_yaml import declared

from semantic_nav.bringup.robot_profiles import overridden, profile_of, robots_known
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build, specs

ROBOTS = ['generic_depth', 'generic_mono', 'nova_carter', 'oakd', 'realsense', 'stretch',
          'turtlebot3', 'turtlebot4']


def profile(robot: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(profile_of(robot).read_text(encoding='utf-8'))
    return document


def values(robot: str, node: str) -> dict[str, Any]:
    return profile(robot).get(f'/**/{node}', {}).get('ros__parameters', {})


def test_these_robots_are_known() -> None:
    assert robots_known() == ROBOTS


@pytest.mark.parametrize('robot', ROBOTS)
def test_every_value_is_of_a_parameter_and_of_its_type(robot: str) -> None:
    for section, content in profile(robot).items():
        known = declared(section.removeprefix('/**/'))
        assert {name: type(value) for name, value in content['ros__parameters'].items()} == {
            name: type(known[name]) for name in content['ros__parameters']}


@pytest.mark.parametrize('robot', ROBOTS)
def test_the_nodes_accept_them(robot: str) -> None:
    for node in ('hypothesis', 'verifier', 'belief'):
        config, *_ = CONFIGS[node]
        known = specs(config)
        build(config, {name: value for name, value in values(robot, node).items()
                       if name in known})


@pytest.mark.parametrize('robot', ROBOTS)
def test_the_robot_may_stand_farther_off_than_where_it_is_sent(robot: str) -> None:
    def chosen(node: str, name: str) -> float:
        return float(values(robot, node).get(name, declared(node)[name]))

    assert (chosen('verifier', 'stand_off_near_m') < chosen('verifier', 'stand_off_far_m')
            <= chosen('verifier', 'stand_off_last_m') < chosen('belief', 'stand_off_m'))
    without_depth = values(robot, 'verifier')['depth_topic'] == ''
    assert without_depth == (chosen('belief', 'stand_off_m') == 1.05)


@pytest.mark.parametrize('robot', ROBOTS)
def test_topics_are_relative_and_the_size_is_told(robot: str) -> None:
    verifier = values(robot, 'verifier')
    topics = [value for node in ('hypothesis', 'verifier')
              for name, value in values(robot, node).items() if name.endswith('_topic')]
    assert topics and not [topic for topic in topics if topic.startswith('/')]
    assert (verifier.get('robot_radius', 0) > 0) != bool(verifier.get('footprint'))


@pytest.mark.parametrize('robot', ROBOTS)
def test_each_says_where_its_names_are_from(robot: str) -> None:
    text = profile_of(robot).read_text(encoding='utf-8')
    assert robot.startswith('generic') or ('github.com/' in text and 'ot tried ' in text)
    page = Path(__file__).parents[2] / 'docs' / 'install.md'
    assert f'`{robot}`' in page.read_text(encoding='utf-8')


def test_a_profile_of_ones_own_is_a_path(tmp_path: Path) -> None:
    own = tmp_path / 'tank.yaml'
    own.touch()
    assert profile_of(str(own)) == own
    with pytest.raises(ConfigError, match='known are .*turtlebot4'):
        profile_of('tank')
    for wrong in (str(tmp_path / 'other.yaml'), str(tmp_path)):
        with pytest.raises(ConfigError, match='is not there, or no YAML file'):
            profile_of(wrong)


def test_what_a_file_says_otherwise_is_named() -> None:
    one = profile('generic_depth')
    assert overridden(one, {}) == overridden(one, one) == []
    assert overridden(one, {'/robot1/verifier': {'ros__parameters': {
        'robot_radius': 0.3, 'scan_topic': 'scan'}}}) == ['verifier robot_radius']
    assert overridden(one, {'/**': {'ros__parameters': {'map_frame': 'world'}}, 'other': None}
                      ) == ['verifier map_frame']
