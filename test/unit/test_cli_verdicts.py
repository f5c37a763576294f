"""Verdicts are told and drawn from a journal, with the maps of their moments or without."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import canonical
from PIL import Image
from verifier_rig import VerifierRig

from semantic_nav.cli.verdicts import line_of, main
from semantic_nav.contracts.blobs import Blobs, FolderBlobs, NoBlobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.journal import JournalWriter, Start
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.verdicts import ToldVerdict, kept, verdicts_of
from semantic_nav.show.verdict_pictures import colour_of, draw_verdicts
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.events import ZonesReceived
from semantic_nav.verify.zones import Zone, ZoneKind, Zones

GREEN, RED = (30, 150, 70), (215, 50, 40)
ZONES = Zones((Zone(('nursery',), ZoneKind.KEEP_OUT, (
    (6.0, 0.5), (7.5, 0.5), (7.5, 2.0), (6.0, 2.0))),))


class Journaled:
    """A core whose events and outputs are written down."""

    def __init__(self, core: VerifierCore, writer: JournalWriter) -> None:
        self._core, self._writer = core, writer

    def handle(self, event: Event, now: Now) -> list:
        outputs = self._core.handle(event, now)
        self._writer.append(now, event, outputs, durable=False)
        return outputs


def journal_of(folder: Path, blobs: Blobs) -> Path:
    """Write what a verifier did that took a turn, refused a goal and drove to a mug."""
    rig = VerifierRig(ready=False, show_candidates=True)
    path = folder / 'verifier.jsonl'
    with JournalWriter(path, Start('verifier', 's', 0, to_plain(rig.config)),
                       PARTS['verifier'].codec(blobs)) as writer:
        rig.core = Journaled(rig.core, writer)  # type: ignore[assignment]
        rig.hear(ZonesReceived(ZONES))
        rig.hear_maps()
        rig.hear_pose()
        rig.stand()
        rig.begin()
        rig.try_(canonical('goto_node', node_id='place-9'))
        rig.act(rig.see_mug()[0])
        rig.path()
        rig.drive(Pose2D(2.5, 3.0, 0.0))
        rig.finish('aborted', 207)
        rig.stand(3.0)
    return path


@pytest.fixture
def told(tmp_path: Path) -> list[ToldVerdict]:
    return list(verdicts_of(journal_of(tmp_path, FolderBlobs(tmp_path / 'blobs'))))


def test_each_verdict_is_told_with_time_act_code_reason_and_poses(
        told: list[ToldVerdict]) -> None:
    assert [(one.action, one.word) for one in told] == [
        ('goto_node', 'UNKNOWN_NODE'), ('approach', 'OK'), ('approach', 'aborted')]
    refused, taken, ended = told
    assert [one.is_refusal for one in told] == [True, False, False]
    assert (refused.after_s, refused.at.robot, refused.goal) == (
        pytest.approx(0.6), Pose2D(2.0, 3.0, 0.0), None)
    assert taken.goal is not None and ended.goal is None
    assert ended.after_s > taken.after_s and ended.at.robot == Pose2D(2.5, 3.0, 0.0)
    assert line_of(taken) == (
        f'     0.6 s  approach   OK                 robot (2.00, 3.00, 0.00) goal '
        f'({taken.goal.x:.2f}, {taken.goal.y:.2f}, {taken.goal.yaw:.2f}): to the stand-off')


def test_moment_is_that_of_the_verdict(told: list[ToldVerdict], tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path / 'blobs')
    refused, taken, _ = told
    assert refused.at.zones == taken.at.zones == ZONES
    assert kept(refused.at.map, blobs).grid.shape == (120, 160)
    assert refused.at.path is None and len(kept(taken.at.path, blobs).points) == 20
    assert kept(taken.at.path, NoBlobs()) is None


def pixels(image: Image.Image, colour: tuple[int, int, int]) -> int:
    return int((np.asarray(image) == colour).all(axis=2).sum())


def test_panels_show_goal_and_zones_on_the_map_or_without_it(
        told: list[ToldVerdict], tmp_path: Path) -> None:
    refused, taken, _ = told
    for blobs in (FolderBlobs(tmp_path / 'blobs'), NoBlobs()):
        assert pixels(draw_verdicts([taken], blobs), GREEN) > 50
        assert pixels(draw_verdicts([refused], blobs), RED) > 200, 'the zone'
        assert draw_verdicts([refused, taken], blobs).width == 2 * draw_verdicts(
            [taken], blobs).width
    without = replace(refused, at=replace(refused.at, zones=Zones(), robot=None))
    assert draw_verdicts([without], NoBlobs()).size


def test_refused_and_taken_have_other_colours(told: list[ToldVerdict]) -> None:
    assert [colour_of(one) for one in told[:2]] == [RED, GREEN]
    assert told[1].code is Code.OK


def test_command_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = journal_of(tmp_path, FolderBlobs(tmp_path / 'blobs')), tmp_path / 'verdicts.png'
    assert main([str(path), '--out', str(out), '--blobs', str(tmp_path / 'blobs')]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3 and said.err == ''
    assert Image.open(out).width > 500
    assert main([str(path), '--refused']) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_command_says_where_no_map_was_kept(tmp_path: Path,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    path, out = journal_of(tmp_path, NoBlobs()), tmp_path / 'verdicts.png'
    assert main([str(path), '--out', str(out)]) == 0
    assert 'no map was kept' in capsys.readouterr().err and out.is_file()


def test_journal_without_a_verifier_is_named(tmp_path: Path,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / 'belief.jsonl'
    path.write_text('')
    assert main([str(path)]) == 1
    assert 'holds no record of the verifier' in capsys.readouterr().err


def test_journal_that_is_not_there_is_named(tmp_path: Path,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / 'nope')]) == 1
    assert capsys.readouterr().err.endswith('nope is not there\n')


def test_folder_of_a_mission_is_as_good_as_its_journal(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ('first', 'second'):
        mission = tmp_path / 'run' / name
        (mission / 'log').mkdir(parents=True)
        (mission / 'log' / 'requests.jsonl').write_text('{"no": "journal"}\n')
        journal_of(mission, FolderBlobs(tmp_path / 'blobs')).rename(mission / 'journal.jsonl')
    assert main([str(tmp_path / 'run' / 'first' / 'journal.jsonl')]) == 0
    of_file = capsys.readouterr().out
    assert main([str(tmp_path / 'run' / 'first')]) == 0
    assert capsys.readouterr().out == of_file
    assert main([str(tmp_path / 'run')]) == 1
    assert 'holds 2 missions: name one of them, as ' in capsys.readouterr().err
