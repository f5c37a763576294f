"""The output of a mission of the demonstration: pictures, a film, its journal and a verdict."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journal.files import audit_lines, merge_journals, merged_lines, picture_of
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.show.house import House
from semantic_nav.show.mission_pictures import (
    MissionSketch,
    Overview,
    draw_box,
    draw_map,
    places_in_words,
    save_picture,
)
from semantic_nav_sim.judge import Ruling
from semantic_nav_sim.running.resources import Usage
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import SimulatedRobot
from semantic_nav_sim.show.film import SeenLook, contact_sheet, save_film, seen_looks
from semantic_nav_sim.truth_client import SimulatorGone

MAP, ARRIVAL, FILM, SHEET, JOURNAL = (
    'map.png', 'arrival.png', 'mission.gif', 'seen.png', 'journal.jsonl')
#: Outcome of a mission that did not end in time.
_TIMEOUT = 'timeout'


@dataclass(frozen=True)
class MissionReport:
    """The result of a mission, by the truth.

    Attributes:
        reached: whether the robot rightly says that it stands before the target.
        right: whether the robot's outcome, *arrived* or *not here*, is true; None if the meaning
            of the goal is unknown, or somebody ended the mission.
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
        """The report as JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Home:
    """A home and its robot, as the simulator shows them from above."""

    seed: int
    house: House
    overview: Overview


def judge(run: RunFolder, goal: str, robot: SimulatedRobot, narrator: Narrator, ruling: Ruling,
          cost: dict[str, Usage], *, judged: bool) -> MissionReport:
    """Judge a mission whose processes have ended; nothing is written.

    Args:
        run: folder of its files.
        goal: in words.
        robot: the robot of the mission.
        narrator: the mission's narrator.
        ruling: on the robot's final pose; without a target if the home holds none.
        cost: of its processes.
        judged: whether the meaning of the goal is known.
    """
    say, witness = narrator.say, robot.witness
    lines = merged_lines(run.journals)
    goals = audit_lines(lines, witness.received, witness.in_drive)
    received = len(witness.received) - len(goals.recoveries)
    say(f'truth     {ruling.words}; {ruling.collisions} collisions, '
        f'{ruling.driven_m:.1f} m driven')
    say(f'journal   {len(lines)} records; {goals.sent} goals sent, {received} received by the '
        f'navigator, {len(goals.unvetted)} unvetted'
        + (f'; {len(goals.recoveries)} recoveries of its own' if goals.recoveries else '')
        + (f'; {goals.missing} records are missing' if goals.missing else ''))
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


def draw(run: RunFolder, goal: str, narrator: Narrator, ruling: Ruling, home: Home | None) -> None:
    """Merge the journals of a mission that is over, and draw its pictures and its film.

    All of them are optional: a failure is only a warning.

    Args:
        run: folder of its files.
        goal: in words.
        narrator: the mission's narrator.
        ruling: on the robot's final pose.
        home: as seen from above; None if the simulator did not show it.
    """
    journal = run.folder / JOURNAL
    makers: dict[str, Callable[[], object]] = {
        JOURNAL: lambda: merge_journals(run.journals, journal),
        MAP: lambda: _draw_map(run, goal, narrator, ruling, home),
        ARRIVAL: lambda: _draw_arrival(run, goal, narrator, ruling),
        SHEET: lambda: _draw_looks(run, SHEET, lambda looks, path: save_picture(
            contact_sheet(looks), path)),
        FILM: lambda: _draw_looks(run, FILM, save_film)}
    for name, make in makers.items():
        target = run.folder / name
        try:
            make()
        except (OSError, SemanticNavError) as error:
            narrator.say(f'warning   {target} is not there: {error}')
        if target.exists():
            narrator.say(f'wrote     {target}')


def home_of(robot: SimulatedRobot, say: Callable[[str], None]) -> Home | None:
    """Get the view of the home from above, while the simulator still runs."""
    try:
        return Home(robot.settings.seed, House.of(robot.truth.get('world')),
                    robot.truth.overview())
    except SimulatorGone as error:
        say(f'warning   the home cannot be drawn from above: {error}')
        return None


def _draw_map(run: RunFolder, goal: str, narrator: Narrator, ruling: Ruling,
              home: Home | None) -> None:
    if home is None:
        return
    with closing(SqliteStore(run.memory, copied=True)) as store:
        places = [place.pose for place in store.load(MemoryConfig().map_id, '', 1).places]
    sketch = MissionSketch(
        goal, f'seed {home.seed}, {narrator.cycles} steps, '
        f'{ruling.driven_m:.1f} m driven, {places_in_words(places)}: {_outcome(narrator)}',
        narrator.path, places, narrator.refused,
        ruling.target[:2] if ruling.target is not None else None, ruling.robot,
        narrator.looked_from, home.house)
    save_picture(draw_map(home.overview, sketch), run.folder / MAP)


def _draw_arrival(run: RunFolder, goal: str, narrator: Narrator, ruling: Ruling) -> None:
    final = narrator.final
    if final is None or not isinstance(final.body, Hypothesis):
        return
    picture = picture_of(final, run.journals)
    if picture is not None:
        drawn = draw_box(Image.open(picture).convert('RGB'),
                         final.body.hypothesis.target_box, f'{goal}: {ruling.words}')
        save_picture(drawn, run.folder / ARRIVAL)


def _draw_looks(run: RunFolder, name: str,
                draw: Callable[[list[SeenLook], Path], None]) -> None:
    looks = list(seen_looks(run.folder / JOURNAL, run.journals / 'blobs'))
    if looks:
        draw(looks, run.folder / name)


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
