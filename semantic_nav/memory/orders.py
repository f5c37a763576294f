"""An operator's changes of the memory: the name of a place, and its removal."""

import math
from collections.abc import Callable

from semantic_nav.contracts import schemas
from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import STILL_LOADING, Document, ToolQuery, ToolReply
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.memory.answers import Publish, describe
from semantic_nav.memory.events import ForgetPlace, HidePlace, ShowPlaces
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.place import Place
from semantic_nav.memory.saver import Saver, StoreState

#: Stands for the remembered place that is nearest to the robot.
HERE = 'here'
#: Largest distance to that place, in m.
_HERE_M = 1.0
ORDERS = (QueryTool.NAME_PLACE, QueryTool.FORGET_PLACE)


class Orders:
    """Carries orders out, and replies once they are on the disk, or when that fails.

    The reply describes the place as it is then; a forgotten one as it was.
    """

    def __init__(self, map_id: str, graph: PlaceGraph, saver: Saver,
                 robot: Callable[[Now], Pose2D | None], embed: Callable[[str], None],
                 publish: Publish) -> None:
        """Change a graph.

        Args:
            map_id: of its map.
            graph: the places.
            saver: writes the changes.
            robot: returns the robot's pose in the map frame; None if unknown.
            embed: takes the id of a place whose words have changed.
            publish: makes the document of a reply.
        """
        self._map_id, self._graph, self._saver, self._robot = map_id, graph, saver, robot
        self._embed, self._publish = embed, publish
        # Order and pending reply, by the id of the place that is being written.
        self._unwritten: dict[str, tuple[Document, ToolReply]] = {}

    def take(self, document: Document, query: ToolQuery, now: Now) -> list[Output]:
        """The effects of an order, or the reply that refuses it.

        Args:
            document: the query's.
            query: its body.
            now: for the reply.
        """
        place, error = self._place_of(document, query, now)
        if place is None:
            return [self._publish(document, ToolReply(query.tool, error), now)]
        if query.tool is QueryTool.FORGET_PLACE:
            told = describe(place, self._graph, now)
            self._graph.forget(place.id)
            outputs: list[Output] = [*self._saver.forget(ForgetPlace(self._map_id, place.id)),
                                     HidePlace(place.id)]
        else:
            changed = self._graph.name(place.id, query.arguments['name'].strip())
            for one in changed:
                self._embed(one.id)
            told = describe(changed[-1], self._graph, now)
            outputs = [*(write for one in changed for write in self._saver.save(one)),
                       ShowPlaces(tuple(changed), ())]
        self._unwritten[place.id] = document, ToolReply(query.tool, place=told)
        return outputs

    def written(self, place_id: str, failure: str, now: Now) -> list[Output]:
        """Reply to the order on a place, if any; `failure` is the reason of a failed write."""
        asked = self._unwritten.pop(place_id, None)
        if asked is None:
            return []
        document, reply = asked
        if failure:
            reply = ToolReply(reply.tool, f'not on the disk yet, and tried again: {failure}')
        return [self._publish(document, reply, now)]

    def _place_of(self, document: Document, query: ToolQuery,
                  now: Now) -> tuple[Place | None, str]:
        """The place that an order is for, or the reason of a refusal."""
        refusal = self._refusal(document, query, now)
        if refusal:
            return None, refusal
        node_id = query.arguments['node_id']
        if node_id == HERE and query.tool is QueryTool.NAME_PLACE:
            return self._nearest(now)
        place = self._graph.index.get(node_id)
        return place, '' if place is not None else f'no place {node_id} is remembered'

    def _refusal(self, document: Document, query: ToolQuery, now: Now) -> str:
        if document.goal_id:
            # A client that acts for a goal may have got the order from a model.
            return 'no goal changes what is remembered'
        try:
            schemas.check(f'tool_{query.tool}', query.arguments)
        except ContractError as error:
            return str(error)
        if seconds(now.clock_ns - document.stamp_ns) > query.deadline_s:
            # The client was told that nobody answers, and the robot may be elsewhere.
            return 'it came too late'
        if self._saver.state is not StoreState.READY:
            return STILL_LOADING if self._saver.state is StoreState.LOADING else (
                f'the memory cannot be written: {self._saver.reason}')
        name = query.arguments.get('name', '').strip()
        if name == HERE or not name.isprintable():
            return f'no place can be called {name!a}'
        return ''

    def _nearest(self, now: Now) -> tuple[Place | None, str]:
        robot = self._robot(now)
        if robot is None:
            return None, 'the robot does not know where it is'
        near = self._graph.index.near(robot, _HERE_M, math.pi)
        return (near[0], '') if near else (
            None, f'nothing is remembered within {_HERE_M:g} m of the robot; it must look there '
                  'first')
