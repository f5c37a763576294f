"""The preset `ci`: some goals in its first home for each change, all of it in the night."""

import json
from pathlib import Path

import pytest
import yaml
from nightly import some

from semantic_nav_sim.bench.plan import load_preset
from semantic_nav_sim.cli.bench import main
from semantic_nav_sim.share import share_path

#: Fewer mean that the search is broken. The bars of the preset are for all of its homes.
LEAST_SUCCESS = 0.6


@pytest.mark.timeout(1200)
@pytest.mark.parametrize('seed', load_preset('ci').seeds[:some(1, None)])
def test_goals_in_free_words_are_mostly_found_and_every_motion_is_vetted(seed: int,
                                                                         tmp_path: Path) -> None:
    preset = yaml.safe_load(share_path('config', 'bench', 'ci.yaml').read_text(encoding='utf-8'))
    preset['goals'] = preset['goals'][:some(3, None)]
    (tmp_path / 'preset.yaml').write_text(yaml.safe_dump(preset), encoding='utf-8')
    main(['missions', '--preset', str(tmp_path / 'preset.yaml'), '--seed', str(seed), '--jobs',
          '1', '--json', str(tmp_path / 'figures.json')])
    said = json.loads((tmp_path / 'figures.json').read_text())
    assert said['crashed'] == [] and len(said['runs']) == len(preset['goals'])
    assert [run['words'] for run in said['runs'] if run['unvetted']] == []
    failed = [f'{run["goal"]}: {run["outcome"]}, {run["words"]}'
              for run in said['runs'] if not run['success']]
    assert len(failed) <= (1.0 - LEAST_SUCCESS) * len(said['runs']), failed
