"""Processes of a robot: one list for the launch files and the demo.

Launch files run in the system's Python, which has none of the packages from PyPI: this module and
its imports need the standard library only.
"""

import shutil
from dataclasses import dataclass, field
from typing import Any

#: One thread of linear algebra per process: the same input gives the same bits, and other
#: processes keep their cores. It takes effect for libraries that are loaded later.
ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}


def ended_with_ours() -> tuple[str, ...]:
    """Command prefix: a process gets SIGTERM when its parent dies; empty without util-linux."""
    setpriv = shutil.which('setpriv')
    return (setpriv, '--pdeathsig', 'TERM', '--') if setpriv else ()


@dataclass(frozen=True)
class Process:
    """A process of the robot.

    Attributes:
        name: name of the process, and of its node if it is one.
        module: run as `python -m <module>`.
        executable: run as `ros2 run <package> <executable>`.
        parameters: ROS parameters that differ from the parameter file.
        arguments: command-line arguments; a process that has any is no ROS node.
        needed: the others cannot do without it.
        restarts: number of restarts allowed after it was killed.
        package: package of the executable.
    """

    name: str
    module: str
    executable: str
    parameters: dict[str, Any] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    needed: bool = True
    restarts: int = 0
    package: str = 'semantic_nav'

    @property
    def is_node(self) -> bool:
        """Tell whether the process is a ROS node, which takes parameters."""
        return not self.arguments


@dataclass(frozen=True)
class NavSettings:
    """Choices of the operator for the four nodes; an empty one leaves it to the parameter file.

    Attributes:
        common: parameters of all four nodes.
        of_node: parameters of single nodes, by node name.
        record: the topics are recorded.
        operator: the operator page is served.
        page_port: port of the operator page; 0 leaves it to the parameter file.
    """

    vlm_backend: str = ''
    model: str = ''
    base_url: str = ''
    memory_db: str = ''
    map_id: str = ''
    common: dict[str, Any] = field(default_factory=dict)
    of_node: dict[str, dict[str, Any]] = field(default_factory=dict)
    record: bool = False
    operator: bool = False
    page_port: int = 0


def navigation_processes(settings: NavSettings) -> list[Process]:
    """The four nodes of the product."""
    def node(name: str, **values: str) -> Process:
        chosen = {key: value for key, value in values.items() if value}
        return Process(name, f'semantic_nav.nodes.{name}', f'{name}_node',
                       {**settings.common, **chosen, **settings.of_node.get(name, {})},
                       restarts=3)

    return [
        node('hypothesis', vlm_backend=settings.vlm_backend, model=settings.model,
             base_url=settings.base_url),
        node('memory', memory_db=settings.memory_db, map_id=settings.map_id),
        node('belief'),
        node('verifier'),
    ]


def recorder_processes(settings: NavSettings) -> list[Process]:
    """The recorder, if it is wanted; it must start first to miss none of the other nodes."""
    recorder = Process('recorder', 'semantic_nav.nodes.recorder', 'recorder_node',
                       settings.common, needed=False)
    return [recorder] if settings.record else []


def ollama_process(settings: NavSettings) -> Process:
    """Process of `vlm serve`: Ollama with the model; the robot falls back without it."""
    options = {'--backend': settings.vlm_backend, '--model': settings.model,
               '--base-url': settings.base_url}
    return Process('ollama', 'semantic_nav.cli.vlm', 'vlm', needed=False, arguments=(
        'serve', *(word for option, value in options.items() if value
                   for word in (option, value))))


def operator_processes(settings: NavSettings) -> list[Process]:
    """The operator page, if it is wanted; no mission needs it."""
    chosen = {**settings.of_node.get('operator', {}),
              **({'port': settings.page_port} if settings.page_port else {})}
    page = Process('operator', 'semantic_nav.operator.node', 'operator_node', chosen,
                   needed=False)
    return [page] if settings.operator else []
