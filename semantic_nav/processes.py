"""The processes of a robot and of the built-in simulator: one list for launch files and demo.

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
        executable: run as `ros2 run semantic_nav <executable>`.
        parameters: ROS parameters that differ from the parameter file.
        arguments: of the command line; a process with these is no ROS node.
        needed: the others cannot do without it.
        restarts: how often it is started again where something killed it.
    """

    name: str
    module: str
    executable: str
    parameters: dict[str, Any] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    needed: bool = True
    restarts: int = 0

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


@dataclass(frozen=True)
class SimSettings:
    """What is chosen for the simulator and the stand-ins.

    Attributes:
        world: a folder of config/worlds, the path of another, or generated:SEED[:ROOMS[:wide]].
        seed: start pose, places of movable things, noise.
        truth_port, model_port: loopback ports of the simulator's truth and of the model server;
            0 where any free one will do, see `ports.with_ports`.
        model: the name that the model server answers to.
        model_profile: what is wrong with it: names of config/profiles/model, with + between.
        people: how many walk about.
        moving_doors: whether the doors inside close and open by themselves.
        usual_places: whether things that the seed places lie where such things usually do.
        body_shape: of the robot's base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres;
            empty: round, 0.2.
        navigator_profile: what goes wrong with the stand-in for Nav2: names of
            config/profiles/navigator, with +.
        robot_profile: what is wrong with the robot: names of config/profiles/robot, with +.
        mapping: whether the robot makes its map, from nothing or on from the saved one; without
            it the saved map is served, or the world's own floor plan.
        saved_map: YAML file of a map that was saved before.
        save_map_to: folder in which the map is saved at the end.
        silent: what the robot does not send, by the names of the parameter of `sim_robot`.
        common: parameters of all nodes among them.
    """

    world: str = 'apartment'
    seed: int = 2
    truth_port: int = 0
    model_port: int = 0
    model: str = 'qwen2.5vl:7b'
    model_profile: str = 'default'
    people: int = 0
    moving_doors: bool = False
    usual_places: bool = False
    body_shape: str = ''
    navigator_profile: str = 'default'
    robot_profile: str = 'default'
    mapping: bool = False
    saved_map: str = ''
    save_map_to: str = ''
    silent: str = ''
    common: dict[str, Any] = field(default_factory=dict)

    @property
    def of_verifier(self) -> dict[str, Any]:
        """What the verifier must be told of the robot."""
        # Every command imports this module, and few have a body.
        from semantic_nav.sim.robot.shape import shape_of
        return shape_of(self.body_shape).told

    @property
    def localiser(self) -> str:
        """What the simulated robot localises with: AMCL on a saved map, or what makes it."""
        from semantic_nav.sim.profile_files import AMCL, SLAM
        return SLAM if self.mapping and not self.saved_map else AMCL

    @property
    def base_url(self) -> str:
        """Where the stand-in for the model server listens."""
        return f'http://127.0.0.1:{self.model_port}'

    @property
    def truth_url(self) -> str:
        """Where the simulator tells the truth, to stand-ins and judges only."""
        return f'http://127.0.0.1:{self.truth_port}'


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


def simulator_processes(settings: SimSettings) -> list[Process]:
    """Return the simulated robot and the stand-ins for Nav2 and the model server."""
    from semantic_nav.sim.robot.shape import shape_of
    mapped = settings.mapping or settings.saved_map
    robot = Process('sim_robot', 'semantic_nav.sim.robot_node', 'sim_robot',
                    {**settings.common, 'world': settings.world, 'seed': settings.seed,
                     'profile': settings.robot_profile, 'localiser': settings.localiser,
                     'truth_port': settings.truth_port, 'people': settings.people,
                     'moving_doors': settings.moving_doors,
                     'usual_places': settings.usual_places, 'shape': settings.body_shape,
                     'silent': settings.silent})
    shape = shape_of(settings.body_shape)
    mapper = Process('sim_mapper', 'semantic_nav.sim.mapper_node', 'sim_mapper',
                     {**settings.common, 'map': settings.saved_map, 'update': settings.mapping,
                      'save_to': settings.save_map_to,
                      'robot_profile': settings.robot_profile})
    return [
        robot,
        *([mapper] if mapped else []),
        Process('sim_navigator', 'semantic_nav.sim.navigator_node', 'sim_navigator',
                {**settings.common, 'world': '' if mapped else settings.world,
                 'robot_profile': settings.robot_profile,
                 'profile': settings.navigator_profile, 'robot_radius': shape.nav2_radius_m,
                 'footprint': shape.footprint}),
        Process('sim_model_server', 'semantic_nav.sim.model_server', 'sim_model_server',
                arguments=('--port', str(settings.model_port), '--model', settings.model,
                           '--eyes-url', settings.truth_url, '--seed', str(settings.seed),
                           '--profile', settings.model_profile),
                # The robot falls back where no model answers.
                needed=False),
    ]
