"""Which tools a model calls, and with what: anything that fits the schema it is given."""

import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.look.tools import tools as offered_tools
from semantic_nav_sim.model.profile import ToolsProfile
from semantic_nav_sim.model.tools import Call, Known, Tool, calls, read_json

ALWAYS = ToolsProfile(rate=1.0)
BLOCK = {'goal': 'find the mug', 'candidates': [
    {'node_id': 'place-3', 'score': 0.4}, {'node_id': 'place-8', 'score': 0.2}]}
BOX = [10, 20, 30, 40]
TOOLS = tuple(Tool(tool.name, tool.input_schema) for tool in offered_tools(BoxConvention.PIXELS))
SCHEMAS = {tool.name: Draft202012Validator(tool.parameters) for tool in TOOLS}
SEARCH = Tool('search', {'type': 'object', 'required': ['text'], 'properties': {
    'text': {'type': 'string', 'maxLength': 8}}})


def known(*told: object, box: list[int] | None = None, goal: str = 'find the mug') -> Known:
    return Known.of(goal, told, box)


def made(tools: tuple[Tool, ...], profile: ToolsProfile, what: Known, count: int = 200,
         turns: int = 0) -> list[tuple[Call, ...]]:
    return [calls(tools, profile, what, turns, random.Random(seed)) for seed in range(count)]


def test_without_a_word_it_uses_none() -> None:
    assert set(made(TOOLS, ToolsProfile(), known(BLOCK))) == {()}
    assert set(made((), ALWAYS, known(BLOCK))) == {()}


@pytest.mark.parametrize('box', [None, BOX])
def test_every_tool_that_fits_is_used_with_arguments_that_keep_its_schema(
        box: list[int] | None) -> None:
    turns = made(TOOLS, ALWAYS, known(BLOCK, box=box))
    assert all(len(turn) == 1 for turn in turns)
    for (call,) in turns:
        SCHEMAS[call.name].validate(call.arguments)
    used = {call.name for (call,) in turns}
    assert used == ({'look_at'} if box else set(SCHEMAS) - {'look_at'})


def test_it_names_only_what_it_was_told_of() -> None:
    ids = {call.arguments['node_id'] for turn in made(TOOLS, ALWAYS, known(BLOCK))
           for call in turn if 'node_id' in call.arguments}
    assert ids == {'place-3', 'place-8'}
    blind = {call.name for turn in made(TOOLS, ALWAYS, known({})) for call in turn}
    assert 'describe_place' not in blind and blind == {'recall_places', 'check_reachable'}
    later = known({}, read_json('{"places": [{"node_id": "place-9", "x": 1.5, "y": 2.5}]}'))
    told = [call.arguments for turn in made(TOOLS, ALWAYS, later) for call in turn]
    assert {'node_id': 'place-9'} in told and {'x': 1.5, 'y': 2.5} in told


def test_words_are_those_of_the_goal_as_long_as_they_may_be() -> None:
    (turn,) = set(map(repr, made((SEARCH,), ALWAYS, known({'x': 1}, goal='find the red mug'))))
    assert turn == repr((Call('search', {'text': 'find the'}),))


def test_rounds_rate_and_number_are_those_of_the_profile() -> None:
    profile = ToolsProfile(rate=0.5, rounds=2, at_once=3)
    lengths = [len(turn) for turn in made(TOOLS, profile, known(BLOCK))]
    assert 0.35 < lengths.count(0) / len(lengths) < 0.65
    assert set(lengths) == {0, 1, 2, 3}
    assert any(made(TOOLS, profile, known(BLOCK), turns=1))
    assert not any(made(TOOLS, profile, known(BLOCK), turns=2))


def test_it_never_says_the_same_twice_at_once() -> None:
    profile = ToolsProfile(rate=1.0, at_once=5)
    assert {len(turn) for turn in made((SEARCH,), profile, known(BLOCK))} == {1}


def test_it_calls_what_nobody_offered() -> None:
    profile = ToolsProfile(rate=1.0, unknown=1.0)
    used = {call.name for turn in made(TOOLS, profile, known(BLOCK)) for call in turn}
    assert used and not used & set(SCHEMAS)


def test_it_gets_arguments_wrong() -> None:
    profile = ToolsProfile(rate=1.0, wrong_arguments=1.0)
    for turn in made(TOOLS, profile, known(BLOCK)):
        for call in turn:
            assert not SCHEMAS[call.name].is_valid(call.arguments)


@pytest.mark.parametrize(('schema', 'values'), [
    ({'type': 'string', 'enum': ['a', 'b']}, {'a', 'b'}),
    ({'type': 'integer', 'minimum': 2, 'maximum': 4}, {2, 3, 4}),
    ({'type': 'boolean'}, {True, False})])
def test_plain_fields(schema: dict[str, Any], values: set[object]) -> None:
    tool = Tool('one', {'type': 'object', 'required': ['it'], 'properties': {'it': schema}})
    found = {call.arguments['it'] for turn in made((tool,), ALWAYS, known({})) for call in turn}
    assert found == values


def test_a_tool_whose_fields_it_cannot_fill_is_left_alone() -> None:
    tool = Tool('odd', {'type': 'object', 'required': ['it'], 'properties': {
        'it': {'type': 'object'}}})
    assert set(made((tool,), ALWAYS, known({}))) == {()}


def test_it_knows_no_tool_by_its_name() -> None:
    folder = Path(__file__).parents[2] / 'semantic_nav_sim' / 'semantic_nav_sim' / 'model'
    text = ''.join(path.read_text() for path in folder.glob('*.py'))
    assert text and not [name for name in SCHEMAS if name in text]
