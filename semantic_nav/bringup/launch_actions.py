"""The list of processes as actions of the launch files; needs launch and launch_ros."""

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

#: Nav2 does the same: where robots share a network, each keeps its frames in its namespace.
REMAPPINGS = (('/tf', 'tf'), ('/tf_static', 'tf_static'))
#: A launch that is killed leaves no robot driving.
_PREFIX = ' '.join(ended_with_ours())
#: Before a process that was killed is started again, doubled each time; meanwhile the launch may
#: be told to end.
_PAUSE_S = 1.0
_BOOLEANS = {'true': True, 'false': False}
#: What the verifier shows to who watches.
_SHOWN = {'show_candidates': True, 'show_search': True}
_OWN_FILE = share_path('config', f'{PACKAGE}.yaml')


@dataclass(frozen=True)
class Common:
    """What holds for all nodes of a launch file.

    Attributes:
        params_file: the parameter file.
        namespace: of all nodes; empty: the one that the launch file is included in.
        log_level: empty: what the environment says.
        use_sim_time: None: what the parameter file says.
        profile: of the robot, goes before the package's own parameter file and behind another.
        watched: in RViz, so that all is shown that costs some milliseconds.
    """

    params_file: Path
    namespace: str = ''
    log_level: str = ''
    use_sim_time: bool | None = None
    profile: Path | None = None
    watched: bool = False

    @property
    def files(self) -> list[str]:
        """The parameter files; what a later one says counts."""
        if self.profile is None:
            return [str(self.params_file)]
        files = [str(self.profile), str(self.params_file)]
        return files[::-1] if self.params_file == _OWN_FILE else files


def common_arguments() -> list[DeclareLaunchArgument]:
    """Return the arguments that every launch file has."""
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
    """Return what refuses an argument that a launch file does not have, and launch would drop.

    One that includes the file has arguments of its own: then nothing is refused.

    Args:
        file: path of the launch file.
        declared: its arguments.
        package: whose launch file it is.
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
    """Return what was chosen.

    Raises:
        RuntimeError: the parameter file is not there, for which launch alone would only warn, or
            is no YAML, for which each node would die.
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
    """Return what the parameter files say of a text parameter of a node; empty: nothing."""
    said = ''
    for file in common.files:
        for section, content in (_document(Path(file)) or {}).items():
            if section.rpartition('/')[2] in (node, '**'):
                values = (content or {}).get('ros__parameters') or {}
                said = str(values.get(name, said))
    return said


def profile_action(common: Common) -> list[Action]:
    """Return what says that the parameter file undoes something of the robot's profile.

    A copy of the whole parameter file does so with all of it.
    """
    if common.profile is None or common.params_file == _OWN_FILE:
        return []
    changed = overridden(_document(common.profile) or {}, _document(common.params_file) or {})
    if not changed:
        return []
    return [LogInfo(msg=f'{common.params_file} says otherwise than {common.profile.name}, and '
                        f'counts: {", ".join(changed)}')]


def actions(processes: Iterable[Process], common: Common) -> list[ExecuteProcess]:
    """Return an action for each process."""
    return [_node(process, common) if process.is_node else _plain(process)
            for process in processes]


def rviz_action(common: Common) -> Action:
    """Return RViz, whose topics are relative to the namespace; it may be closed at any time.

    Where it is not installed, the others do without it, and that is said.
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
    # A text stays one, whatever it looks like: a map may be called 3.
    values = {name: ParameterValue(value, value_type=type(value))
              for name, value in process.parameters.items()}
    ros_arguments = ['--log-level', common.log_level] if common.log_level else []
    # Name and namespace are told, so that launch writes the values under the full name, which
    # goes before the wildcards of the parameter file.
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
    # What the others do without may end; launch itself tells of it.
    return ExecuteProcess(cmd=[program, *process.arguments], name=process.name, prefix=_PREFIX,
                          output='screen', additional_env=ONE_THREAD,
                          on_exit=_Ended() if process.needed else None)


class _Ended:
    """What the end of a process means for the others."""

    def __init__(self, restarts: int = 0) -> None:
        """Say how often launch starts it again."""
        self._restarts = restarts
        self._ended = 0

    def __call__(self, event: ProcessExited, context: LaunchContext) -> Action | None:
        """End everything where it ended by itself, or was killed too often.

        Raises:
            RuntimeError: it was not asked to end; launch exits with code 1 then.
        """
        if context.is_shutdown:
            return None
        name = event.process_name.rsplit('-', 1)[0]
        if event.returncode == 0:
            # On Ctrl-C a process may have ended before launch itself has heard of it.
            return EmitEvent(event=Shutdown(reason=f'{name} was asked to end'))
        self._ended += 1
        pause_s = _PAUSE_S * 2 ** (self._ended - 1)
        # launch has one pause for all restarts, which it reads anew, before this is called.
        event.action._ExecuteLocal__respawn_delay = 2 * pause_s
        # By itself it ends for a reason that it says, and that a start anew does not mend.
        if event.returncode < 0 and self._ended <= self._restarts:
            return LogInfo(msg=f'{name} ended with code {event.returncode}; starting it again '
                           f'({self._ended} of {self._restarts}) in {pause_s:g} s')
        raise RuntimeError(f'{name} ended with code {event.returncode}; '
                           'ending the others, for they cannot do without it')
