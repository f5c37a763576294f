"""One mission of the whole product under a plan of faults, watched by the oracle."""

import logging
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import faults
from bent import BentBody
from nav_link import NavLink, Weather
from network import Network
from oracle import Goal, Oracle, Violation
from others import OtherClient
from plan import GOALS, Plan
from processes import SURVIVORS, Process, SignsOfLife
from seen_floor import seen_share

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import (
    CancelRequested,
    GoalReceived,
    KeepMission,
    PauseRequested,
    ResumeRequested,
)
from semantic_nav.belief.goal import Goal as Wanted
from semantic_nav.belief.goal import tour, way_to
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.core import DocumentReceived, Event, Output
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Phase
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.events import Embed, SavePlace, ShowPlaces
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    FreezeLook,
    SendBackUp,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.events import (
    ChargeHeard,
    CostmapReceived,
    HoldHeard,
    LookNotFrozen,
    MapReceived,
    PathAnswered,
    PoseMissing,
    PoseResolved,
    SensorHeard,
    UncertaintyHeard,
)
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import AskModel, CancelModel
from semantic_nav_sim.bench.mission import Mission, Setup
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.robot.body import Body, Snapshot
from semantic_nav_sim.world.floor_plan import floor_plan

_log = logging.getLogger('semantic_nav')
#: The robot has been running for a while when the goal is said.
BEFORE_S = 1.5
#: After the end nothing may move on its own.
_AFTERWARDS_S = 3.0
#: Who writes boxes in per mille may get small pictures. They take less time, and tell these eyes
#: as much.
_MODEL, _PICTURE_PX = 'qwen3-vl:4b', 336
#: The operator says a goal again, should nobody know of it any more.
_AGAIN_S = 5.0
#: After the drive of another client the robot comes to rest, and the mission begins anew.
_REST_S = 5.0


@dataclass(frozen=True)
class Found:
    """What came of a trial.

    Attributes:
        outcomes: of all missions, by goal id.
        last: how the mission in hand at the end of it ended.
    """

    violations: tuple[Violation, ...]
    outcomes: dict[str, str]
    last: str
    motions: int
    simulated_s: float


class Trial(Mission):
    """The product with everything that may go wrong between its parts.

    Attributes:
        active: the faults of now.
    """

    def __init__(self, body: Body, plan: Plan, folder: Path, saved: OccupancyGrid | None, *,
                 journal: bool) -> None:
        """Wire everything; nothing is wrong yet.

        Args:
            body: in its home.
            plan: what goes wrong.
            folder: of memory and journals.
            saved: the map that the robot is given; None where it must make one.
            journal: whether the journals are kept.
        """
        self.plan, self.active, self._journal = plan, [], journal
        self.weather, self.kept_pose = Weather(), None
        self.fed_pose_ns: int | None = None
        self.fed_pose: Pose2D | None = None
        self.fed_map: OccupancyGrid | None = None
        self.fed_costmap: OccupancyGrid | None = None
        self._disturbed_ns = 0
        self._link: NavLink | None = None
        self._starts = 0
        self._goals_said = 0
        self._changed_ns: dict[str, int] = {}
        self._conditions: set[str] = set()
        self.fed_sensors_ns: dict[str, int] = {}
        scheduler = Scheduler()
        network = Network(plan.seed, scheduler, plan.jitter_s)
        self.network = network
        self.oracle = Oracle(self)
        #: Remembered places, by their ids.
        self.places: dict[str, Pose2D] = {}
        self.bent = BentBody(body, scheduler)
        self.belief_config = BeliefConfig(**plan.budgets)
        self.verifier_config = VerifierConfig(**plan.verifier)
        self.others = OtherClient(self, scheduler)
        super().__init__(self.bent, Setup(
            plan.goal, plan.world_seed, folder / 'memory.sqlite', folder / 'journal' / SESSION,
            faults.profile(ModelProfile, plan.model), faults.profile(NavigatorProfile, 'none'),
            saved, mapping=plan.mapping or saved is None,
            configs={'belief': self.belief_config, 'verifier': self.verifier_config,
                     'memory': MemoryConfig(embedder='hash'),
                     'hypothesis': HypothesisConfig(model=_MODEL,
                                                    image_long_side_px=_PICTURE_PX)}),
            scheduler, network)
        self.signs = SignsOfLife(self.shells, scheduler.after, lambda: scheduler.now_ns,
                                 self._cancel_for_verifier, self.lost)
        network.tap = self.oracle.document
        network.listen('verdict', lambda document: self.signs.heard(document))

    # What the oracle may know

    @property
    def elapsed_s(self) -> float:
        """Simulated time since the goal was said first."""
        return self.scheduler.elapsed_s - BEFORE_S

    @property
    def now_ns(self) -> int:
        """The steady clock."""
        return self.scheduler.now_ns

    @property
    def clock_ns(self) -> int:
        """The ROS clock."""
        return self.scheduler.clock_ns

    @property
    def driving(self) -> bool:
        """Tell whether a goal of ours moves the robot."""
        return self.navigator.servers.driving and not self.others.drives

    @property
    def patience_s(self) -> float:
        """How long after its limit a mission may end: it waits for the robot to stand.

        A belief that comes back waits anew, for it knows nothing of the robot yet.
        """
        faults = [one for one in self.plan.faults
                  if one.kind in ('hang', 'crash') and one.what == 'belief']
        starts = 1 + sum(one.kind == 'crash' for one in faults)
        return starts * self.belief_config.stop_wait_s + 1.0 + sum(one.for_s for one in faults)

    def truth(self) -> Snapshot:
        """Return the robot as it truly is."""
        return self.bent.true.snapshot()

    def outline(self, goal: str) -> list[tuple[float, float]]:
        """Return points of what a goal names, on the floor; empty where it names nothing."""
        return faults.outline_of(self.bent.true.stage.truth({}), goal)

    def excused_until_ns(self, since_ns: int, by: tuple[str, ...]) -> int | None:
        """Return until when a stop may take, or None where one of those was gone who give it."""
        if any(self._changed_ns.get(name, 0) >= since_ns or not self.shells[name].alive
               for name in by):
            return None
        if 'belief' not in by:
            return 0  # Nobody need tell the verifier.
        slow_ns = max(self._disturbed_ns, *(self.network.disturbed_ns.get(schema, 0)
                                            for schema in ('step', 'belief', 'verdict')))
        # What was lost is said again.
        again_ns = round((self.belief_config.stop_again_s + 1.5) * NS_PER_S)
        return slow_ns + again_ns if slow_ns >= since_ns - NS_PER_S else 0

    def is_well(self, name: str, since_ns: int) -> bool:
        """Tell whether a node has run without a break since a moment of the steady clock."""
        return self.shells[name].alive and self._changed_ns.get(name, 0) < since_ns

    def looked_share(self, start: Pose2D, looks: Sequence[Pose2D]) -> float:
        """Return the share of the true floor that looks had in view, 0..1."""
        body = self.bent.true
        return seen_share(floor_plan(body.stage.scene), start, looks,
                          self.verifier_config.look_range_m, body.camera.hfov_rad / 2)

    @property
    def knows_another_home(self) -> bool:
        """Tell whether map or pose may be wrong about where the robot has looked."""
        return self.plan.has('map', 'jump', 'tf', 'clock')

    @property
    def measures_wrong(self) -> bool:
        """Tell whether the robot cannot know how far it drove."""
        return self.plan.has('tf', 'jump', 'clock', 'hang', 'crash', 'delay', 'partition',
                             'other_client')

    @property
    def nav2_is_ill(self) -> bool:
        """Tell whether Nav2 may not do what it is asked to."""
        return self.plan.has('navigator', 'bt_navigator', 'late_nav2')

    @property
    def slow(self) -> bool:
        """Tell whether what the belief said last may not have reached the verifier yet."""
        return bool(self.plan.jitter_s) or self.plan.has('delay', 'partition', 'hang', 'crash')

    def bumped(self) -> None:
        """The robot ran into something."""
        if not self.plan.has('jump', 'scan', 'map', 'clock', 'tf') and self.driving:
            self.oracle.note('COLLISION', str(self.bent.true.collisions()[-1]))

    # Wiring

    def make_shell(self, name: str, session: str = SESSION) -> Process:
        """See Mission."""
        folder = self.setup.journal.with_name(session)
        shell = Process(name, self._config(name), self.setup.seed, self.scheduler, self.bus,
                        folder, self.setup.blobs, session=session, kept=self._journal)
        if name == 'verifier':
            feed = shell.feed

            def spied(event: Event) -> None:
                if isinstance(event, CostmapReceived) and self.struck('costmap'):
                    return
                if shell.alive:
                    self._fed(event)
                feed(event)

            shell.feed = spied  # type: ignore[method-assign]
            takes = shell.core.handle

            def taken(event: Event, now: Now) -> list[Output]:
                # What comes while it is at another event waits.
                if isinstance(event, DocumentReceived):
                    self.oracle.heard_by_verifier(event.document)
                outputs: list[Output] = takes(event, now)
                return outputs

            shell.core.handle = taken
        if name == 'belief':
            handle = shell.core.handle

            def handled(event: Event, now: Now) -> list[Output]:
                outputs: list[Output] = handle(event, now)
                self.oracle.belief_took(event, outputs)
                return outputs

            shell.core.handle = handled
        return shell

    def connect_verifier(self, shell: Any) -> None:
        """See Mission; Nav2 is a way off, and looks need depth and TF."""
        super().connect_verifier(shell)
        self._link = link = NavLink(
            self.navigator, self.scheduler, self.weather, shell.session, shell.feed,
            lambda: shell.running, self.verifier_config.cancel_max_s)

        def send(effect: SendNav | SendSpin | SendBackUp) -> None:
            self.oracle.motion(effect)
            link.send(effect)

        def ask_path(effect: AskPath) -> None:
            self._paths_asked[effect.request_id] = effect.goal
            link.ask_path(effect)

        def cancel(effect: CancelNav) -> None:
            self.oracle.stop_asked()
            link.cancel(effect)

        def stop(effect: StopNav) -> None:
            self.oracle.stop_asked()
            self.oracle.all_stopped()
            link.stop(effect)

        freeze = shell.effects[FreezeLook]

        def freeze_if_any(effect: FreezeLook) -> None:
            if self.struck('depth') or self.struck('tf'):
                self.scheduler.after(effect.wait_s, lambda: shell.feed(
                    LookNotFrozen(effect.look_id, 'no depth picture came')))
            else:
                freeze(effect)

        self._paths_asked: dict[str, Any] = {}
        shell.effects.update({
            SendNav: send, SendSpin: send, SendBackUp: send, AskPath: ask_path,
            CancelNav: cancel, StopNav: stop, FreezeLook: freeze_if_any})

    def connect_hypothesis(self, shell: Any) -> None:
        """See Mission; the model's answers may come late."""
        super().connect_hypothesis(shell)

        def ask(effect: AskModel) -> None:
            self.oracle.model_asked(effect.request_id)
            late_s = max((one.size for one in self.active if one.kind == 'late_model'),
                         default=0.0)

            def answer(event: Event) -> None:
                def say() -> None:
                    if effect.request_id not in cancelled:
                        self.oracle.model_done(effect.request_id)
                        shell.feed(event)

                self.scheduler.after(late_s, say)

            self.model.ask(effect, answer)

        def cancel(effect: CancelModel) -> None:
            cancelled.add(effect.request_id)
            self.oracle.model_done(effect.request_id)
            self.model.cancel(effect)

        cancelled: set[str] = set()
        shell.effects.update({AskModel: ask, CancelModel: cancel})

    def connect_belief(self, shell: Any) -> None:
        """See Mission; a full disk takes no mission, and the one before is forgotten."""
        super_found, self._found = self._found, None
        super().connect_belief(shell)
        self._found, keep = super_found, shell.effects[KeepMission]

        def keep_if_room(effect: KeepMission) -> None:
            keep(KeepMission(None) if shell.disk.full else effect)

        shell.effects[KeepMission] = keep_if_room

    def connect_memory(self, shell: Any) -> None:
        """See Mission; the disk may be full, and the embedder busy."""
        super().connect_memory(shell)
        save, embed = shell.effects[SavePlace], shell.effects[Embed]

        def save_if_room(effect: SavePlace) -> None:
            if self.struck('store'):
                self.scheduler.after(0.0, lambda: shell.feed(faults.no_room(effect)))
            else:
                save(effect)

        def embed_late(effect: Embed) -> None:
            late_s = max((one.size for one in self.active if one.kind == 'embed'), default=0.0)
            self.scheduler.after(late_s, lambda: shell.running and embed(effect))

        def see(effect: ShowPlaces) -> None:
            self.places.update((place.id, place.pose) for place in effect.places)

        shell.effects.update({SavePlace: save_if_room, Embed: embed_late, ShowPlaces: see})

    def navigator_says(self, event: Event) -> None:
        """See Mission."""
        assert self._link is not None
        self._link.hear(event)

    def locate(self) -> PoseResolved | PoseMissing:  # type: ignore[override]
        """See Mission; TF may be silent."""
        if self.struck('tf', 'missing'):
            return PoseMissing('TF does not know base_link')
        if self.struck('tf', 'stale') and self.kept_pose is not None:
            return self.kept_pose
        self.kept_pose = super().locate()
        return self.kept_pose

    def struck(self, kind: str, what: str = '') -> bool:
        """Tell whether a fault strikes now."""
        return any(one.kind == kind and what in ('', one.what) for one in self.active)

    def _fed(self, event: Event) -> None:
        self.others.heard(event)
        match event:
            case PoseResolved(stamp_ns=stamp_ns):
                self.fed_pose_ns, self.fed_pose = stamp_ns, event.map_T_base.pose()
                self.oracle.located(self.fed_pose)
            case SensorHeard(name=name, stamp_ns=stamp_ns):
                self.fed_sensors_ns[name] = stamp_ns
            case MapReceived(grid=grid):
                self.fed_map = grid
            case CostmapReceived(grid=grid):
                self.fed_costmap = grid
            case PathAnswered(request_id=request_id):
                goal = self._paths_asked.get(request_id)
                if goal is not None:
                    self.oracle.path_answered(goal, event)
            case HoldHeard() | ChargeHeard() | UncertaintyHeard():
                self.oracle.condition(event, bad=any(
                    event == bad for bad, _ in faults.CONDITIONS.values()))

    def _cancel_for_verifier(self, goal_id: str) -> None:
        """Do what belief and hypothesis node do for a verifier that is gone."""
        self.oracle.stop_asked()
        if not self.weather.gone:
            self.navigator.cancel(CancelNav(goal_id))
        self.navigator.stop_following()

    # The run

    def run(self, limit_s: float = 0.0) -> Found:  # type: ignore[override]
        """Carry the plan out until every mission is over, or too much time has passed."""
        self.scheduler.follow = self.oracle.follow
        with _errors_noted(self.oracle):
            try:
                self._run()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is found
                where = traceback.extract_tb(error.__traceback__)[-1]
                self.oracle.note('EXCEPTION', f'{error!r} in {Path(where.filename).name}:'
                                 f'{where.lineno} {where.name}')
        last = self.record.belief
        return Found(
            tuple(self.oracle.violations),
            {goal.id: goal.outcome.value if goal.outcome else 'open'
             for goal in self.oracle.goals.values()},
            last.outcome.value if last is not None and last.outcome is not None else 'open',
            self.oracle.motions, self.elapsed_s)

    def _run(self) -> None:
        plan, scheduler = self.plan, self.scheduler
        scheduler.run(lambda: False, BEFORE_S)
        for fault in plan.faults:
            scheduler.after(fault.at_s, lambda fault=fault: faults.begin(self, fault))
        if plan.heal_s:
            scheduler.after(plan.heal_s, lambda: faults.heal(self))
        self.say_goal(plan.goal)
        last_s = max((one.at_s + one.for_s for one in plan.faults), default=0.0)
        limit_s = max(last_s, plan.heal_s) + self.belief_config.time_limit_s + (
            self.patience_s + 2 * _AGAIN_S) + sum(
                one.for_s + _REST_S for one in plan.faults if one.kind == 'other_client')
        over_s = max(plan.heal_s, max((one.at_s for one in plan.faults if one.kind in (
            'cancel', 'goal', 'errand', 'pause', 'resume')), default=0.0))
        scheduler.every(_AGAIN_S, lambda: self.elapsed_s > over_s and self._care())
        if not scheduler.run(lambda: self.elapsed_s > over_s and self._over, limit_s):
            self.oracle.note('NO_END', f'the mission is not over after {self.elapsed_s:.0f} s: '
                             f'{self.record.belief}')
        scheduler.run(lambda: False, _AFTERWARDS_S)
        self.oracle.ends()

    @property
    def _goals(self) -> list[Goal]:
        """Those that the belief of now knows."""
        session = self.shells['belief'].session
        return [goal for goal in self.oracle.goals.values() if goal.session == session]

    @property
    def _over(self) -> bool:
        # Of a goal before its start a belief knows nothing.
        return self.shells['belief'].alive and all(
            goal.outcome is not None for goal in self._goals) and (
                bool(self._goals) or not self.plan.heal_s and self._starts > 0)

    def _care(self) -> None:
        """Resume what is paused; say the goal again that nobody knows after a restart."""
        belief = self.record.belief
        if belief is not None and belief.phase is Phase.PAUSED:
            self.shells['belief'].feed(ResumeRequested())
        if self.plan.heal_s and not self._goals:
            self.say_goal(self.plan.goal)

    def say_goal(self, text: str) -> None:
        """Say a goal, if anybody listens."""
        if self.shells['belief'].alive and text in GOALS:
            self.oracle.cause('a new goal came', 'belief', 'verifier')
        self.shells['belief'].feed(
            GoalReceived(Wanted(self._new_goal_id(), text), may_repeat=True))

    def send_on(self, what: str) -> None:
        """Send the robot on a tour, to a place that was shown, or to one that nobody knows."""
        if self.shells['belief'].alive:
            self.oracle.cause('it was sent elsewhere', 'belief', 'verifier')
        if what == 'tour':
            self.shells['belief'].feed(GoalReceived(tour(self._new_goal_id())))
            return
        known = list(self.places) if what == 'place' else []
        self.shells['belief'].feed(GoalReceived(
            way_to(self._new_goal_id(), known[-1] if known else 'nowhere')))

    def _new_goal_id(self) -> str:
        self._goals_said += 1
        return f'goal-{self._goals_said}'

    def cancel(self) -> None:
        """Have enough."""
        self._stop_by(CancelRequested(), 'its end was asked for')

    def pause(self) -> None:
        """Let the robot stand for a while."""
        self._stop_by(PauseRequested(), 'its pause was asked for')

    def _stop_by(self, event: Event, words: str) -> None:
        if self.shells['belief'].alive:
            self.oracle.cause(words, 'belief', 'verifier')
        self.shells['belief'].feed(event)

    def say_condition(self, what: str, *, bad: bool) -> None:
        """Tell the verifier of a condition of the robot, if it has changed."""
        if bad is not (what in self._conditions):
            self._conditions ^= {what}
            self._tell_condition(what)

    def _tell_condition(self, what: str) -> None:
        bad, good = faults.CONDITIONS[what]
        self.shells['verifier'].feed(bad if what in self._conditions else good)

    # Nodes

    def kill(self, name: str, seems_s: float) -> None:
        """A node dies without a word."""
        self._changed_ns[name] = self.now_ns
        self.shells[name].close()
        if name == 'memory':
            self._memory_backend.close()
        self.network.leave(name)
        self.signs.killed(name, seems_s)

    def start(self, name: str) -> None:
        """A node that died is started anew."""
        self._starts += 1
        self.oracle.restarted(name)
        self.restart(name, f'{SESSION}{self._starts + 1}')
        self.network.meet(name)
        self.signs.started(name)
        if name == 'verifier':
            self.fed_sensors_ns.clear()
            self.others.tell_anew()
            # Who says so keeps the last word for late comers.
            for what in sorted(self._conditions):
                self._tell_condition(what)
        if name == 'belief' and self._found is not None:
            away_s = (self.now_ns - self._changed_ns[name]) / NS_PER_S
            self.shells[name].feed(replace(self._found, away_s=away_s))

    def hold(self, name: str) -> None:
        """A node hangs."""
        self._changed_ns[name] = self.now_ns
        self.shells[name].held = True
        self.signs.stopped(name)

    def let_go(self, name: str) -> None:
        """A node goes on."""
        self._changed_ns[name] = self.now_ns
        self.signs.back(name)
        self.shells[name].release()

    def lost(self, name: str) -> None:
        """Others notice that a node gives no sign of life."""
        if name == 'belief':
            # The verifier must stop what nobody asks for any more.
            self.oracle.cause('the belief gives no sign of life', 'verifier')
        elif name == 'verifier' and any(
                self.shells[one].alive and self._changed_ns.get(one, 0) < self.oracle.motion_ns
                for one in SURVIVORS):
            self.oracle.cause('the verifier gives no sign of life')

    def disturbed(self) -> None:
        """Take note that stops may take longer just now."""
        self._disturbed_ns = self.now_ns


@contextmanager
def _errors_noted(oracle: Oracle) -> Iterator[None]:
    """Note what the product logs as an error: a check that failed refuses, but must not fail."""
    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            oracle.note('ERROR_LOGGED', record.getMessage() + (
                f': {record.exc_info[1]!r}' if record.exc_info else ''))

    handler = Noting(logging.ERROR)
    kept = _log.level, _log.propagate
    _log.addHandler(handler)
    _log.propagate = False
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.propagate = kept[1]
