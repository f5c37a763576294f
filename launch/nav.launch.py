"""Starts the four nodes on a robot that already runs Nav2, a camera and a model server.

All four are needed. One that was killed is started again, three times at most, and the mission
goes on. One that ends by itself, as for a wrong parameter, ends the launch with exit code 1; what
brings the whole up again is the service manager of the robot.
"""

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from semantic_nav.launch_actions import (
    actions,
    common_arguments,
    others_refused,
    read_common,
    rviz_action,
)
from semantic_nav.processes import NavSettings, navigation_processes, recorder_processes

ARGUMENTS = {
    'vlm_backend': 'Who answers: ollama, openai, anthropic, or mock for ready replies.',
    'model': 'Name of the vision-language model on the server.',
    'base_url': 'The model server; only this machine and allowed_hosts are allowed.',
    'memory_db': 'Path or URL of the memory.',
    'map_id': 'Name of the map that Nav2 uses; places are remembered for each map.',
    'autostart': 'true: the nodes activate themselves; false under a lifecycle manager.',
}


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    own = [DeclareLaunchArgument(name, default_value='',
                                 description=f'{words} Empty: what the parameter file says.',
                                 choices=['', 'true', 'false'] if name == 'autostart' else None)
           for name, words in ARGUMENTS.items()]
    declared = [*common_arguments(), *own]
    return LaunchDescription([*declared, others_refused(__file__, declared),
                              OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list[Action]:
    chosen = context.launch_configurations
    common = read_common(context)
    autostart = chosen['autostart']
    settings = NavSettings(
        vlm_backend=chosen['vlm_backend'], model=chosen['model'], base_url=chosen['base_url'],
        memory_db=chosen['memory_db'], map_id=chosen['map_id'],
        record=chosen['record'] == 'true',
        common={'autostart': autostart == 'true'} if autostart else {})
    started = actions([*recorder_processes(settings), *navigation_processes(settings)], common)
    return [*started, rviz_action(common)] if chosen['rviz'] == 'true' else started
