"""Whether the robot could drive somewhere, for those who only ask."""

from semantic_nav.contracts import schemas
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import Reachability
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.schemas import Json
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.planner import Planner
from semantic_nav.verify.world import Doubt, World


def reachability(arguments: Json, world: World, planner: Planner, now: Now) -> Reachability:
    """Return what the verifier's own checks say of a candidate or a point; nobody else is asked.

    Args:
        arguments: `node_id`, or `x` and `y` in the map frame in metres.
        world: pose, map and costmap.
        planner: knows the candidates and what was tried.
        now: against which ages count.

    Raises:
        ContractError: the arguments are others.
    """
    schemas.check('tool_check_reachable', arguments)
    goal = (planner.look_at_node(arguments['node_id'], now) if 'node_id' in arguments
            else planner.look_at_point(float(arguments['x']), float(arguments['y']), now))
    if isinstance(goal, Doubt):
        return Reachability(False, goal.code, goal.reason, None)
    way_m = world.way_to(goal.x, goal.y)
    return Reachability(True, Code.OK, _words_of(goal), round(way_m, 2))


def _words_of(goal: Pose2D) -> str:
    return f'the robot could stand at ({goal.x:.2f}, {goal.y:.2f})'
