"""Starts Gazebo Harmonic with a home of ours, a robot in it, Nav2 on its map, and the four nodes.

The home is written first, by `world to-sdf`, which takes some seconds. A model server must already
run, as on a robot. semantic_nav_sim/docs/simulator.md tells what must be installed.
"""

import json
import tempfile
from functools import partial
from pathlib import Path

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.events.process import ProcessExited
from launch_ros.actions import ComposableNodeContainer, Node
from launch_ros.descriptions import ComposableNode
from launch_ros.substitutions import ExecutableInPackage

from semantic_nav.bringup.launch_actions import others_refused
from semantic_nav.contracts.share import share_path as own_path
from semantic_nav_sim.launch_simulators import (
    handed_on,
    nav2_included,
    navigation_included,
    need,
    with_nav2_values,
)
from semantic_nav_sim.share import PACKAGE, share_path

ARGUMENTS = {
    'world': ('apartment', 'A folder of config/worlds, the path of another, or '
                           'generated:SEED[:ROOMS[:wide]].'),
    'seed': ('2', 'Start pose, places of movable things.'),
    'out': ('', 'Folder for the home, new or empty; empty: a new one for temporary files.'),
    'robot': ('generic_depth', 'As robot of nav.launch.py; this one fits config/gazebo.'),
    'params_file': (str(own_path('config', 'semantic_nav.yaml')),
                    'Parameter file of the four nodes.'),
    'nav2_params_file': (str(own_path('config', 'nav2_params.yaml')),
                         'Parameter file of Nav2; where the robot starts is added.'),
}
SWITCHES = {
    'headless': ('false', 'true: no window of Gazebo.'),
    'nav2': ('true', 'false: Nav2 is started by somebody else, on map.yaml of the home.'),
}
_NEEDED = ('ros_gz_sim', 'ros_gz_bridge', 'robot_state_publisher', 'depth_image_proc',
           'rclcpp_components')


def generate_launch_description() -> LaunchDescription:
    """The arguments, and the process that writes the home, after which the rest is started."""
    own = [DeclareLaunchArgument(name, default_value=default, description=words)
           for name, (default, words) in ARGUMENTS.items()]
    switches = [DeclareLaunchArgument(name, default_value=default, description=words,
                                      choices=['true', 'false'])
                for name, (default, words) in SWITCHES.items()]
    declared = [*own, *switches, *handed_on()]
    return LaunchDescription([*declared, others_refused(__file__, declared, PACKAGE),
                              OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list[Action]:
    chosen = dict(context.launch_configurations)
    need([*_NEEDED, *(['nav2_bringup'] if chosen['nav2'] == 'true' else [])])
    out = Path(chosen['out'] or tempfile.mkdtemp(prefix='semantic_nav_gazebo_')).expanduser()
    return [ExecuteProcess(
        cmd=[ExecutableInPackage(package=PACKAGE, executable='world'), 'to-sdf', chosen['world'],
             '--seed', chosen['seed'], '--out', str(out)],
        name='world', output='screen', on_exit=partial(_written, out, chosen))]


def _written(out: Path, chosen: dict[str, str], event: ProcessExited,
             context: LaunchContext) -> list[Action]:
    """All actions that need the written home.

    Raises:
        RuntimeError: it could not be written; launch then exits with code 1.
    """
    if context.is_shutdown:
        return []
    if event.returncode != 0:
        raise RuntimeError(f'the home could not be written: code {event.returncode}')
    start = json.loads((out / 'start.json').read_text(encoding='utf-8'))
    gazebo = share_path('config', 'gazebo')
    window = ['-s'] if chosen['headless'] == 'true' else []
    sim_time = {'use_sim_time': True}
    started = [
        ExecuteProcess(cmd=['gz', 'sim', '-r', *window, str(out / 'world.sdf')], name='gazebo',
                       output='screen', on_exit=Shutdown(reason='Gazebo ended')),
        Node(package='ros_gz_sim', executable='create', name='spawner', output='screen',
             arguments=['-name', 'robot', '-file', str(gazebo / 'robot.sdf'),
                        '-x', str(start['x']), '-y', str(start['y']), '-z', '0.02',
                        '-Y', str(start['yaw'])]),
        # Pictures do not fit into Fast DDS's default shared memory.
        Node(package='ros_gz_bridge', executable='parameter_bridge', name='gazebo_bridge',
             output='screen', parameters=[{
                 'config_file': str(gazebo / 'bridge.yaml'), **sim_time}],
             additional_env={name: str(own_path('config', 'fastdds_pictures.xml')) for name in (
                 'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')}),
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             name='robot_state_publisher', parameters=[{
                 'robot_description': (gazebo / 'robot.urdf').read_text(encoding='utf-8'),
                 **sim_time}]),
        # Point clouds from depth, in the optical frame, for Nav2's local costmap.
        ComposableNodeContainer(
            package='rclcpp_components', executable='component_container', namespace='',
            name='points_container', composable_node_descriptions=[ComposableNode(
                package='depth_image_proc', plugin='depth_image_proc::PointCloudXyzNode',
                name='depth_points', parameters=[sim_time],
                remappings=[('image_rect', 'camera/depth/image_raw'),
                            ('points', 'camera/points')])]),
        navigation_included(chosen, robot=chosen['robot'], params_file=chosen['params_file'])]
    if chosen['nav2'] == 'true':
        # AMCL knows the start pose, as that of a robot on its dock.
        params = with_nav2_values(Path(chosen['nav2_params_file']).expanduser(), {'amcl': {
            'set_initial_pose': True, 'initial_pose': {**start, 'z': 0.0}}},
            out / 'nav2_params.yaml')
        started.append(nav2_included(str(out / 'map.yaml'), params))
    return started
