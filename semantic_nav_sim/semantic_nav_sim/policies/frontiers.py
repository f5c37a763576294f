"""Frontiers for a camera: where floor that was looked at borders on what was not."""

from dataclasses import replace

import numpy as np
from scipy import ndimage

from semantic_nav.contracts.grid import OCCUPIED
from semantic_nav.explore.policy import Search
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, Worth

#: A frontier's value is that of what was looked at so near to it, in metres.
NEAR_M = 0.5
#: Views nearer to each other than this look over the same frontier, in metres.
_APART_M = 1.0


def frontier_views(search: Search, look_range_m: float, min_gain_m2: float) -> list[Viewpoint]:
    """Return a view over each frontier, those with the most gain per second first.

    While all looks were taken from where the robot is, it turns round there first, as VLFM and
    ApexNav do: then these are turns, if any shows enough.

    Args:
        search: how it stands.
        look_range_m: how far a look counts.
        min_gain_m2: what was not looked at and makes a view worth the way.
    """
    grid, looked = search.grid, search.coverage.in_range.looked
    unlooked = ~looked & (grid.cells < OCCUPIED)
    settings = ExploreSettings(range_m=look_range_m, half_angle_rad=search.half_angle_rad,
                               min_gain_m2=min_gain_m2)
    # The bearing that a model prefers is no part of these policies.
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
