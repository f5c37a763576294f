"""The contact sheet and the film of what a robot saw, from the journal of a mission."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench_rig import Carried
from full_disk import no_room
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageSequence

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.grid import FREE
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import ModelAnswer
from semantic_nav.show.mission_pictures import save_picture
from semantic_nav_sim.show.film import SeenLook, contact_sheet, save_film, seen_looks

pytestmark = pytest.mark.slow

#: A picture of the contact sheet: its size, its left upper corner on the sheet, its caption.
THUMB_PX, CORNER_PX, CAPTION_PX = (256, 192), 8, 30
PANE_PX = (480, 360)


@pytest.fixture(scope='module')
def looks(small_mission: Carried) -> list[SeenLook]:
    return list(seen_looks(small_mission.journal, small_mission.folder / 'journal' / 'blobs'))


@pytest.fixture(scope='module')
def film(looks: list[SeenLook], tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp('film') / 'mission.gif'
    save_film(looks, target)
    return target


def known_m2(look: SeenLook) -> float:
    assert look.grid is not None
    return float(np.count_nonzero(look.grid.cells == FREE)) * look.grid.resolution_m ** 2


def whites(pane: Image.Image) -> int:
    """Count the pixels of free floor."""
    shades: NDArray[np.uint8] = np.asarray(pane.convert('L'))
    return int(np.count_nonzero(shades > 240))


def blues(pane: Image.Image) -> int:
    """Count the pixels of the path, whose colour the film's palette has about."""
    off = np.abs(np.asarray(pane).astype(int) - (29, 108, 222)).max(axis=2)
    return int(np.count_nonzero(off < 30))


def test_there_is_a_scene_for_each_look(looks: list[SeenLook], small_mission: Carried) -> None:
    assert len(looks) == sum(small_mission.record.sources.values()) > 2
    assert looks[0].time_s == 0.0
    times_s = [look.time_s for look in looks]
    assert times_s == sorted(set(times_s))
    assert times_s[-1] < small_mission.record.simulated_s
    assert looks[0].proposal.action is Action.EXPLORE
    assert looks[-1].proposal.target_box is not None


def test_each_scene_holds_what_was_known_then(looks: list[SeenLook],
                                              small_mission: Carried) -> None:
    assert known_m2(looks[-1]) > known_m2(looks[0]) > 1.0
    lengths = [len(look.path) for look in looks]
    assert lengths == sorted(lengths) and lengths[-1] > lengths[0] > 0
    truth = small_mission.ruling.robot
    assert looks[-1].path[-1].distance_to(truth.x, truth.y) < 0.2


def test_pictures_that_were_not_kept_are_said_to_be_missing(small_mission: Carried,
                                                            tmp_path: Path) -> None:
    with pytest.raises(ContractError):
        list(seen_looks(small_mission.journal, tmp_path))


@pytest.mark.parametrize(('count', 'columns', 'rows'), [(1, 1, 1), (5, 5, 1), (6, 5, 2)])
def test_the_sheet_has_five_pictures_a_row(looks: list[SeenLook], count: int, columns: int,
                                           rows: int) -> None:
    sheet = contact_sheet((looks * count)[:count])
    assert sheet.size == (columns * (THUMB_PX[0] + CORNER_PX) + CORNER_PX,
                          rows * (THUMB_PX[1] + CAPTION_PX) + CORNER_PX)


def test_the_box_is_drawn_where_the_model_saw_the_target(looks: list[SeenLook]) -> None:
    proposal = replace(looks[-1].proposal, target_box=(250.0, 500.0, 500.0, 750.0))
    without, boxed = (contact_sheet([replace(looks[-1], proposal=one)])
                      for one in (replace(proposal, target_box=None), proposal))
    changed = ImageChops.difference(without, boxed).getbbox()
    expected = [CORNER_PX + share * side for share, side in zip(
        (0.25, 0.5, 0.5, 0.75), THUMB_PX * 2, strict=True)]
    assert changed == pytest.approx(expected, abs=5)
    across = round((expected[0] + expected[2]) / 2)
    assert boxed.getpixel((across, round(expected[1]) - 1)) == (220, 30, 30)


def test_the_pictures_are_those_of_the_camera(looks: list[SeenLook]) -> None:
    blank = replace(looks[-1].proposal, target_box=None)
    sheet = contact_sheet([replace(looks[-1], proposal=blank)])
    here = sheet.crop((CORNER_PX, CORNER_PX, CORNER_PX + THUMB_PX[0], CORNER_PX + THUMB_PX[1]))
    expected = looks[-1].picture.resize(THUMB_PX, Image.Resampling.LANCZOS)
    assert ImageChops.difference(here, expected).getbbox() is None


def test_what_a_rule_proposes_is_no_word_of_the_model(looks: list[SeenLook]) -> None:
    """Both take the target for visible; only one of them is the model's."""
    silent, shown = (contact_sheet([replace(looks[-1], answer=answer)])
                     for answer in (ModelAnswer.SILENT, ModelAnswer.VALID))
    changed = ImageChops.difference(silent, shown).getbbox()
    assert changed is not None and changed[1] >= CORNER_PX + THUMB_PX[1], 'the caption alone'


def test_the_film_shows_each_look_and_the_way_between_them(looks: list[SeenLook],
                                                           film: Path) -> None:
    with Image.open(film) as gif:
        assert gif.size == (2 * PANE_PX[0] + 8, PANE_PX[1] + CAPTION_PX)
        assert gif.info['loop'] == 0, 'it begins again'
        lasts_ms = [frame.info['duration'] for frame in ImageSequence.Iterator(gif)]
    assert lasts_ms.count(700) == len(looks) - 1 and lasts_ms[-1] == 3000
    moves = lasts_ms.count(100)
    assert len(looks) < moves <= 200 and len(lasts_ms) == len(looks) + moves


def test_the_map_grows_in_the_film(film: Path) -> None:
    with Image.open(film) as gif:
        maps = [frame.convert('RGB').crop((PANE_PX[0] + 8, 0, gif.width, gif.height))
                for frame in ImageSequence.Iterator(gif)]
    assert whites(maps[-1]) - 2000 > whites(maps[0]) > 5000
    assert blues(maps[-1]) > blues(maps[0]) + 100, 'the path that was driven'


def test_a_film_without_a_map_shows_the_camera(looks: list[SeenLook], tmp_path: Path) -> None:
    save_film([replace(looks[0], grid=None, path=())], tmp_path / 'short.gif')
    with Image.open(tmp_path / 'short.gif') as gif:
        assert getattr(gif, 'n_frames', 1) == 1
        left, right = (gif.convert('RGB').crop((x, 0, x + PANE_PX[0], PANE_PX[1]))
                       for x in (0, PANE_PX[0] + 8))
    assert len(left.getcolors(1 << 20)) > 50
    [(_, shade)] = right.getcolors()
    assert min(shade) > 250, 'paper'


def test_full_disk_leaves_no_part_of_a_picture_or_film(looks: list[SeenLook],
                                                       tmp_path: Path) -> None:
    with no_room():
        with pytest.raises(OSError, match=r'seen\.png'):
            save_picture(contact_sheet(looks), tmp_path / 'seen.png')
        with pytest.raises(OSError, match=r'mission\.gif'):
            save_film(looks, tmp_path / 'mission.gif')
    assert not list(tmp_path.iterdir())
