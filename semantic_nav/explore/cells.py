"""Sets of cells, each with four neighbours: growing them, and what hangs together."""

import cv2
import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
#: Up to so many steps all cells take less time than following the border.
_FEW_STEPS = 8
_CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))


def places_of(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of cells as numpy.nonzero does, faster where they lie together."""
    held = np.flatnonzero(cells.any(axis=1))
    if not held.size:
        return held, held
    rows, columns = np.nonzero(cells[held[0]:held[-1] + 1])
    return rows + held[0], columns


def grown(cells: Cells, steps: int) -> Cells:
    """Return cells and all that is no more than so many steps from one of them."""
    return cv2.dilate(cells.view(np.uint8), _CROSS, iterations=steps).view(np.bool_)


def grown_within(cells: Cells, room: Cells, steps: int) -> Cells:
    """Return cells and what is no more than so many steps through a room from one of them."""
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
        # Each only once: of equals the last one has left its number.
        number[beside] = np.arange(len(beside))
        border = beside[number[beside] == np.arange(len(beside))]
    return found[1:-1, 1:-1]


def parts_with(cells: Cells, some: Cells) -> Cells:
    """Return the parts of some cells, each of which hangs together, that hold one of others."""
    filled, found, seeds = cells.astype(np.uint8), np.zeros_like(cells), some & cells
    while (left := seeds & ~found).any():
        row, column = divmod(int(left.argmax()), cells.shape[1])
        cv2.floodFill(filled, None, (column, row), 2, flags=4)
        found = filled == 2
    return found
