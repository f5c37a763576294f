import json
from dataclasses import dataclass

from builders import Clock, document

from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.core import (
    COMMON_KINDS,
    Dispatch,
    DocumentReceived,
    Event,
    Output,
    Report,
    StandingEffects,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import Document, Look, Step
from semantic_nav.contracts.vocabulary import Level, StepKind

NOW = Clock().now


@dataclass(frozen=True)
class Rang(Event):
    number: int


def on_rang(event: Rang, now: Now) -> list[Output]:
    assert now is NOW
    return [Report('bell', Level.OK, str(event.number))]


def on_step(received: Document, step: Step, now: Now) -> list[Output]:
    assert received.body is step and now is NOW
    return [received]


def make_dispatch() -> Dispatch:
    dispatch = Dispatch()
    dispatch.on(Rang, on_rang)
    dispatch.on_body(Step, on_step)
    return dispatch


def test_an_event_goes_to_whoever_takes_its_type() -> None:
    assert make_dispatch()(Rang(3), NOW) == [Report('bell', Level.OK, '3')]


def test_a_document_goes_by_its_body() -> None:
    sent = document(Step(StepKind.STOP, 'a mug'))
    assert make_dispatch()(DocumentReceived(sent), NOW) == [sent]


def test_what_nobody_takes_is_counted() -> None:
    dispatch = make_dispatch()
    assert dispatch.report().text == 'nothing'
    assert dispatch(Tick(), NOW) == []
    assert dispatch(DocumentReceived(document(Look(False, 'dark'))), NOW) == []
    assert dispatch.dropped == 2
    assert dispatch.report().text == 'too late, or of no goal in hand'


def test_standing_effects_are_carried_out_when_they_change() -> None:
    standing = StandingEffects()
    dark, cold = Report('light', Level.WARN, 'dark'), Report('heat', Level.OK, 'cold')
    assert standing.changed(Ticking(True), dark, cold) == [Ticking(True), dark, cold]
    assert standing.changed(Ticking(True), dark, cold) == []
    bright = Report('light', Level.OK, 'bright')
    assert standing.changed(Ticking(False), bright, cold) == [Ticking(False), bright]
    counted = Report('heat', Level.OK, 'cold', (('stoves', 2),))
    assert standing.changed(bright, counted) == [counted]
    standing.forget(Ticking)
    assert standing.changed(Ticking(False), bright) == [Ticking(False)]


def test_a_report_comes_back_from_its_record() -> None:
    codec = RecordCodec(COMMON_KINDS, NoBlobs())
    report = Report('heat', Level.WARN, 'cold', (('stoves', 2), ('windows', 0)))
    assert codec.decode(json.loads(json.dumps(codec.encode(report)))) == report
