"""A home with a zone over a room: the answer is honest, and the robot is never inside."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from bench_rig import GOAL, STAND_OFF_M, cache_beside
from small_world import SEED_STOOL, SEED_TABLE, write_world

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.cli.replay import replay
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.vocabulary import Code, Outcome
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import audit, merge_journals
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.zones import SpeedLimit, Zone, ZoneKind, Zones
from semantic_nav_sim.bench.bodies import LIGHT, open_home
from semantic_nav_sim.bench.mission import Mission, Setup
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.truth import Truth
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.scene_cache import load_scene

#: The store, door and all; the mug stands in it with SEED_STOOL, before it with SEED_TABLE.
STORE_X_M = 3.1
STORE = Zone(('store',), ZoneKind.KEEP_OUT,
             ((STORE_X_M, 0.0), (5.0, 0.0), (5.0, 3.0), (STORE_X_M, 3.0)))
#: Where the robot stands at the start: a side of the room, over which no way between other places
#: leads, for the stand-in for Nav2 knows nothing of it.
MAT = Zone(('mat',), ZoneKind.KEEP_OUT, ((0.0, 0.0), (1.4, 0.0), (1.4, 3.0), (0.0, 3.0)))
#: The same, with a strip of floor behind it, out of which a way leads only along its border.
RUG = Zone(('rug',), ZoneKind.KEEP_OUT, ((0.4, 0.9), (1.4, 0.9), (1.4, 2.1), (0.4, 2.1)))
#: Both rooms, that meet in the door.
ROOMS = (Zone(('den',), ZoneKind.KEEP_IN, ((0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0))),
         Zone(('store',), ZoneKind.KEEP_IN, ((3.0, 0.0), (5.0, 0.0), (5.0, 3.0), (3.0, 3.0))))
#: The other room.
SLOW = Zone(('den',), ZoneKind.SPEED, ((0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0)),
            SpeedLimit(0.2))


@dataclass(frozen=True)
class Carried:
    """What came of a mission.

    Attributes:
        farthest_x_m: how far into the store the robot truly was.
        fastest: its true speed at most, in m/s.
    """

    outcome: Outcome | None
    reason: str
    refusals: dict[Code, int]
    reached: bool
    farthest_x_m: float
    fastest: float


@pytest.fixture(scope='module')
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_world(tmp_path_factory.mktemp('home') / 'small'))


def carry_out(home: str, folder: Path, seed: int, *zones: Zone) -> Carried:
    journals, blobs = folder / 'journal', FolderBlobs(folder / 'journal' / 'blobs')
    farthest_x_m = fastest = 0.0
    with cache_beside(home), open_home(home, LIGHT) as make_body:
        body = make_body(seed)
        try:
            mission = Mission(body, Setup(
                GOAL, seed, folder / 'memory.sqlite', journals / SESSION,
                saved=floor_plan(load_scene(home)), blobs=blobs, zones=Zones(zones),
                configs={'memory': MemoryConfig(embedder='hash'),
                         'belief': BeliefConfig(time_limit_s=400.0)}))

            def watch() -> None:
                nonlocal farthest_x_m, fastest
                now = mission.robot.snapshot
                farthest_x_m = max(farthest_x_m, now.true.x)
                fastest = max(fastest, abs(now.speed_m_s))

            mission.scheduler.every(0.1, watch)
            try:
                record = mission.run(430.0)
            finally:
                mission.close()
            judge = Judge(Truth(body, FrameMemory(), lambda: 0).ask)
            reached = judge.rule_any(judge.targets_of(GOAL), STAND_OFF_M).reached
        finally:
            body.close()
    assert record.belief is not None
    merge_journals(journals, folder / 'journal.jsonl')
    assert audit(folder / 'journal.jsonl', mission.navigator.received).unvetted == ()
    for node in PARTS:
        assert set(replay(journals / SESSION / f'{node}.jsonl', node,
                          journals / 'blobs')) == {None}, node
    return Carried(record.belief.outcome, record.belief.reason, dict(record.refusals), reached,
                   farthest_x_m, fastest)


def test_target_in_a_closed_room_is_not_gone_to_and_the_answer_names_it(
        home: str, tmp_path: Path) -> None:
    carried = carry_out(home, tmp_path, SEED_STOOL, STORE)
    assert carried.farthest_x_m < STORE_X_M
    # It may have been seen through the door.
    assert carried.outcome in (Outcome.NOT_HERE, Outcome.GAVE_UP)
    assert "the zone 'store'" in carried.reason


def test_target_before_a_closed_room_is_reached(home: str, tmp_path: Path) -> None:
    carried = carry_out(home, tmp_path, SEED_TABLE, STORE, SLOW)
    assert carried.outcome is Outcome.ARRIVED and carried.reached
    assert carried.farthest_x_m < STORE_X_M
    assert carried.fastest < 0.2 + 0.02


@pytest.mark.parametrize('zones', [(MAT,), ROOMS], ids=['from_a_zone', 'between_two'])
def test_way_out_of_a_zone_and_from_one_keep_in_zone_to_the_next_is_found(
        zones: tuple[Zone, ...], home: str, tmp_path: Path) -> None:
    carried = carry_out(home, tmp_path, SEED_STOOL, *zones)
    assert carried.outcome is Outcome.ARRIVED and carried.reached


def test_robot_that_leaves_a_zone_to_the_wrong_side_says_what_it_did_not_reach(
        home: str, tmp_path: Path) -> None:
    """Nav2, which does not know the zone, would drive from there over a corner of it."""
    carried = carry_out(home, tmp_path, SEED_STOOL, RUG)
    assert carried.reached if carried.outcome is Outcome.ARRIVED else (
        carried.outcome is Outcome.GAVE_UP and 'not reached' in carried.reason)
