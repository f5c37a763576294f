"""Profiles of the model server: the files, the loader, and what becomes of a call."""

import dataclasses
import math
from functools import partial
from pathlib import Path

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.model.profile import (
    BrainProfile,
    ConfidenceProfile,
    EyesProfile,
    ModelProfile,
    ToolsProfile,
    WordsProfile,
)
from semantic_nav_sim.model.transport import ERROR_OF, CallOutcome, Kind, Transport
from semantic_nav_sim.profile_files import profile_names
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.schemas import load_schema

load = partial(load_profile, ModelProfile)
NAMES = profile_names('model')


def kinds(transport: Transport, calls: int, seed: int = 0) -> list[Kind]:
    return [transport.outcome(count, seed).kind for count in range(calls)]


@pytest.mark.parametrize('name', NAMES)
def test_every_profile_can_be_loaded_and_combined(name: str) -> None:
    profile = load(name)
    assert (profile == ModelProfile()) == (name == 'none')
    assert load(f'{name}+none') == load(f'none + {name}') == profile


def test_there_is_a_profile_for_each_single_fault() -> None:
    profiles = [load(name) for name in NAMES]
    for fault in dataclasses.fields(BrainProfile):
        assert ModelProfile(brain=BrainProfile(**{fault.name: 1.0})) in profiles
    faults = {profile.transport.fault for name, profile in zip(NAMES, profiles, strict=True)
              if name != 'harsh'}
    assert faults == set(Kind)
    changed = [{one.name for one in dataclasses.fields(EyesProfile)
                if getattr(profile.eyes, one.name) != getattr(EyesProfile(), one.name)}
               for profile in profiles]
    for fault in ({'blind_px', 'sure_px'}, {'sure_m', 'blind_m'}, {'blind_share', 'sure_share'},
                  {'miss'}, {'look_alike'}, {'wrong_colour'}, {'jitter', 'jitter_px'},
                  {'takes_for_it'}, {'imagines_it'}, {'wrong_box'}):
        assert fault in changed


def test_only_the_measured_world_is_measured() -> None:
    """The figures of the others compare with those of before."""
    fields = ('recall_by_area', 'recall_cut', 'takes_alike', 'takes_near_colour', 'claims_stay')
    for name in NAMES:
        profile = load(name)
        told = {field for field in fields if getattr(profile.eyes, field)}
        assert told == (set(fields) if name == 'measured' else set())
        assert bool(profile.words.hints) == (name == 'measured')


@pytest.mark.parametrize(('part', 'kind'), [
    ('eyes', EyesProfile), ('words', WordsProfile), ('confidence', ConfidenceProfile),
    ('brain', BrainProfile), ('tools', ToolsProfile), ('transport', Transport)])
def test_schema_and_dataclass_name_the_same(part: str, kind: type) -> None:
    schema = load_schema('model_profile')['properties'][part]['properties']
    assert list(schema) == [one.name for one in dataclasses.fields(kind)]


def test_the_later_of_two_profiles_holds() -> None:
    default, both = load('default'), load('default+hang')
    assert both.eyes == default.eyes != EyesProfile()
    assert both.transport == dataclasses.replace(default.transport, fault=Kind.HANGS)
    assert load('default+slow').transport.latency_s == (20.0, 20.0)
    assert load('slow+default').transport == default.transport


@pytest.mark.parametrize(('text', 'words'), [
    ('description: x\nbrain: {prosa: 1.0}', "'prosa'"),
    ('description: x\neyes: {miss: 1.5}', r'\$.eyes.miss'),
    ('description: x\ntransport: {fault: explodes}', 'explodes'),
    ('description: x\ntransport: {latency_s: [2, 1]}', 'latency_s must rise, not 2.0 and 1.0'),
    ('description: x\neyes: {blind_px: 9}', 'blind_px and sure_px'),
    ('description: x\neyes: {recall_by_area: [[0.1, 0.5], [0.05, 0.9]]}', 'area must rise'),
    ('description: x\neyes: {recall_cut: [[0.1, 0.5], [0.2, 0.4]]}', 'recall_cut must rise'),
    ('description: x\neyes: {recall_cut: [[0.1]]}', r'\$.eyes.recall_cut'),
    ('description: x\neyes: {recall_cut: [[0, 0.5]]}', r'\$.eyes.recall_cut'),
    ('eyes: {miss: 0.5}', 'description'), ('- 1', 'array|object'), ('{', 'cannot be read'),
    ('', 'null')])
def test_a_bad_profile_is_refused_with_the_reason(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigError, match=words):
        load(str(path))


def test_a_profile_that_is_not_there_is_refused_with_those_that_are() -> None:
    for choice in ('sleepy', 'default+sleepy', '', './nowhere.yaml'):
        with pytest.raises(ConfigError, match='known are always_stop, .*wrong_schema'):
            load(choice)


def test_without_a_word_nothing_goes_wrong() -> None:
    assert Transport().outcome(7) == CallOutcome()
    assert CallOutcome().duration_s(500) == 0.0


def test_latency_lies_in_its_range_and_follows_seed_and_count() -> None:
    transport = Transport(latency_s=(0.3, 0.8))
    drawn = [transport.outcome(count, seed=3).latency_s for count in range(50)]
    assert drawn == [transport.outcome(count, seed=3).latency_s for count in range(50)]
    assert len(set(drawn)) == 50
    assert 0.3 <= min(drawn) < 0.4 < 0.7 < max(drawn) <= 0.8
    assert transport.outcome(0, seed=4).latency_s != drawn[0]


def test_a_server_that_dies_stays_dead() -> None:
    assert kinds(load('dies').transport, 6) == [Kind.ANSWERS] * 3 + [Kind.REFUSED] * 3


def test_a_server_that_flaps_comes_back() -> None:
    spell = [Kind.ANSWERS, Kind.ANSWERS, Kind.RESET, Kind.RESET]
    assert kinds(load('flapping').transport, 12) == spell * 3


def test_a_rate_hits_a_share_of_the_calls() -> None:
    found = kinds(Transport(fault=Kind.RESET, rate=0.25), 400)
    assert 70 < found.count(Kind.RESET) < 130
    assert found == kinds(Transport(fault=Kind.RESET, rate=0.25), 400)
    assert found != kinds(Transport(fault=Kind.RESET, rate=0.25), 400, seed=1)


def test_only_who_is_down_from_the_first_does_not_listen() -> None:
    assert [name for name in NAMES if not load(name).transport.listens] == ['down']


def test_how_long_a_call_takes() -> None:
    assert CallOutcome(latency_s=2.0, tokens_per_s=4.0).duration_s(20) == 7.0
    assert CallOutcome(Kind.RESET, latency_s=2.0, tokens_per_s=4.0).duration_s(20) == 2.0
    reads = CallOutcome(latency_s=0.5, tokens_per_s=4.0, prompt_tokens_per_s=1000.0)
    assert reads.reading_s(1500) == 1.5
    assert reads.duration_s(20, 1500) == 7.0
    assert math.isinf(CallOutcome(Kind.HANGS, latency_s=2.0).duration_s(20))


def test_every_kind_but_an_answer_has_an_error() -> None:
    assert set(ERROR_OF) == set(Kind) - {Kind.ANSWERS}
