"""What a mission of the demonstration leaves: pictures only where there is room."""

import shutil
from pathlib import Path

from bench_rig import Carried
from full_disk import no_room
from PIL import Image

from semantic_nav.client.narrator import Narrator
from semantic_nav.show.house import House
from semantic_nav.show.mission_pictures import Overview
from semantic_nav_sim.running import mission_report
from semantic_nav_sim.running.mission_report import FILM, JOURNAL, MAP, SHEET, Home
from semantic_nav_sim.running.run_folder import RunFolder


def test_a_picture_that_cannot_be_written_is_a_warning(small_mission: Carried,
                                                       tmp_path: Path) -> None:
    run = RunFolder(tmp_path / 'first', tmp_path / 'memory.sqlite')
    shutil.copytree(small_mission.folder / 'journal', run.journals)
    said: list[str] = []
    home = Home(1, House((), ()), Overview(Image.new('RGB', (80, 60)), 0.0, 0.0, 0.05))

    def draw() -> None:
        mission_report.draw(run, 'find it', Narrator(said.append), small_mission.ruling, home)

    with no_room():
        draw()
    assert not [line for line in said if line.startswith('wrote')]
    for name in (JOURNAL, MAP, SHEET, FILM):
        assert any(line.startswith(f'warning   {run.folder / name} is not there: ')
                   for line in said), said
    said.clear()
    draw()
    # There is no memory, and so no map; the others do without.
    assert [line for line in said if line.startswith('warning')] == [
        line for line in said if str(run.folder / MAP) in line]
    assert [line.rpartition('/')[2] for line in said if line.startswith('wrote')] == [
        JOURNAL, SHEET, FILM]
