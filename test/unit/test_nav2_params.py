"""Nav2's parameters agree with what this package says of Nav2, and with its own parameters."""

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from test_parameters_yaml import in_file

from semantic_nav.contracts.share import share_path
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.navigator.navigation import RESET_DISTANCE_M

PATH = share_path('config', 'nav2_params.yaml')
FILE: dict[str, Any] = yaml.safe_load(PATH.read_text(encoding='utf-8'))
ROOT = Path(__file__).parents[2]
VERIFIER, BELIEF = in_file('verifier'), in_file('belief')


def of(node: str) -> Any:
    section = FILE[node]
    return section.get(node, section)['ros__parameters']


COSTMAPS = [of('local_costmap'), of('global_costmap')]


def test_acknowledgements_have_the_time_that_the_page_asks_for() -> None:
    asked = 'default_server_timeout` of `bt_navigator` to 1000 ms'
    assert asked in (ROOT / 'docs' / 'safety.md').read_text()
    assert of('bt_navigator')['default_server_timeout'] == 1000


def test_frames_are_those_of_the_verifier() -> None:
    names = {'global_frame': {VERIFIER['map_frame'], VERIFIER['odom_frame']},
             'global_frame_id': {VERIFIER['map_frame']},
             'local_frame': {VERIFIER['odom_frame']}, 'fixed_frame': {VERIFIER['odom_frame']},
             'odom_frame_id': {VERIFIER['odom_frame']},
             **{name: {VERIFIER['base_frame']}
                for name in ('robot_base_frame', 'base_frame_id', 'base_frame')}}
    found = 0
    for node in FILE:
        for key, value in of(node).items():
            if key in names:
                assert value in names[key], (node, key)
                found += 1
    assert found > 12
    assert [costmap['global_frame'] for costmap in COSTMAPS] == ['odom', 'map']


def test_both_costmaps_have_the_size_of_the_profiles_and_the_stand_in() -> None:
    profile = yaml.safe_load(share_path('config', 'robots', 'generic_depth.yaml').read_text())
    radius = profile['/**/verifier']['ros__parameters']['robot_radius']
    assert {costmap['robot_radius'] for costmap in COSTMAPS} == {
        radius, NavigatorConfig().robot_radius}


def test_no_recovery_forgets_what_stands_beside_the_robot() -> None:
    path = of('bt_navigator')['default_nav_to_pose_bt_xml']
    tree = ElementTree.parse(share_path(*path.removeprefix('$(find-pkg-share semantic_nav)/')
                                        .split('/'))).getroot()
    clears = [node for node in tree.iter() if 'local_costmap' in node.get('service_name', '')]
    assert len(clears) == 2
    for node in clears:
        assert node.tag == 'ClearCostmapExceptRegion'
        assert node.get('service_name') == 'local_costmap/clear_except_local_costmap'
        assert float(node.get('reset_distance', '')) == RESET_DISTANCE_M
    # What Nav2 reads without being told: jazzy 1.3.13 these two, kilted 1.4.2 these among others.
    assert {'{compute_path_error_code}', '{follow_path_error_code}'} == {
        node.get('error_code_id') for node in tree.iter() if node.get('error_code_id')}
    # Replaced in kilted 1.4.2, whose bt_navigator throws where it is set.
    assert 'error_code_names' not in of('bt_navigator')
    retries = tree.find('.//RecoveryNode[@name="recover"]')
    assert retries is not None and (
        int(retries.get('number_of_retries', '')) == NavigatorConfig().number_of_retries)
    assert COSTMAPS[0]['plugins'][-1] == COSTMAPS[1]['plugins'][-1] == 'inflation_layer'


def test_depth_marks_the_local_costmap_as_in_the_stand_in() -> None:
    layer, known = COSTMAPS[0]['voxel_layer'], NavigatorConfig()
    for name in ('min_obstacle_height', 'max_obstacle_height', 'obstacle_max_range',
                 'raytrace_max_range'):
        assert layer['depth'][name] == getattr(known, name)
    assert layer['z_voxels'] <= 16  # Nav2 has no more
    assert layer['z_voxels'] * layer['z_resolution'] >= layer['max_obstacle_height']
    assert layer['depth']['data_type'] == 'PointCloud2'


@pytest.mark.parametrize('costmap', COSTMAPS)
def test_every_plugin_and_source_is_described(costmap: dict[str, Any]) -> None:
    for plugin in costmap['plugins']:
        layer = costmap[plugin]
        assert layer['plugin'].startswith('nav2_costmap_2d::')
        for source in layer.get('observation_sources', '').split():
            assert {'topic', 'data_type', 'marking', 'clearing'} <= set(layer[source])
            assert layer[source]['topic'].startswith('/')


def test_the_costmap_comes_often_enough() -> None:
    assert 1 / COSTMAPS[1]['publish_frequency'] < VERIFIER['costmap_max_age_s'] / 2


def test_a_path_that_the_planner_gives_ends_near_enough() -> None:
    tolerance = of('planner_server')['GridBased']['tolerance']
    assert math.hypot(tolerance, tolerance) < VERIFIER['path_end_m']


def test_the_robot_may_stand_where_the_controller_stops() -> None:
    tolerance = of('controller_server')['general_goal_checker']['xy_goal_tolerance']
    assert VERIFIER['stand_off_far_m'] + tolerance < BELIEF['stand_off_m']
    assert tolerance < VERIFIER['goal_reached_m']


def test_nav2_tries_its_own_recoveries_first() -> None:
    allowance = of('controller_server')['progress_checker']['movement_time_allowance']
    assert allowance < VERIFIER['stuck_s']


def test_topics_and_behaviours_that_the_verifier_uses_are_there() -> None:
    assert of('controller_server')['speed_limit_topic'] == VERIFIER['speed_limit_topic']
    behaviours = of('behavior_server')
    assert {'spin', 'backup'} <= set(behaviours['behavior_plugins'])
    assert all('plugin' in behaviours[name] for name in behaviours['behavior_plugins'])


def test_nothing_is_faster_than_the_velocity_smoother_lets_through() -> None:
    forward, _, turn = of('velocity_smoother')['max_velocity']
    path = of('controller_server')['FollowPath']
    assert path['desired_linear_vel'] <= forward
    assert max(path['rotate_to_heading_angular_vel'],
               of('behavior_server')['max_rotational_vel']) <= turn


def test_all_write_the_same_kind_of_velocity() -> None:
    kinds = {node: of(node)['enable_stamped_cmd_vel'] for node in FILE
             if 'enable_stamped_cmd_vel' in of(node)}
    assert len(kinds) == 5 and len(set(kinds.values())) == 1


def test_the_keep_out_filter_in_the_comments_is_yaml_of_a_filter() -> None:
    lines = PATH.read_text(encoding='utf-8').splitlines()
    starts = [number for number, line in enumerate(lines) if '# filters:' in line]
    assert len(starts) == 2
    for start in starts:
        text = '\n'.join(line.partition('# ')[2] for line in lines[start:start + 5])
        filters = yaml.safe_load(text)
        assert filters['filters'] == ['keepout_filter']
        assert filters['keepout_filter']['plugin'] == 'nav2_costmap_2d::KeepoutFilter'
        topic = filters['keepout_filter']['filter_info_topic'].removeprefix('/')
        assert topic in (ROOT / 'docs' / 'operating.md').read_text()
