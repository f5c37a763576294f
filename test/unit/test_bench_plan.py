"""Presets and labels: what is carried out, and what a goal in free words refers to."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import small_world
import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.bench.cases import check_case
from semantic_nav_sim.bench.labels import Label, fitting
from semantic_nav_sim.bench.plan import Goal, load_preset, preset_names
from semantic_nav_sim.cli.bench import parse
from semantic_nav_sim.cli.bench_missions import plan_of
from semantic_nav_sim.share import share_path
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.scene import Stage, build_scene, stage

LEAST = {'description': 'mine', 'budget_s': 10, 'worlds': ['apartment'], 'seeds': [1],
         'goals': [{'words': 'find it'}]}


@pytest.fixture(scope='module')
def there() -> Stage:
    """Return the small home; its window is in the south wall of the den, from x 1 to x 2."""
    return stage(build_scene(world_from(small_world.document())), small_world.SEED_STOOL)


@pytest.mark.parametrize(('label', 'ids'), [
    (Label(kinds=('mug',)), ['red_mug']), (Label(names=('green bottle',)), ['green_bottle']),
    (Label(kinds=('mug', 'bottle')), ['green_bottle', 'red_mug']), (Label(), []),
    (Label(kinds=('piano',)), []),
    (Label(kinds=('mug', 'bottle'), colours=('green',)), ['green_bottle']),
    (Label(kinds=('mug', 'bottle'), rooms=('store',)), ['red_mug']),
    (Label(kinds=('stool', 'dining table'), near='window', within_m=2.2), ['table']),
    (Label(kinds=('stool', 'dining table'), near='window', within_m=1.0), []),
    (Label(kinds=('stool', 'picture'), near='dining table', within_m=5.0), ['picture']),
    (Label(kinds=('mug', 'stool'), near='stool'), ['red_mug'])])
def test_what_fits_is_what_all_that_is_said_holds_of(there: Stage, label: Label,
                                                     ids: list[str]) -> None:
    objects = [asdict(one) for one in there.truth()]
    assert sorted(one['id'] for one in fitting(label, objects, there.scene.world)) == ids


@pytest.mark.parametrize('name', preset_names())
def test_presets_can_be_carried_out(name: str) -> None:
    plan = load_preset(name)
    cases = plan.cases()
    assert plan.budget_s > 0 and len(set(cases)) == len(cases)
    for case in {(case.options, case.goal): case for case in cases}.values():
        check_case(case)


@pytest.mark.parametrize('name', ['ci', 'full', 'quick'])
def test_labels_speak_of_what_there_is(name: str) -> None:
    """A kind that is written wrongly would be absent everywhere; nothing at all is meant so."""
    vocabulary: dict[str, Any] = yaml.safe_load(
        share_path('config', 'worlds', 'vocabulary.yaml').read_text())
    known = {*vocabulary['furniture'], *vocabulary['objects']} | {'bench', 'stool'}
    labels = [goal.fits for goal in load_preset(name).goals if goal.fits is not None]
    assert {kind for label in labels for kind in label.kinds} <= known
    assert any(label == Label() for label in labels), 'something is absent everywhere'
    assert any(label.near for label in labels) and len(labels) < len(load_preset(name).goals)


def test_the_presets_are_there() -> None:
    assert preset_names() == ['ci', 'full', 'policies', 'quick']
    budgets = {name: load_preset(name).budget_s for name in preset_names()}
    assert budgets['ci'] <= 180 and budgets['quick'] <= 1200
    assert load_preset('ci').body == 'light'


def test_options_change_a_preset() -> None:
    plan = plan_of(parse(['missions', '--preset', 'ci', '--seed', '7', '--goal', 'find it',
                          '--jobs', '1']))
    assert (plan.seeds, plan.goals, plan.jobs) == ((7,), (Goal('find it'),), 1)
    assert (plan.body, plan.runs) == ('light', 1)
    assert plan_of(parse(['missions'])).cases()[9].world == 'generated:10:6'


@pytest.mark.parametrize(('change', 'said'), [
    ({'goals': []}, 'goals'), ({'body': 'of Theseus'}, 'body'), ({'hurry': True}, 'hurry'),
    ({'goals': [{'words': 'it', 'fits': {'kind': ['mug']}}]}, 'kind')])
def test_a_wrong_preset_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text(yaml.safe_dump({**LEAST, **change}))
    with pytest.raises(ConfigError, match=said):
        load_preset(str(path))


def test_a_preset_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text(yaml.safe_dump({
        **LEAST, 'bars': {'success': 0.5},
        'goals': [{'words': 'a seat', 'fits': {'kinds': ['sofa'], 'within_m': 1}}]}))
    plan = load_preset(str(path))
    assert plan.bars.success == 0.5 and plan.bars.honest == 1.0
    [case] = plan.cases()
    assert case.fits == Label(kinds=('sofa',), within_m=1.0)
    assert math.isclose(plan.budget_s, 10)
    with pytest.raises(ConfigError, match='known are ci'):
        load_preset('mine')
