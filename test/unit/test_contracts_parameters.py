"""Parameters: what is refused, and whether the operator is told what was wrong."""

import ast
import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build, parameter, specs
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.vlm.config import HypothesisConfig

#: What the description says where a name ends so.
UNITS = {'_m': 'm', '_s': '(s|seconds)', '_rad': 'rad', '_m2': 'm2', '_px': 'pixels'}
CONFIGS = [BeliefConfig, VerifierConfig, MemoryConfig, HypothesisConfig]


@dataclasses.dataclass(frozen=True)
class Config:
    """One parameter of each kind."""

    share: float = parameter(0.5, 'A share.', 0.0, 1.0)
    free: float = parameter(0.5, 'Anything.')
    tries: int = parameter(3, 'A number.', 1, 20)
    on: bool = parameter(True, 'A switch.')
    topic: str = parameter('map', 'A name.')
    scorer: str = parameter('a', 'A choice.', choices=('a', 'b'))


def test_defaults_hold_where_nothing_is_given() -> None:
    assert build(Config, {}) == Config()


def test_values_are_taken() -> None:
    values = {'share': 0.25, 'tries': 4, 'on': False, 'topic': 'floor', 'scorer': 'b', 'free': -9.}
    assert dataclasses.asdict(build(Config, values)) == values


@pytest.mark.parametrize('value', [0.0, 1.0])
def test_ends_of_a_range_belong_to_it(value: float) -> None:
    assert build(Config, {'share': value}).share == value


def test_whole_number_is_a_float_where_one_is_due() -> None:
    share = build(Config, {'share': 1}).share
    assert share == 1.0 and type(share) is float


@pytest.mark.parametrize(('name', 'value', 'told'), [
    ('share', 1.01, '0 to 1'), ('share', -0.5, '0 to 1'), ('share', float('nan'), '0 to 1'),
    ('share', float('inf'), '0 to 1'), ('share', '0.5', 'expected float'),
    ('share', True, 'expected float'), ('share', None, 'expected float'),
    ('tries', 0, '1 to 20'), ('tries', 21, '1 to 20'), ('tries', 3.0, 'expected int'),
    ('tries', True, 'expected int'), ('tries', [3], 'expected int'),
    ('on', 1, 'expected bool'), ('on', 'true', 'expected bool'),
    ('topic', 3, 'expected str'), ('topic', b'map', 'expected str'),
    ('scorer', 'c', 'a, b'), ('scorer', '', 'a, b'), ('free', float('nan'), '-inf to inf')])
def test_bad_value_is_refused_with_name_value_and_range(name: str, value: Any, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(Config, {name: value})
    message = str(caught.value)
    assert name in message and repr(value) in message and told in message


def test_unknown_parameter_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="'sharp'"):
        build(Config, {'share': 0.5, 'sharp': 1})


@pytest.mark.parametrize('config', CONFIGS, ids=lambda config: config.__name__)
def test_every_field_is_described_and_its_default_in_range(config: type) -> None:
    known = specs(config)
    assert set(known) == {field.name for field in dataclasses.fields(config)}
    assert build(config, {name: default for name, (default, _) in known.items()}) == config()
    for name, (default, spec) in known.items():
        assert spec.description.endswith('.'), name
        for suffix, unit in UNITS.items():
            if name.endswith(suffix):
                assert type(default) in (int, float), name
                assert re.search(rf'\b{unit}\b', spec.description), name


@pytest.mark.parametrize('config', CONFIGS, ids=lambda config: config.__name__)
def test_every_number_has_a_range_that_is_kept(config: type) -> None:
    for name, (default, spec) in specs(config).items():
        if type(default) not in (int, float):
            continue
        assert spec.minimum is not None and spec.maximum is not None, name
        for beyond in (spec.minimum - 1, spec.maximum + 1):
            with pytest.raises(ConfigError, match=name):
                build(config, {name: type(default)(beyond)})


@pytest.mark.parametrize(('config', 'folders'), [
    (BeliefConfig, ['belief']), (VerifierConfig, ['verify']), (MemoryConfig, ['memory', 'nodes']),
    (HypothesisConfig, ['vlm', 'nodes'])])
def test_every_parameter_is_used_by_its_part(config: type, folders: list[str]) -> None:
    """A value that nobody reads would be a promise that nobody keeps."""
    package = Path(__file__).parents[2] / 'semantic_nav'
    used = {node.attr for folder in folders for path in (package / folder).rglob('*.py')
            for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
            if isinstance(node, ast.Attribute)}
    assert {field.name for field in dataclasses.fields(config)} - used == set()


@pytest.mark.parametrize('values', [
    {'stand_off_near_m': 1.0}, {'stand_off_far_m': 0.5}, {'stand_off_near_m': 0.95},
    {'ground_min_m': 4.0, 'ground_max_m': 4.0}])
def test_values_that_do_not_go_together_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match='must be less than') as caught:
        build(VerifierConfig, values)
    assert any(name in str(caught.value) for name in values)


@pytest.mark.parametrize(('given', 'kept'), [
    (False, 'false'), (True, 'true'), ('unsaid', 'unsaid')])
def test_words_that_yaml_takes_for_more_are_words(given: object, kept: str) -> None:
    assert build(HypothesisConfig, {'think': given}).think == kept
