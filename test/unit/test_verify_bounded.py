"""Whatever the numbers, the verifier decides in so many steps: every loop ends with the map."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Room, canonical
from situations import Known
from steps import at_most
from verifier_rig import VerifierRig

from semantic_nav.contracts.documents import Candidate
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.sight import cast, visible_cells
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.subjects import Rejection, Target
from semantic_nav.verify.planning.approach import to_track
from semantic_nav.verify.planning.revisit import clear_pose_near
from semantic_nav.verify.tracking.findings import Findings
from semantic_nav.verify.tracking.track import TargetTrack

#: Lines of the product: an approach to a mug on a table runs through some 100 000.
STEPS = 400_000


@pytest.mark.parametrize('x', [100_000.0, 1e15, -1e300])
def test_a_wild_transform_of_the_camera_grounds_nothing(x: float) -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False)
    parts = rig.freeze(look_id)
    rig.hear(replace(parts, odom_T_camera=Transform((x, 3.0, 1.0), parts.odom_T_camera.rotation)))
    with at_most(STEPS):
        sent = rig.answer(canonical('approach', seen='visible', target_box=rig.box()), look_id)
        assert rig.observed().objects == () and rig.observed().track is None
        rig.act(sent.id)
    assert rig.code is Code.NOT_GROUNDED and not rig.moving


@pytest.mark.parametrize('focal_px', [1e-3, 1e-12, 1e-300])
def test_a_focal_length_of_nearly_nothing_grounds_nothing(focal_px: float) -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False)
    parts = rig.freeze(look_id)
    rig.hear(replace(parts, intrinsics=replace(parts.intrinsics, fx=focal_px, fy=focal_px)))
    with at_most(STEPS):
        sent = rig.answer(canonical('approach', seen='visible',
                                    target_box=(100.0, 500.0, 300.0, 700.0)), look_id)
        assert rig.observed().objects == () and rig.observed().track is None
        rig.act(sent.id)
    assert rig.code is Code.NOT_GROUNDED and not rig.moving


def test_what_is_farther_from_the_robot_than_depth_is_believed_is_not_grounded() -> None:
    rig = VerifierRig(ground_max_m=1.5)
    hypothesis_id, seen = rig.see_mug()
    assert seen.objects == () and seen.ungrounded_reason
    rig.act(hypothesis_id)
    assert rig.code is Code.NOT_GROUNDED


# Off the map

@pytest.mark.parametrize(('x', 'refused'), [
    (4.0, False), (8.0, False), (9.9, False), (-1.9, False), (10.1, True), (-2.1, True),
    (1e300, True)])
def test_a_target_lies_on_the_map_or_a_little_beyond(x: float, refused: bool) -> None:
    known = Known(Room(8.0, 6.0))
    assert known.config.leg_stand_off_m == 2.0
    rejection = first_rejection(known.situation, Target(x, 3.0))
    assert (rejection is not None) == refused
    assert rejection is None or rejection.code is Code.OUT_OF_MAP


def track_at(x: float, y: float) -> TargetTrack:
    return TargetTrack('t', (x, y, 0.8), 1.0, 0.1, 2, (), True, 0, 0, (2.0, 3.0))


@pytest.mark.parametrize('where', [(100_000.0, 0.0), (1e300, -1e300), (4.0, 1e308)])
def test_a_track_off_the_map_is_not_approached(where: tuple[float, float]) -> None:
    known = Known()
    situation = replace(known.situation, findings=Findings(track=track_at(*where)))
    with at_most(STEPS):
        planned = to_track(situation)
    assert isinstance(planned, Rejection) and planned.code is Code.OUT_OF_MAP


# Loops over space

def grid_of(shape: tuple[int, int], resolution_m: float) -> OccupancyGrid:
    return OccupancyGrid(np.zeros(shape, np.int8), resolution_m, 0.0, 0.0, 'map', 0)


def test_rays_end_with_the_map() -> None:
    grid = grid_of((30, 40), 1e-6)
    rows, columns, seen, distances_m = cast(grid, np.array([[15, 20]]), np.array([0.0]), 20.0, 1)
    assert rows.shape == columns.shape == seen.shape == (1, 1, len(distances_m))
    assert len(distances_m) == 50
    with at_most(STEPS):
        assert visible_cells(grid, (20e-6, 15e-6), 0.0, 1.5, 20.0).any()


def test_a_viewpoint_is_shifted_within_the_costmap_only() -> None:
    known = Known(Room(8.0, 6.0), node_shift_m=5.0)
    costmap = known.surroundings.costmap
    assert costmap is not None
    # Its cells a thousand times finer: five metres are a hundred thousand of them.
    fine = replace(costmap, cells=np.full((12, 16), 99, np.int8), resolution_m=5e-5)
    known.take_costmap(fine)
    known.take_map(replace(fine, cells=np.zeros((12, 16), np.int8)))
    with at_most(STEPS):
        refused = clear_pose_near(Pose2D(1e-4, 1e-4, 0.0), known.situation)
    assert isinstance(refused, Rejection) and refused.code is Code.COLLISION_DETECTED


def test_the_rings_towards_a_target_end_with_the_costmap() -> None:
    # The target is as far as a number can be, on a map as large; the costmap is a room.
    known = Known()
    costmap = known.surroundings.costmap
    assert costmap is not None
    known.take_map(OccupancyGrid(np.zeros((2, 2), np.int8), 1e15, -1.0, -1.0, 'map', 0))
    situation = replace(known.situation, findings=Findings(track=track_at(1e15, 3.0)))
    with at_most(STEPS):
        planned = to_track(situation)
    assert not isinstance(planned, Plan) and planned.code is Code.UNREACHABLE


def test_places_from_far_off_are_refused() -> None:
    rig = VerifierRig()
    far = Candidate('far', Pose2D(9_999.0, -9_999.0, 0.0), 0.9, 0.9, 0.0, '', (), ())
    rig.remember(far)
    with at_most(STEPS):
        decision = rig.try_(canonical('goto_node', node_id='far'))
    assert decision is not None and decision.code is Code.OUT_OF_MAP
