"""To where the exploration policy would look next."""

from dataclasses import replace

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.policy import ExplorationPolicy, Search
from semantic_nav.explore.sweeps import Sweeps
from semantic_nav.explore.viewpoints import LEAST_WAY_M, ExploreSettings
from semantic_nav.verify.checks import first_rejection
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.findings import Proposal
from semantic_nav.verify.goal_checks import NEAR_FAILED_M
from semantic_nav.verify.plan import Plan
from semantic_nav.verify.situation import Situation
from semantic_nav.verify.stand_off import spread
from semantic_nav.verify.subjects import Goal, Rejection, Views

#: A turn smaller than this is none, in radians.
_LEAST_TURN_RAD = 0.1
#: So many of the best views are looked at for some that lie apart; many share a position.
_VIEWS_COMPARED = 60


def new_policy(config: VerifierConfig) -> ExplorationPolicy:
    """Return the policy that each goal begins with."""
    return Sweeps(config.look_range_m, config.min_gain_m2)


def to_next_view(proposal: Proposal, situation: Situation) -> Plan | Rejection:
    """Return the way to the best view, or a turn to it."""
    robot = situation.robot
    answer = situation.exploration.next_views(_search(proposal, situation))
    rejection = first_rejection(situation, Views(len(answer.views)))
    if rejection is not None:
        return replace(rejection, exploration=answer.policy)
    best = answer.views[0]
    turn = wrap_angle(best.pose.yaw - robot.yaw)
    if best.way_m < LEAST_WAY_M and abs(turn) >= _LEAST_TURN_RAD:
        return Plan(Action.EXPLORE, f'turn to see {best.gain_m2:.1f} m2 more', turn_rad=turn,
                    exploration=answer.policy)
    return Plan(Action.EXPLORE, f'to see {best.gain_m2:.1f} m2 more',
                goals=spread([view.pose for view in answer.views],
                             situation.config.path_tries),
                exploration=answer.policy)


def bearing_hint(proposal: Proposal, robot: Pose2D) -> float | None:
    """Return the direction that a model prefers, from the heading of the robot now.

    The model told it from where the camera looked at its picture.
    """
    hint = proposal.body.hypothesis.explore_bearing_rad
    if hint is None or proposal.camera_yaw is None:
        return hint
    return wrap_angle(hint + proposal.camera_yaw - robot.yaw)


def _search(proposal: Proposal, situation: Situation) -> Search:
    surroundings, findings = situation.surroundings, situation.findings
    coverage = findings.seen
    assert surroundings.map is not None and coverage is not None

    def may_stand(pose: Pose2D) -> bool:
        return first_rejection(situation, Goal(pose.x, pose.y)) is None and not any(
            pose.distance_to(other.x, other.y) < NEAR_FAILED_M for other in situation.failed)

    done = situation.attempts.done(situation.now, situation.config.failure_memory_s)
    camera = situation.cameras.get(proposal.camera)
    return Search(
        grid=surroundings.map, way_m=surroundings.distances_on_map(), coverage=coverage,
        robot=situation.robot, done=(*done, *findings.viewpoints),
        half_angle_rad=(camera.half_angle_rad if camera is not None
                        else ExploreSettings().half_angle_rad),
        bearing_hint_rad=bearing_hint(proposal, situation.robot), may_stand=may_stand,
        views_wanted=_VIEWS_COMPARED)
