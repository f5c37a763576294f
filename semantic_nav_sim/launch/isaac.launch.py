"""Starts Nav2 and the four nodes for the Nova Carter of a sample scene in Isaac Sim.

semantic_nav_sim/docs/simulator.md names the scene, the settings in it, and the packages to
install. A model server must already run, as on a robot.
"""

import tempfile
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node

from semantic_nav.bringup.launch_actions import others_refused
from semantic_nav.contracts.share import share_path
from semantic_nav_sim.launch_simulators import (
    handed_on,
    nav2_included,
    navigation_included,
    need,
    with_nav2_values,
)
from semantic_nav_sim.share import PACKAGE

#: Stands for an empty value, which the command line cannot give.
NONE = 'none'
ARGUMENTS = {
    'robot': ('nova_carter', 'As robot of nav.launch.py.'),
    'map': ('', 'Map of the scene; empty: that of carter_navigation, of the warehouse.'),
    'params_file': (str(share_path('config', 'semantic_nav.yaml')),
                    'Parameter file of the four nodes.'),
    'nav2_params_file': ('', 'Parameter file of Nav2; empty: that of carter_navigation. The time '
                             'that bt_navigator has for acknowledgements is raised in a copy.'),
    'points_topic': ('/front_3d_lidar/lidar_points',
                     f'Points of which the scan is made; {NONE}: there is a scan.'),
}
_SCAN = {'target_frame': 'front_3d_lidar', 'min_height': -0.4, 'max_height': 1.5,
         'range_min': 0.05, 'range_max': 30.0, 'use_sim_time': True}


def generate_launch_description() -> LaunchDescription:
    """The arguments, Nav2 and the nodes."""
    own = [DeclareLaunchArgument(name, default_value=default, description=words)
           for name, (default, words) in ARGUMENTS.items()]
    nav2 = DeclareLaunchArgument('nav2', default_value='true', choices=['true', 'false'],
                                 description='false: Nav2 is started by somebody else.')
    declared = [*own, nav2, *handed_on()]
    return LaunchDescription([*declared, others_refused(__file__, declared, PACKAGE),
                              OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list[Action]:
    chosen = context.launch_configurations
    points, nav2 = chosen['points_topic'] != NONE, chosen['nav2'] == 'true'
    need([*(['pointcloud_to_laserscan'] if points else []), *(['nav2_bringup'] if nav2 else [])])
    started = [navigation_included(chosen, robot=chosen['robot'],
                                   params_file=chosen['params_file'])]
    if points:
        started.append(Node(
            package='pointcloud_to_laserscan', executable='pointcloud_to_laserscan_node',
            name='pointcloud_to_laserscan', parameters=[_SCAN],
            remappings=[('cloud_in', chosen['points_topic'])]))
    if nav2:
        params = with_nav2_values(
            _carters(chosen['nav2_params_file'], 'params', 'carter_navigation_params.yaml'),
            {'bt_navigator': {'default_server_timeout': 1000}},
            Path(tempfile.mkdtemp(prefix='semantic_nav_isaac_')) / 'nav2_params.yaml')
        started.append(nav2_included(
            str(_carters(chosen['map'], 'maps', 'carter_warehouse_navigation.yaml')), params))
    return started


def _carters(chosen: str, *parts: str) -> Path:
    """The chosen file, or the default one of carter_navigation.

    Raises:
        RuntimeError: no file was chosen, and that package is not installed.
    """
    if chosen:
        return Path(chosen).expanduser()
    try:
        return Path(get_package_share_directory('carter_navigation'), *parts)
    except PackageNotFoundError:
        raise RuntimeError('carter_navigation is not installed: build it from the ROS workspaces '
                           'of Isaac Sim, or give map and nav2_params_file') from None
