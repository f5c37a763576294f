"""Grounding of a box by a depth picture: its place, by the pinhole model."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Covariance, Point
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.box_sides import across_sides, all_of_it, goes_on
from semantic_nav.verify.grounding.covariance import largest_deviation_m, of_grounding
from semantic_nav.verify.grounding.extent import begins_before_m
from semantic_nav.verify.grounding.picture_outline import outline_of
from semantic_nav.verify.grounding.ray import Ray

#: Share of a box's width and height that is read: boxes are drawn a little too large.
_CORE = 0.9
#: Gap in depth above which two surfaces are distinct, in m.
_GAP_M = 0.2
#: Difference to both neighbours, one nearer and one farther, above which a pixel mixes them, in m.
_MIXED_M = 0.08
#: Share of the pixels below which a surface is noise.
_LEAST_SHARE = 0.1
#: Share of width and height of a box across which its object reaches.
_REACH = 0.85
#: That share for a box drawn too large, in which the object ends before the sides.
_LOOSE_REACH = 0.6
#: Share of the pixels of a row or column from which on it belongs to a surface.
_LINE_SHARE = 0.05
#: Difference from the median depth of its surface within which pixels belong to the object, in m.
_THICKNESS_M = 0.2
#: Distance behind that depth from which on points other than floor are something else, in m.
_BEHIND_M = 0.3
#: Height up to which points are of the floor on which the object stands, in m.
_FLOOR_M = 0.06
#: Share of a box without the object above which it may be drawn around another one.
_UNCLEAR_SHARE = 0.35
#: That share if the surface goes on beside the box: it may only hide the object of the box.
_HIDING_SHARE = 0.1
_MIN_PIXELS = 4
#: Distance to the edge of the picture below which a box is cut off, in per mille.
EDGE = 8.0
#: Error of an edge of a box by a poor model: a share of the box and a part in per mille of the
#: picture, three pixels of 640.
_EDGE_ERROR, _EDGE_ERROR_PER_MILLE = 0.06, 5.0
#: Depth noise of structured-light and stereo cameras, in m per metre of distance.
_DEPTH_NOISE = 0.01
#: Approximate maximum of pixels read in a box; a larger box is subsampled.
_MOST_PIXELS = 8_192
#: Stride over the columns of the picture for the points of surfaces.
_SURFACE_STRIDE = 4
#: Margin of the picture in which a place does not count as seen, as a share of the width.
PICTURE_MARGIN = 0.05
#: Difference in depth above which something nearer hides a place, in m.
_HIDDEN_M = 0.25
#: Least radius around a place in which depth is read, in pixels.
_LEAST_REACH_PX = 2


@dataclass(frozen=True)
class Grounded:
    """Place of the object in a box.

    Attributes:
        position: in the map frame.
        sigma_m: standard deviations of its seen points along x, y and z.
        covariance: of the position in m2, rows and columns x, y and z, row by row.
        distance_m: from the camera.
        provisional: too far, cut off or unclear, so not reliable.
        size_m: edge of a square with the area of the box at that distance.
        unclear: the box may be drawn around something else, because much of it shows that, or
            some of it does and the measured surface goes on beside the box; or, without depth,
            the range is not known yet.
        size_error: standard deviation of the size, as a share of it.
        rays: of the looks that give the place, its own last; none if depth measured it.
        joined: rays of a track that agree with its own.
    """

    position: Point
    sigma_m: Point
    distance_m: float
    provisional: bool
    size_m: float
    covariance: Covariance
    unclear: bool = False
    size_error: float = 0.0
    rays: tuple[Ray, ...] = ()
    joined: tuple[Ray, ...] = ()

    @property
    def vague_m(self) -> float:
        """Largest standard deviation of a place whose range is unknown, in m; 0 if it is known."""
        return largest_deviation_m(self.covariance) if self.rays and self.unclear else 0.0

    def deep_m(self, x: float, y: float) -> float:
        """Depth by `begins_before_m` as seen from (x, y), in m; 0 if unknown."""
        return 0.0 if self.unclear or self.rays else (
            begins_before_m(self.sigma_m, self.position, x, y))


def ground_box(box: Box, depth_mm: NDArray[np.uint16], intrinsics: Intrinsics,
               map_T_camera: Transform, config: VerifierConfig) -> Grounded:
    """Place of the object in a box.

    Args:
        box: in per mille of the picture, to which the depth is registered.
        depth_mm: shape (height, width), 0 for no measurement.
        intrinsics: of the depth picture.
        map_T_camera: of the optical frame at the picture's stamp.
        config: distances that are believed.

    Raises:
        GroundingError: there is no depth in the box, or none that is believed.
    """
    rows, columns = _core_window(box, depth_mm.shape)
    error_px = _side_error_px(box, intrinsics, config)
    window = depth_mm[rows, columns].astype(np.float64) / 1000.0
    believed = (window >= config.ground_min_m) & (window <= config.ground_max_m)
    believed &= ~_mixed(window, rows.step)
    if int(believed.sum()) < min(_MIN_PIXELS, window.size):
        raise GroundingError('the depth picture shows nothing in the box between '
                             f'{config.ground_min_m:g} and {config.ground_max_m:g} m')
    points = _points(window, rows, columns, intrinsics, map_T_camera)
    floor = points[..., 2] <= _FLOOR_M
    surface = _surface_of_box(window, believed, partial(
        _goes_on_aside, box, rows, depth_mm, intrinsics, map_T_camera, error_px))
    standing = surface & ~floor
    if standing.sum() < _LEAST_SHARE * surface.sum():
        # The object lies flat, as a rug does.
        standing, floor = surface, np.zeros_like(floor)
    # Not the mean of the middle two: no pixel may have that depth.
    depth_m = float(np.percentile(window[standing], 50, method='lower'))
    of_object = standing & (np.abs(window - depth_m) <= _THICKNESS_M)
    of_something = believed & (of_object | ~floor)
    whole = of_object | all_of_it(window, of_object, of_something, rows.step)
    aside = _goes_on_aside(box, rows, depth_mm, intrinsics, map_T_camera, error_px, window[whole])
    if not aside:
        of_object = whole
    behind = of_something & ~of_object & (window > depth_m + _BEHIND_M)
    if not aside:
        # The object ends with its box, so the background between its parts tells nothing.
        behind &= ~_between(of_object)
    before = of_something & ~of_object & (window < depth_m - _THICKNESS_M)
    other = _other_share(of_object, behind | before, believed)
    unclear = other > (_HIDING_SHARE if aside else _UNCLEAR_SHARE)
    centre = points[of_object].mean(axis=0)
    # An unclear box may be drawn around anything else in it.
    held = points[of_something if unclear else of_object]
    spread = held.std(axis=0) + _DEPTH_NOISE * depth_m
    ray = centre - np.array(map_T_camera.translation)
    distance_m = float(np.linalg.norm(ray))
    cut = min(box[0], box[1]) < EDGE or max(box[2], box[3]) > 1000.0 - EDGE
    # The middle of a cut-off object may be anywhere too.
    shown = None if unclear or cut else float(of_object.sum() / believed.sum())
    return Grounded(
        position=(float(centre[0]), float(centre[1]), float(centre[2])),
        sigma_m=(float(spread[0]), float(spread[1]), float(spread[2])),
        distance_m=distance_m,
        provisional=unclear or cut or distance_m > config.ground_sure_m,
        size_m=edge_m(box, intrinsics, depth_m),
        covariance=of_grounding(held, shown, ray, intrinsics.fx, config),
        unclear=unclear, size_error=edge_error(box))


def _mixed(window_m: NDArray[np.float64], step: int) -> NDArray[np.bool_]:
    """Mask of the pixels that mix two surfaces: their depth is well between their neighbours'.

    Args:
        window_m: depth, shape (height, width), 0 for no measurement.
        step: between the pixels that were read, in pixels of the picture.
    """
    mixed = np.zeros(window_m.shape, np.bool_)
    for depth, found in ((window_m, mixed), (window_m.T, mixed.T)):
        ahead = np.diff(depth, axis=0)
        ahead[(depth[1:] == 0) | (depth[:-1] == 0)] = 0.0
        least = np.minimum(np.abs(ahead[1:]), np.abs(ahead[:-1]))
        found[1:-1] |= (ahead[1:] * ahead[:-1] > 0) & (least > _MIXED_M * step)
    return mixed


def _points(window_m: NDArray[np.float64], rows: slice, columns: slice, intrinsics: Intrinsics,
            map_T_camera: Transform) -> NDArray[np.float64]:
    """Points of the pixels of a part of a depth picture, in the map, shape (height, width, 3)."""
    v, u = np.mgrid[rows, columns]
    x = (u - intrinsics.cx) / intrinsics.fx * window_m
    y = (v - intrinsics.cy) / intrinsics.fy * window_m
    return map_T_camera.apply(np.stack([x, y, window_m], axis=2))


def _other_share(of_object: NDArray[np.bool_], others: NDArray[np.bool_],
                 believed: NDArray[np.bool_]) -> float:
    """Share of a box that does not show the object.

    The object of a box reaches from edge to edge, hides the background, and is seen past
    things in front of it.

    Args:
        of_object: mask of the object.
        others: mask of things behind or in front of it.
        believed: mask of all pixels with believed depth.

    Returns:
        Sum of two shares: that of width or height across which the object does not reach, and that
        of the area with something else.
    """
    missing = 1.0 - min(_reach(of_object, 0), _reach(of_object, 1))
    return missing + float(others.sum() / believed.sum())


def _between(of_object: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of the pixels with the object on both sides, along a row or a column."""
    across, down = (np.logical_or.accumulate(of_object, axis=axis)
                    & np.flip(np.logical_or.accumulate(np.flip(of_object, axis), axis=axis), axis)
                    for axis in (1, 0))
    return across | down


def _goes_on_aside(box: Box, rows: slice, depth_mm: NDArray[np.uint16], intrinsics: Intrinsics,
                   map_T_camera: Transform, error_px: float,
                   depths_m: NDArray[np.float64]) -> bool:
    """Tell whether the supposed object goes on beside its box, to the left or right.

    The box of an object behind the back of a chair is drawn around the parts seen past it. The
    back fills that box but does not end at its edges. The upper and lower edges do not tell: the
    top of a cupboard goes on to the wall behind, and an object to the table under it.

    Args:
        box, depth_mm, intrinsics, map_T_camera: see `ground_box`.
        rows: the rows that were read.
        error_px: largest error of a side.
        depths_m: of the object, shape (n,).
    """
    nearest_m = float(depths_m.min()) - _THICKNESS_M
    farthest_m = float(depths_m.max()) + _THICKNESS_M
    width_px = depth_mm.shape[1]
    left_px, right_px = box[0] / 1000.0 * width_px, box[2] / 1000.0 * width_px
    for columns in across_sides(left_px, right_px, error_px, width_px):
        across_m = depth_mm[rows, columns].astype(np.float64) / 1000.0
        points = _points(across_m, rows, columns, intrinsics, map_T_camera)
        # The floor goes on beside everything that lies on it.
        if goes_on(across_m, (across_m >= nearest_m) & (across_m <= farthest_m)
                   & (points[..., 2] > _FLOOR_M)):
            return True
    return False


def _side_error_px(box: Box, intrinsics: Intrinsics, config: VerifierConfig) -> float:
    """Largest offset in pixels between a side of a box and that side in the depth."""
    drawn_px = (_EDGE_ERROR * (box[2] - box[0]) + _EDGE_ERROR_PER_MILLE
                ) / 1000.0 * intrinsics.width_px
    return drawn_px + 2.0 * config.camera_error_rad * intrinsics.fx


def edge_m(box: Box, intrinsics: Intrinsics, depth_m: float) -> float:
    """Edge in m of a square with the area of a box, upright at a depth."""
    width_m = (box[2] - box[0]) / 1000.0 * intrinsics.width_px / intrinsics.fx * depth_m
    height_m = (box[3] - box[1]) / 1000.0 * intrinsics.height_px / intrinsics.fy * depth_m
    return math.sqrt(abs(width_m * height_m))


def edge_error(box: Box) -> float:
    """Error of the edge of that square, as a share of it, by the errors of all four edges."""
    across, down = (math.sqrt(2.0) * (_EDGE_ERROR + _EDGE_ERROR_PER_MILLE / max(1.0, high - low))
                    for low, high in ((box[0], box[2]), (box[1], box[3])))
    return math.hypot(across, down) / 2.0


def _surface_of_box(window: NDArray[np.float64], believed: NDArray[np.bool_],
                    goes_on_aside: Callable[[NDArray[np.float64]], bool],
                    ) -> NDArray[np.bool_]:
    """Mask of the surface that a box is drawn around.

    It is the nearest one that reaches from edge to edge, or across most of a box that is drawn too
    large. Something in front of the object covers only a part of the box and goes on beside it.
    The background seen past a small or hollow object lies behind it.
    """
    depths = np.sort(window[believed])
    after_gaps = np.flatnonzero(np.diff(depths) > _GAP_M) + 1
    widest, widest_reach = believed, 0.0
    for part in np.split(depths, after_gaps):
        if part.size < _LEAST_SHARE * depths.size:
            continue
        surface = believed & (window >= part[0]) & (window <= part[-1])
        reach = min(_reach(surface, 0), _reach(surface, 1))
        if reach > widest_reach:
            widest, widest_reach = surface, reach
        if reach >= _REACH or (reach >= _LOOSE_REACH and not goes_on_aside(window[surface])):
            break
    return widest


def _reach(surface: NDArray[np.bool_], axis: int) -> float:
    """Share of a box across which a surface reaches along an axis."""
    lines = np.flatnonzero(surface.mean(axis=1 - axis) >= _LINE_SHARE)
    return float(lines[-1] - lines[0] + 1) / surface.shape[axis] if lines.size else 0.0


def _core_window(box: Box, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Rows and columns of the core of a box, with a stride; at least one pixel each."""
    height, width = shape
    rows, columns = _core_range(box[1], box[3], height), _core_range(box[0], box[2], width)
    pixels = (rows.stop - rows.start) * (columns.stop - columns.start)
    step = math.ceil(math.sqrt(pixels / _MOST_PIXELS))
    return (slice(rows.start, rows.stop, step), slice(columns.start, columns.stop, step))


def _core_range(low: float, high: float, pixels: int) -> slice:
    middle, half = (low + high) / 2, (high - low) / 2 * _CORE
    first = min(pixels - 1, max(0, math.floor((middle - half) / 1000.0 * pixels)))
    return slice(first, max(first + 1, min(pixels, math.ceil((middle + half) / 1000.0 * pixels))))


def box_bearing(box: Box, intrinsics: Intrinsics, base_T_camera: Transform) -> float:
    """Bearing of a box's centre from the robot's heading, in rad, positive to the left."""
    u = (box[0] + box[2]) / 2000.0 * intrinsics.width_px - 0.5
    v = (box[1] + box[3]) / 2000.0 * intrinsics.height_px - 0.5
    ray = np.array([(u - intrinsics.cx) / intrinsics.fx, (v - intrinsics.cy) / intrinsics.fy, 1.0])
    forward = base_T_camera.matrix[:3, :3] @ ray
    return math.atan2(float(forward[1]), float(forward[0]))


def seen_surfaces(depth_mm: NDArray[np.uint16], intrinsics: Intrinsics, map_T_camera: Transform,
                  range_m: float) -> SeenSurfaces:
    """Surfaces in a depth picture, as points over the floor.

    Only a measured surface counts as seen, because a chair hides the floor behind it.
    """
    rows = np.arange(depth_mm.shape[0])
    columns = np.arange(0, depth_mm.shape[1], _SURFACE_STRIDE)
    z = depth_mm[:, ::_SURFACE_STRIDE].astype(np.float64) / 1000.0
    x = (columns - intrinsics.cx) / intrinsics.fx * z
    y = (rows[:, None] - intrinsics.cy) / intrinsics.fy * z
    points = map_T_camera.apply(np.stack([x, y, z], axis=2)[z > 0])
    eye = np.array(map_T_camera.translation)
    near = np.hypot(points[:, 0] - eye[0], points[:, 1] - eye[1]) <= range_m
    axes = map_T_camera.matrix[:3, :3]
    return SeenSurfaces(
        float(eye[0]), float(eye[1]), math.atan2(float(axes[1, 2]), float(axes[0, 2])),
        outline_of(intrinsics, axes).half_across_rad, range_m,
        points[near][:, :2])


def overlooks(position: Point, size_m: float, within_m: float, depth_mm: NDArray[np.uint16],
              intrinsics: Intrinsics, map_T_camera: Transform) -> bool:
    """Tell whether a depth picture shows a place itself or the background behind it.

    A shorter depth there means that something hides the place, which is no evidence. A look from
    farther off than the target was ever seen is none either: the model may not recognise it there.

    Args:
        position: of the place, in the map frame.
        size_m: edge of the target; depth is read over its middle half, because it may have holes.
        within_m: largest distance over the floor at which the target would have been seen.
        depth_mm: shape (height, width), 0 for no measurement.
        intrinsics: of the depth picture.
        map_T_camera: of the optical frame at the picture's stamp.
    """
    eye_x, eye_y, _ = map_T_camera.translation
    shown = in_picture(position, intrinsics, map_T_camera)
    if shown is None or math.hypot(position[0] - eye_x, position[1] - eye_y) > within_m:
        return False
    row, column, z = shown
    reach = max(_LEAST_REACH_PX, round(intrinsics.fx * size_m / z / 4))
    around = depth_mm[max(0, row - reach):row + reach + 1,
                      max(0, column - reach):column + reach + 1].astype(np.float64) / 1000.0
    measured = around[around > 0]
    return measured.size > 0 and float(np.median(measured)) >= z - _HIDDEN_M


def in_picture(position: Point, intrinsics: Intrinsics,
               map_T_camera: Transform) -> tuple[int, int, float] | None:
    """Row, column and depth in m of a place well inside the picture; None outside."""
    x, y, z = map_T_camera.inverse().apply(np.array([position]))[0].tolist()
    if z <= 0:
        return None
    # Coordinates begin at the edge of the picture, half a pixel before the first pixel's middle.
    u = intrinsics.cx + 0.5 + intrinsics.fx * x / z
    v = intrinsics.cy + 0.5 + intrinsics.fy * y / z
    margin_px = PICTURE_MARGIN * intrinsics.width_px
    if not (margin_px <= u < intrinsics.width_px - margin_px
            and margin_px <= v < intrinsics.height_px - margin_px):
        return None
    return int(v), int(u), z
