"""Polygons on the floor."""

import shapely

#: Corners of a polygon, x and y in metres, in either direction; the last joins the first.
Corners = tuple[tuple[float, float], ...]


def polygon_of(corners: Corners) -> shapely.Polygon:
    """A polygon, prepared for many queries of shapely."""
    polygon = shapely.Polygon(corners)
    shapely.prepare(polygon)
    return polygon


def is_simple(corners: Corners) -> bool:
    """Tell whether corners bound a simple polygon.

    No two corners coincide, and no edges cross or touch except neighbours at their corner.

    Args:
        corners: three at least, finite, in metres.
    """
    return len(set(corners)) == len(corners) and shapely.Polygon(corners).is_valid
