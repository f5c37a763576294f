from pathlib import Path

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.sim.navigator.faults import NavigatorFaults, load_faults, profile_names

SINGLE = {'slow_planner': 'planning_delay_s', 'spurious_abort_0': 'spurious_abort_every',
          'drops_goal': 'drop_every', 'rejects': 'rejects_goals', 'planner_dead': 'planner_alive',
          'no_feedback': 'feedback'}
HEALTHY = NavigatorFaults()


def changed(profile: str) -> set[str]:
    """Return the names of what a profile sets to something else than a healthy Nav2 has."""
    return {name for name, value in vars(load_faults(profile)).items()
            if value != vars(HEALTHY)[name]}


def test_every_profile_can_be_read() -> None:
    assert set(profile_names()) == {'none', 'default', 'harsh', *SINGLE}
    for name in profile_names():
        load_faults(name)


def test_none_is_healthy_and_default_only_takes_its_time() -> None:
    assert changed('none') == set()
    assert changed('default') == {'planning_delay_s'}
    assert load_faults('default').planning_delay_s < 0.05
    assert len(changed('harsh')) >= 3


@pytest.mark.parametrize('profile', SINGLE)
def test_single_fault_changes_one_thing(profile: str) -> None:
    assert changed(profile) == {SINGLE[profile]}


def test_profile_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('drop_every: 5\n')
    assert load_faults(str(file)) == NavigatorFaults(drop_every=5)


@pytest.mark.parametrize(('text', 'words'), [
    ('drop_every: often', 'drop_every'), ('drop_every: -1', 'drop_every'), ('- 1', 'names'),
    ('drop_often: 1', 'drop_often'), ('{', 'cannot be read')])
def test_bad_profile_is_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=words) as told:
        load_faults(str(file))
    assert 'mine.yaml' in str(told.value)


@pytest.mark.parametrize('name', ['no_such_profile', 'no_such.yaml'])
def test_unknown_profile_is_told_with_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError, match=f'{name}.*slow_planner'):
        load_faults(name)
