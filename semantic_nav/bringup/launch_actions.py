"""Actions of the launch files, one per process; needs launch and launch_ros."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import Action, LaunchContext
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    OpaqueFunction,
)
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from semantic_nav.bringup.processes import (
    ONE_THREAD,
    Process,
    ended_with_ours,
)
from semantic_nav.bringup.robot_profiles import overridden, profile_of
from semantic_nav.contracts.share import PACKAGE, share_path

#: As in Nav2: where robots share a network, each keeps its frames in its namespace.
REMAPPINGS = (('/tf', 'tf'), ('/tf_static', 'tf_static'))
#: Command prefix: the nodes end with a launch that is killed, so no robot is left driving.
_PREFIX = ' '.join(ended_with_ours())
#: Pause before the first restart of a killed process, in s; doubled for each further restart.
#: The launch may be told to end meanwhile.
_PAUSE_S = 1.0
_BOOLEANS = {'true': True, 'false': False}
#: Parameters of the verifier while somebody watches in RViz.
_SHOWN = {'show_candidates': True, 'show_search': True}
_OWN_FILE = share_path('config', f'{PACKAGE}.yaml')


@dataclass(frozen=True)
class Common:
    """Settings that hold for all nodes of a launch file.

    Attributes:
        params_file: the parameter file.
        namespace: namespace of all nodes; empty: that of the including launch file.
        log_level: log level of all nodes; empty: as the environment says.
        use_sim_time: use /clock; None: as the parameter file says.
        profile: profile of the robot; it overrides the package's own parameter file, and any other
            parameter file overrides it.
        watched: RViz is open, so markers that cost some milliseconds are published too.
    """

    params_file: Path
    namespace: str = ''
    log_level: str = ''
    use_sim_time: bool | None = None
    profile: Path | None = None
    watched: bool = False

    @property
    def files(self) -> list[str]:
        """The parameter files; a later one overrides an earlier one."""
        if self.profile is None:
            return [str(self.params_file)]
        files = [str(self.profile), str(self.params_file)]
        return files[::-1] if self.params_file == _OWN_FILE else files


def common_arguments() -> list[DeclareLaunchArgument]:
    """The arguments that every launch file has."""
    return [
        DeclareLaunchArgument(
            'params_file', default_value=str(_OWN_FILE),
            description='Parameter file of the four nodes.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of all nodes; tf and tf_static are then sought in it too.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='', choices=['', *_BOOLEANS],
            description='Take the time from /clock; empty: what the parameter file says.'),
        DeclareLaunchArgument(
            'log_level', default_value='', choices=['', 'debug', 'info', 'warn', 'error', 'fatal'],
            description='debug, info, warn, error or fatal; empty: the default of ROS.'),
        DeclareLaunchArgument(
            'rviz', default_value='false', choices=list(_BOOLEANS),
            description='Start RViz with config/semantic_nav.rviz.'),
        DeclareLaunchArgument(
            'record', default_value='false', choices=list(_BOOLEANS),
            description='Record the topics into an MCAP file beside the journals.'),
        DeclareLaunchArgument(
            'operator', default_value='false', choices=list(_BOOLEANS),
            description='Serve the operator page, by default at http://127.0.0.1:8642/.'),
    ]


def others_refused(file: str, declared: Iterable[DeclareLaunchArgument],
                   package: str = PACKAGE) -> OpaqueFunction:
    """Action that refuses an argument unknown to the launch file, which launch would drop.

    Where another launch file includes it, that one has arguments of its own: nothing is refused.

    Args:
        file: path of the launch file.
        declared: its arguments.
        package: package of the launch file.
    """
    path, known = Path(file).resolve(), {argument.name for argument in declared}
    name = path.name

    def refuse(context: LaunchContext) -> None:
        is_launched = ((package, name) in pairwise(sys.argv)
                       or path in (Path(word).resolve() for word in sys.argv))
        for word in context.argv:
            wanted = word.partition(':=')[0]
            if is_launched and wanted not in known:
                raise RuntimeError(f'{name} has no argument {wanted}; --show-args lists them')

    return OpaqueFunction(function=refuse)


def read_common(context: LaunchContext) -> Common:
    """The settings chosen on the command line.

    Raises:
        RuntimeError: the parameter file is missing, for which launch itself only warns, or is no
            YAML, on which each node would die.
    """
    chosen = context.launch_configurations
    path = Path(chosen['params_file']).expanduser()
    if not path.is_file():
        raise RuntimeError(f'params_file {path} is not there')
    _document(path)
    robot = chosen.get('robot')
    return Common(path, chosen['namespace'], chosen['log_level'],
                  _BOOLEANS.get(chosen['use_sim_time']), profile_of(robot) if robot else None,
                  watched=_BOOLEANS[chosen['rviz']])


def _document(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding='utf-8'))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RuntimeError(f'params_file {path} is no YAML: {" ".join(str(error).split())}'
                           ) from None


def said_of(node: str, name: str, common: Common) -> str:
    """Value of a node's text parameter in the parameter files; empty if they do not set it."""
    said = ''
    for file in common.files:
        for section, content in (_document(Path(file)) or {}).items():
            if section.rpartition('/')[2] in (node, '**'):
                values = (content or {}).get('ros__parameters') or {}
                said = str(values.get(name, said))
    return said


def profile_action(common: Common) -> list[Action]:
    """Log entry that names the values of the robot's profile that the parameter file overrides.

    A copy of the whole parameter file overrides all of them.
    """
    if common.profile is None or common.params_file == _OWN_FILE:
        return []
    changed = overridden(_document(common.profile) or {}, _document(common.params_file) or {})
    if not changed:
        return []
    return [LogInfo(msg=f'{common.params_file} says otherwise than {common.profile.name}, and '
                        f'counts: {", ".join(changed)}')]


def actions(processes: Iterable[Process], common: Common) -> list[ExecuteProcess]:
    """One launch action for each process."""
    return [_node(process, common) if process.is_node else _plain(process)
            for process in processes]


def rviz_action(common: Common) -> Action:
    """RViz, with topics relative to the namespace; it may be closed at any time.

    Where RViz is not installed, a log entry says so and the others run without it.
    """
    try:
        get_package_prefix('rviz2')
    except PackageNotFoundError:
        return LogInfo(msg='rviz2 is not installed: going on without it')
    parameters = [] if common.use_sim_time is None else [{'use_sim_time': common.use_sim_time}]
    return Node(package='rviz2', executable='rviz2', exec_name='rviz2', name='rviz2',
                namespace=common.namespace,
                arguments=['-d', str(share_path('config', f'{PACKAGE}.rviz'))],
                parameters=parameters, remappings=list(REMAPPINGS))


def _node(process: Process, common: Common) -> Node:
    if common.use_sim_time is not None:
        process = replace(process, parameters={
            **process.parameters, 'use_sim_time': common.use_sim_time})
    if common.watched and process.name == 'verifier':
        process = replace(process, parameters={**process.parameters, **_SHOWN})
    # A text stays a text, whatever it looks like: a map may be called 3.
    values = {name: ParameterValue(value, value_type=type(value))
              for name, value in process.parameters.items()}
    ros_arguments = ['--log-level', common.log_level] if common.log_level else []
    # With name and namespace given, launch writes the values under the full name, which takes
    # precedence over the wildcards of the parameter file.
    return Node(package=process.package, executable=process.executable, exec_name=process.name,
                name=process.name, namespace=common.namespace, prefix=_PREFIX,
                parameters=[*common.files, *([values] if values else [])],
                ros_arguments=ros_arguments, remappings=list(REMAPPINGS), output='screen',
                additional_env=ONE_THREAD,
                on_exit=_Ended(process.restarts) if process.needed else None,
                respawn=process.restarts > 0, respawn_max_retries=process.restarts,
                respawn_delay=_PAUSE_S)


def _plain(process: Process) -> ExecuteProcess:
    program = ExecutableInPackage(package=process.package, executable=process.executable)
    # A process that the others can do without may end; launch itself logs it.
    return ExecuteProcess(cmd=[program, *process.arguments], name=process.name, prefix=_PREFIX,
                          output='screen', additional_env=ONE_THREAD,
                          on_exit=_Ended() if process.needed else None)


class _Ended:
    """Exit handler of a needed process: decides between restart and shutdown of the launch."""

    def __init__(self, restarts: int = 0) -> None:
        """Allow this many restarts by launch."""
        self._restarts = restarts
        self._ended = 0

    def __call__(self, event: ProcessExited, context: LaunchContext) -> Action | None:
        """Shut everything down if the process ended by itself or was killed too often.

        Raises:
            RuntimeError: the process was not asked to end; launch then exits with code 1.
        """
        if context.is_shutdown:
            return None
        name = event.process_name.rsplit('-', 1)[0]
        if event.returncode == 0:
            # On Ctrl-C a process may end before launch itself learns of the signal.
            return EmitEvent(event=Shutdown(reason=f'{name} was asked to end'))
        self._ended += 1
        pause_s = _PAUSE_S * 2 ** (self._ended - 1)
        # launch has one delay for all restarts, and reads it before it calls this handler.
        event.action._ExecuteLocal__respawn_delay = 2 * pause_s
        # A process that exits by itself has said why, and a restart does not mend that.
        if event.returncode < 0 and self._ended <= self._restarts:
            return LogInfo(msg=f'{name} ended with code {event.returncode}; starting it again '
                           f'({self._ended} of {self._restarts}) in {pause_s:g} s')
        raise RuntimeError(f'{name} ended with code {event.returncode}; '
                           'ending the others, for they cannot do without it')
