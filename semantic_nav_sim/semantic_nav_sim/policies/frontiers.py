"""Frontiers for a camera: the border between floor that was looked at and floor that was not."""

from dataclasses import replace

import numpy as np
from scipy import ndimage

from semantic_nav.contracts.grid import OCCUPIED
from semantic_nav.explore.policy import Search
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, Worth

#: Radius of the floor whose value counts for a frontier, in metres.
NEAR_M = 0.5
#: Distance below which two views show one frontier, in metres.
_APART_M = 1.0


def frontier_views(search: Search, look_range_m: float, min_gain_m2: float) -> list[Viewpoint]:
    """A view of each frontier, the one with the most gain per second first.

    As long as all looks are from the robot's position, it first turns on the spot, as VLFM and
    ApexNav do. Then the views are turns, if any of them shows enough.

    Args:
        search: state of the search.
        look_range_m: range of a look.
        min_gain_m2: least unseen floor of a view.
    """
    grid, looked = search.grid, search.coverage.in_range.looked
    unlooked = ~looked & (grid.cells < OCCUPIED)
    settings = ExploreSettings(range_m=look_range_m, half_angle_rad=search.half_angle_rad,
                               min_gain_m2=min_gain_m2)
    # These policies ignore the bearing hint of the model.
    views = list(replace(search, bearing_hint_rad=None).ranked(
        [Worth(unlooked.astype(np.float64))], settings))
    turns = [view for view in views if view.is_turn(search.robot)]
    if turns and all(search.robot.distance_to(eye.pose.x, eye.pose.y) < NEAR_M
                     for eye in search.eyes):
        return turns
    border = looked & grid.free & ndimage.binary_dilation(unlooked)
    if not border.any():
        return []
    off_m = ndimage.distance_transform_edt(~border) * grid.resolution_m
    found: list[Viewpoint] = []
    for view in views:
        at = view.pose
        if off_m[grid.cell_of(at.x, at.y)] <= NEAR_M and all(
                at.distance_to(other.pose.x, other.pose.y) >= _APART_M for other in found):
            found.append(view)
    return found
