"""docs/failsafe.html: what it says of each part was tried, and still holds."""

import pytest
from failsafe import PAGE, PARTS, cases, data_of, page, tried, without_figures
from nightly import some


def test_page_knows_every_part_alone_and_every_two() -> None:
    keys = data_of(PAGE.read_text(encoding='utf-8'))
    assert {'+'.join((*parts, moment, span)) for parts, moment, span in cases(2)} == set(keys)


def test_page_is_as_it_would_be_written_of_what_was_tried() -> None:
    text = PAGE.read_text(encoding='utf-8')
    assert page(data_of(text)) == text


@pytest.mark.parametrize(('reason', 'said'), [
    ('the time is used up (240 s), the robot is not known to stand',
     'the time is used up, the robot is not known to stand'),
    ('a part was missing 20 times in a row', 'a part was missing again and again'),
    ('to a view of 5.5 m² of unseen floor', 'to a view of unseen floor'),
    ('30 proposals were refused and 3 acts failed',
     'too many proposals were refused or acts failed'),
    ('the target is in front of the robot', 'the target is in front of the robot')])
def test_a_reason_reads_well_without_its_figures(reason: str, said: str) -> None:
    assert without_figures(reason) == said


def test_figures_without_words_are_told() -> None:
    with pytest.raises(ValueError, match='12 of something'):
        without_figures('12 of something')


def test_no_reason_of_the_page_has_a_placeholder() -> None:
    told = {found['why'] for found in data_of(PAGE.read_text(encoding='utf-8')).values()}
    assert not [why for why in told if ' n ' in f' {why} ' or '(n ' in why]


@pytest.mark.parametrize('part', some([*PARTS][::3], [*PARTS]))
def test_robot_does_what_the_page_says(part: str) -> None:
    key, found = tried(((part,), 'driving', 'mended'))
    said = data_of(PAGE.read_text(encoding='utf-8'))[key]
    assert found == said, 'write the page anew with `make failsafe`'
