"""Replies to tool queries for the reachability of a place."""

import logging

from semantic_nav.contracts import schemas
from semantic_nav.contracts.documents import Reachability, ToolQuery, ToolReply
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.schemas import Json
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, GoalPose, Rejection, words_of
from semantic_nav.verify.planning.revisit import viewpoint_of

_log = logging.getLogger(__name__)


def reply_to(query: ToolQuery, situation: Situation) -> ToolReply:
    """Reply to a query; it tells an error too."""
    try:
        return ToolReply(query.tool, reach=reachability(query.arguments, situation))
    except ContractError as error:
        return ToolReply(query.tool, str(error))
    except Exception as error:  # noqa: BLE001
        _log.exception('the checks of a query failed')
        return ToolReply(query.tool, words_of(error))


def reachability(arguments: Json, situation: Situation) -> Reachability:
    """Reachability of a candidate or a point by the verifier's own checks, without Nav2.

    Args:
        arguments: `node_id`, or `x` and `y` in the map frame, in m.
        situation: current situation.

    Raises:
        ContractError: the arguments are not valid.
    """
    schemas.check('tool_check_reachable', arguments)
    goal = first_rejection(situation, HERE, PLANNED) or _goal_of(arguments, situation)
    if isinstance(goal, Rejection):
        return Reachability(False, goal.code, goal.reason, None)
    way_m = situation.surroundings.way_to(goal.x, goal.y)
    return Reachability(True, Code.OK, _words_of(goal), round(way_m, 2))


def _goal_of(arguments: Json, situation: Situation) -> Pose2D | Rejection:
    if 'node_id' in arguments:
        return viewpoint_of(arguments['node_id'], situation)
    x, y = float(arguments['x']), float(arguments['y'])
    goal = GoalPose(x, y)
    return first_rejection(situation, goal) or goal.pose


def _words_of(goal: Pose2D) -> str:
    return f'the robot could stand at ({goal.x:.2f}, {goal.y:.2f})'
