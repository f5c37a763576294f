"""Polygons on the floor: what lies in them, how near to their edges, and what crosses these."""

import numpy as np
from numpy.typing import NDArray

#: Corners of a polygon, x and y in metres, in either direction; the last joins the first.
Corners = tuple[tuple[float, float], ...]
#: Points of shape (n,), or segments of shape (n, 4): x and y of one end, then of the other.
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Edges nearer to each other than this touch, in metres.
_TOUCH_M = 1e-6


def edges_of(corners: Corners) -> Floats:
    """Return the edges of a polygon, shape (n, 4)."""
    points = np.array(corners, np.float64).reshape(-1, 2)
    return np.concatenate([points, np.roll(points, -1, axis=0)], axis=1)


def inside(corners: Corners, x: Floats, y: Floats) -> Mask:
    """Tell which points lie in a polygon; of those on its edges, some do.

    A ray from each crosses the edges an odd number of times (Shimrat, 1962, CACM algorithm 112).

    Args:
        corners: of the polygon.
        x, y: shape (n,), in metres.
    """
    found = np.zeros(x.shape, np.bool_)
    for x0, y0, x1, y1 in edges_of(corners).tolist():
        if y0 != y1:
            found ^= ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return found


def squared_to(edges: Floats, x: Floats, y: Floats) -> Floats:
    """Return the squared distance of points from the nearest of some segments, shape (n,)."""
    best = np.full(x.shape, np.inf)
    for edge in edges:
        np.minimum(best, _squared(edge, x, y), out=best)
    return best


def squared_between(edges: Floats, points: Floats) -> Floats:
    """Return the squared distance of each piece of a polyline from the nearest of some segments.

    Args:
        edges: shape (m, 4).
        points: of the polyline, shape (n, 2), n at least 1; a single point is one piece.

    Returns:
        Shape (max(1, n - 1),); 0 where they cross.
    """
    ends = points[1:] if len(points) > 1 else points
    pieces = np.concatenate([points[:len(ends)], ends], axis=1)
    best = np.full(len(pieces), np.inf)
    for edge in edges:
        near = np.minimum(_squared(edge, pieces[:, 0], pieces[:, 1]),
                          _squared(edge, pieces[:, 2], pieces[:, 3]))
        for corner in (edge[:2], edge[2:]):
            near = np.minimum(near, _squared_of(pieces, corner[0], corner[1]))
        best = np.minimum(best, np.where(_crosses(edge, pieces), 0.0, near))
    return best


def crosses_itself(corners: Corners) -> bool:
    """Tell whether edges of a polygon touch that are no neighbours, or neighbours fold back."""
    edges = edges_of(corners)
    count, steps = len(edges), edges[:, 2:] - edges[:, :2]
    if (np.hypot(steps[:, 0], steps[:, 1]) < _TOUCH_M).any():
        return True
    for index, edge in enumerate(edges):
        onward = edges[(index + 1) % count]
        # The far end of the next edge lies on this one, or that of this one on the next.
        if min(float(_squared(edge, onward[2:3], onward[3:4])[0]),
               float(_squared(onward, edge[0:1], edge[1:2])[0])) < _TOUCH_M**2:
            return True
        others = [other for other in range(index + 2, count) if (other + 1) % count != index]
        for other in others:
            piece = edges[other].reshape(2, 2)
            if squared_between(edge[None, :], piece)[0] < _TOUCH_M**2:
                return True
    return False


def border_of(polygons: tuple[Corners, ...]) -> Floats:
    """Return the border of what several polygons cover together, shape (n, 4).

    Each edge is cut where it meets another polygon; a piece with covered floor on both sides is
    no border.
    """
    kept = []
    for number, corners in enumerate(polygons):
        others = polygons[:number] + polygons[number + 1:]
        for edge in edges_of(corners):
            cuts = _cuts(edge, others)
            for start, end in zip(cuts, cuts[1:], strict=False):
                middle = edge[:2] + (edge[2:] - edge[:2]) * ((start + end) / 2)
                if not _is_covered(polygons, middle, edge):
                    kept.append(np.concatenate([edge[:2] + (edge[2:] - edge[:2]) * start,
                                                edge[:2] + (edge[2:] - edge[:2]) * end]))
    return np.array(kept).reshape(-1, 4)


def _cuts(edge: Floats, others: tuple[Corners, ...]) -> list[float]:
    """Return where an edge meets other polygons, as shares of its length from 0 to 1."""
    step = edge[2:] - edge[:2]
    squared = float(step @ step)
    cuts = {0.0, 1.0}
    for corners in others:
        for other in edges_of(corners):
            across = other[2:] - other[:2]
            apart = other[:2] - edge[:2]
            cross = float(step[0] * across[1] - step[1] * across[0])
            if abs(cross) > _TOUCH_M**2:
                cuts.add(float((apart[0] * across[1] - apart[1] * across[0]) / cross))
            else:
                cuts |= {float(apart @ step) / squared,
                         float((other[2:] - edge[:2]) @ step) / squared}
    return sorted(cut for cut in cuts if 0.0 <= cut <= 1.0)


def _is_covered(polygons: tuple[Corners, ...], middle: Floats, edge: Floats) -> bool:
    """Tell whether the floor on both sides of a point of an edge is covered."""
    step = edge[2:] - edge[:2]
    aside = np.array([-step[1], step[0]]) * (_TOUCH_M / float(np.hypot(step[0], step[1])))
    x, y = np.stack([middle + aside, middle - aside], axis=1)
    return bool(np.logical_or.reduce([inside(corners, x, y) for corners in polygons]).all())


def _squared(edge: Floats, x: Floats, y: Floats) -> Floats:
    """Return the squared distance of points from one segment."""
    x0, y0, x1, y1 = edge.tolist()
    across, along = x1 - x0, y1 - y0
    squared = across * across + along * along
    share = ((x - x0) * across + (y - y0) * along) / squared if squared else np.zeros(x.shape)
    share = np.minimum(np.maximum(share, 0.0), 1.0)
    off_x, off_y = x - (x0 + share * across), y - (y0 + share * along)
    found: Floats = off_x * off_x + off_y * off_y
    return found


def _squared_of(pieces: Floats, x: float, y: float) -> Floats:
    """Return the squared distance of each of some segments from one point."""
    across, along = pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1]
    squared = across * across + along * along
    share = ((x - pieces[:, 0]) * across + (y - pieces[:, 1]) * along) / np.where(
        squared > 0.0, squared, 1.0)
    share = np.minimum(np.maximum(share, 0.0), 1.0)
    off_x = x - (pieces[:, 0] + share * across)
    off_y = y - (pieces[:, 1] + share * along)
    found: Floats = off_x * off_x + off_y * off_y
    return found


def _crosses(edge: Floats, pieces: Floats) -> Mask:
    """Tell which segments have their ends on both sides of another one, and it of theirs."""
    def side(of: Floats, x: Floats, y: Floats) -> Floats:
        turned: Floats = ((of[..., 2] - of[..., 0]) * (y - of[..., 1])
                          - (of[..., 3] - of[..., 1]) * (x - of[..., 0]))
        return turned

    apart = side(edge, pieces[:, 0], pieces[:, 1]) * side(edge, pieces[:, 2], pieces[:, 3]) < 0.0
    parted = side(pieces, edge[0], edge[1]) * side(pieces, edge[2], edge[3]) < 0.0
    both: Mask = apart & parted
    return both
