"""Launch file of the four nodes, for a robot that already runs Nav2, a camera and a model server.

With start_ollama:=true it also starts the model server and fetches the model.

All four nodes are needed. A node that was killed is started again, at most three times, after 1, 2
and 4 s, and the mission goes on. A node that ends by itself, as for a wrong parameter, ends the
launch with exit code 1. It is for the robot's service manager to start the whole again.
"""

from collections.abc import Mapping
from dataclasses import replace

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from semantic_nav.bringup.launch_actions import (
    actions,
    common_arguments,
    others_refused,
    profile_action,
    read_common,
    rviz_action,
    said_of,
)
from semantic_nav.bringup.processes import (
    NavSettings,
    navigation_processes,
    ollama_process,
    operator_processes,
    recorder_processes,
)
from semantic_nav.bringup.robot_profiles import robots_known
from semantic_nav.operator.config import OperatorConfig

ARGUMENTS = {
    'vlm_backend': 'Who answers: ollama, openai, anthropic, or mock for ready replies.',
    'model': 'Name of the vision-language model on the server.',
    'base_url': 'The model server; only this machine and allowed_hosts are allowed.',
    'memory_db': 'Path or URL of the memory.',
    'map_id': 'Name of the map that Nav2 uses; places are remembered for each map.',
    'image_topic': 'Pictures of the camera: sensor_msgs/Image.',
    'camera_info_topic': 'Their sensor_msgs/CameraInfo.',
    'depth_topic': 'Depth: sensor_msgs/Image, registered to the picture.',
    'scan_topic': 'The laser scan: sensor_msgs/LaserScan.',
    'autostart': 'true: the nodes activate themselves; false under a lifecycle manager.',
}


def generate_launch_description() -> LaunchDescription:
    """Description with the arguments and the nodes."""
    own = [DeclareLaunchArgument(name, default_value='',
                                 description=f'{words} Empty: what the parameter file says.',
                                 choices=['', 'true', 'false'] if name == 'autostart' else None)
           for name, words in ARGUMENTS.items()]
    robot = DeclareLaunchArgument(
        'robot', default_value='',
        description='What its topics are called, and how large it is: one of config/robots '
                    f'({", ".join(robots_known())}), or the path of a YAML file; what params_file '
                    'says counts before it. Empty: what the parameter file says.')
    ollama = DeclareLaunchArgument(
        'start_ollama', default_value='false', choices=['true', 'false'],
        description='Start Ollama where none answers, and fetch the model: vlm serve.')
    declared = [*common_arguments(), robot, *own, ollama]
    return LaunchDescription([*declared, others_refused(__file__, declared),
                              OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list[Action]:
    chosen = context.launch_configurations
    common = read_common(context)
    autostart = chosen['autostart']
    # The page shows the camera of the model, unless a file names another topic.
    image = chosen['image_topic'] or said_of('hypothesis', 'image_topic', common)
    shown = said_of('operator', 'image_topic', common)
    shown = image if shown in ('', OperatorConfig.image_topic) else shown
    settings = NavSettings(
        vlm_backend=chosen['vlm_backend'], model=chosen['model'], base_url=chosen['base_url'],
        memory_db=chosen['memory_db'], map_id=chosen['map_id'],
        record=chosen['record'] == 'true', operator=chosen['operator'] == 'true',
        of_node={'hypothesis': _said(chosen, 'image_topic'),
                 'operator': {'image_topic': shown} if shown else {},
                 'verifier': _said(chosen, 'camera_info_topic', 'depth_topic', 'scan_topic')},
        common={'autostart': autostart == 'true'} if autostart else {})
    model = [] if chosen['start_ollama'] != 'true' else [ollama_process(replace(
        settings, **{name: chosen[name] or said_of('hypothesis', name, common)
                     for name in ('vlm_backend', 'model', 'base_url')}))]
    started = actions([*recorder_processes(settings), *model, *navigation_processes(settings),
                       *operator_processes(settings)], common)
    rviz = [rviz_action(common)] if chosen['rviz'] == 'true' else []
    return [*profile_action(common), *started, *rviz]


def _said(chosen: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: chosen[name] for name in names if chosen[name]}
