"""A model's words as names: plain, short and without loose ends."""

import pytest

from semantic_nav.memory.scene import clean_name


@pytest.mark.parametrize(('text', 'name'), [
    ('Red  Mug', 'red mug'), ("{'red mug'}", 'red mug'), ('unknown', ''), ('  -', ''),
    ('x' * 59 + ' mug', 'x' * 59), ('x' * 70, 'x' * 60)])
def test_name_is_clean(text: str, name: str) -> None:
    assert clean_name(text) == name
