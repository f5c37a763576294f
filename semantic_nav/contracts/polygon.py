"""Polygons on the floor."""

import shapely

#: Corners of a polygon, x and y in metres, in either direction; the last joins the first.
Corners = tuple[tuple[float, float], ...]


def polygon_of(corners: Corners) -> shapely.Polygon:
    """Return a polygon of which shapely is asked often."""
    polygon = shapely.Polygon(corners)
    shapely.prepare(polygon)
    return polygon


def is_simple(corners: Corners) -> bool:
    """Tell whether corners bound one piece of floor.

    No two of them lie at one place, and no edges cross or touch but neighbours at their corner.

    Args:
        corners: three at least, finite.
    """
    return len(set(corners)) == len(corners) and shapely.Polygon(corners).is_valid
