"""What is wrong with a run is found before a process starts, and said with the way out."""

from pathlib import Path
from typing import Any

import pytest
from red_detector import write_red_detector

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.detector.centernet import FOLDER_VARIABLE
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.preflight import check_goal, check_settings


def test_a_good_run_passes(small_home: str) -> None:
    settings = SimSettings(world=small_home, people=3, model_profile='default+slow')
    check_settings(settings)
    check_goal(settings, 'find the red mug')


@pytest.mark.parametrize(('chosen', 'said'), [
    ({'model_profile': 'genius'}, 'genius'), ({'robot_profile': 'genius'}, 'genius'),
    ({'navigator_profile': 'genius'}, 'genius'), ({'people': 4}, 'people'),
    ({'seed': -1}, 'seed')])
def test_settings_that_the_simulator_would_refuse(chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_settings(SimSettings(**chosen))


def test_a_detector_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(ConfigError, match='run `npm install'):
        check_settings(SimSettings(model_profile='detector'))
    write_red_detector(tmp_path)
    check_settings(SimSettings(model_profile='detector'))


@pytest.mark.parametrize(('goal', 'said'), [
    ('', 'empty'), ('find\nthe red mug', 'control character'), ('m' * 501, '500')])
def test_words_that_are_no_goal(small_home: str, goal: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_goal(SimSettings(world=small_home), goal)


@pytest.mark.parametrize('world', ['castle', 'generated:x', '{seed}'])
def test_a_world_that_is_not_there(world: str) -> None:
    with pytest.raises(ConfigError, match='no world'):
        check_goal(SimSettings(world=world), 'find the red mug')
