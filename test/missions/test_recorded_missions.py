"""Recorded missions: what is decided in them today is what was decided when they were recorded."""

import pytest
from record_missions import FOLDER, MISSIONS, carry_out, compared, file_of, files, written

from semantic_nav.contracts.vocabulary import Code, Outcome
from semantic_nav.journal.compare import RecordedDecision

_ANEW = ('Where this is meant, `make recordings` writes test/missions/recorded anew: '
         'commit that, its diff shows all that changed.')


def _end(decisions: list[RecordedDecision]) -> str:
    outcome = next((one for one in reversed(decisions) if one.subject.startswith('outcome')), None)
    return f'{outcome or "no outcome"}; {len(decisions)} decisions'


@pytest.mark.parametrize('name', MISSIONS)
def test_the_same_is_decided_as_when_it_was_recorded(name: str) -> None:
    said = []
    for visit, today in enumerate(carry_out(name), start=1):
        recorded = written(file_of(name, visit))
        found = compared(recorded, today)
        if found is not None:
            said.append(f'{name}, visit {visit}: {found.told("recorded", "today")}\n'
                        f"  recorded end: {_end(recorded)}\n  today's end: {_end(today)}")
    if said:
        pytest.fail('\n'.join([*said, _ANEW]), pytrace=False)


def test_every_recording_is_of_a_mission() -> None:
    assert sorted(FOLDER.iterdir()) == sorted(files())


def test_they_end_in_every_way_and_hold_several_refusals() -> None:
    decisions = [decision for path in files() for decision in written(path)]
    ends = {one.values[0] for one in decisions if one.subject.startswith('outcome')}
    assert {Outcome.ARRIVED, Outcome.NOT_HERE, Outcome.GAVE_UP} <= ends
    codes = {one.values[0] for one in decisions if one.subject.startswith('verdict')}
    assert Code.OK in codes and len(codes) >= 4, codes
