"""One mission of the whole product in simulated time, judged by the simulator's truth."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import (
    AnswerRequest,
    GoalReceived,
    KeepMission,
    ListenersChanged,
    MissionFound,
)
from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.blobs import Blobs, NoBlobs
from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Effect, Event
from semantic_nav.contracts.documents import Belief, Document, Hypothesis, Verdict
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.embed.registry import load_embedder
from semantic_nav.memory.backend import MemoryBackend
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.events import (
    Embed,
    ForgetPlace,
    HidePlace,
    LoadStore,
    SavePlace,
    ShowPlaces,
)
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    FreezeLook,
    LimitSpeed,
    RefineLocalisation,
    SendBackUp,
    SendNav,
    SendSpin,
    ShowCandidates,
    ShowSearch,
    StopNav,
    WatchSurroundings,
)
from semantic_nav.verify.events import (
    CostmapReceived,
    MapReceived,
    PoseResolved,
    SensorHeard,
    ZonesReceived,
)
from semantic_nav.verify.floor.pose_feed import PoseFeed
from semantic_nav.verify.floor.surroundings import DEPTH, SCAN
from semantic_nav.verify.zones import Zones
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import (
    AskModel,
    CancelModel,
    CropPicture,
    LogUnsentPrompt,
    TakePicture,
)
from semantic_nav_sim.bench.camera import Camera, Cameras, mounted
from semantic_nav_sim.bench.model import Model, TruthEyes
from semantic_nav_sim.bench.navigator import Navigator
from semantic_nav_sim.bench.robot import Robot
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.bench.shell import SESSION, Bus, CoreShell
from semantic_nav_sim.detector.eyes import DetectorEyes
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.body import Body
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.truth import Truth

_COSTMAP_S = 1.0
#: Period of the checks whether a pose is due.
_POSE_CHECK_S = 0.1
#: Period of the reports on the sensors' age, as in the node.
_SENSORS_S = 0.5
#: Time before the goal, in which the memory is loaded.
_BEFORE_S = 1.5
#: Time after the mission, in which nothing may still drive.
_AFTERWARDS_S = 2.0
#: Shared by successive missions: it takes a while to load, and caches many words.
_embedder = cache(load_embedder)


@dataclass(frozen=True)
class Setup:
    """The start conditions of a mission.

    Attributes:
        goal: in words.
        memory_db: file of the memory, which may hold an earlier mission's places.
        journal: folder of the journals; must not hold any yet.
        profile: faults of the model.
        navigator: faults of the navigator; the robot's own faults belong to its body.
        saved: map that the robot is given; None for no map.
        mapping: whether it maps.
        configs: configurations that differ from the defaults, by the name of the part.
        blobs: store of pictures and maps for a replay.
        zones: of the map.
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
    zones: Zones = Zones()


@dataclass
class Record:
    """The result of a mission, while it runs and after.

    Attributes:
        belief: the last one.
        refusals: number of verdicts with each code but OK.
        sources: number of hypotheses from the model and from the fallback.
        wall_s: real time that the mission took.
    """

    belief: Belief | None = None
    refusals: Counter[Code] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    simulated_s: float = 0.0
    wall_s: float = 0.0

    def take(self, document: Document) -> None:
        """Take in a document."""
        body = document.body
        if isinstance(body, Belief):
            self.belief = body
        elif isinstance(body, Hypothesis):
            self.sources[body.source.value] += 1
        elif isinstance(body, Verdict) and body.decision is not None and (
                body.decision.code is not Code.OK):
            self.refusals[body.decision.code] += 1

    @property
    def refused(self) -> dict[str, int]:
        """The number of refusals with each code, by its word."""
        return {code.value: count for code, count in sorted(self.refusals.items())}

    @property
    def ended(self) -> bool:
        """Tell whether the mission is over."""
        return self.belief is not None and self.belief.outcome is not None


class Mission:
    """The four cores, the simulated robot and the stand-ins, in one process and one thread.

    Attributes:
        scheduler: gives the time.
        bus: delivers the documents.
        shells: of the cores, by node name.
        robot, navigator, camera, model: the stand-ins; `camera` is the first one.
        cameras: all of them.
    """

    def __init__(self, body: Body, setup: Setup, scheduler: Scheduler | None = None,
                 bus: Bus | None = None) -> None:
        """Wire all parts.

        Args:
            body: a fresh one.
            setup: the mission.
            scheduler: gives the time; None for a new one.
            bus: delivers the documents; None for one without delay.
        """
        self.body, self.setup = body, setup
        self.record = Record()
        self.scheduler, self.bus = scheduler or Scheduler(), bus or Bus()
        for schema in ('belief', 'hypothesis', 'verdict'):
            self.bus.listen(schema, self.record.take)
        self._connect: dict[str, Callable[[CoreShell], None]] = {
            'hypothesis': self.connect_hypothesis, 'memory': self.connect_memory,
            'belief': self.connect_belief, 'verifier': self.connect_verifier}
        self._found: MissionFound | None = None
        self._memory_backend: MemoryBackend | None = None
        self.shells = {name: self.make_shell(name) for name in self._connect}
        self.robot = Robot(body, self.scheduler, setup.seed, setup.saved,
                           mapping=setup.mapping)
        self.navigator = Navigator(self.robot, self.scheduler, setup.navigator,
                                   self.navigator_says)
        for name, connect in self._connect.items():
            connect(self.shells[name])

    def run(self, limit_s: float) -> Record:
        """Carry the mission out, for at most `limit_s` of simulated time."""
        began = time.perf_counter()
        belief = self.shells['belief']
        belief.feed(ListenersChanged(()))
        self.scheduler.run(lambda: False, _BEFORE_S)
        belief.feed(GoalReceived(Goal(f'goal-{SESSION}-1', self.setup.goal)))
        self.scheduler.run(lambda: self.record.ended, limit_s)
        self.record.simulated_s = self.scheduler.elapsed_s - _BEFORE_S
        self.scheduler.run(lambda: False, _AFTERWARDS_S)
        self.record.wall_s = time.perf_counter() - began
        return self.record

    def restart(self, name: str, session: str) -> None:
        """Restart a node, which must be closed, without any state of the earlier start."""
        shell = self.shells[name] = self.make_shell(name, session)
        self._connect[name](shell)

    def close(self) -> None:
        """Close journals and memory; the body stays open."""
        if self._memory_backend is not None:
            self._memory_backend.close()
        for shell in self.shells.values():
            shell.close()

    # Wiring

    def _config(self, name: str) -> Any:
        defaults: dict[str, Any] = {
            'hypothesis': HypothesisConfig, 'memory': MemoryConfig, 'belief': BeliefConfig,
            'verifier': VerifierConfig}
        return self.setup.configs.get(name) or defaults[name]()

    def make_shell(self, name: str, session: str = SESSION) -> CoreShell:
        """Return the shell of a new core. The journals of each session have a folder."""
        setup = self.setup
        folder = setup.journal if session == SESSION else setup.journal.with_name(session)
        return CoreShell(name, self._config(name), setup.seed, self.scheduler, self.bus, folder,
                         setup.blobs, session)

    def connect_hypothesis(self, shell: CoreShell) -> None:
        """Connect it to the cameras and the model."""
        config, frames = self._config('hypothesis'), FrameMemory()
        truth = Truth(self.body, frames, lambda: self.scheduler.clock_ns)
        wired = self.body, self.robot, self.scheduler, self.setup.seed, frames, config
        self.camera = Camera(*wired)
        self.cameras = Cameras(self.camera, {
            name: Camera(*wired, name) for name in self.body.profile.other_cameras})
        profile = self.setup.profile
        eyes = DetectorEyes() if profile.eyes.detector else TruthEyes(truth)
        self.model = Model(config, eyes, profile, self.setup.seed, self.scheduler)
        shell.effects = {
            TakePicture: lambda effect: self.cameras.take(effect, shell.feed),
            CropPicture: lambda effect: self.cameras.crop(effect, shell.feed),
            AskModel: lambda effect: self.model.ask(effect, shell.feed),
            LogUnsentPrompt: lambda effect: None,
            CancelModel: self.model.cancel}
        shell.feed(self.model.probe())

    def connect_belief(self, shell: CoreShell) -> None:
        """Keep its mission, and hand over one that an earlier start left. Answers go to no one."""
        def keep(effect: KeepMission) -> None:
            self._found = MissionFound(effect.kept, 0.0) if effect.kept is not None else None

        shell.effects = {KeepMission: keep, AnswerRequest: lambda effect: None}
        if self._found is not None:
            shell.feed(self._found)

    def connect_memory(self, shell: CoreShell) -> None:
        """Open the store. That of an earlier start is closed, since its process has ended."""
        if self._memory_backend is not None:
            self._memory_backend.close()
        backend = self._memory_backend = MemoryBackend(
            str(self.setup.memory_db.absolute()), self._config('memory').embedder, _embedder)

        def carry_out(effect: Effect) -> None:
            result = backend.carry_out(effect)
            self.scheduler.after(0.0, lambda: shell.feed(result))

        shell.effects = {**dict.fromkeys((LoadStore, Embed, SavePlace, ForgetPlace), carry_out),
                         ShowPlaces: lambda effect: None, HidePlace: lambda effect: None}
        shell.feed(backend.start())

    def connect_verifier(self, shell: CoreShell) -> None:
        """Connect it to the sensors and the navigator."""
        shell.effects = {
            FreezeLook: lambda effect: self.cameras.freeze(effect, shell.feed),
            AskPath: self.navigator.ask_path, SendNav: self.navigator.drive,
            SendSpin: self.navigator.turn, SendBackUp: self.navigator.back_up,
            ClearCostmaps: self.navigator.clear, CancelNav: self.navigator.cancel,
            LimitSpeed: self.navigator.limit_speed,
            RefineLocalisation: lambda _: None, StopNav: self.navigator.stop,
            ShowCandidates: lambda effect: None, ShowSearch: lambda effect: None}
        watched = WatchSurroundings()
        resolved_ns = self.scheduler.now_ns
        poses = PoseFeed(self._config('verifier').pose_max_age_s)

        def hear_sensors() -> None:
            heard = ((DEPTH, self.robot.depths), (SCAN, self.robot.scans))
            for name, link in heard[self.body.profile.camera.no_depth:]:
                if watched.depth and not link.silent:
                    shell.feed(SensorHeard(name, self.scheduler.clock_ns))

        def watch(effect: WatchSurroundings) -> None:
            nonlocal watched
            before, watched = watched, effect
            if effect.costmap and not before.costmap:
                # The node keeps a costmap at hand.
                shell.feed(CostmapReceived(self.robot.costs()))

        def hear_map() -> None:
            if self.robot.take_map():
                shell.feed(MapReceived(self.robot.map))

        def refresh() -> None:
            self.navigator.servers.recover(self.scheduler.elapsed_s)
            if watched.costmap and not self.navigator.servers.paused:
                shell.feed(CostmapReceived(self.robot.costs()))

        def resolve_pose() -> None:
            nonlocal resolved_ns
            if seconds(self.scheduler.now_ns - resolved_ns) >= watched.pose_period_s:
                resolved_ns = self.scheduler.now_ns
                if poses.is_news(pose := self.locate(), watched, self.scheduler.now):
                    shell.feed(pose)

        shell.effects[WatchSurroundings] = watch
        if self.setup.zones.zones:
            shell.feed(ZonesReceived(self.setup.zones))
        for camera in mounted(self.body):
            shell.feed(camera)
        shell.feed(self.locate())
        shell.feed(MapReceived(self.robot.map))
        self.scheduler.every(self.robot.map_interval_s, hear_map, lambda: shell.running)
        self.scheduler.every(_COSTMAP_S, refresh, lambda: shell.running)
        self.scheduler.every(_POSE_CHECK_S, resolve_pose, lambda: shell.running)
        self.scheduler.every(_SENSORS_S, hear_sensors, lambda: shell.running)

    def navigator_says(self, event: Event) -> None:
        """Give the verifier the result of a goal or a path."""
        self.shells['verifier'].feed(event)

    def locate(self) -> PoseResolved:
        """The robot's pose as TF gives it."""
        now = self.robot.snapshot
        map_T_odom = Transform.from_pose(now.map_t_odom)
        return PoseResolved(now.stamp_ns, self.robot.believed, map_T_odom)
