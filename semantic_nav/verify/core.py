"""The verifier's core: it grounds the model's claims, checks acts and drives. It fails closed."""

import logging
import random
from dataclasses import replace
from functools import partial
from typing import get_args

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.core import (
    Dispatch,
    DocumentReceived,
    Event,
    Output,
    StandingEffects,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import (
    ActRequest,
    Belief,
    Body,
    Candidates,
    Document,
    Hypothesis,
    Look,
    Step,
    ToolQuery,
)
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.goal_in_hand import GoalChange, GoalInHand
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Code, QueryTool, Source, StepKind
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Rejection, words_of
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.driving.driver import Driver
from semantic_nav.verify.driving.other_clients import new_goal_id
from semantic_nav.verify.driving.pose_report import PoseReport
from semantic_nav.verify.driving.watching import watched
from semantic_nav.verify.effects import ClearCostmaps, FreezeLook, LimitSpeed, SendNav
from semantic_nav.verify.events import (
    BeliefLost,
    CameraMounted,
    Deactivating,
    LookFrozen,
    LookNotFrozen,
    MapReceived,
    NavAnswered,
    NavFinished,
    PathAnswered,
    PoseResolved,
    ScanTaken,
    ZonesReceived,
)
from semantic_nav.verify.floor.keepout import Keepout
from semantic_nav.verify.floor.scan_agreement import ScanAgreement, scan_report
from semantic_nav.verify.floor.surroundings import Condition, Noticed, Surroundings
from semantic_nav.verify.grounding.camera_view import CameraView
from semantic_nav.verify.grounding.depth_on_map import depth_report
from semantic_nav.verify.grounding.looks import LookParts, Looks
from semantic_nav.verify.grounding.plausible import fault_of_mount, plausible
from semantic_nav.verify.observing import awaiting, observe
from semantic_nav.verify.planning.exploring import new_exploration
from semantic_nav.verify.planning.planning import action_of, plan
from semantic_nav.verify.planning.queries import reply_to
from semantic_nav.verify.planning.refining import Refining
from semantic_nav.verify.planning.shown import candidates_of, search_shown
from semantic_nav.verify.tracking.findings import Findings

_log = logging.getLogger(__name__)

#: Delay beyond the wait for depth after which it is no longer expected, in s.
_LATE_S = 0.5


class VerifierCore:
    """State machine that turns hypotheses into observations and acts into checked goal poses."""

    def __init__(self, config: VerifierConfig, session: str, seed: int = 0) -> None:
        """Start without a goal, a pose or a map."""
        self._config = config
        self._ids, self._track_ids = Ids('verifier', session), Ids('track', session)
        self._goal = GoalInHand()
        self._act_id = ''
        # An act that waits for the depth of a look.
        self._early: tuple[Document, ActRequest] | None = None
        self._surroundings = Surroundings(keepout=Keepout(config.keepout_margin_m))
        self._findings = Findings()
        self._candidates: Candidates | None = None
        self._offered: frozenset[str] = frozenset()
        self._exploration = new_exploration(config)
        self._cameras: dict[str, CameraView] = {}
        self._other_cameras: frozenset[str] = frozenset()
        self._looks = Looks(config.frozen_looks)
        self._pose_report = PoseReport(self._ids, config.map_frame)
        self._standing = StandingEffects()
        self._refining = Refining()
        self._dispatch = Dispatch()
        self._driver = Driver(config, self._caused, partial(
            new_goal_id, random.Random(f'{session} {seed}')), self._dispatch.drop)
        self._connect()

    def _connect(self) -> None:
        take, driver = self._dispatch, self._driver
        take.on_body(Step, self._on_step)
        take.on_body(Belief, lambda document, _, now: self._follow(document, now))
        take.on_body(Candidates, self._on_candidates)
        take.on_body(Look, self._on_look)
        take.on_body(Hypothesis, self._on_hypothesis)
        take.on_body(ToolQuery, self._on_query)
        for noticed in get_args(Noticed):
            take.on(noticed, self._on_surroundings)
        for condition in get_args(Condition):
            take.on(condition, self._on_condition)
        take.on(PoseResolved, self._on_pose)
        take.on(MapReceived, self._on_map)
        take.on(ScanTaken, self._on_scan)
        take.on(CameraMounted, self._on_mounted)
        take.on(LookFrozen, self._on_frozen)
        take.on(LookNotFrozen, self._on_not_frozen)
        take.on(PathAnswered, self._on_path)
        take.on(NavAnswered, lambda event, now: driver.on_answered(event, self._situation(now)))
        take.on(NavFinished, lambda event, now: driver.on_finished(event, self._situation(now)))
        take.on(Tick, lambda event, now: driver.on_time(self._situation(now)))
        take.on(BeliefLost, self._on_belief_lost)
        take.on(Deactivating, self._on_deactivating)

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Process one event, and return its outputs in order."""
        out = self._dispatch(plausible(event, self._config.ground_min_m), now)
        if self._early is not None:
            out += self._act_on(*self._early, now)
        situation = self._situation(now)
        out += self._pose_report.answer(situation, stands=self._driver.stands(situation))
        out += self._refining.ask(
            situation, wanted=self._goal.open and not self._driver.busy)
        if isinstance(event, ZonesReceived) or any(isinstance(one, SendNav) for one in out):
            # A restarted controller does not know the speed limit.
            self._standing.forget(LimitSpeed)
        # Standing effects come first: a document may be answered before the next output.
        return [*self._standing.changed(
            watched(goal_open=self._goal.open, asked=self._pose_report.is_asked(now),
                    rests=self._driver.rests(now), may_move=self._driver.robot_may_move),
            Ticking(self._driver.busy), self._dispatch.report(), self._driver.report(),
            *filter(None, (self._surroundings.speed_limit,
                           self._findings.resightings.report(),
                           depth_report(self._findings.depth_on_map),
                           scan_report(self._surroundings.agreement)))), *out]

    @property
    def _reach_m(self) -> float:
        footprint = self._surroundings.footprint
        return self._config.reach_m if footprint is None else footprint.circumscribed_m

    def _situation(self, now: Now) -> Situation:
        return Situation(now, self._config, self._goal.id, self._surroundings, self._findings,
                         self._driver.attempts, self._candidates, self._offered,
                         self._exploration, self._cameras, self._other_cameras)

    # The belief

    def _on_step(self, document: Document, step: Step, now: Now) -> list[Output]:
        out = self._follow(document, now)
        owned = self._goal.owns(document)
        if owned:
            self._findings = self._findings.after_step(step, self._config)
        match step.kind:
            case StepKind.STOP if owned or not self._goal.id:
                # Without a goal this may be a restarted process whose predecessor left a drive.
                self._early = None
                self._pose_report.ask(document, now)
                return [*out, *self._driver.cancel(step.reason or 'stopped', now)]
            case StepKind.LOOK if owned and step.look is not None:
                self._early = None
                self._pose_report.ask_no_more()
                # A look that only informs does not end the drive.
                return out if step.look.inform else [
                    *out, *self._driver.abandon(self._situation(now))]
            case StepKind.ACT if owned and step.act is not None and self._goal.open and (
                    document.id != self._act_id):
                self._act_id = document.id
                self._pose_report.ask_no_more()
                return [*out, *self._act_on(document, step.act, now)]
            case _:
                return [*out, *self._dispatch.drop()]

    def _act_on(self, document: Document, act: ActRequest, now: Now) -> list[Output]:
        """Decide on an act, once the depth of a passing look has come."""
        if self._looks.freezing(now.steady_ns - nanoseconds(self._config.freeze_wait_s + _LATE_S)):
            self._early = document, act
            return []
        self._early = None
        return self._decide(document, act, self._situation(now))

    def _follow(self, document: Document, now: Now) -> list[Output]:
        """Begin the goal that a document of the belief names, if it is new, or reword it."""
        change = self._goal.follow(document, now.steady_ns)
        assert isinstance(document.body, Step | Belief)
        if change is GoalChange.REWORDED:
            self._findings = self._findings.reworded(document.body.goal_text)
        if change is not GoalChange.BEGAN:
            return []
        grid = self._surroundings.map
        self._looks, self._early = Looks(self._config.frozen_looks), None
        self._findings = Findings(GoalCoverage.none(grid) if grid is not None else None,
                                  goal=document.body.goal_text,
                                  resightings=self._findings.resightings,
                                  depth_on_map=self._findings.depth_on_map)
        self._exploration = new_exploration(self._config)
        self._candidates, self._offered = None, frozenset()
        self._surroundings = self._surroundings.sensed_anew(now)
        out = self._driver.begin_goal(self._situation(now))
        self._goal.early(lambda early: out.extend(self._dispatch(DocumentReceived(early), now)))
        return out

    def _not_of_this_goal(self, document: Document) -> list[Output]:
        """Keep a document whose goal has not begun; drop one of an earlier goal."""
        return [] if self._goal.keep_early(document) else self._dispatch.drop()

    def _decide(self, document: Document, act: ActRequest, situation: Situation) -> list[Output]:
        try:
            planned = plan(act, situation)
        except Exception as error:  # noqa: BLE001
            # Fail closed: after any error the robot stays at its pose.
            _log.exception('the checks of %s failed', document.id)
            planned = Rejection(Code.PATH_INVALID, words_of(error))
        shown = [*candidates_of(act, situation), *search_shown(planned, situation)]
        if planned.exploration is not None:
            self._exploration = planned.exploration
        if not isinstance(planned, Rejection):
            return [*shown, *self._driver.start(document, act, planned, situation)]
        refused = [*shown, *self._driver.refuse(
            document, act, action_of(act, situation), planned, situation)]
        # Sensors find remaining obstacles again, but may not see those beside the robot.
        return [*refused, ClearCostmaps(local=False)] if planned.code is Code.BLOCKED else refused

    # Other documents

    def _on_candidates(self, document: Document, body: Candidates, now: Now) -> list[Output]:
        del now
        if not self._goal.owns(document):
            return self._not_of_this_goal(document)
        self._candidates = body
        self._offered |= {candidate.node_id for candidate in body.candidates}
        if any(candidate.found_at is not None for candidate in body.candidates):
            self._findings = replace(self._findings, found_before=True)
        return []

    def _on_look(self, document: Document, look: Look, now: Now) -> list[Output]:
        if not self._goal.owns(document):
            return self._not_of_this_goal(document)
        if not look.taken:
            self._note_blind(look.camera, now)
            return []
        if not look.inform:
            # This look has ended those before it.
            self._findings = replace(self._findings, awaited=())
        size = look.image_width_px, look.image_height_px
        self._looks.take(document.id, look.camera, now.steady_ns, passing=look.inform, size=size)
        return [FreezeLook(document.id, document.stamp_ns, document.frame_id,
                           self._config.freeze_wait_s, look.camera, *size,
                           look.fingerprint or '')]

    def _on_hypothesis(self, document: Document, body: Hypothesis, now: Now) -> list[Output]:
        del body
        if not self._goal.owns(document):
            return self._not_of_this_goal(document)
        return self._on_parts(self._looks.answer(document), now)

    def _on_query(self, document: Document, query: ToolQuery, now: Now) -> list[Output]:
        """Answer a query on reachability without a change of state; memory answers the others."""
        if not self._goal.open or not self._goal.owns(document):
            return self._dispatch.drop()
        if query.tool is not QueryTool.CHECK_REACHABLE:
            return []
        return [self._caused(reply_to(query, self._situation(now)), document, now)]

    # Measurements

    def _on_mounted(self, event: CameraMounted, now: Now) -> list[Output]:
        del now
        if fault_of_mount(event, self._reach_m):
            return self._dispatch.drop()
        self._other_cameras |= {event.camera}
        self._cameras = {**self._cameras, event.camera: CameraView(
            event.intrinsics, Transform.identity(), event.base_T_camera)}
        return []

    def _on_frozen(self, event: LookFrozen, now: Now) -> list[Output]:
        look = self._looks.freeze(event, self._reach_m)
        if look is not None and look.frozen is not None:
            self._cameras = {**self._cameras, look.camera: CameraView(
                event.intrinsics, event.odom_T_base, event.odom_T_camera)}
            if look.passing and look.answer is None:
                self._findings = awaiting(event, self._situation(now))
        return self._on_parts(look, now)

    def _on_not_frozen(self, event: LookNotFrozen, now: Now) -> list[Output]:
        look = self._looks.miss(event.look_id, event.reason)
        if look is not None:
            self._note_blind(look.camera, now)
        return self._on_parts(look, now)

    def _note_blind(self, camera: str, now: Now) -> None:
        if camera in self._other_cameras:
            self._driver.attempts = self._driver.attempts.without_picture(camera, now)

    def _on_parts(self, look: LookParts | None, now: Now) -> list[Output]:
        """Publish the observation of a look once all its parts have come."""
        if look is None:
            return self._dispatch.drop()
        if look.answer is None or not look.complete:
            return []
        observed = observe(look, self._situation(now), self._track_ids.mint)
        told = observed.observation
        if told.source is Source.MODEL:
            if told.pose is not None:
                self._driver.attempts = self._driver.attempts.looked(
                    (told.viewpoint or told.pose) if look.passing else None, look.camera,
                    another_target=observed.findings.track_id != self._findings.track_id)
            if self._findings.silent:
                # Exploration restarts, because floor that was only pictured needs a view again.
                self._exploration = self._exploration.anew()
        self._findings = observed.findings.answered(look.look_id)
        return [Document(self._ids.mint(), look.answer.id, self._goal.id, look.answer.stamp_ns,
                         self._config.map_frame, told)]

    def _on_map(self, event: MapReceived, now: Now) -> list[Output]:
        del now
        self._surroundings = replace(self._surroundings, map=event.grid, map_missing='',
                                     agreement=ScanAgreement())
        coverage, pictured = self._findings.coverage, self._findings.pictured
        self._findings = replace(
            self._findings, pictured=pictured and pictured.over(event.grid),
            coverage=(coverage.over(event.grid) if coverage is not None
                      else GoalCoverage.none(event.grid)))
        return []

    def _on_scan(self, event: ScanTaken, now: Now) -> list[Output]:
        around = self._surroundings
        map_T_odom = around.robot.map_T_odom
        # A live map agrees with the scans that it is made of.
        if around.map is None or map_T_odom is None or self._config.map_is_live:
            return []
        self._surroundings = replace(
            around, agreement=around.agreement.after(event, map_T_odom, around.map))
        return self._driver.on_time(self._situation(now))

    def _on_surroundings(self, event: Noticed, now: Now) -> list[Output]:
        self._surroundings = self._surroundings.after(event, now)
        return []

    def _on_condition(self, event: Noticed, now: Now) -> list[Output]:
        self._on_surroundings(event, now)
        situation = self._situation(now)
        out = self._driver.on_time(situation)
        return out + self._pose_report.tell_held(
            situation, stands=self._driver.stands(situation))

    def _on_pose(self, event: PoseResolved, now: Now) -> list[Output]:
        before, doubt_s = self._surroundings.robot.followed(event), self._config.jump_doubt_s
        doubted = before.is_doubted(now, doubt_s)
        shift = before.shift_by(event, doubted=doubted)
        self._findings = self._findings.after_pose(
            before, shift, event.map_T_odom, doubted=doubted)
        self._surroundings = self._surroundings.located(
            before.after(event, shift, now, doubted=doubted), jumped=shift.is_jump)
        situation = self._situation(now)
        out = self._driver.on_time(situation)
        return out + self._pose_report.tell(
            situation, shift.by_m, stands=self._driver.stands(situation))

    def _on_path(self, event: PathAnswered, now: Now) -> list[Output]:
        situation = self._situation(now)
        try:
            return self._driver.on_path(event, situation)
        except Exception as error:  # noqa: BLE001
            _log.exception('the checks of path %s failed', event.request_id)
            return self._driver.fail(words_of(error), situation)

    def _on_belief_lost(self, event: BeliefLost, now: Now) -> list[Output]:
        del event
        self._early = None
        return self._driver.cancel('the belief gives no sign of life', now)

    def _on_deactivating(self, event: Deactivating, now: Now) -> list[Output]:
        del event
        # The goal begins again after the next activation.
        self._goal, self._early = GoalInHand(), None
        self._pose_report.ask_no_more()
        return self._driver.abandon(self._situation(now))

    # Output

    def _caused(self, body: Body, cause: Document, now: Now) -> Document:
        return Document(self._ids.mint(), cause.id, cause.goal_id, now.clock_ns,
                        self._config.map_frame, body)
