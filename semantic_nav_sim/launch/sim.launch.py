"""Starts the built-in simulator, the stand-ins for Nav2 and the model server, and the four nodes.

Each stand-in can be replaced by the real part: `base_url` names a running model server, and
`navigator:=false` leaves the driving to a Nav2 on the topics of the simulated robot.
"""

from typing import Any

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from semantic_nav.bringup.launch_actions import (
    actions,
    common_arguments,
    others_refused,
    read_common,
    rviz_action,
)
from semantic_nav.bringup.processes import (
    NavSettings,
    navigation_processes,
    operator_processes,
    recorder_processes,
)
from semantic_nav_sim.ports import with_ports
from semantic_nav_sim.processes import SimSettings, check_profile_names, simulator_processes
from semantic_nav_sim.share import PACKAGE
from semantic_nav_sim.world.world_files import GENERATED, world_file

ARGUMENTS = {
    'world': 'A folder of config/worlds, the path of another, or generated:SEED[:ROOMS[:wide]].',
    'seed': 'Start pose, places of movable things, noise.',
    'truth_port': 'Loopback port at which the simulator tells the truth, to stand-ins and '
                  'judges; 0: any free one.',
    'model_port': 'Loopback port of the stand-in for the model server; 0: any free one.',
    'model': 'Name of the model.',
    'model_profile': 'What is wrong with the stand-in for the model server: a name in '
                     'config/profiles/model, the path of a YAML file, or several with + between.',
    'people': 'People who walk about, 0 to 3.',
    'moving_doors': 'Whether the doors inside close and open by themselves.',
    'usual_places': 'Whether things that the seed places lie where such things usually do.',
    'body_shape': "Of the robot's base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres; "
                  'empty: round, 0.2.',
    'navigator_profile': 'What is wrong with the stand-in for Nav2: a name in '
                         'config/profiles/navigator, the path of a YAML file, or several with + '
                         'between.',
    'robot_profile': 'What is wrong with the robot: a name in config/profiles/robot, the path of '
                     'a YAML file, or several with + between.',
    'mapping': 'Whether the robot makes its map, from nothing or on from saved_map; otherwise '
               'saved_map is served, or the floor plan of the world.',
    'saved_map': 'YAML file of a map that was saved before.',
    'save_map_to': 'Folder in which the map is saved at the end, if there is a mapper.',
    'silent': 'What the robot does not send, with commas between: camera, depth, scan, odom, tf, '
              'or localisation where AMCL or slam_toolbox sends map -> odom.',
}


def generate_launch_description() -> LaunchDescription:
    """The arguments and the processes."""
    defaults = SimSettings()
    own = [DeclareLaunchArgument(name, default_value=_text(getattr(defaults, name)),
                                 description=words,
                                 choices=_choices(getattr(defaults, name)))
           for name, words in ARGUMENTS.items()]
    declared = [
        *common_arguments(), *own,
        DeclareLaunchArgument(
            'base_url', default_value='',
            description='A model server on this machine; empty: the stand-in is started.'),
        DeclareLaunchArgument(
            'navigator', default_value='true', choices=['true', 'false'],
            description='Start the stand-in for Nav2.'),
        DeclareLaunchArgument('memory_db', default_value='',
                              description='Path or URL of the memory. Empty: what the '
                                          'parameter file says.'),
        DeclareLaunchArgument('map_id', default_value='',
                              description='Name of the map in the memory. Empty: sim_<world>.'),
    ]
    return LaunchDescription([*declared, others_refused(__file__, declared, PACKAGE),
                              OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list[Action]:
    chosen = context.launch_configurations
    common, defaults = read_common(context), SimSettings()
    sim = with_ports(SimSettings(**{
        name: _value(name, chosen[name], getattr(defaults, name)) for name in ARGUMENTS}))
    check_profile_names(sim)
    # The simulator generates a missing home.
    if not sim.world.startswith(GENERATED):
        world_file(sim.world)
    # The stand-in is named explicitly, since the environment may name another server.
    nav = NavSettings(vlm_backend='' if chosen['base_url'] else 'ollama', model=sim.model,
                      base_url=chosen['base_url'] or sim.base_url,
                      memory_db=chosen['memory_db'], record=chosen['record'] == 'true',
                      operator=chosen['operator'] == 'true',
                      map_id=chosen['map_id'] or f'sim_{sim.world}',
                      of_node={'verifier': {**sim.of_verifier, **(
                          {'map_is_live': True} if sim.mapping else {})}})
    wanted = {'sim_navigator': chosen['navigator'] == 'true',
              'sim_model_server': not chosen['base_url']}
    processes = [process for process in simulator_processes(sim)
                 if wanted.get(process.name, True)]
    started = actions([*recorder_processes(nav), *processes, *navigation_processes(nav),
                       *operator_processes(nav)], common)
    return [*started, rviz_action(common)] if chosen['rviz'] == 'true' else started


def _text(value: Any) -> str:
    """Format a value for the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, text: str, default: Any) -> Any:
    """Convert a text to the type of the default."""
    if isinstance(default, bool):
        return text == 'true'
    try:
        return type(default)(text)
    except ValueError:
        raise RuntimeError(f'{name}:={text}: a whole number is due') from None


def _choices(default: Any) -> list[str] | None:
    return ['true', 'false'] if isinstance(default, bool) else None
