"""The detector, without its weights: what its maps mean, and a network that knows red cups."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from red_detector import HALF_PX, write_red_detector

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.detector.centernet import (
    CELL_PX,
    CLASSES,
    FOLDER_VARIABLE,
    PACKAGE,
    SIZE_PX,
    Detection,
    Detector,
    decode,
    fit,
    overlap,
    surest,
)

CELLS = SIZE_PX // CELL_PX
CHAIR, BED = CLASSES.index('chair'), CLASSES.index('bed')
#: A picture of the camera, which is wider than it is high.
WIDE = Image.new('RGB', (640, 480), 'white')


def maps(*things: tuple[int, int, int, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return maps that show things, by class, row, column and score."""
    bright = np.zeros((CELLS, CELLS, len(CLASSES)), np.float32)
    edges = np.zeros((CELLS, CELLS, 4), np.float32)
    for index, row, column, score in things:
        bright[row, column, index] = score
        edges[row, column] = (8, 16, 24, 32)
    return bright, edges


def test_classes_are_those_of_coco() -> None:
    assert len(CLASSES) == len(set(CLASSES)) == 80
    assert (CLASSES[0], CLASSES[56], CLASSES[79]) == ('person', 'chair', 'toothbrush')


def test_a_picture_keeps_its_proportions() -> None:
    fitted = fit(WIDE)
    assert (fitted.scale, fitted.left_px, fitted.top_px) == (0.8, 0, 64)
    shown = fitted.pixels.any(axis=(1, 2))
    assert np.flatnonzero(shown).tolist() == list(range(64, 448))
    assert fitted.pixels[64:448].min() == fitted.pixels.max() == 255.0


def test_a_box_lies_where_the_maps_say() -> None:
    """Its middle is at cell (50, 30), 200 and 120 px from the corner of the square."""
    bright, edges = maps((CHAIR, 50, 30, 0.9))
    [found] = decode(bright, edges, fit(WIDE), 0.4)
    assert (found.label, found.score) == ('chair', pytest.approx(0.9))
    assert found.box_px == pytest.approx(((120 - 8) / 0.8, (200 - 16 - 64) / 0.8,
                                          (120 + 24) / 0.8, (200 + 32 - 64) / 0.8))


def test_only_peaks_count_and_the_surest_comes_first() -> None:
    bright, edges = maps((CHAIR, 50, 30, 0.5), (CHAIR, 51, 31, 0.6), (BED, 50, 30, 0.7),
                         (CHAIR, 80, 90, 0.39))
    found = decode(bright, edges, fit(WIDE), 0.4)
    assert [(one.label, round(one.score, 2)) for one in found] == [('bed', 0.7), ('chair', 0.6)]


def test_boxes_end_with_the_picture() -> None:
    bright, edges = maps((CHAIR, 16, 1, 0.9), (BED, 2, 60, 0.9))
    [found] = decode(bright, edges, fit(WIDE), 0.4)
    assert found.label == 'chair' and found.box_px[:2] == (0.0, 0.0)


def test_overlap_is_shared_over_covered() -> None:
    assert overlap((0, 0, 2, 2), (0, 0, 2, 2)) == 1.0
    assert overlap((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert overlap((0, 0, 2, 2), (2, 0, 3, 2)) == 0.0


def test_a_thing_is_shown_once() -> None:
    first, again = (Detection('bed', score, (0, 0, 10, high)) for score, high in ((0.9, 10),
                                                                                  (0.8, 9)))
    beside, other = Detection('bed', 0.7, (9, 0, 20, 10)), Detection('couch', 0.6, (0, 0, 10, 10))
    assert surest([first, again, beside, other]) == [first, beside, other]


def test_a_picture_goes_through_file_network_and_decoding(tmp_path: Path) -> None:
    detector = Detector(write_red_detector(tmp_path))
    image = WIDE.copy()
    image.paste('red', (300, 200, 305, 205))
    encoded = io.BytesIO()
    image.save(encoded, 'PNG')
    [found], size_px = detector.detect(encoded.getvalue(), 0.4)
    assert size_px == (640, 480)
    assert found.label == 'cup' and found.score > 0.4
    x1, y1, x2, y2 = found.box_px
    assert (x2 - x1, y2 - y1) == pytest.approx((2 * HALF_PX / 0.8,) * 2)
    # A network tells places by cells.
    assert ((x1 + x2) / 2, (y1 + y2) / 2) == pytest.approx((302, 202), abs=CELL_PX / 0.8)


def test_what_to_run_where_the_weights_are_missing(tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(ConfigError) as error:
        Detector()
    words = str(error.value)
    assert str(tmp_path) in words
    assert f'npm install --prefix .venv --ignore-scripts {PACKAGE}' in words
    assert '\n' not in words
    write_red_detector(tmp_path)
    Detector()
