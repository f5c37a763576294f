"""One mission of the whole product in simulated time, judged by the simulator's truth."""

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import GoalReceived, ListenersChanged
from semantic_nav.bench.camera import Camera
from semantic_nav.bench.model import Model, TruthEyes
from semantic_nav.bench.navigator import Navigator
from semantic_nav.bench.robot import Robot
from semantic_nav.bench.scheduler import Scheduler
from semantic_nav.bench.shell import Bus, CoreShell
from semantic_nav.contracts.blobs import Blobs, NoBlobs
from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Effect
from semantic_nav.contracts.documents import Belief, Document, Hypothesis, Verdict
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.memory.backend import MemoryBackend
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.events import Embed, LoadStore, SavePlace, ShowPlaces
from semantic_nav.sim.model.profile import ModelProfile
from semantic_nav.sim.navigator.profile import NavigatorProfile
from semantic_nav.sim.profiles import load_profile
from semantic_nav.sim.robot.frame_memory import FrameMemory
from semantic_nav.sim.robot.simulation import Simulation
from semantic_nav.sim.robot.truth_server import Truth
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    CostmapReceived,
    FreezeLook,
    MapReceived,
    PoseResolved,
    SendBackUp,
    SendNav,
    SendSpin,
    StopNav,
    WatchSurroundings,
)
from semantic_nav.verify.pose_feed import PoseFeed
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import (
    AskModel,
    CancelModel,
    CropPicture,
    LogUnsentPrompt,
    TakePicture,
)

_COSTMAP_S = 1.0
#: How often it is looked whether a pose is due.
_POSE_CHECK_S = 0.1
#: The robot has been running for a while when the goal is said: the memory is loaded.
_BEFORE_S = 1.5
#: After the mission nothing may be left driving.
_AFTERWARDS_S = 2.0


@dataclass(frozen=True)
class Setup:
    """What a mission starts from.

    Attributes:
        goal: in words.
        memory_db: file of the memory, which may hold an earlier mission's places.
        journal: folder of the journals; must not hold any yet.
        profile: what is wrong with the model.
        navigator: what is wrong with the navigator; the robot's own faults are the simulation's.
        saved: the map that the robot was given; None if it knows nothing.
        mapping: whether it maps.
        configs: configurations that differ from the defaults, by the name of the part.
        blobs: where pictures and maps are kept for a replay.
    """

    goal: str
    seed: int
    memory_db: Path
    journal: Path
    profile: ModelProfile = field(default_factory=lambda: load_profile(ModelProfile))
    navigator: NavigatorProfile = field(default_factory=lambda: load_profile(NavigatorProfile))
    saved: OccupancyGrid | None = None
    mapping: bool = False
    configs: dict[str, Any] = field(default_factory=dict)
    blobs: Blobs = field(default_factory=NoBlobs)


@dataclass
class Record:
    """What came of a mission, while it runs and after.

    Attributes:
        belief: the last one.
        refusals: how often each code was the answer.
        sources: how many hypotheses came of the model and of the fallback.
        wall_s: real time that the mission took.
    """

    belief: Belief | None = None
    refusals: Counter[Code] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    simulated_s: float = 0.0
    wall_s: float = 0.0

    def take(self, document: Document) -> None:
        """Follow a document."""
        body = document.body
        if isinstance(body, Belief):
            self.belief = body
        elif isinstance(body, Hypothesis):
            self.sources[body.source.value] += 1
        elif isinstance(body, Verdict) and body.decision is not None and (
                body.decision.code is not Code.OK):
            self.refusals[body.decision.code] += 1

    @property
    def ended(self) -> bool:
        """Tell whether the mission is over."""
        return self.belief is not None and self.belief.outcome is not None


class Mission:
    """The four cores, the simulated robot and the stand-ins, in one process and one thread."""

    def __init__(self, simulation: Simulation, setup: Setup) -> None:
        """Wire everything.

        Args:
            simulation: a fresh one.
            setup: the mission.
        """
        self.simulation, self.setup = simulation, setup
        self.record = Record()
        self._scheduler = Scheduler()
        self._bus = Bus()
        for schema in ('belief', 'hypothesis', 'verdict'):
            self._bus.listen(schema, self.record.take)
        self._memory_backend = MemoryBackend(
            str(setup.memory_db), self._config('memory').embedder)
        self._shells = {name: self._shell(name) for name in
                        ('hypothesis', 'memory', 'belief', 'verifier')}
        self.robot = Robot(simulation, self._scheduler, setup.seed, setup.saved,
                         mapping=setup.mapping)
        self._connect_hypothesis()
        self._connect_memory()
        self._connect_verifier()

    def run(self, limit_s: float) -> Record:
        """Carry the mission out; it takes at most so long, in simulated time."""
        began = time.perf_counter()
        belief = self._shells['belief']
        belief.feed(ListenersChanged(()))
        self._scheduler.run(lambda: False, _BEFORE_S)
        belief.feed(GoalReceived(self.setup.goal))
        self._scheduler.run(lambda: self.record.ended, limit_s)
        self.record.simulated_s = self._scheduler.elapsed_s - _BEFORE_S
        self._scheduler.run(lambda: False, _AFTERWARDS_S)
        self.record.wall_s = time.perf_counter() - began
        return self.record

    def close(self) -> None:
        """Close journals and memory; the simulation stays open."""
        self._memory_backend.close()
        for shell in self._shells.values():
            shell.close()

    # Wiring

    def _config(self, name: str) -> Any:
        defaults: dict[str, Any] = {
            'hypothesis': HypothesisConfig, 'memory': MemoryConfig, 'belief': BeliefConfig,
            'verifier': VerifierConfig}
        return self.setup.configs.get(name) or defaults[name]()

    def _shell(self, name: str) -> CoreShell:
        setup = self.setup
        return CoreShell(name, self._config(name), setup.seed, self._scheduler, self._bus,
                         setup.journal, setup.blobs)

    def _connect_hypothesis(self) -> None:
        shell, config = self._shells['hypothesis'], self._config('hypothesis')
        frames = FrameMemory()
        truth = Truth(self.simulation, frames, lambda: self._scheduler.now_ns)
        self._camera = Camera(self.simulation, self.robot, self._scheduler, self.setup.seed,
                              frames, config)
        self.model = Model(config, TruthEyes(truth), self.setup.profile, self.setup.seed,
                           self._scheduler)
        shell.effects = {
            TakePicture: lambda effect: self._camera.take(effect, shell.feed),
            CropPicture: lambda effect: self._camera.crop(effect, shell.feed),
            AskModel: lambda effect: self.model.ask(effect, shell.feed),
            LogUnsentPrompt: lambda effect: None,
            CancelModel: self.model.cancel}
        shell.feed(self.model.probe())

    def _connect_memory(self) -> None:
        shell, backend = self._shells['memory'], self._memory_backend

        def carry_out(effect: Effect) -> None:
            result = backend.carry_out(effect)
            self._scheduler.after(0.0, lambda: shell.feed(result))

        shell.effects = {**dict.fromkeys((LoadStore, Embed, SavePlace), carry_out),
                         ShowPlaces: lambda effect: None}
        shell.feed(backend.start())

    def _connect_verifier(self) -> None:
        shell = self._shells['verifier']
        self.navigator = Navigator(self.robot, self._scheduler, self.setup.navigator, shell.feed)
        shell.effects = {
            FreezeLook: lambda effect: self._camera.freeze(effect, shell.feed),
            AskPath: self.navigator.ask_path, SendNav: self.navigator.drive,
            SendSpin: self.navigator.turn, SendBackUp: self.navigator.back_up,
            ClearCostmaps: self.navigator.clear, CancelNav: self.navigator.cancel,
            StopNav: self.navigator.stop}
        watched = WatchSurroundings()
        resolved_ns = self._scheduler.now_ns
        poses = PoseFeed(self._config('verifier').pose_max_age_s)

        def watch(effect: WatchSurroundings) -> None:
            nonlocal watched
            before, watched = watched, effect
            if effect.costmap and not before.costmap:
                # The node keeps a costmap at hand.
                shell.feed(CostmapReceived(self.robot.costs()))

        def refresh() -> None:
            if self.robot.take_map():
                shell.feed(MapReceived(self.robot.map))
            if watched.costmap:
                shell.feed(CostmapReceived(self.robot.costs()))

        def resolve_pose() -> None:
            nonlocal resolved_ns
            if seconds(self._scheduler.now_ns - resolved_ns) >= watched.pose_period_s:
                resolved_ns = self._scheduler.now_ns
                if poses.is_news(pose := self._pose(), watched, self._scheduler.now):
                    shell.feed(pose)

        shell.effects[WatchSurroundings] = watch
        shell.feed(self._pose())
        shell.feed(MapReceived(self.robot.map))
        self._scheduler.every(_COSTMAP_S, refresh)
        self._scheduler.every(_POSE_CHECK_S, resolve_pose)

    def _pose(self) -> PoseResolved:
        now = self.robot.snapshot
        map_T_odom = Transform.from_pose(now.map_t_odom)
        return PoseResolved(now.stamp_ns, map_T_odom @ Transform.from_pose(now.odom), map_T_odom)
