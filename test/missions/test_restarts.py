"""A node that is killed while the robot drives, and started anew: the mission goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import small_world
from bench_rig import GOAL, STAND_OFF_M

from semantic_nav.belief.events import ListenersChanged
from semantic_nav.contracts.documents import Belief, Document
from semantic_nav.contracts.vocabulary import Outcome, Phase
from semantic_nav.journal.cores import PARTS
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.events import BeliefLost
from semantic_nav_sim.bench.bodies import LIGHT, MakeBody, open_home
from semantic_nav_sim.bench.mission import Mission, Setup
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.truth import Truth

SEED = small_world.SEED_STOOL
#: What the deadman of the nodes takes.
_NOTICED_S = 0.7
_AWAY_S = 3.0


@pytest.fixture(scope='module')
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeBody]:
    world = small_world.write_world(tmp_path_factory.mktemp('home') / 'small')
    with open_home(str(world), LIGHT) as made:
        yield made


class Killer:
    """Kills one node when the robot drives, and starts it anew."""

    def __init__(self, mission: Mission, name: str) -> None:
        self._mission, self._name = mission, name
        self.killed = False
        self.goal_ids: set[str] = set()
        mission.bus.listen('belief', self._follow)

    def _follow(self, document: Document) -> None:
        assert isinstance(document.body, Belief)
        self.goal_ids.add(document.goal_id)
        if document.body.phase is Phase.DRIVING and not self.killed:
            self.killed = True
            self._mission.scheduler.after(0.5, self._kill)

    def _kill(self) -> None:
        mission = self._mission
        mission.shells[self._name].close()
        mission.scheduler.after(_NOTICED_S, self._notice)
        mission.scheduler.after(_AWAY_S, self._restart)

    def _notice(self) -> None:
        if self._name == 'belief':
            self._mission.shells['verifier'].feed(BeliefLost())
        else:
            self._mission.shells['belief'].feed(ListenersChanged(
                (self._name,) if self._name != 'memory' else ()))

    def _restart(self) -> None:
        self._mission.restart(self._name, 'again')
        self._mission.shells['belief'].feed(ListenersChanged(()))


@pytest.mark.parametrize('name', PARTS)
def test_mission_arrives_all_the_same(home: MakeBody, tmp_path: Path, name: str) -> None:
    body = home(SEED)
    mission = Mission(body, Setup(
        GOAL, SEED, tmp_path / 'memory.sqlite', tmp_path / 'journal' / SESSION, mapping=True,
        configs={'memory': MemoryConfig(embedder='hash')}))
    killer = Killer(mission, name)
    record = mission.run(300.0)
    mission.close()
    assert killer.killed and len(killer.goal_ids) == 1
    assert record.belief is not None
    assert record.belief.outcome is Outcome.ARRIVED, record.belief.reason
    judge = Judge(Truth(body, FrameMemory(), lambda: 0).ask)
    ruling = judge.rule_any(judge.targets_of(GOAL), STAND_OFF_M)
    body.close()
    assert ruling.reached and ruling.collisions == 0, ruling.words
