"""The cases of a benchmark: home, goal and robot."""

from dataclasses import dataclass, fields

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.goal_text import refusal_of
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.config import VerifierConfig
from semantic_nav_sim.bench.ablations import ABLATIONS, WHOLE
from semantic_nav_sim.bench.bodies import BODIES, FULL
from semantic_nav_sim.bench.labels import Label
from semantic_nav_sim.detector.centernet import Detector
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.policies.compared import POLICIES
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.config import RobotConfig
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import shape_of
from semantic_nav_sim.world.generator.home_names import parts_of
from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.world_files import GENERATED

#: The `policy` of the bound, which is no policy of the product: see `bound`.
INFORMED = 'informed'
#: Profile of a model with the error rates of published measurements.
MEASURED = 'measured'
#: Ways to carry out a mission: the cores in one process in simulated time, or the nodes and the
#: simulator's processes in real time.
CORES, NODES = 'cores', 'nodes'


@dataclass(frozen=True, kw_only=True)
class Options:
    """The robot and its surroundings, as far as they do not depend on the home.

    Attributes:
        model_profile, robot_profile, navigator_profile: faults of each.
        people, moving_doors: number of people who walk about, and whether doors move.
        moved: share of the seeded objects that lie elsewhere in the second mission.
        usual_places: whether seeded objects lie in their usual places, see `stage`.
        embedder: of the memory.
        body: of the robot, one of `bodies.BODIES`.
        body_shape: of its base, see `shape_of`.
        policy: of the search, one of `POLICIES`, or INFORMED.
        without: the part left out, one of `ABLATIONS`.
        through: CORES or NODES.
    """

    model_profile: str = 'default'
    robot_profile: str = 'default'
    navigator_profile: str = 'default'
    people: int = 0
    moving_doors: bool = False
    moved: float = 0.0
    usual_places: bool = False
    embedder: str = 'minilm'
    body: str = FULL
    body_shape: str = ''
    policy: str = VerifierConfig.policy
    without: str = WHOLE
    through: str = CORES


@dataclass(frozen=True)
class Case(Options):
    """One home and one target in it, for one or two missions.

    Attributes:
        world, seed: as the simulator takes them.
        goal: in words; success is to find any object that it means, or to say that it is absent.
        runs: 1, or 2 for a second mission with the map and memory of the first.
        fits: objects that the goal refers to, if its words alone do not say so.
    """

    world: str
    seed: int
    goal: str
    runs: int = 2
    fits: Label | None = None

    @property
    def options(self) -> Options:
        """The options without the case."""
        return Options(**{one.name: getattr(self, one.name) for one in fields(Options)})

    def __str__(self) -> str:
        """The name of the case in a report."""
        return f'{self.world} seed {self.seed}, {self.goal!r}'


def is_generated(world: str) -> bool:
    """Tell whether a world is generated from a number, so that it never changes."""
    return world.partition(':')[0] == GENERATED


def check_case(case: Case) -> None:
    """Check that a case can be carried out, as far as possible without generating its world.

    Raises:
        ConfigError: a profile or the world does not exist, a value is out of range, or the
            detector is required but not installed.
    """
    if is_generated(case.world):
        parts_of(case.world)
    else:
        load_world(case.world)
    model = load_profile(ModelProfile, case.model_profile)
    load_profile(NavigatorProfile, case.navigator_profile)
    load_profile(RobotProfile, case.robot_profile)
    build(MemoryConfig, {'embedder': case.embedder})
    build(RobotConfig, {'people': case.people})
    if case.policy not in (INFORMED, *POLICIES):
        raise ConfigError(f'no policy is named {case.policy!r}; there are '
                          f'{", ".join((*POLICIES, INFORMED))}')
    if case.body not in BODIES:
        raise ConfigError(f'no body is named {case.body!r}; there are {", ".join(BODIES)}')
    if model.eyes.detector:
        if case.body != FULL:
            raise ConfigError(f'the detector looks at pixels: --body {FULL} draws them, '
                              f'{case.body} does not')
        Detector()
    if case.without not in ABLATIONS:
        raise ConfigError(f'no part is named {case.without!r}; there are {", ".join(ABLATIONS)}')
    shape_of(case.body_shape)
    if case.through == NODES:
        _check_nodes(case)
    refusal = refusal_of(case.goal, BeliefConfig().max_goal_chars)
    if refusal:
        raise ConfigError(f'the goal {case.goal[:60]!r} is refused: {refusal}')


def _check_nodes(case: Case) -> None:
    if case.body != FULL:
        raise ConfigError(f'through the nodes there is the {FULL} body only: leave --body '
                          f'{case.body} out')
    if case.moved:
        raise ConfigError('through the nodes nothing lies elsewhere at the second mission: leave '
                          '--moved out')
    if case.policy == INFORMED:
        raise ConfigError(f'{INFORMED} is a bound, which no node computes')
    build(VerifierConfig, {'policy': case.policy})
