"""docs/failsafe.html: what it says of each part was tried, and still holds."""

import pytest
from failsafe import PAGE, PARTS, cases, data_of, tried


def test_page_knows_every_part_alone_and_every_two() -> None:
    keys = data_of(PAGE.read_text(encoding='utf-8'))
    assert {'+'.join((*parts, moment, span)) for parts, moment, span in cases(2)} == set(keys)


@pytest.mark.parametrize('part', PARTS)
def test_robot_does_what_the_page_says(part: str) -> None:
    key, found = tried(((part,), 'driving', 'mended'))
    said = data_of(PAGE.read_text(encoding='utf-8'))[key]
    assert found == said, 'write the page anew with `make failsafe`'
