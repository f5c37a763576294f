from dataclasses import asdict
from pathlib import Path

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.navigator.profile import HiddenObstacle, NavigatorProfile
from semantic_nav_sim.profile_files import profile_names
from semantic_nav_sim.profiles import load_profile

SINGLE = {'slow_planner': 'delay_s', 'spurious_abort_0': 'abort_every',
          'drops_goal': 'drop_every', 'rejects': 'rejected', 'planner_dead': 'alive',
          'no_feedback': 'feedback', 'navigator_dies': 'die_every',
          'controller_hangs': 'hang_every'}
#: Of one place, so in no file.
HIDDEN = 'hidden_obstacle: {x_m: 3.0, y_m: 1.5, radius_m: 0.2, until_s: 60}'


def changed(choice: str) -> set[str]:
    """Return the names of what a profile sets to something else than a healthy Nav2 has."""
    healthy, chosen = asdict(NavigatorProfile()), asdict(load_profile(NavigatorProfile, choice))
    return {name for section, values in chosen.items() for name, value in values.items()
            if value != healthy[section][name]}


def test_every_profile_can_be_read() -> None:
    assert set(profile_names('navigator')) == {'none', 'default', 'harsh', *SINGLE}
    for name in profile_names('navigator'):
        load_profile(NavigatorProfile, name)


def test_none_is_healthy_and_default_only_takes_its_time() -> None:
    assert changed('none') == set()
    assert changed('default') == {'delay_s'}
    assert load_profile(NavigatorProfile, 'default').planner.delay_s < 0.05
    assert len(changed('harsh')) >= 3


@pytest.mark.parametrize('profile', SINGLE)
def test_single_fault_changes_one_thing(profile: str) -> None:
    assert changed(profile) == {SINGLE[profile]}


def test_faults_can_be_joined() -> None:
    assert changed('no_feedback+drops_goal') == {'feedback', 'drop_every'}


def test_obstacle_is_named_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text(f'description: mine\n{HIDDEN}\n')
    profile = load_profile(NavigatorProfile, f'default+{file}')
    assert profile.hidden_obstacle == HiddenObstacle(3.0, 1.5, 0.2, 60.0)
    assert profile.planner.delay_s > 0


@pytest.mark.parametrize('text', [
    'hidden_obstacle: {radius_m: -1}',
    'goals: {drop_every: often}', 'goals: {drop_every: -1}', 'goals: {drop_often: 1}', '- 1'])
def test_bad_profile_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text(f'description: mine\n{text}\n' if text[0] != '-' else text)
    with pytest.raises(ConfigError, match=r'mine\.yaml'):
        load_profile(NavigatorProfile, str(file))
