"""Plans of an exploration: to the next view of the exploration policy."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import ActRequest
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.exploration import Exploration
from semantic_nav.explore.policies import POLICIES
from semantic_nav.explore.policy import Search
from semantic_nav.explore.sight import seen_from_two_places
from semantic_nav.explore.unreached import UnreachedPart, unreached_parts
from semantic_nav.explore.viewpoints import LEAST_WAY_M, ExploreSettings, Viewpoint
from semantic_nav.verify.checks.checks import first_rejection, passes
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose, Rejection, Turn, Views
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.planning.inspecting import inspection
from semantic_nav.verify.planning.stand_off import spread
from semantic_nav.verify.same_place import SAME_PLACE_M, near_any
from semantic_nav.verify.tracking.findings import Proposal

#: Number of best views from which some that lie apart are chosen; many share a position.
_VIEWS_COMPARED = 60
#: Angle to an earlier look from here below which a camera shows nothing new, in rad.
_SAME_WAY_RAD = 0.2


def new_exploration(config: VerifierConfig) -> Exploration:
    """The exploration with which each goal begins."""
    return Exploration.begin(POLICIES[config.policy](config.look_range_m, config.min_gain_m2))


def to_next_view(proposal: Proposal, act: ActRequest, situation: Situation) -> Plan | Rejection:
    """Plan to the best view, or to a blockage; or a turn instead.

    Args:
        proposal: proposal of a look.
        act: tells whether cells that may have been overlooked are worth a view.
        situation: with pose, map, costmap and coverage.
    """
    exploration = situation.exploration_now
    search = replace(_search(proposal, situation), only_gaps=act.only_gaps)
    if act.second_looks:
        search = replace(search, from_two_places=_from_two_places(situation))
    answer = exploration.policy.next_views(search)
    if not answer.views and exploration.policy != exploration.first:
        # Since the earlier sweeps the map may have grown, or a way opened.
        answer = exploration.first.next_views(search)
    parts: tuple[UnreachedPart, ...] = ()
    nooks: tuple[UnreachedPart, ...] = ()
    if not answer.views or answer.policy != exploration.policy:
        # Blockages are inspected before a finer sweep of the floor within reach, and at the end.
        left_out = _unreached(search, situation, exploration)
        nooks = tuple(part for part in left_out if part.is_nook)
        parts = tuple(part for part in left_out if not part.is_nook)
        inspected = inspection(Action.EXPLORE, parts, situation, exploration)
        if inspected is not None:
            return inspected
    rejection = first_rejection(situation, Views(len(answer.views), parts, (
        None if answer.views or parts else _share_from_two_places(situation)), nooks))
    if rejection is not None:
        return replace(rejection, exploration=replace(
            exploration, policy=exploration.first if parts else answer.policy, inspected=()))
    return _to_best(answer.views, situation, replace(exploration, policy=answer.policy))


def _to_best(views: Sequence[Viewpoint], situation: Situation, exploration: Exploration) -> Plan:
    """Drive or turn to the best view, unless another camera looks there already."""
    best = _best(views, situation)
    if best.is_turn(situation.robot):
        camera = _looking_to(best, situation)
        if camera:
            return Plan(Action.EXPLORE, f'look through {camera} at {_unseen(best)}',
                        goals=(best.pose,), camera=camera, exploration=exploration)
        return Plan(Action.EXPLORE, f'turn to a view of {_unseen(best)}',
                    turn_rad=_turn_to(best, situation.robot).turn_rad, exploration=exploration)
    return Plan(Action.EXPLORE, f'to a view of {_unseen(best)}',
                goals=spread([best.pose, *(view.pose for view in views
                                           if not view.is_turn(situation.robot))],
                             situation.config.path_tries),
                exploration=exploration)


def _unseen(view: Viewpoint) -> str:
    return f'{view.gain_m2:.1f} m² of unseen floor'


def _best(views: Sequence[Viewpoint], situation: Situation) -> Viewpoint:
    """The first view to which the robot may drive or turn, else the first of all.

    In a cramped place a turn may be its last, so views from elsewhere come first.
    """
    robot = situation.robot
    cramped = situation.body is not None and not situation.body.has_room(robot)
    elsewhere = (view for view in views if cramped and view.way_m >= LEAST_WAY_M)
    possible = (view for view in views
                if not view.is_turn(robot) or passes(situation, _turn_to(view, robot)))
    return next(chain(elsewhere, possible, views))


def _looking_to(view: Viewpoint, situation: Situation) -> str:
    """Name of the camera that already looks where the robot would turn; empty for none.

    Cameras whose looks showed nothing lately do not count, nor directions looked at from here.
    """
    robot, config = situation.robot, situation.config
    seen = (*(eye.pose for eye in situation.findings.viewpoints), *situation.attempts.awaiting)
    blind = situation.attempts.blind_cameras(situation.now, config.failure_memory_s)
    found: list[tuple[float, str]] = []
    for name in situation.other_cameras - blind:
        camera = situation.cameras[name]
        ahead = replace(robot, yaw=wrap_angle(robot.yaw + camera.heading_rad))
        off_rad = abs(wrap_angle(view.pose.yaw - ahead.yaw))
        if off_rad < camera.half_angle_rad / 2 and all(
                ahead.moved_from(eye, SAME_PLACE_M, _SAME_WAY_RAD) for eye in seen):
            found.append((off_rad, name))
    return min(found)[1] if found else ''


def _turn_to(view: Viewpoint, robot: Pose2D) -> Turn:
    return Turn(robot, wrap_angle(view.pose.yaw - robot.yaw))


def _unreached(search: Search, situation: Situation,
               exploration: Exploration) -> tuple[UnreachedPart, ...]:
    surroundings, findings, attempts = (
        situation.surroundings, situation.findings, situation.attempts)
    assert exploration.reached is not None and surroundings.floor is not None
    done = (*attempts.viewpoints, *(eye.pose for eye in findings.viewpoints))
    failed = attempts.unreached(situation.now, situation.config.failure_memory_s)
    # While the model is silent an arrival brings no look.
    done, postponed = (((*done, *attempts.awaiting), failed) if findings.silent else
                       (done, (*failed, *attempts.awaiting)))
    return unreached_parts(
        replace(search, done=done, from_two_places=None,
                may_stand=lambda pose: passes(situation, GoalPose.of(pose))),
        exploration.reached.cells, postponed,
        surroundings.floor.clearance(situation.config.clear_cost), exploration.first,
        surroundings.closed_on_map)


def _from_two_places(situation: Situation) -> NDArray[np.bool_]:
    """Cells of the map that were looked at from two places."""
    assert situation.surroundings.map is not None
    return seen_from_two_places(situation.surroundings.map, situation.findings.viewpoints,
                                situation.config.look_range_m)


def _share_from_two_places(situation: Situation) -> float:
    """Share of the reachable floor that was looked at from two places, 0..1."""
    floor = situation.surroundings.reachable_floor()
    return float(_from_two_places(situation)[floor].mean()) if floor.any() else 0.0


def bearing_hint(proposal: Proposal, robot: Pose2D) -> float | None:
    """Direction that the model prefers, relative to the robot's current heading, in rad.

    The model gives it relative to the heading of the camera at its picture.
    """
    hint = proposal.hypothesis.explore_bearing_rad
    if hint is None or proposal.camera_yaw is None:
        return hint
    return wrap_angle(hint + proposal.camera_yaw - robot.yaw)


def _search(proposal: Proposal, situation: Situation) -> Search:
    surroundings, findings = situation.surroundings, situation.findings
    coverage = findings.seen
    assert surroundings.map is not None and coverage is not None

    def may_stand(pose: Pose2D) -> bool:
        return (passes(situation, GoalPose.of(pose))
                and not near_any(pose, situation.failed)
                and (situation.body is None or situation.body.has_room(pose)))

    done = situation.attempts.done(situation.now, situation.config.failure_memory_s)
    eyes = tuple(eye.pose for eye in findings.eyes)
    camera = situation.camera_ahead(proposal.camera)
    return Search(
        grid=surroundings.map, way_m=surroundings.distances_on_map(), coverage=coverage,
        robot=situation.robot, done=(*done, *eyes),
        looked_from=(*situation.attempts.awaiting, *eyes), sighted=findings.sighted,
        unsettled=findings.unsettled,
        half_angle_rad=(camera.half_angle_rad if camera is not None
                        else ExploreSettings().half_angle_rad),
        bearing_hint_rad=bearing_hint(proposal, situation.robot), may_stand=may_stand,
        views_wanted=_VIEWS_COMPARED, goal=findings.goal, eyes=findings.viewpoints)
