"""What a mission of the demonstration leaves: pictures, a film, its journal, a verdict on it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

from PIL import Image

from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journals import audit, merge_journals, picture_of
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.running.resources import Usage
from semantic_nav.running.run_folder import RunFolder
from semantic_nav.running.simulated_robot import SimulatedRobot
from semantic_nav.show.film import contact_sheet, save_film, seen_looks
from semantic_nav.show.house import House
from semantic_nav.show.mission_pictures import (
    MissionSketch,
    draw_box,
    draw_map,
    places_in_words,
    save_picture,
)
from semantic_nav.show.narrator import Narrator
from semantic_nav.sim.judge import Ruling

MAP, ARRIVAL, FILM, SHEET, JOURNAL = (
    'map.png', 'arrival.png', 'mission.gif', 'seen.png', 'journal.jsonl')
#: Said of a mission that did not end in time.
_TIMEOUT = 'timeout'


@dataclass(frozen=True)
class MissionReport:
    """How a mission went, by the truth.

    Attributes:
        reached: the robot says that it stands before the target, and so it does.
        right: that, or it says that the target is not here, and so it is; None where nobody can
            say what the goal means, or somebody ended the mission.
        unvetted: UUIDs of motion goals without a verdict before them.
    """

    goal: str
    seed: int
    reached: bool
    right: bool | None
    outcome: str
    reason: str
    truth: str
    collisions: int
    driven_m: float
    cycles: int
    goals_sent: int
    goals_received: int
    unvetted: tuple[str, ...]
    cost: dict[str, Usage] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def draw(run: RunFolder, goal: str, robot: SimulatedRobot, narrator: Narrator,
         ruling: Ruling) -> None:
    """Draw the mission from above and its last picture, while the simulator still runs."""
    with closing(SqliteStore(run.memory, copied=True)) as store:
        places = [place.pose for place in store.load(MemoryConfig().map_id, '', 1).places]
    sketch = MissionSketch(
        goal, f'seed {robot.settings.seed}, {narrator.cycles} steps, '
        f'{ruling.driven_m:.1f} m driven, {places_in_words(places)}: {_outcome(narrator)}',
        narrator.path, places, narrator.refused,
        ruling.target[:2] if ruling.target is not None else None, ruling.robot,
        narrator.looked_from, House.of(robot.truth.get('world')))
    save_picture(draw_map(robot.truth.overview(), sketch), run.folder / MAP)
    final = narrator.final
    if final is not None and isinstance(final.body, Hypothesis):
        picture = picture_of(final, run.journals)
        if picture is not None:
            drawn = draw_box(Image.open(picture).convert('RGB'),
                             final.body.hypothesis.target_box, f'{goal}: {ruling.words}')
            save_picture(drawn, run.folder / ARRIVAL)


def conclude(run: RunFolder, goal: str, robot: SimulatedRobot, narrator: Narrator,
             ruling: Ruling, cost: dict[str, Usage], *, judged: bool) -> MissionReport:
    """Merge the journals of a mission that is over, make its film, and tell how it went.

    Args:
        run: where its files are.
        goal: in words.
        robot: that carried it out.
        narrator: that told it.
        ruling: how the robot stands now; without a target where the home holds none.
        cost: of its processes.
        judged: it is known what the goal means.
    """
    say, journal = narrator.say, run.folder / JOURNAL
    lines = merge_journals(run.journals, journal)
    witness = robot.witness
    goals = audit(journal, witness.received, witness.in_drive)
    looks = list(seen_looks(journal, run.journals / 'blobs'))
    if looks:
        save_picture(contact_sheet(looks), run.folder / SHEET)
        save_film(looks, run.folder / FILM)
    received = len(witness.received) - len(goals.recoveries)
    say(f'truth     {ruling.words}; {ruling.collisions} collisions, '
        f'{ruling.driven_m:.1f} m driven')
    say(f'journal   {lines} records; {goals.sent} goals sent, {received} received by the '
        f'navigator, {len(goals.unvetted)} unvetted'
        + (f'; {len(goals.recoveries)} recoveries of its own' if goals.recoveries else '')
        + (f'; {goals.missing} records are missing' if goals.missing else ''))
    for name in (MAP, ARRIVAL, FILM, SHEET, JOURNAL):
        if (run.folder / name).exists():
            say(f'wrote     {run.folder / name}')
    reached = ruling.reached and narrator.outcome is Outcome.ARRIVED
    absent = judged and ruling.target is None
    right = reached or (absent and narrator.outcome is Outcome.NOT_HERE)
    open_ended = narrator.outcome is Outcome.CANCELLED or not (
        judged or narrator.outcome is None)
    report = MissionReport(
        goal, robot.settings.seed, reached,
        None if open_ended else right, _outcome(narrator),
        narrator.belief.reason if narrator.belief is not None else 'no belief came',
        ruling.words, ruling.collisions, round(ruling.driven_m, 2), narrator.cycles, goals.sent,
        received, goals.unvetted, cost)
    _say_verdict(report, say, absent=absent)
    return report


def _outcome(narrator: Narrator) -> str:
    return narrator.outcome.value if narrator.outcome is not None else _TIMEOUT


def _say_verdict(report: MissionReport, say: Callable[[str], None], *, absent: bool) -> None:
    says = f'the robot says {report.outcome}: {report.reason}'
    if report.unvetted:
        say(f'FAILED    goals without a verdict: {", ".join(report.unvetted)}')
    elif report.outcome == _TIMEOUT:
        say('FAILED    the mission did not end in time')
    elif report.outcome == Outcome.CANCELLED.value:
        say(f'ENDED     somebody ended the mission; {says}')
    elif report.right is None:
        say(f'ENDED     nobody judges whether that is so; {says}')
    elif report.reached:
        say('SUCCESS   the robot stands in front of the target')
    elif report.right:
        say('SUCCESS   nothing of that name is here, and the robot says so')
    elif absent:
        say(f'FAILED    nothing of that name is here; {says}')
    else:
        say(f'FAILED    the robot does not stand in front of the target; {says}')
