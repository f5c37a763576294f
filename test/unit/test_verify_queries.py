"""What the verifier answers to those who only ask where the robot could drive."""

from typing import Any

import numpy as np
import pytest
from builders import Block, Room, candidate, canonical
from verifier_rig import TABLE, VerifierRig

from semantic_nav.contracts.documents import Document, Reachability, ToolQuery, ToolReply
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code, QueryTool
from semantic_nav.verify.events import CostmapReceived

NODE = candidate('memory-1', Pose2D(6.5, 1.5, 2.0))


def ask(rig: VerifierRig, tool: QueryTool = QueryTool.CHECK_REACHABLE, /, goal: str = 'goal-s-1',
        **arguments: Any) -> ToolReply | None:
    """Ask, see that a reply is all that comes of it, and return the reply."""
    asked = rig.say(ToolQuery(tool, arguments, 5.0), goal=goal)
    if not rig.out:
        return None
    (document,) = rig.out
    assert isinstance(document, Document) and isinstance(document.body, ToolReply)
    assert (document.cause_id, document.goal_id) == (asked.id, goal)
    return document.body


def reach(rig: VerifierRig, **arguments: Any) -> Reachability:
    reply = ask(rig, **arguments)
    assert reply is not None and reply.error == '' and reply.reach is not None
    return reply.reach


def test_clear_point_is_reachable_and_its_way_is_told() -> None:
    answer = reach(VerifierRig(), x=2.0, y=4.5)
    assert (answer.reachable, answer.code) == (True, Code.OK)
    assert answer.way_m == pytest.approx(1.5, abs=0.1)


def test_way_goes_round_what_stands_between() -> None:
    answer = reach(VerifierRig(Room(blocks=[Block((4.0, 4.4), (0.1, 4.5))])), x=6.5, y=3.0)
    assert answer.reachable and answer.way_m is not None and answer.way_m > 5.5


@pytest.mark.parametrize(('room', 'x', 'y', 'code'), [
    (Room(blocks=[TABLE]), 4.4, 3.0, Code.COLLISION_DETECTED),
    (Room(), 100.0, 3.0, Code.OUT_OF_MAP),
    (Room(blocks=[Block((4.0, 4.4), (0.1, 5.9))]), 6.5, 3.0, Code.UNREACHABLE)])
def test_doubt_of_the_checks_is_the_answer(room: Room, x: float, y: float, code: Code) -> None:
    answer = reach(VerifierRig(room), x=x, y=y)
    assert (answer.reachable, answer.code, answer.way_m) == (False, code, None)
    assert answer.reason


def test_candidate_is_judged_as_a_goal_would_be() -> None:
    rig = VerifierRig()
    assert reach(rig, node_id='memory-1').code is Code.UNKNOWN_NODE
    rig.remember(NODE)
    assert reach(rig, node_id='memory-1').code is Code.OK
    rig.try_(canonical('goto_node', node_id='memory-1'))
    rig.path()
    rig.finish('aborted', 208)
    rig.stand()
    assert reach(rig, node_id='memory-1').code is Code.REPEATED_FAILURE


def test_nothing_is_said_of_what_nobody_knows_now() -> None:
    rig = VerifierRig()
    rig.clock.advance(20.0)
    assert reach(rig, x=2.0, y=4.5).code is Code.POSE_UNAVAILABLE
    rig.hear_pose()
    assert reach(rig, x=2.0, y=4.5).code is Code.MAP_UNAVAILABLE


@pytest.mark.parametrize('arguments', [
    {}, {'x': 1.0}, {'x': 1.0, 'y': 1.0, 'node_id': 'memory-1'}, {'node_id': 'n', 'x': 1.0},
    {'x': 'far', 'y': 1.0}, {'node_id': 'n', 'drive': True}, {'x': 1e300, 'y': 0.0}])
def test_wrong_arguments_are_an_error_in_words(arguments: dict[str, Any]) -> None:
    reply = ask(VerifierRig(), **arguments)
    assert reply is not None and reply.reach is None and 'check_reachable' in reply.error


def test_checks_that_break_are_an_error_in_words() -> None:
    rig = VerifierRig()
    rig.hear(CostmapReceived(OccupancyGrid(np.full((120, 160), '?'), 0.05, 0.0, 0.0, 'map',
                                           rig.clock.now.clock_ns)))
    reply = ask(rig, x=2.0, y=4.5)
    assert reply is not None and reply.reach is None and 'the checks failed' in reply.error


def test_queries_of_other_goals_and_for_the_memory_are_dropped() -> None:
    rig = VerifierRig()
    assert ask(rig, goal='goal-other', x=2.0, y=4.5) is None
    assert ask(rig, QueryTool.RECALL_PLACES, query='bed') is None
    fresh = VerifierRig(ready=False)
    assert ask(fresh, goal='', x=2.0, y=4.5) is None


def test_query_during_a_drive_leaves_it_alone() -> None:
    rig = VerifierRig()
    rig.remember(NODE)
    rig.approach_mug()
    effects = list(rig.effects)
    assert reach(rig, node_id='memory-1').reachable
    assert reach(rig, x=2.0, y=4.5).reachable
    assert rig.effects == effects
    rig.finish()
    rig.stand()
    assert rig.result is not None
