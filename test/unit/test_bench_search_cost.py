"""`bench search`: that it measures what it says, not how fast this machine is."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from semantic_nav_sim.bench.search_cost import Searcher, _looks
from semantic_nav_sim.bench.verifying import inflated, point, rooms
from semantic_nav_sim.cli.bench import main


def test_looks_make_it_less_likely_that_it_is_here_and_leave_views() -> None:
    rng = np.random.default_rng(4)
    grid = rooms(rng)
    costmap = inflated(grid)
    searcher = Searcher.in_home(grid, costmap, point(costmap, rng))
    told = [searcher.take_in(seen) for seen in islice(_looks(grid, costmap, rng), 6)]
    likely, looked = zip(*told, strict=True)
    assert list(likely) == sorted(likely, reverse=True) and 0.4 < likely[-1] < likely[0] < 0.5
    assert list(looked) == sorted(looked) and looked[-1] > looked[0] > 0.0
    assert searcher.next_views() == 1


def test_the_table_is_printed_and_written(tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / 'figures.json'
    main(['search', '--rounds', '12', '--json', str(file)])
    measures = json.loads(file.read_text(encoding='utf-8'))['measures']
    assert [one['bar'] for one in measures] == ['<= 20', '', '']
    assert len(capsys.readouterr().out.splitlines()) == len(measures) + 1
