"""Cameras with names, and cameras that do not look where the robot is heading."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import CAMERA, Room, act_request, base_T_CAMERA, canonical, meta
from situations import Known, ListeningPolicy
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Hypothesis, Look, Observation
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.contracts.hypothesis import Scene, SceneObject
from semantic_nav.contracts.vocabulary import Source
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.exploration import Exploration
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.grounding.camera_view import CameraView
from semantic_nav.verify.planning.planning import plan
from semantic_nav.verify.tracking.findings import Findings, Proposal


def turned(yaw: float) -> Transform:
    """Return the camera of a robot, turned to the left."""
    return Transform((0.0, 0.0, 0.0), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))) @ (
        base_T_CAMERA)


def side_rig(side: float, room: Room | None = None) -> VerifierRig:
    """Return a robot whose camera looks to a side, and at the mug."""
    rig = VerifierRig(room, pose=Pose2D(START.x, START.y, -side))
    rig.base_T_camera = turned(side)
    return rig


@pytest.mark.parametrize('side', [math.pi / 2, -math.pi / 2, 2.5])
def test_bearing_of_the_target_is_from_the_robot_s_heading(side: float) -> None:
    rig = side_rig(side)
    _, observation = rig.see_mug()
    assert observation.target_bearing_rad == pytest.approx(side, abs=0.05)
    assert observation.pose is not None and observation.pose.yaw == pytest.approx(-side)
    (target,) = observation.objects
    np.testing.assert_allclose(target.position, (4.2, 3.0, 0.81), atol=0.06)
    assert observation.cone is not None
    assert wrap_angle(observation.cone.yaw) == pytest.approx(0.0, abs=1e-6)
    # As belief compares it with the track.
    expected = observation.pose.bearing_to(*target.position[:2])
    assert abs(wrap_angle(observation.target_bearing_rad - expected)) < 0.1


def goal_of(rig: VerifierRig) -> float:
    """Return the direction of the goal from the robot, as an angle in the map frame."""
    if rig.decision is None:
        goal = rig.asked.goal
        return rig.pose.bearing_to(goal.x, goal.y) + rig.pose.yaw
    assert rig.decision.goal is not None
    return rig.decision.goal.yaw


@pytest.mark.parametrize('side', [1.0, -1.0])
@pytest.mark.parametrize('turned_to', [0.0, 0.5])
def test_hint_of_the_model_is_from_where_the_camera_looked(side: float, turned_to: float) -> None:
    """It looks back over one shoulder, and the model prefers what lies before the other one."""
    rig = VerifierRig(Room(10.0, 10.0), Pose2D(5.0, 5.0, 0.0))
    rig.base_T_camera = turned(2.8 * side)
    hypothesis_id, _ = rig.see(canonical('explore', explore_bearing_rad=-1.4 * side))
    rig.drive(Pose2D(5.0, 5.0, turned_to))
    rig.stand()
    rig.act(hypothesis_id)
    assert math.sin(goal_of(rig)) * side > 0.4


def test_look_observation_and_depth_carry_the_name_of_the_camera() -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False, camera='left')
    assert [one.camera for one in rig.out if isinstance(one, FreezeLook)] == ['left']
    rig.hear(rig.freeze(look_id))
    rig.answer(canonical('explore'), look_id)
    assert rig.observed().camera == 'left'
    missed = rig.look(camera='right', missing='no depth')
    rig.answer(canonical('explore'), missed)
    assert rig.observed().camera == 'right'
    assert Look(True).camera == rig.see(canonical('explore'))[1].camera == 'camera'


@pytest.mark.parametrize('camera', ['wide', 'narrow', 'unknown'])
def test_field_of_view_is_that_of_the_camera_that_looked(camera: str) -> None:
    known, policy = Known(), ListeningPolicy()
    assert known.surroundings.map is not None
    views = {name: CameraView(replace(CAMERA, fx=fx), Transform.identity(), base_T_CAMERA)
             for name, fx in (('narrow', 400.0), ('wide', 60.0))}
    proposal = Proposal('h', Hypothesis('s', Source.MODEL, canonical('explore'), meta()),
                        known.clock.now.clock_ns, START, None, '', (), camera, 0.0)
    plan(act_request('h'), replace(
        known.situation, cameras=views, exploration=Exploration.begin(policy),
        findings=Findings(GoalCoverage.none(known.surroundings.map), {'h': proposal})))
    search = policy.searches[0]
    expected = {'wide': math.atan2(80, 60), 'narrow': math.atan2(80, 400)}.get(camera, 0.6)
    assert search.half_angle_rad == pytest.approx(expected)


def test_search_knows_the_goal_and_what_each_look_saw_in_words() -> None:
    rig, policy = VerifierRig(Room()), ListeningPolicy()
    rig.core._exploration = Exploration.begin(policy)
    rig.see(replace(canonical('explore'), scene=Scene('kitchen', (
        SceneObject('stove'), SceneObject('red kettle')))))
    rig.try_(replace(canonical('explore'), scene=Scene('')))
    search = policy.searches[0]
    assert [eye.scene for eye in search.eyes] == ['kitchen, stove, red kettle', '']
    assert search.goal == 'find the mug'


def test_intrinsics_are_kept_by_camera() -> None:
    """A look through the second camera says nothing about the first one."""
    tele = Intrinsics(160, 120, 1200.0, 1200.0, 80.0, 60.0)
    rig = VerifierRig(Room())
    rig.see(canonical('explore'))
    look_id = rig.look(freeze=False, camera='tele')
    rig.hear(replace(rig.freeze(look_id), intrinsics=tele))
    assert {name: view.intrinsics for name, view in rig.core._cameras.items()} == {
        'camera': CAMERA, 'tele': tele}
    rig.answer(canonical('explore'), look_id)
    assert isinstance(rig.observed(), Observation)
