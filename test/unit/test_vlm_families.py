"""The families of models, found in whatever a server or a person calls them."""

import pytest

from semantic_nav.vlm.gate.families import FAMILIES, Family, family_of


@pytest.mark.parametrize('family', FAMILIES, ids=lambda family: family.name)
def test_each_family_is_found_by_its_own_names(family: Family) -> None:
    for name in (family.name, *family.also):
        for written in (name, name.upper(), f'hub/some_{name}-instruct:latest',
                        f'/models/{name.replace("-", "_").replace(".", "_")}-Q4_K_M.gguf'):
            assert family_of(written) is family, written


@pytest.mark.parametrize(('said', 'family'), [
    ('Qwen/Qwen2.5-VL-7B-Instruct', 'qwen2.5-vl'), ('Qwen2_5_VLForConditionalGeneration',
                                                     'qwen2.5-vl'),
    ('Qwen2-VL-7B', 'qwen2-vl'), ('qwen3vlmoe', 'qwen3-vl'), ('qwen35moe', 'qwen3.5'),
    ('Qwen3.6-35B-A3B', 'qwen3.5'), ('unsloth_gemma-3-12b-it', 'gemma3'),
    ('gemma-3n-E4B-it', 'gemma3n'), ('google/gemma-4-E4B-it', 'gemma4'),
    ('zai-org/GLM-4.6V-Flash', 'glm-4v'), ('InternVL3_5-8B', 'internvl'),
    ('Llama-3.2-11B-Vision-Instruct', 'llama3.2-vision'),
    # A size is no version, and a text model no eye.
    ('gemma:4b', ''), ('medgemma-4b-it', ''), ('qwen3:5b', ''), ('Qwen3-8B', ''),
    ('Llama-3.2-3B', ''), ('robot-eyes', ''), ('', '')])
def test_names_are_searched_anywhere(said: str, family: str) -> None:
    found = family_of(said)
    assert (found.name if found is not None else '') == family


def test_what_is_said_first_goes_first() -> None:
    found = family_of('llama', 'qwen25vl', 'gemma3')
    assert found is not None and found.name == 'qwen2.5-vl'


def test_a_name_of_two_families_tells_nothing() -> None:
    assert family_of('qwen2vl') is None
    found = family_of('qwen2vl', 'Qwen2.5-VL')
    assert found is not None and found.name == 'qwen2.5-vl'
