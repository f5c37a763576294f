"""What a belief left on the disk, in every shape that a disk may give it back."""

import json
from pathlib import Path
from typing import Any

import pytest

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.core import BeliefCore
from semantic_nav.belief.events import GoalReceived, KeepMission
from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.errors import ContractError
from semantic_nav.nodes.ros.mission_file import MissionFile

GOAL = 'find the red mug'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the file of a mission that has begun."""
    [keep] = [one for one in BeliefCore(BeliefConfig(), 's').handle(
        GoalReceived(Goal('goal-s-1', GOAL)), Now(10**9, 10**9, 10**9)) if (
            isinstance(one, KeepMission))]
    path = tmp_path / 'mission.json'
    MissionFile(path).keep(keep)
    return path


def test_what_was_kept_is_found(path: Path) -> None:
    found = MissionFile(path).find()
    assert found is not None and found.kept.mission.goal_text == GOAL
    assert found.away_s is not None and 0.0 <= found.away_s < 60.0


def test_what_was_set_aside_is_found_no_more_unless_it_is_kept_again(path: Path) -> None:
    file = MissionFile(path)
    found = file.find()
    assert found is not None
    file.set_aside()
    assert MissionFile(path).find() is None and len(list(path.parent.iterdir())) == 1
    file.keep(KeepMission(found.kept))
    assert MissionFile(path).find() is not None


def test_mission_of_before_is_forgotten_where_its_follower_cannot_be_kept(path: Path) -> None:
    found = MissionFile(path).find()
    assert found is not None
    path.with_name(f'{path.name}.part').mkdir()
    with pytest.raises(OSError, match='mission.json'):
        MissionFile(path).keep(KeepMission(found.kept))
    assert MissionFile(path).find() is None


def test_nothing_is_found_where_nothing_was_kept(tmp_path: Path) -> None:
    assert MissionFile(tmp_path / 'mission.json').find() is None


@pytest.mark.parametrize('content', [
    b'', b'{}', b'[]', b'3', b'\xff\xfe', b'[' * 100_000, b'{"effect": ' * 100_000])
def test_what_is_no_record_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ContractError, match='mission.json'):
        MissionFile(path).find()


def numbers_in(value: Any) -> list[tuple[Any, Any]]:
    """Return where numbers and texts stand in JSON: containers with their keys."""
    items = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    return [found for key, one in items for found in (
        [(value, key)] if isinstance(one, int | float | str) and not isinstance(one, bool)
        else numbers_in(one))]


@pytest.mark.parametrize('wrong', ['Infinity', '1e999', 'NaN', '"\\ud800"', '{"type": "Tick"}',
                                   '-1e308'])
def test_whatever_stands_in_a_record_is_taken_or_refused(path: Path, wrong: str) -> None:
    whole = path.read_text()
    refused = 0
    for index in range(len(numbers_in(json.loads(whole)))):
        value = json.loads(whole)
        container, key = numbers_in(value)[index]
        container[key] = '@@'
        path.write_text(json.dumps(value).replace('"@@"', wrong))
        try:
            MissionFile(path).find()
        except ContractError:
            refused += 1
    assert refused
