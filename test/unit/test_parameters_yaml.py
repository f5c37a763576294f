"""The parameter file: all parameters of all nodes, each with its default, and nothing else."""

import math
import re
from typing import Any

import pytest
import yaml
from parameter_comments import CONFIGS, descriptions, wiring, written

from semantic_nav.bringup.processes import (
    NavSettings,
    navigation_processes,
    operator_processes,
    recorder_processes,
)
from semantic_nav.contracts.parameters import build, specs
from semantic_nav.contracts.share import share_path

TEXT = share_path('config', 'semantic_nav.yaml').read_text(encoding='utf-8')
NODES = sorted(CONFIGS)
FILE: dict[str, Any] = yaml.safe_load(TEXT)


def declared(node: str) -> dict[str, Any]:
    """Return every parameter that a node declares, with its default."""
    known = {name: default for config in CONFIGS[node]
             for name, (default, _) in specs(config).items()}
    return {**known, **{name: default for name, (default, *_) in wiring(node).items()}}


def in_file(node: str) -> dict[str, Any]:
    return FILE[f'/**/{node}']['ros__parameters']


def test_file_holds_the_nodes_of_the_product() -> None:
    settings = NavSettings(record=True, operator=True)
    assert sorted(FILE) == sorted(
        f'/**/{process.name}'
        for process in (*navigation_processes(settings), *recorder_processes(settings),
                        *operator_processes(settings)))
    assert all(list(content) == ['ros__parameters'] for content in FILE.values())


@pytest.mark.parametrize('node', NODES)
def test_every_key_is_declared(node: str) -> None:
    assert set(in_file(node)) - set(declared(node)) == set()


@pytest.mark.parametrize('node', NODES)
def test_every_declared_parameter_stands_in_the_file(node: str) -> None:
    assert set(declared(node)) - set(in_file(node)) == set()


@pytest.mark.parametrize('node', NODES)
def test_value_is_the_default_and_of_its_type(node: str) -> None:
    for name, default in declared(node).items():
        value = in_file(node)[name]
        # A whole number where a float is due would be an integer to ROS.
        assert type(value) is type(default), name
        if isinstance(default, float):
            assert math.isclose(value, default, rel_tol=1e-9), name
        else:
            assert value == default, name


@pytest.mark.parametrize('node', NODES)
def test_values_are_accepted(node: str) -> None:
    known = specs(CONFIGS[node][0])
    values = {name: value for name, value in in_file(node).items() if name in known}
    build(CONFIGS[node][0], values)


def test_no_key_stands_twice() -> None:
    """YAML readers keep the last one silently."""
    class Strict(yaml.SafeLoader):
        pass

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        keys = [loader.construct_object(key) for key, _ in node.value]
        assert len(keys) == len(set(keys)), keys
        return loader.construct_mapping(node, deep=True)

    Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    text = share_path('config', 'semantic_nav.yaml').read_text(encoding='utf-8')
    assert yaml.load(text, Strict) == FILE


def test_comments_are_the_descriptions_in_the_code() -> None:
    assert written(TEXT) == TEXT, 'write them: python test/support/parameter_comments.py'


@pytest.mark.parametrize('node', NODES)
def test_description_stands_alone_and_names_the_thing_first(node: str) -> None:
    for name, spec in descriptions(node).items():
        words = spec.description
        assert words[0].isupper() and words.endswith('.'), (name, words)
        assert not re.match(r'(And|How|Or|So|What|When|Where|Which|Whether|Who)\b', words), words
        assert not re.search(r'\b(likewise|the same|anew|whoever)\b', words, re.IGNORECASE), words
