"""The memory: remembers places as the robot looks around, and offers them for a goal."""

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import DocumentReceived, Event, Output, Tick
from semantic_nav.contracts.documents import (
    Belief,
    Document,
    Hypothesis,
    Observation,
    RobotPose,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Phase, Source
from semantic_nav.memory.answers import TOOLS, Answers
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.embed_queue import EmbedQueue, checked
from semantic_nav.memory.events import (
    Embed,
    Embedded,
    EmbedFailed,
    LoadStore,
    PlaceSaved,
    SaveFailed,
    Started,
    StoreFailed,
    StoreLoaded,
)
from semantic_nav.memory.goal import OpenGoal, offer
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.place import Edge, Place, PlaceVector
from semantic_nav.memory.saver import Saver, StoreState
from semantic_nav.memory.scene import read_view
from semantic_nav.memory.status import MemoryStatus
from semantic_nav.memory.trail import Trail

_log = logging.getLogger(__name__)

_FRAME = 'map'
#: Observations that wait for their hypothesis; the oldest is taken without it.
_MAX_EARLY = 2
#: Hypotheses whose observation may still come.
_MAX_HYPOTHESES = 64
#: Looks that wait for the store to open.
_MAX_WAITING = 16


class MemoryCore:
    """Places along the driven path, and candidates for the goal among them.

    A look of the model becomes a place at the pose that it was taken from, or refreshes the place
    that is there. While the store is loading, looks wait; where it failed, the memory lasts no
    longer than the session.
    """

    def __init__(self, config: MemoryConfig, session: str, seed: int = 0) -> None:
        """Begin empty; nothing here is random, so the seed changes nothing."""
        del seed
        self._config = config
        self._ids = Ids('memory', session)
        self._embed_ids = Ids('embed', session)
        self._graph = PlaceGraph(config, session)
        self._queue = EmbedQueue(self._embed_ids)
        self._answers = Answers(self._embed_ids, self._graph, self._reply)
        self._saver = Saver()
        self._trail = Trail(config.pose_timeout_s, config.place_spacing_m)
        self._embedder: Started | None = None
        self._hypotheses: OrderedDict[str, Hypothesis] = OrderedDict()
        self._early: OrderedDict[str, Document] = OrderedDict()
        self._waiting: deque[Document] = deque(maxlen=_MAX_WAITING)
        self._goal: OpenGoal | None = None
        self._untrusted_looks = 0
        self._out: list[Output] = []
        self._of_event: dict[type[Event], Callable[[Any, Now], None]] = {
            DocumentReceived: self._on_document, Tick: self._on_tick, Started: self._on_started,
            StoreLoaded: self._on_store_loaded, StoreFailed: self._on_store_failed,
            Embedded: self._on_embedded, EmbedFailed: self._on_embed_failed,
            PlaceSaved: self._on_saved, SaveFailed: self._on_save_failed}
        self._of_body: dict[type, Callable[[Document, Any, Now], None]] = {
            RobotPose: self._on_pose, Hypothesis: self._on_hypothesis,
            Observation: self._on_observation, Belief: self._on_belief,
            ToolQuery: self._on_query}

    @property
    def wants_ticks(self) -> bool:
        """Time matters while something is to be written again."""
        return self._saver.unsaved > 0

    @property
    def places(self) -> Sequence[Place]:
        """All places of the map."""
        return self._graph.index.places

    @property
    def edges(self) -> Iterable[Edge]:
        """All ways between places."""
        return self._graph.edges

    @property
    def revision(self) -> int:
        """Goes up with every change of places and edges."""
        return self._graph.revision

    @property
    def status(self) -> MemoryStatus:
        """The memory's health."""
        return MemoryStatus(
            store=self._saver.state, store_reason=self._saver.reason,
            embedder=self._embedder.embedder if self._embedder is not None else '',
            places=len(self.places), edges=len(self._graph.edges),
            unembedded=len(self.places) - self._graph.index.vectors_total,
            unsaved=self._saver.unsaved,
            checked=len(self._goal.checked) if self._goal is not None else 0,
            untrusted_looks=self._untrusted_looks)

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Take one event in and return the effects and documents that follow."""
        self._out = []
        self._of_event[type(event)](event, now)
        return self._out

    # Store and embedder

    def _on_started(self, event: Started, now: Now) -> None:
        del now
        self._embedder = event
        self._graph.expect_vectors(event.dimension)
        self._queue.clear()
        self._answers.clear()
        self._saver.state = StoreState.LOADING
        self._out.append(LoadStore(self._config.map_id, event.embedder, event.dimension))
        if self._goal is not None:
            self._embed_goal(self._goal)

    def _on_store_loaded(self, event: StoreLoaded, now: Now) -> None:
        self._saver.opened()
        stored = {place.id: place for place in event.places}
        for place in self.places:
            # Made while no store was open.
            if place != stored.get(place.id):
                self._out += self._saver.save(place)
        self._graph.add(event.places, event.edges)
        index = self._graph.index
        for place_id, values in zip(event.vector_ids, event.vectors, strict=True):
            if index.get(place_id) == stored.get(place_id):
                index.set_vector(place_id, values)
        self._begin_work(now)

    def _on_store_failed(self, event: StoreFailed, now: Now) -> None:
        self._saver.failed(event.reason)
        self._begin_work(now)

    def _begin_work(self, now: Now) -> None:
        for place in self._graph.index.unembedded:
            self._queue.put_last(place.id)
        while self._waiting:
            self._take_look(self._waiting.popleft(), now)
        self._embed_places()
        self._offer(now)

    def _on_saved(self, event: PlaceSaved, now: Now) -> None:
        del event, now
        self._saver.place_saved()

    def _on_save_failed(self, event: SaveFailed, now: Now) -> None:
        self._saver.place_failed(event, now)

    def _on_tick(self, event: Tick, now: Now) -> None:
        del event
        self._out += self._saver.again(now, self._graph.index.get, self._vector_of)

    def _vector_of(self, place_id: str) -> PlaceVector | None:
        values = self._graph.index.vector(place_id)
        if values is None or self._embedder is None:
            return None
        return PlaceVector(place_id, self._embedder.embedder, values)

    def _embed_places(self) -> None:
        if self._embedder is not None:
            request = self._queue.next_request(self._graph.index.get)
            if request is not None:
                self._out.append(request)

    def _on_embedded(self, event: Embedded, now: Now) -> None:
        self._end_embedding(event.request_id, event.vectors, '', now)

    def _on_embed_failed(self, event: EmbedFailed, now: Now) -> None:
        self._end_embedding(event.request_id, None, event.reason, now)

    def _end_embedding(self, request_id: str, vectors: NDArray[np.float32] | None, reason: str,
                       now: Now) -> None:
        goal, embedder = self._goal, self._embedder
        if embedder is None:
            return
        answers = self._answers.embedded(request_id, vectors, reason, embedder.dimension, now)
        if answers is not None:
            self._out += answers
            return
        request = self._queue.request
        if request is not None and request.request_id == request_id:
            vectors, reason = checked(vectors, reason, len(request.texts), embedder.dimension)
            if reason:
                _log.warning('places stay without embedding: %s', reason)
            for place, vector in self._queue.take(
                    embedder.embedder, vectors, self._graph.index.get):
                self._graph.index.set_vector(place.id, vector.values)
                self._out += self._saver.save(place, vector)
            self._embed_places()
        elif goal is not None and goal.request_id == request_id:
            vectors, reason = checked(vectors, reason, 1, embedder.dimension)
            goal.request_id = ''
            goal.vector = vectors[0] if vectors is not None else None
            goal.no_vector_reason = reason
        self._offer(now)

    # Where the robot is and what it sees

    def _on_document(self, event: DocumentReceived, now: Now) -> None:
        body = event.document.body
        self._of_body[type(body)](event.document, body, now)

    def _on_pose(self, document: Document, robot: RobotPose, now: Now) -> None:
        del now
        self._trail.on_pose(document.stamp_ns, robot)

    def _on_hypothesis(self, document: Document, hypothesis: Hypothesis, now: Now) -> None:
        self._hypotheses[document.id] = hypothesis
        while len(self._hypotheses) > _MAX_HYPOTHESES:
            self._hypotheses.popitem(last=False)
        early = self._early.pop(document.id, None)
        if early is not None:
            self._receive(early, now)

    def _on_observation(self, document: Document, observation: Observation, now: Now) -> None:
        if observation.source is not Source.MODEL or observation.pose is None:
            return
        if document.cause_id in self._hypotheses:
            self._receive(document, now)
            return
        # Topics overtake each other: the names of what was seen come with the hypothesis.
        same_cause = self._early.pop(document.cause_id, None)
        if same_cause is not None:
            self._receive(same_cause, now)
        self._early[document.cause_id] = document
        while len(self._early) > _MAX_EARLY:
            self._receive(self._early.popitem(last=False)[1], now)

    def _receive(self, document: Document, now: Now) -> None:
        if not self._trail.trusted(now):
            self._untrusted_looks += 1
        elif self._saver.state is StoreState.LOADING:
            self._waiting.append(document)
        else:
            self._take_look(document, now)
            self._embed_places()
            self._offer(now)

    def _take_look(self, document: Document, now: Now) -> None:
        observation = document.body
        assert isinstance(observation, Observation)
        assert observation.pose is not None
        view = read_view(observation, self._hypotheses.get(document.cause_id))
        target_seen = any(item.is_target for item in observation.objects)
        if view.known:
            remembered = self._graph.remember(
                view, observation.pose, self._trail.driven_m(), now, target_seen=target_seen)
            self._trail.at_place()
            place = remembered.place
            self._out += self._saver.save(place, None, remembered.edge)
            if self._graph.index.vector(place.id) is None:
                self._queue.put_first(place.id)
        goal = self._goal
        if goal is not None and document.goal_id == goal.id:
            self._check_places(goal, observation, target_seen)

    def _check_places(self, goal: OpenGoal, observation: Observation, target_seen: bool) -> None:
        """Strike out the places whose viewpoint this look was taken from, or take them back."""
        assert observation.pose is not None
        seen = target_seen or (
            observation.track is not None and observation.target_bearing_rad is not None)
        looked_at = {place.id for place in self._graph.index.near(
            observation.pose, self._config.viewpoint_checked_m,
            self._config.viewpoint_checked_rad)}
        if seen:
            goal.checked -= looked_at
        else:
            goal.checked |= looked_at

    # The goal

    def _on_belief(self, document: Document, belief: Belief, now: Now) -> None:
        del now
        goal = self._goal
        same = goal is not None and document.goal_id == goal.id
        if belief.phase is Phase.FINISHED:
            # A goal that was refused at once leaves the one in hand alone.
            if same:
                self._goal = None
        elif document.goal_id and belief.goal_text and not (
                same and goal is not None and goal.text == belief.goal_text):
            checked = goal.checked if same and goal is not None else set()
            self._goal = OpenGoal(document.goal_id, belief.goal_text, document.id, checked=checked)
            self._embed_goal(self._goal)

    def _on_query(self, document: Document, query: ToolQuery, now: Now) -> None:
        if query.tool in TOOLS and self._goal is not None and document.goal_id == self._goal.id:
            loaded = self._embedder is not None and self._saver.state is not StoreState.LOADING
            self._out += self._answers.take(document, query, now, loaded=loaded)

    def _reply(self, query: Document, reply: ToolReply, now: Now) -> Document:
        return Document(self._ids.mint(), query.id, query.goal_id, now.clock_ns, _FRAME, reply)

    def _embed_goal(self, goal: OpenGoal) -> None:
        if self._embedder is not None:
            goal.request_id = self._embed_ids.mint()
            self._out.append(Embed(goal.request_id, (goal.text,)))

    def _offer(self, now: Now) -> None:
        """Publish the candidates where they are complete and differ from the last ones."""
        goal, embedder = self._goal, self._embedder
        if (goal is None or embedder is None or not goal.comparable
                or self._saver.state is StoreState.LOADING):
            return
        candidates = offer(goal, self._graph.index, self._config, embedder.embedder,
                           embedder.likely_threshold)
        if candidates != goal.published:
            goal.published = candidates
            self._out.append(Document(self._ids.mint(), goal.cause_id, goal.id, now.clock_ns,
                                      _FRAME, candidates))
