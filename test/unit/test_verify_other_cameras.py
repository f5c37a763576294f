"""A robot with several cameras: it looks through another one instead of turning to its view."""

import math
from dataclasses import replace

import pytest
from builders import CAMERA, Block, base_T_CAMERA, box_of, canonical, mounted
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Look, Observation, Result
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.contracts.vocabulary import ActOutcome
from semantic_nav.verify.checks.attempts import Arrival, Attempts
from semantic_nav.verify.effects import AskPath, FreezeLook, SendNav, SendSpin
from semantic_nav.verify.events import CameraMounted, LookNotFrozen

EXPLORE = canonical('explore')
HALF_RAD = math.atan2(CAMERA.width_px / 2, CAMERA.fx)
CHAIR = Block((2.0, 2.2), (4.6, 4.8), (0.0, 0.9))


def has_looked() -> VerifierRig:
    """Return a robot to which another look ahead shows nothing new."""
    rig = VerifierRig()
    rig.see(EXPLORE)
    rig.see(EXPLORE)
    return rig


def turn_alone() -> float:
    """Return the turn to the next view of a robot with one camera."""
    rig = has_looked()
    rig.try_(EXPLORE)
    assert isinstance(rig.sent, SendSpin)
    return rig.sent.angle_rad


TURN_RAD = turn_alone()


def with_cameras(**headings: float) -> VerifierRig:
    rig = has_looked()
    for name, heading in headings.items():
        rig.hear(CameraMounted(name, CAMERA, mounted(heading)))
    return rig


def look(rig: VerifierRig, camera: str, heading: float, proposal=EXPLORE,
         ) -> tuple[str, Observation]:
    """Look through another camera and answer."""
    rig.base_T_camera = mounted(heading)
    sent = rig.answer(proposal, rig.look(camera=camera))
    observed = rig.observed()
    rig.base_T_camera = base_T_CAMERA
    return sent.id, observed


def explore(rig: VerifierRig) -> Result | None:
    """Look ahead and explore; returns the result where it came at once."""
    rig.try_(EXPLORE)
    return rig.result


@pytest.mark.parametrize('off_rad', [-0.28, 0.0, 0.28])
def test_robot_looks_through_the_camera_that_looks_there_already(off_rad: float) -> None:
    rig = with_cameras(left=TURN_RAD + off_rad, rear=TURN_RAD + math.pi)
    result = explore(rig)
    assert result is not None and (result.outcome, result.camera) == (ActOutcome.ARRIVED, 'left')
    assert not any(isinstance(one, AskPath | SendNav | SendSpin) for one in rig.effects)
    assert rig.ticking is False, 'nothing is under way'


@pytest.mark.parametrize('off_rad', [-0.31, 0.31, 1.0])
def test_robot_turns_where_no_camera_looks_there(off_rad: float) -> None:
    assert explore(rig := with_cameras(left=TURN_RAD + off_rad)) is None
    assert isinstance(rig.sent, SendSpin)


def test_of_several_cameras_that_which_looks_there_best_is_taken() -> None:
    result = explore(with_cameras(a=TURN_RAD + 0.2, b=TURN_RAD - 0.1, c=TURN_RAD + 0.15))
    assert result is not None and result.camera == 'b'


def test_narrow_camera_must_look_there_closely() -> None:
    rig = has_looked()
    rig.hear(CameraMounted('left', replace(CAMERA, fx=600.0), mounted(TURN_RAD + 0.1)))
    assert explore(rig) is None


def test_what_another_camera_showed_was_looked_at_where_it_looked() -> None:
    rig = with_cameras(left=TURN_RAD)
    explore(rig)
    hypothesis_id, observed = look(rig, 'left', TURN_RAD)
    assert observed.pose == START and observed.cone is not None
    assert observed.viewpoint is not None
    assert wrap_angle(observed.viewpoint.yaw - TURN_RAD) == pytest.approx(0.0, abs=1e-9)
    assert observed.cone.yaw == pytest.approx(wrap_angle(TURN_RAD))
    turned = has_looked()
    turned.see(EXPLORE)
    turned.hear_pose(replace(START, yaw=TURN_RAD))
    _, as_turned = turned.see(EXPLORE)
    assert observed.coverage == pytest.approx(as_turned.coverage, abs=0.02)
    # That view is done with; what is left is to be seen by a turn or from elsewhere.
    rig.act(hypothesis_id)
    sent = rig.effects[-1]
    assert isinstance(sent, AskPath | SendSpin)
    assert isinstance(sent, AskPath) or abs(wrap_angle(sent.angle_rad - TURN_RAD)) > 0.4


def test_every_direction_is_looked_at_without_a_turn_where_cameras_see_it() -> None:
    """Each once: nothing is looked at again and again."""
    headings = {f'c{index}': index * math.pi / 6 for index in range(1, 12)}
    rig = with_cameras(**headings)
    hypothesis_id, _ = rig.see(EXPLORE)
    taken: list[str] = []
    for _ in range(12):
        rig.act(hypothesis_id)
        if rig.result is None:
            break
        name = rig.result.camera
        assert name not in taken
        taken.append(name)
        hypothesis_id, _ = look(rig, name, headings[name])
    assert len(taken) >= 3
    assert not any(isinstance(one, SendSpin) for one in rig.effects)


@pytest.mark.parametrize('failure', ['no picture', 'no depth'])
def test_robot_turns_where_the_camera_shows_nothing(failure: str) -> None:
    rig = with_cameras(left=TURN_RAD)
    explore(rig)
    if failure == 'no picture':
        rig.say(Look(False, 'it is unplugged', camera='left'))
    else:
        sent = rig.look(freeze=False, camera='left')
        rig.hear(LookNotFrozen(sent, 'no depth came'))
    assert explore(rig) is None
    assert isinstance(rig.sent, SendSpin)
    assert abs(wrap_angle(rig.sent.angle_rad - TURN_RAD)) < 1e-6, 'nobody has looked there'
    # It may be mended.
    rig.stop()
    rig.finish('canceled')
    rig.stand(2.0)
    rig.clock.advance(rig.config.failure_memory_s)
    rig.hear_maps()
    rig.stand()
    result = explore(rig)
    assert result is not None and result.camera == 'left'


def test_failure_of_the_first_camera_is_none_of_the_others() -> None:
    rig = with_cameras(left=TURN_RAD)
    rig.say(Look(False, 'it is unplugged'))
    result = explore(rig)
    assert result is not None and result.camera == 'left'


def test_look_that_never_came_leaves_the_view_to_be_looked_at() -> None:
    rig = with_cameras(left=TURN_RAD)
    explore(rig)
    result = explore(rig)
    assert result is not None and result.camera == 'left'


def test_depth_of_the_camera_that_took_the_picture_is_asked_for() -> None:
    rig = with_cameras(left=1.0)
    rig.look(freeze=False, camera='left')
    assert [one.camera for one in rig.out if isinstance(one, FreezeLook)] == ['left']


@pytest.mark.parametrize('mount', [
    Transform((40.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)),
    Transform((math.nan, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)),
    Transform((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0))])
def test_mount_that_cannot_be_is_not_believed(mount: Transform) -> None:
    rig = has_looked()
    dropped = rig.dropped
    rig.hear(CameraMounted('left', CAMERA, mount))
    assert rig.dropped == dropped + 1
    assert explore(rig) is None


def test_lens_that_cannot_be_is_not_believed() -> None:
    rig = has_looked()
    rig.hear(CameraMounted('left', replace(CAMERA, fx=0.0), mounted(TURN_RAD)))
    assert explore(rig) is None


# What other cameras see

def test_target_beside_the_robot_is_gone_to_and_faced() -> None:
    """It is looked at there through the first camera, of which the stand-off is planned."""
    rig = with_cameras(left=math.pi / 2)
    # The other camera hangs low: from near by it has the whole chair in the picture.
    rig.base_T_camera = mounted(math.pi / 2, 0.0, 0.2, 0.5)
    seen = box_of(rig.map_T_camera, CAMERA, CHAIR)
    sent = rig.answer(canonical('approach', seen='visible', target_box=seen), rig.look(
        rig.depth((CHAIR,)), camera='left'))
    observed = rig.observed()
    assert observed.target_bearing_rad == pytest.approx(START.bearing_to(2.1, 4.7), abs=0.1)
    assert observed.track is not None
    assert math.dist(observed.track.position[:2], (2.1, 4.7)) < 0.15
    rig.act(sent.id)
    goal = rig.asked.goal
    assert abs(goal.bearing_to(*observed.track.position[:2])) < 0.1
    assert 0.5 < goal.distance_to(*observed.track.position[:2]) < 1.15


@pytest.mark.parametrize('rotate_rad', [0.5, -1.0])
def test_turn_that_another_camera_makes_wanted_begins_where_that_looks(rotate_rad: float) -> None:
    rig = with_cameras(left=1.2)
    hypothesis_id, _ = look(rig, 'left', 1.2, canonical('rotate', rotate_rad=rotate_rad))
    rig.act(hypothesis_id)
    assert isinstance(rig.sent, SendSpin)
    assert rig.sent.angle_rad == pytest.approx(1.2 + rotate_rad)


def test_views_are_planned_with_the_lens_of_the_first_camera() -> None:
    """Whatever camera gave the answer."""
    wide = Intrinsics(160, 120, 30.0, 30.0, 79.5, 59.5)
    goals = []
    for camera in ('camera', 'left'):
        rig = VerifierRig()
        rig.hear(CameraMounted('left', wide, mounted(-2.5)))
        hypothesis_id, _ = rig.see(EXPLORE)
        if camera == 'left':
            sent = rig.look(camera='left', missing='no depth came')
            hypothesis_id = rig.answer(EXPLORE, sent).id
        rig.act(hypothesis_id)
        goals.append(rig.sent)
    assert goals[0].angle_rad == goals[1].angle_rad


# Which view was looked from

VIEW, NEXT = Pose2D(1.0, 2.0, 0.0), Pose2D(1.0, 2.0, 1.5)
ATTEMPTS = Attempts(arrivals=(Arrival(viewpoint=VIEW), Arrival(viewpoint=NEXT, camera='left')))


def test_look_counts_for_the_view_of_its_camera() -> None:
    assert ATTEMPTS.looked(camera='left').viewpoints == (NEXT,)
    assert ATTEMPTS.looked(camera='camera').viewpoints == (VIEW,)
    assert ATTEMPTS.looked(camera='camera').awaiting == ()


def test_look_that_was_passed_counts_for_the_view_where_it_was_taken() -> None:
    after = ATTEMPTS.looked(VIEW, 'camera')
    assert after.viewpoints == (VIEW,) and after.awaiting == (NEXT,)
    after = after.looked(NEXT, 'left')
    assert after.viewpoints == (VIEW, NEXT) and after.awaiting == ()
