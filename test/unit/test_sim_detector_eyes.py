"""Eyes that nothing is told, and what the brain makes of what they see."""

import io
from pathlib import Path

import pytest
from PIL import Image
from red_detector import write_red_detector

from semantic_nav_sim.detector.centernet import CLASSES, Detection, Detector
from semantic_nav_sim.detector.eyes import LEAST_SCORE, DetectorEyes
from semantic_nav_sim.detector.labels import KINDS, MEANINGS
from semantic_nav_sim.model.brain import Task, answer
from semantic_nav_sim.model.eyes import Sight
from semantic_nav_sim.model.finding import matches
from semantic_nav_sim.model.words import parse_goal
from semantic_nav_sim.world.generator.catalogue import FURNITURE, OBJECTS


class Finds(Detector):
    """A detector that finds the same in each picture."""

    def __init__(self, *found: Detection) -> None:
        self._found = list(found)

    def detect(self, picture: bytes, least: float) -> tuple[list[Detection], tuple[int, int]]:
        return [one for one in self._found if one.score >= least], (640, 480)


def picture(red: bool) -> bytes:
    image, encoded = Image.new('RGB', (640, 480), 'grey'), io.BytesIO()
    if red:
        image.paste('red', (300, 200, 305, 205))
    image.save(encoded, 'PNG')
    return encoded.getvalue()


def test_pixels_alone_decide(tmp_path: Path) -> None:
    eyes = DetectorEyes(Detector(write_red_detector(tmp_path)))
    assert eyes.look(picture(red=False)) == Sight(True, 640, 480)
    [cup] = eyes.look(picture(red=True)).objects
    assert (cup.kind, cup.colour) == ('cup', '')
    assert cup.box_px[0] < 302 < cup.box_px[2] and cup.box_px[1] < 202 < cup.box_px[3]
    assert not eyes.look(b'no picture').recognised


@pytest.mark.parametrize(('goal', 'seen'), [
    ('find the mug', True), ('find a cup', True), ('find the telly', False),
    # Nobody told the detector of colours.
    ('find the red mug', False)])
def test_a_goal_is_sought_among_the_classes(goal: str, seen: bool) -> None:
    sight = DetectorEyes(Finds(Detection('cup', 0.62, (100, 100, 140, 150)))).look(b'')
    reply = answer(Task(goal), sight)
    assert (reply['target_status'] == 'visible') == seen
    if seen:
        assert (reply['confidence_percent'], reply['target_box']) == (62, [100, 100, 140, 150])
    assert reply['scene']['objects'] == [{'name': 'cup', 'box': [100, 100, 140, 150]}]


def test_what_is_unsure_or_in_no_home_is_not_seen() -> None:
    eyes = DetectorEyes(Finds(
        Detection('giraffe', 0.9, (0, 0, 50, 90)), Detection('bed', 0.7, (0, 200, 400, 400)),
        Detection('chair', LEAST_SCORE - 0.01, (500, 200, 560, 300))))
    assert [one.kind for one in eyes.look(b'').objects] == ['bed']


def test_meanings_are_of_classes_that_are_there_and_kinds_that_homes_hold() -> None:
    # Homes that were drawn by hand call a washbasin a sink.
    held = {*FURNITURE, *OBJECTS, 'sink'}
    assert set(MEANINGS) <= set(CLASSES)
    assert held >= KINDS
    assert {kind for one in MEANINGS.values() for kind in one.perhaps} <= held


@pytest.mark.parametrize('label', MEANINGS)
def test_each_class_is_found_by_its_words(label: str) -> None:
    sight = DetectorEyes(Finds(Detection(label, 0.9, (0, 0, 50, 50)))).look(b'')
    for words in (MEANINGS[label].word, MEANINGS[label].kinds[0]):
        assert matches(parse_goal(f'find the {words}'), sight) == list(sight.objects)
