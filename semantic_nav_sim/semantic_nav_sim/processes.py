"""The processes of simulator and stand-ins: one list for the launch file and the demo.

Standard library only, like `semantic_nav.bringup.processes`.
"""

from dataclasses import dataclass, field
from typing import Any

from semantic_nav.bringup.processes import Process
from semantic_nav_sim.profile_files import AMCL, SLAM, names_in, profile_file
from semantic_nav_sim.robot.shape import shape_of
from semantic_nav_sim.share import PACKAGE


@dataclass(frozen=True)
class SimSettings:
    """Settings of the simulator and the stand-ins.

    Attributes:
        world: a folder of config/worlds, the path of another, or generated:SEED[:ROOMS[:wide]].
        seed: of start pose, places of movable things, and noise.
        truth_port, model_port: loopback ports of the simulator's truth and of the model server; 0
            for any free one, see `ports.with_ports`.
        model: name of the model on the server.
        model_profile: faults of the model server: names of config/profiles/model, with + between.
        people: number of people who walk about.
        moving_doors: whether inner doors close and open by themselves.
        usual_places: whether things that the seed places lie in their usual places.
        body_shape: of the robot's base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres;
            empty: round, 0.2.
        navigator_profile: faults of the stand-in for Nav2: names of config/profiles/navigator,
            with + between.
        robot_profile: faults of the robot: names of config/profiles/robot, with + between.
        mapping: whether the robot makes its map, from nothing or on from the saved one; without it
            the saved map is served, or the world's own floor plan.
        saved_map: YAML file of a saved map.
        save_map_to: folder in which the map is saved at the end.
        silent: data that the robot does not send, as in the parameter of `sim_robot`.
        common: parameters of all nodes among the processes.
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
        """The parameters of the verifier that depend on the robot."""
        return shape_of(self.body_shape).told

    @property
    def localiser(self) -> str:
        """The localiser of the simulated robot: AMCL on a saved map, SLAM that makes the map."""
        return SLAM if self.mapping and not self.saved_map else AMCL

    @property
    def base_url(self) -> str:
        """The URL of the stand-in for the model server."""
        return f'http://127.0.0.1:{self.model_port}'

    @property
    def truth_url(self) -> str:
        """The URL of the simulator's truth, for stand-ins and judges only."""
        return f'http://127.0.0.1:{self.truth_port}'


def simulator_processes(settings: SimSettings) -> list[Process]:
    """The simulated robot and the stand-ins for Nav2 and the model server."""
    mapped = settings.mapping or settings.saved_map
    robot = Process('sim_robot', 'semantic_nav_sim.robot_node', 'sim_robot',
                    {**settings.common, 'world': settings.world, 'seed': settings.seed,
                     'profile': settings.robot_profile, 'localiser': settings.localiser,
                     'truth_port': settings.truth_port, 'people': settings.people,
                     'moving_doors': settings.moving_doors,
                     'usual_places': settings.usual_places, 'shape': settings.body_shape,
                     'silent': settings.silent}, package=PACKAGE)
    shape = shape_of(settings.body_shape)
    mapper = Process('sim_mapper', 'semantic_nav_sim.mapper_node', 'sim_mapper',
                     {**settings.common, 'map': settings.saved_map, 'update': settings.mapping,
                      'save_to': settings.save_map_to,
                      'robot_profile': settings.robot_profile}, package=PACKAGE)
    return [
        robot,
        *([mapper] if mapped else []),
        Process('sim_navigator', 'semantic_nav_sim.navigator_node', 'sim_navigator',
                {**settings.common, 'world': '' if mapped else settings.world,
                 'robot_profile': settings.robot_profile,
                 'profile': settings.navigator_profile, 'robot_radius': shape.nav2_radius_m,
                 'footprint': shape.footprint}, package=PACKAGE),
        Process('sim_model_server', 'semantic_nav_sim.model_server', 'sim_model_server',
                arguments=('--port', str(settings.model_port), '--model', settings.model,
                           '--eyes-url', settings.truth_url, '--seed', str(settings.seed),
                           '--profile', settings.model_profile),
                # Without a model the robot uses its fallback.
                needed=False, package=PACKAGE),
    ]


def check_profile_names(settings: SimSettings) -> None:
    """Check that the profiles exist; they are not read.

    Raises:
        ConfigError: one does not.
    """
    for part, choice in (('model', settings.model_profile), ('robot', settings.robot_profile),
                         ('navigator', settings.navigator_profile)):
        for name in names_in(choice):
            profile_file(part, name)
