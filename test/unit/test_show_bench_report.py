"""The report of a benchmark: everything in one page, and all runs in a table."""

import base64
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import small_world
from bench_runs import ABSENT, GOOD, LOST
from PIL import Image

from semantic_nav.show.mission_pictures import PATH, TARGET, MissionSketch, Overview, draw_map
from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.bench.summary import Summary
from semantic_nav_sim.show import bench_maps, bench_report
from semantic_nav_sim.show.bench_maps import maps_of
from semantic_nav_sim.show.bench_report import PAGE, RUNS, Remarks, csv_of, page_of, write_report
from semantic_nav_sim.world.loading import load_world


@pytest.fixture(scope='module')
def lost(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a mission that failed in the small home, after a drive of half a metre."""
    home = small_world.write_world(tmp_path_factory.mktemp('home') / 'small')
    return replace(LOST, world=str(home), driven=((1.0, 1.5), (1.5, 1.5)), target=(4.5, 0.5),
                   stands=(1.5, 1.5, 0.0), reason='the <time> is used up')


class Tags(HTMLParser):
    """Takes note of what is opened, and holds that it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ('meta', 'img'):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pictures(page: str) -> Iterator[Image.Image]:
    for content in re.findall(r'base64,([^"]+)"', page):
        yield Image.open(io.BytesIO(base64.b64decode(content))).convert('RGB')


def has(picture: Image.Image, colour: tuple[int, int, int]) -> bool:
    return bool((np.abs(np.asarray(picture, int) - colour).max(axis=2) < 30).any())


def test_page_holds_the_table_and_each_failure(lost: Run) -> None:
    page = page_of(Summary([GOOD, lost]).measures(), [GOOD, lost], Remarks(
        ['bench missions'], ['home: nobody knows'], ['home: a <bug>']))
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    names = [tag for tag, _ in tags.seen]
    assert names.count('figure') == 1 and 'script' not in names and 'link' not in names
    assert all(str(attrs['src']).startswith('data:') for tag, attrs in tags.seen if tag == 'img')
    for part in ('2 missions, 1 failure, 1 crashed, 1 left out', 'SPL, first mission',
                 '<td class="no">NO</td>', 'the &lt;time&gt; is used up', 'a &lt;bug&gt;',
                 'nobody knows', 'bench missions'):
        assert part in page, part
    [picture] = pictures(page)
    assert has(picture, PATH) and has(picture, TARGET), 'a short way is seen too'
    assert len(page) < 60_000


def test_what_is_absent_is_marked_nowhere(lost: Run) -> None:
    [(_, picture)] = maps_of([replace(lost, target=None)])
    assert not has(picture, TARGET) and has(picture, PATH)


def test_a_map_names_the_rooms(lost: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def drawn(plan: Overview, sketch: MissionSketch, **options: bool) -> Image.Image:
        names.extend(room.name for room in sketch.house.rooms)
        return draw_map(plan, sketch, **options)

    monkeypatch.setattr(bench_maps, 'draw_map', drawn)
    list(maps_of([lost]))
    assert names == [room.name for room in load_world(lost.world).rooms] != []


def test_a_run_that_knows_no_way_has_a_map_too(lost: Run) -> None:
    assert len(list(maps_of([replace(lost, driven=(), stands=None)]))) == 1


def test_each_robot_has_its_table(lost: Run) -> None:
    lost = replace(lost, options=Options(policy='sweep'))
    other = replace(lost, options=Options(policy='likely_first'))
    page = page_of(Summary([lost, other]).measures(), [lost, other])
    assert page.count('<table>') == 3, 'and one for how they compare'
    assert '<h2>policy likely_first / sweep</h2>' in page
    assert '[policy likely_first] ' in page


def test_a_night_of_failures_has_so_many_maps(lost: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_report, 'MOST_MAPS', 2)
    page = page_of([], [replace(lost, seed=seed) for seed in range(5)])
    assert page.count('<figure>') == 2 and 'the first 2 of 5' in page


def test_success_needs_no_map() -> None:
    page = page_of(Summary([GOOD, ABSENT]).measures(), [GOOD, ABSENT])
    assert '<figure>' not in page and 'Failures' not in page


def test_csv_has_a_line_for_each_run() -> None:
    told = replace(GOOD, goal='find "it", then stop', refusals={'STALE': 2, 'OK': 1},
                   options=Options(policy='sweep'))
    one, other = csv.DictReader(io.StringIO(csv_of([told, ABSENT])))
    assert one['goal'] == told.goal and float(one['spl']) == 0.8
    assert one['refusals'] == 'STALE:2 OK:1' and one['policy'] == 'sweep'
    assert (other['success'], other['spl'], other['shortest_m']) == ('True', '', 'inf')
    assert 'driven' not in one


def test_both_are_written(tmp_path: Path) -> None:
    write_report(tmp_path / 'new' / 'report', Summary([GOOD]).measures(), [GOOD])
    assert sorted(path.name for path in (tmp_path / 'new' / 'report').iterdir()) == [PAGE, RUNS]
