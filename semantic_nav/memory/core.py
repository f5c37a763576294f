"""The memory: remembers places as the robot looks around, and offers them for a goal."""

import logging
from collections import deque
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import (
    Dispatch,
    Effect,
    Event,
    Output,
    StandingEffects,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import (
    Belief,
    Document,
    Hypothesis,
    Observation,
    RobotPose,
    Step,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.goal_in_hand import GoalChange
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Outcome, Purpose, Source
from semantic_nav.memory import health
from semantic_nav.memory.answers import TOOLS, Answers
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.embed_queue import EmbedQueue, checked
from semantic_nav.memory.events import (
    Embedded,
    EmbedFailed,
    ForgetFailed,
    LoadStore,
    PlaceForgotten,
    PlaceSaved,
    SaveFailed,
    ShowPlaces,
    Started,
    StoreFailed,
    StoreLoaded,
)
from semantic_nav.memory.goal import Offers
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.looks import LookPairing
from semantic_nav.memory.orders import ORDERS, Orders
from semantic_nav.memory.place import Found, PlaceVector
from semantic_nav.memory.retrieval import RANKINGS
from semantic_nav.memory.saver import Saver, StoreState
from semantic_nav.memory.scene import name_of_goal, read_view
from semantic_nav.memory.trail import Trail

_log = logging.getLogger(__name__)

#: Most looks that wait for the store to open.
_MAX_WAITING = 16


class MemoryCore:
    """Places along the driven path, and candidates for the goal among them.

    A look of the model becomes a place at the robot's pose, or refreshes the place that is there.
    While the store is loading, looks wait; if it failed, the memory lasts only for the session.
    """

    def __init__(self, config: MemoryConfig, session: str, seed: int = 0) -> None:
        """Start empty; nothing here is random, so the seed has no effect."""
        del seed
        self._config = config
        self._ids = Ids('memory', session)
        embed_ids = Ids('embed', session)
        self._graph = PlaceGraph(config, session)
        self._queue = EmbedQueue(embed_ids)
        self._saver = Saver()
        self._trail = Trail(config.pose_timeout_s, config.place_spacing_m)
        self._answers = Answers(embed_ids, self._graph, RANKINGS[config.ranking],
                                self._trail.robot, self._reply)
        self._offers = Offers(config, self._graph, self._ids, embed_ids, self._trail.robot)
        self._orders = Orders(
            config.map_id, self._graph, self._saver, self._trail.robot, self._embed_anew,
            self._reply)
        self._looks = LookPairing()
        self._started: Started | None = None
        self._waiting: deque[Document] = deque(maxlen=_MAX_WAITING)
        self._untrusted_looks = 0
        # The place of the last look that showed the target of the goal in hand.
        self._target_place = ''
        self._target_at: Found | None = None
        self._standing = StandingEffects()
        self._dispatch = self._wired()

    def _wired(self) -> Dispatch:
        dispatch = Dispatch()
        dispatch.on(Tick, self._on_tick)
        dispatch.on(Started, self._on_started)
        dispatch.on(StoreLoaded, self._on_store_loaded)
        dispatch.on(StoreFailed, self._on_store_failed)
        dispatch.on(PlaceSaved, self._on_saved)
        dispatch.on(SaveFailed, self._on_save_failed)
        dispatch.on(PlaceForgotten, self._on_forgotten)
        dispatch.on(ForgetFailed, self._on_forget_failed)
        dispatch.on(Embedded, lambda event, now: self._end_embedding(
            event.request_id, event.vectors, '', now))
        dispatch.on(EmbedFailed, lambda event, now: self._end_embedding(
            event.request_id, None, event.reason, now))
        dispatch.on_body(RobotPose, self._on_pose)
        dispatch.on_body(Hypothesis, self._on_hypothesis)
        dispatch.on_body(Observation, self._on_observation)
        dispatch.on_body(Step, self._follow)
        dispatch.on_body(Belief, self._follow)
        dispatch.on_body(ToolQuery, self._on_query)
        return dispatch

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Take one event in and return the effects and documents that follow."""
        outputs = self._dispatch(event, now)
        return [*outputs, *self._standing.changed(*self._standing_now())]

    def _standing_now(self) -> list[Effect]:
        # Ticks are needed while a failed write is to be repeated.
        effects: list[Effect] = [Ticking(self._saver.unsaved > 0)]
        if self._started is not None:
            effects += [
                health.store_report(self._config.memory_db, self._saver),
                health.embedder_report(self._started),
                health.places_report(self._graph, self._offers.looked_at, self._untrusted_looks)]
        if self._dispatch.dropped:
            effects.append(self._dispatch.report())
        return effects

    # Store and embedder

    def _on_started(self, event: Started, now: Now) -> list[Output]:
        del now
        self._started = event
        self._graph.expect_vectors(event.dimension)
        self._queue.clear()
        self._answers.clear()
        self._saver.loading()
        # The shell was restarted, and does not know the earlier effects.
        self._standing = StandingEffects()
        return [LoadStore(self._config.map_id, event.embedder, event.dimension),
                *self._offers.compare_with(event)]

    def _on_store_loaded(self, event: StoreLoaded, now: Now) -> list[Output]:
        self._saver.opened(event.left_out, event.left_out_reason)
        stored = {place.id: place for place in event.places}
        outputs: list[Output] = []
        for place in self._graph.index.places:
            # Made while no store was open.
            if place != stored.get(place.id):
                outputs += self._saver.save(place)
        self._graph.add(event.places, event.edges)
        index = self._graph.index
        for place_id, values in zip(event.vector_ids, event.vectors, strict=True):
            if place_id in stored and index.get(place_id) == stored[place_id]:
                index.set_vector(place_id, values)
        return outputs + self._begin_work(now)

    def _on_store_failed(self, event: StoreFailed, now: Now) -> list[Output]:
        self._saver.failed(event.reason)
        return self._begin_work(now)

    def _begin_work(self, now: Now) -> list[Output]:
        for place in self._graph.index.unembedded:
            self._queue.put_last(place.id)
        outputs: list[Output] = [ShowPlaces(*self._graph.newest())]
        while self._waiting:
            outputs += self._take_look(self._waiting.popleft(), now)
        return [*outputs, *self._embed_places(), *self._offer(now)]

    def _on_saved(self, event: PlaceSaved, now: Now) -> list[Output]:
        self._saver.place_saved()
        return self._orders.written(event.place_id, '', now)

    def _on_save_failed(self, event: SaveFailed, now: Now) -> list[Output]:
        self._saver.place_failed(event, now)
        return self._orders.written(event.place_id, event.reason, now)

    def _on_forgotten(self, event: PlaceForgotten, now: Now) -> list[Output]:
        self._saver.forgotten(event.place_id)
        return self._orders.written(event.place_id, '', now)

    def _on_forget_failed(self, event: ForgetFailed, now: Now) -> list[Output]:
        self._saver.forget_failed(event, now)
        return self._orders.written(event.place_id, event.reason, now)

    def _on_tick(self, event: Tick, now: Now) -> list[Output]:
        del event
        return [*self._saver.again(now, self._graph.index.get, self._vector_of)]

    def _vector_of(self, place_id: str) -> PlaceVector | None:
        values = self._graph.index.vector(place_id)
        if values is None or self._started is None:
            return None
        return PlaceVector(place_id, self._started.embedder, values)

    def _embed_anew(self, place_id: str) -> None:
        if self._graph.index.vector(place_id) is None:
            self._queue.put_first(place_id)

    def _embed_places(self) -> list[Output]:
        request = (self._queue.next_request(self._graph.index.get)
                   if self._started is not None else None)
        return [] if request is None else [request]

    def _end_embedding(self, request_id: str, vectors: NDArray[np.float32] | None, reason: str,
                       now: Now) -> list[Output]:
        started = self._started
        if started is None:
            return self._dispatch.drop()
        answers = self._answers.embedded(request_id, vectors, reason, started.dimension, now)
        if answers is not None:
            return answers
        if self._offers.embedded(request_id, vectors, reason):
            return self._offer(now)
        request = self._queue.request
        if request is None or request.request_id != request_id:
            return self._dispatch.drop()
        vectors, reason = checked(vectors, reason, len(request.texts), started.dimension)
        if reason:
            _log.warning('places stay without embedding: %s', reason)
        outputs: list[Output] = []
        for place, vector in self._queue.take(started.embedder, vectors, self._graph.index.get):
            self._graph.index.set_vector(place.id, vector.values)
            outputs += self._saver.save(place, vector)
        return [*outputs, *self._embed_places(), *self._offer(now)]

    # The robot's poses and looks

    def _on_pose(self, document: Document, robot: RobotPose, now: Now) -> list[Output]:
        del now
        self._trail.on_pose(document.stamp_ns, robot)
        return []

    def _on_hypothesis(self, document: Document, hypothesis: Hypothesis,
                       now: Now) -> list[Output]:
        return self._receive(self._looks.on_hypothesis(document, hypothesis), now)

    def _on_observation(self, document: Document, observation: Observation,
                        now: Now) -> list[Output]:
        if observation.source is not Source.MODEL or observation.pose is None:
            return []
        return self._receive(self._looks.on_observation(document), now)

    def _receive(self, observations: list[Document], now: Now) -> list[Output]:
        outputs: list[Output] = []
        for document in observations:
            if not self._trail.trusted(now):
                self._untrusted_looks += 1
            elif self._saver.state is StoreState.LOADING:
                self._waiting.append(document)
            else:
                outputs += [*self._take_look(document, now), *self._embed_places(),
                            *self._offer(now)]
        return outputs

    def _take_look(self, document: Document, now: Now) -> list[Output]:
        observation = document.body
        assert isinstance(observation, Observation)
        assert observation.pose is not None
        outputs: list[Output] = []
        view = read_view(observation, self._looks.hypothesis_of(document))
        target_seen = self._offers.searches and any(
            item.is_target for item in observation.objects)
        if view.known:
            place, edge = self._graph.remember(
                view, observation.viewpoint or observation.pose, self._trail.driven_m(), now,
                target_seen=target_seen)
            self._trail.at_place()
            outputs += [*self._saver.save(place, None, edge),
                        ShowPlaces((place,), self._graph.ways_of(place.id))]
            self._embed_anew(place.id)
            if target_seen and self._offers.owns(document):
                self._target_place, self._target_at = place.id, _where(observation)
        if self._offers.owns(document):
            self._check_places(observation)
        else:
            self._offers.keep_early(document)
        return outputs

    def _check_places(self, observation: Observation) -> None:
        """Count a look of this goal for or against the places at its viewpoint."""
        assert observation.pose is not None
        target_seen = any(item.is_target for item in observation.objects) or (
            observation.track is not None and observation.target_bearing_rad is not None)
        self._offers.look(
            self._graph.index.near(observation.viewpoint or observation.pose,
                                   self._config.viewpoint_checked_m,
                                   self._config.viewpoint_checked_rad), target_seen=target_seen)

    # The goal

    def _follow(self, document: Document, body: Step | Belief, now: Now) -> list[Output]:
        change, outputs = self._offers.follow(document, body, now)
        if change is GoalChange.ENDED and isinstance(body, Belief):
            outputs += self._keep_found(body)
        if change in (GoalChange.BEGAN, GoalChange.REWORDED):
            self._target_place, self._target_at = '', None
        if change is GoalChange.BEGAN:
            for early in self._offers.early():
                if isinstance(early.body, ToolQuery):
                    outputs += self._on_query(early, early.body, now)
                elif isinstance(early.body, Observation):
                    self._check_places(early.body)
        # Any other change of the candidates offers them itself.
        return outputs + (self._offer(now) if self._offers.unsaid else [])

    def _keep_found(self, ended: Belief) -> list[Output]:
        """Store the target under the goal's words, as the model may name it differently."""
        place = self._graph.index.get(self._target_place)
        thing, at = name_of_goal(ended.goal_text), self._target_at
        if ended.outcome is not Outcome.ARRIVED or ended.purpose is not Purpose.FIND or (
                place is None or at is None or not thing):
            return []
        place = place.holding(replace(at, name=thing))
        self._graph.index.put(place)
        self._embed_anew(place.id)
        return [*self._saver.save(place), ShowPlaces((place,), self._graph.ways_of(place.id)),
                *self._embed_places()]

    def _on_query(self, document: Document, query: ToolQuery, now: Now) -> list[Output]:
        loaded = self._started is not None and self._saver.state is not StoreState.LOADING
        if query.tool in ORDERS:
            return [*self._orders.take(document, query, now), *self._embed_places(),
                    *self._offer(now)]
        if query.tool not in TOOLS:
            return []
        # A query without a goal comes from a person, who may ask at any time.
        if document.goal_id and not self._offers.owns(document):
            return [] if self._offers.keep_early(document) else self._dispatch.drop()
        return self._answers.take(document, query, now, loaded=loaded)

    def _reply(self, query: Document, reply: ToolReply, now: Now) -> Document:
        return Document(self._ids.mint(), query.id, query.goal_id, now.clock_ns,
                        self._config.map_frame, reply)

    def _offer(self, now: Now) -> list[Output]:
        return [] if self._saver.state is StoreState.LOADING else self._offers.publish(now)


def _where(observation: Observation) -> Found:
    """The target's position by a look that shows it; the name is left open."""
    track = observation.track
    if track is not None:
        return Found('', track.position, track.deep_m)
    return Found('', next(item.position for item in observation.objects if item.is_target))
