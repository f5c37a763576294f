"""Sets of four-connected cells: growth and connected parts."""

import cv2
import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
#: Number of steps up to which growing all cells is faster than following the border.
_FEW_STEPS = 8
_CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))


def places_of(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of cells as by numpy.nonzero, faster where they lie together."""
    held = np.flatnonzero(cells.any(axis=1))
    if not held.size:
        return held, held
    rows, columns = np.nonzero(cells[held[0]:held[-1] + 1])
    return rows + held[0], columns


def grown(cells: Cells, steps: int) -> Cells:
    """Cells grown by a number of steps."""
    return cv2.dilate(cells.view(np.uint8), _CROSS, iterations=steps).view(np.bool_)


def grown_within(cells: Cells, room: Cells, steps: int) -> Cells:
    """Cells grown by a number of steps through a room."""
    if steps <= _FEW_STEPS:
        for _ in range(steps):
            cells = cells | (grown(cells, 1) & room)
        return cells
    found, left = np.pad(cells, 1), np.pad(room & ~cells, 1).ravel()
    width, flat = found.shape[1], found.ravel()
    around = np.array([-width, -1, 1, width])
    number = np.empty(flat.shape, np.int32)
    border = np.flatnonzero(flat & grown(left.reshape(found.shape), 1).ravel())
    for _ in range(steps):
        beside = (border[:, None] + around).ravel()
        beside = beside[left[beside]]
        flat[beside], left[beside] = True, False
        # Each only once: of equal cells the last one has left its index.
        number[beside] = np.arange(len(beside))
        border = beside[number[beside] == np.arange(len(beside))]
    return found[1:-1, 1:-1]


def parts_with(cells: Cells, some: Cells) -> Cells:
    """Connected parts of `cells` that hold one of `some`."""
    filled, found, seeds = cells.astype(np.uint8), np.zeros_like(cells), some & cells
    while (left := seeds & ~found).any():
        row, column = divmod(int(left.argmax()), cells.shape[1])
        cv2.floodFill(filled, None, (column, row), 2, flags=4)
        found = filled == 2
    return found
