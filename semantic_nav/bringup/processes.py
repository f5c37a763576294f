"""The processes of a robot: one list for launch files and demo.

Launch files run in the system's Python, which has none of the packages from PyPI: this module,
and what it imports, needs the standard library only.
"""

import shutil
from dataclasses import dataclass, field
from typing import Any

#: One thread of linear algebra in each: the same input gives the same bits, and whatever else
#: runs there keeps its cores. Counts for what is loaded later.
ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}


def ended_with_ours() -> tuple[str, ...]:
    """Return what has a process asked to end when ours is gone, where util-linux is there."""
    setpriv = shutil.which('setpriv')
    return (setpriv, '--pdeathsig', 'TERM', '--') if setpriv else ()


@dataclass(frozen=True)
class Process:
    """One process.

    Attributes:
        name: of the process, and of its node if it is one.
        module: run as `python -m <module>`.
        executable: run as `ros2 run <package> <executable>`.
        parameters: ROS parameters that differ from the parameter file.
        arguments: of the command line; a process with these is no ROS node.
        needed: the others cannot do without it.
        restarts: how often it is started again where something killed it.
        package: whose it is.
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
        """Tell whether it takes ROS parameters."""
        return not self.arguments


@dataclass(frozen=True)
class NavSettings:
    """What an operator chooses for the four nodes; empty leaves it to the parameter file.

    Attributes:
        common: parameters of all four.
        of_node: parameters of one, by its name.
        record: whether the topics are recorded.
        operator: whether the operator page is served.
        page_port: its port; 0 leaves it to the parameter file.
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
    """Return the four nodes of the product."""
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
    """Return the recorder, if it is wanted; started before the others it misses none of them."""
    recorder = Process('recorder', 'semantic_nav.nodes.recorder', 'recorder_node',
                       settings.common, needed=False)
    return [recorder] if settings.record else []


def ollama_process(settings: NavSettings) -> Process:
    """Return what has an Ollama server answer, with the model; the robot falls back without."""
    options = {'--backend': settings.vlm_backend, '--model': settings.model,
               '--base-url': settings.base_url}
    return Process('ollama', 'semantic_nav.cli.vlm', 'vlm', needed=False, arguments=(
        'serve', *(word for option, value in options.items() if value
                   for word in (option, value))))


def operator_processes(settings: NavSettings) -> list[Process]:
    """Return the operator page, if it is wanted; no mission needs it."""
    chosen = {**settings.of_node.get('operator', {}),
              **({'port': settings.page_port} if settings.page_port else {})}
    page = Process('operator', 'semantic_nav.operator.node', 'operator_node', chosen,
                   needed=False)
    return [page] if settings.operator else []
