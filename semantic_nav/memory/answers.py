"""Answers to queries about places; they change neither the memory nor its offers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts import schemas
from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import (
    STILL_LOADING,
    Document,
    PlaceDescription,
    ToolQuery,
    ToolReply,
    Way,
)
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.names import meant
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.memory.embed_queue import checked
from semantic_nav.memory.events import Embed
from semantic_nav.memory.goal import candidate_of
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.place import Place
from semantic_nav.memory.retrieval import QueryPose, Ranked, Ranking

TOOLS = (QueryTool.RECALL_PLACES, QueryTool.DESCRIBE_PLACE)
_PLACES = 5
#: Most recalls that wait for their embedding at once; a further one is refused.
_MAX_WAITING = 4
#: Most ways in a description.
_MAX_WAYS = 8

#: Makes the document of a reply.
Publish = Callable[[Document, ToolReply, Now], Document]


@dataclass(frozen=True)
class _Recall:
    query: Document
    text: str
    limit: int
    due_steady_ns: int


class Answers:
    """Replies to queries, at once or after the words of a recall are embedded; never too late."""

    def __init__(self, embed_ids: Ids, graph: PlaceGraph, ranking: Ranking,
                 robot: Callable[[Now], Pose2D | None], publish: Publish) -> None:
        """Answer from a graph.

        Args:
            embed_ids: mints the ids of embeddings.
            graph: the places.
            ranking: compares places with a recall's words.
            robot: returns the robot's pose in the map frame; None if unknown.
            publish: makes the document of a reply.
        """
        self._robot = robot
        self._embed_ids = embed_ids
        self._ranking = ranking
        self._graph = graph
        self._publish = publish
        self._waiting: dict[str, _Recall] = {}

    def clear(self) -> None:
        """Drop the waiting recalls: their embeddings are not expected any more."""
        self._waiting.clear()

    def take(self, document: Document, query: ToolQuery, now: Now, *,
             loaded: bool) -> list[Output]:
        """The reply to a query of the goal in hand, or the embedding that it needs first.

        Args:
            document: the query's.
            query: its body.
            now: start of the deadline.
            loaded: embedder and store are there.
        """
        try:
            schemas.check(f'tool_{query.tool}', query.arguments)
        except ContractError as error:
            return [self._refusal(document, query.tool, str(error), now)]
        if not loaded:
            return [self._refusal(document, query.tool, STILL_LOADING, now)]
        if query.tool is QueryTool.DESCRIBE_PLACE:
            return [self._describe(document, query.arguments['node_id'], now)]
        self._drop_late(now)
        if len(self._waiting) >= _MAX_WAITING:
            return [self._refusal(document, query.tool, 'too many queries at once', now)]
        text = query.arguments['query']
        # JSON Schema calls 1.0 an integer too.
        limit = int(query.arguments.get('k', _PLACES))
        request_id = self._embed_ids.mint()
        self._waiting[request_id] = _Recall(
            document, text, limit, now.steady_ns + nanoseconds(query.deadline_s))
        return [Embed(request_id, (text,))]

    def embedded(self, request_id: str, vectors: NDArray[np.float32] | None, reason: str,
                 dimension: int, now: Now) -> list[Output] | None:
        """The reply that an embedding makes possible; None if no recall waits for it.

        Args:
            request_id: of the embedding.
            vectors: shape (1, d); None if the embedder failed.
            reason: of that failure; only the words are compared then.
            dimension: of the embedder, d.
            now: after the recall's deadline there is no reply.
        """
        recall = self._waiting.pop(request_id, None)
        if recall is None:
            return None
        if now.steady_ns > recall.due_steady_ns:
            return []
        vectors, reason = checked(vectors, reason, 1, dimension)
        index = self._graph.index
        asked = self._ranking.query(
            recall.text, vectors[0] if vectors is not None else None, reason)
        here = QueryPose(self._robot(now), now)
        places = tuple(candidate_of(match, index, here) for match in Ranked(
            self._ranking, index, asked).best_from(here, recall.limit))
        reply = ToolReply(QueryTool.RECALL_PLACES, places=places)
        return [self._publish(recall.query, reply, now)]

    def _describe(self, document: Document, words: str, now: Now) -> Document:
        """Describe the place of an id, or of a name in an operator's spelling."""
        index = self._graph.index
        place = next(iter(index.called(words)), None)
        if place is None:
            near = meant(words, sorted({one.name for one in index.places if one.name}))
            return self._refusal(document, QueryTool.DESCRIBE_PLACE,
                                 f'no place {words} is remembered{near}', now)
        return self._publish(document, ToolReply(
            QueryTool.DESCRIBE_PLACE, place=describe(place, self._graph, now)), now)

    def _drop_late(self, now: Now) -> None:
        self._waiting = {request_id: recall for request_id, recall in self._waiting.items()
                         if now.steady_ns <= recall.due_steady_ns}

    def _refusal(self, document: Document, tool: QueryTool, error: str, now: Now) -> Document:
        return self._publish(document, ToolReply(tool, error), now)


def describe(place: Place, graph: PlaceGraph, now: Now) -> PlaceDescription:
    """The description of a place: all that is remembered of it."""
    return PlaceDescription(
        node_id=place.id, pose=place.pose, kind=place.kind, summary=place.summary,
        tags=place.tags, visits=place.visits,
        seen_ago_s=seconds(now.calendar_ns - place.last_seen_calendar_ns),
        provenance=place.session, ways=tuple(_ways_from(place.id, graph)), name=place.name)


def _ways_from(place_id: str, graph: PlaceGraph) -> Sequence[Way]:
    ways = [Way(edge.to_id if edge.from_id == place_id else edge.from_id, edge.length_m)
            for edge in graph.ways_of(place_id)]
    return sorted(ways, key=lambda way: (way.length_m, way.node_id))[:_MAX_WAYS]
