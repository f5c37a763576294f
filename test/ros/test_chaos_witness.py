"""`make chaos` would notice a robot that does not do what is promised."""

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from chaos import FAULTS, remade
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from witness import Witness

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Outcome, Phase


class Situation:
    """A robot that drives or stands, and a witness who looks every tenth of a second."""

    def __init__(self) -> None:
        self.driven_m, self.now_s = 0.0, 100.0
        self.narrator = SimpleNamespace(belief=None)
        self.chaos: Any = SimpleNamespace(without=set())
        robot: Any = SimpleNamespace(
            truth=SimpleNamespace(get=lambda path: {'distance_m': self.driven_m}),
            narrator=self.narrator)
        self.witness = Witness(robot, self.chaos)

    def says(self, phase: Phase) -> None:
        self.narrator.belief = SimpleNamespace(phase=phase)

    def passes(self, seconds: float, speed_m_s: float) -> None:
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            self.driven_m += speed_m_s / 10
            self.witness.look(self.now_s)


@pytest.fixture
def situation() -> Situation:
    made = Situation()
    made.passes(5.0, 0.5)
    return made


@pytest.mark.parametrize('owner', ['belief', 'verifier'])
def test_who_drives_on_without_an_owner_is_noticed(situation: Situation, owner: str) -> None:
    situation.chaos.without.add(owner)
    situation.passes(1.0, 0.5)
    situation.passes(1.0, 0.2)
    assert not situation.witness.broken, 'it brakes'
    situation.passes(1.0, 0.5)
    [words] = situation.witness.broken.values()
    assert words.startswith('drove on for') and owner in words


@pytest.mark.parametrize('phase', [Phase.PAUSED, Phase.ASKING, Phase.FINISHED])
def test_who_drives_on_though_it_says_otherwise_is_noticed(
        situation: Situation, phase: Phase) -> None:
    situation.says(phase)
    situation.passes(0.9, 0.5)
    situation.passes(5.0, 0.0)
    assert not situation.witness.broken
    situation.passes(1.0, 0.5)
    assert phase.value in next(iter(situation.witness.broken.values()))


def test_who_may_drive_drives(situation: Situation) -> None:
    for phase in (Phase.LOOKING, Phase.DRIVING, Phase.STOPPING):
        situation.says(phase)
        situation.passes(3.0, 0.5)
    situation.chaos.without |= {'memory', 'hypothesis', 'sim_model_server'}
    situation.passes(3.0, 0.5)
    situation.chaos.without.add('verifier')
    situation.passes(1.5, 0.0)
    situation.chaos.without.discard('verifier')
    situation.passes(3.0, 0.5)
    assert not situation.witness.broken


def test_entries_that_were_not_ok_are_kept(situation: Situation) -> None:
    for level in (DiagnosticStatus.OK, DiagnosticStatus.ERROR, DiagnosticStatus.OK):
        situation.witness._read(DiagnosticArray(status=[
            DiagnosticStatus(name='verifier: journal', level=level),
            DiagnosticStatus(name='verifier: map', level=DiagnosticStatus.OK)]))
    assert situation.witness.not_ok == {'verifier: journal'}


def test_page_says_how_each_mission_ends() -> None:
    assert {fault.ends for fault in FAULTS.values()} == {Outcome.ARRIVED, Outcome.GAVE_UP}


@pytest.mark.parametrize('seed', range(5))
def test_remade_map_is_of_the_same_place(seed: int) -> None:
    grid = OccupancyGrid(Random(seed).choice([0, 100]) * np.eye(30, 40, dtype=np.int8),
                         0.05, -1.0, 2.0, 'map', 0)
    other = remade(grid, Random(seed))
    assert other.cells.shape > grid.cells.shape
    aside, up = ((new - old) / grid.resolution_m for new, old in (
        (other.origin_x_m, grid.origin_x_m), (other.origin_y_m, grid.origin_y_m)))
    assert aside != round(aside), 'no cell lies where one lay'
    column, row = -round(aside), -round(up)
    assert (other.cells[row:row + 30, column:column + 40] == grid.cells).all()
    assert (other.cells != -1).sum() == grid.cells.size
