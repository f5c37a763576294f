"""What the robot does when something fails: tried out for every part, and written as a page.

`make failsafe` carries out missions in the small home, in each of which one thing or two fail
while the robot looks or drives, and writes docs/failsafe.html.
"""

import argparse
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parent / 'support', HERE.parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import faults  # noqa: E402
from plan import Fault, Plan  # noqa: E402
from run import Home, home  # noqa: E402
from tqdm import tqdm  # noqa: E402
from trial import Trial  # noqa: E402
from workers import workers  # noqa: E402

from semantic_nav.belief.events import PauseRequested, ResumeRequested  # noqa: E402
from semantic_nav.contracts.clock import NS_PER_S  # noqa: E402
from semantic_nav.contracts.documents import Belief, Document, Verdict  # noqa: E402
from semantic_nav.contracts.geometry import Pose2D  # noqa: E402
from semantic_nav_sim.profiles import load_profile  # noqa: E402
from semantic_nav_sim.robot.profile import RobotProfile  # noqa: E402

PAGE = HERE.parents[1] / 'docs' / 'failsafe.html'
TEMPLATE = HERE / 'failsafe.html'
#: What may fail, in words, and how.
PARTS: dict[str, tuple[str, Fault]] = {
    'camera': ('the whole camera is silent: colour pictures, and depth, for which a drive is '
               'cancelled', Fault('camera', 0.0)),
    'depth': ('only the depth pictures are silent', Fault('depth', 0.0)),
    'tf': ('TF is silent: nobody knows where the robot is', Fault('tf', 0.0, what='missing')),
    'map': ('a map comes that has a wall across the home', Fault('map', 0.0, 0.0, 'walled', 1.0)),
    'model': ('the model server is gone', Fault('model', 0.0, what='down')),
    'nav2': ('Nav2 is paused: it refuses goals', Fault('pause_nav2', 0.0)),
    'bt_navigator': ("Nav2's bt_navigator dies, its controller drives on",
                     Fault('bt_navigator', 0.0)),
    'hypothesis': ('the hypothesis node is killed', Fault('crash', 0.0, what='hypothesis')),
    'memory': ('the memory node is killed', Fault('crash', 0.0, what='memory')),
    'belief': ('the belief node is killed', Fault('crash', 0.0, what='belief')),
    'verifier': ('the verifier node is killed', Fault('crash', 0.0, what='verifier')),
    'disk': ('the disk is full', Fault('disk', 0.0, what='verifier')),
    'localisation': ('the localisation tells that it is unsure',
                     Fault('condition', 0.0, what='localisation')),
    'held': ('the pause topic says that the robot is to stand, or the battery is nearly empty',
             Fault('condition', 0.0, what='pause')),
    'pause': ('the operator pauses the mission', Fault('pause', 0.0)),
}
MOMENTS = {'looking': 'while it looks', 'driving': 'while it drives'}
#: How long what fails is gone, in s: for good, or until somebody mends it.
SPANS = {'lasts': 1000.0, 'mended': 20.0}
#: How often it is looked whether the robot drives, in s, and how fast it does then.
_STEP_S, _DRIVES_M_S = 0.2, 0.1
#: It fails in a drive this long, in m: a shorter one ends before some things are noticed.
_LONG_M = 1.5
_TIME_LIMIT_S, _LATER_S = 240.0, 5.0
_SEED = 2
#: What stands for the figures of a reason, which vary with whatever is changed.
_WITHOUT_FIGURES = (
    (re.compile(r' \([\d.]+ s\)'), ''),
    (re.compile(r' (at|of) \([-\d.]+, [-\d.]+\)'), ''),
    (re.compile(r'from \d+ places'), 'from several places'),
    (re.compile(r'within [\d.]+ m'), 'near enough'),
    (re.compile(r'[\d.]+ times in a row'), 'again and again'),
    (re.compile(r'to a view of [\d.]+ m² of unseen floor'), 'to a view of unseen floor'),
    (re.compile(r'\d+ (proposals were refused) and \d+ (acts failed)'),
     r'too many \1 or \2'))


@dataclass(frozen=True)
class Reaction:
    """What the robot did.

    Attributes:
        cancelled: the drive in hand was cancelled within a second, or later, or it went on; empty
            where there was none.
        phase: of the mission some seconds later; `gone` where no belief was left.
        outcome: how the mission ended; `open` where nobody was left to end it.
        why: the reason, in words without figures.
    """

    cancelled: str
    phase: str
    outcome: str
    why: str


class Watched(Trial):
    """A trial in which things fail at a moment of the mission, not at a time.

    Attributes:
        cancelled_s: how long after that somebody cancelled; None before.
        phase: of the mission some seconds later.
    """

    def __init__(self, parts: tuple[str, ...], moment: str, for_s: float, **how: Any) -> None:
        """Say what fails, when, and for how long."""
        self._parts, self._moment, self._for_s = parts, moment, for_s
        self._failed_ns: int | None = None
        self._over_already = False
        self._goal: Pose2D | None = None
        self.cancelled_s: float | None = None
        self.phase = ''
        super().__init__(**how)
        self.network.listen('belief', self._await)
        self.network.listen('verdict', self._judged)
        asked = self.oracle.stop_asked

        def stop_asked() -> None:
            self._cancelled()
            asked()

        self.oracle.stop_asked = stop_asked  # type: ignore[method-assign]

    def _await(self, document: Document) -> None:
        assert isinstance(document.body, Belief)
        if document.body.phase.value == self._moment and self._failed_ns is None:
            self._failed_ns = 0
            self.scheduler.after(_STEP_S, self._fail_once_it_moves)

    def _fail_once_it_moves(self) -> None:
        robot = self.truth()
        if self._moment == 'driving' and (
                self._goal is None or robot.speed_m_s < _DRIVES_M_S
                or self._goal.distance_to(robot.true.x, robot.true.y) < _LONG_M):
            self.scheduler.after(_STEP_S, self._fail_once_it_moves)
        else:
            self._fail()

    def _judged(self, document: Document) -> None:
        """Take note of where the robot drives, and of the end of the drive in which it failed.

        What is cancelled later is another one.
        """
        assert isinstance(document.body, Verdict)
        if document.body.decision is not None:
            self._goal = document.body.decision.goal
        elif self._failed_ns:
            self._over_already = True

    def _fail(self) -> None:
        self._failed_ns = self.now_ns
        belief = self.shells['belief']
        for name in self._parts:
            fault = PARTS[name][1]
            if fault.kind == 'pause':
                belief.feed(PauseRequested())
                self.scheduler.after(self._for_s, lambda: self.shells['belief'].feed(
                    ResumeRequested()))
            else:
                faults.begin(self, replace(fault, for_s=self._for_s))
        self.scheduler.after(_LATER_S, self._note_phase)

    def _note_phase(self) -> None:
        last = self.record.belief
        self.phase = 'gone' if last is None or not self.shells['belief'].alive else (
            last.phase.value)

    def _cancelled(self) -> None:
        if self._failed_ns and self.cancelled_s is None and not self._over_already:
            self.cancelled_s = (self.now_ns - self._failed_ns) / NS_PER_S

    @property
    def _over(self) -> bool:
        return bool(self.phase) and self.record.ended

    def _care(self) -> None:
        """Leave a mission that rests alone."""


def reaction(parts: tuple[str, ...], moment: str, span: str, where: Home) -> Reaction:
    """Carry a mission out in which some parts fail.

    Args:
        parts: names of PARTS.
        moment: one of MOMENTS.
        span: one of SPANS.
        where: the home.
    """
    plan = Plan(_SEED, 'failsafe', 'find the red mug', _SEED, 'none', False, 0.002,
                {'time_limit_s': _TIME_LIMIT_S})
    body = where.make_body(_SEED, profile=load_profile(RobotProfile, 'none'))
    try:
        with tempfile.TemporaryDirectory() as folder:
            trial = Watched(parts, moment, SPANS[span], body=body, plan=plan,
                            folder=Path(folder), saved=where.plan, journal=False)
            try:
                trial.run()
            finally:
                trial.close()
    finally:
        body.close()
    last = trial.record.belief
    assert last is not None
    cancelled = 'goes on' if trial.cancelled_s is None else (
        'within a second' if trial.cancelled_s <= 1.0 else f'after {trial.cancelled_s:.0f} s')
    return Reaction(cancelled if moment == 'driving' else '', trial.phase,
                    last.outcome.value if last.outcome is not None else 'open',
                    without_figures(last.reason.partition(';')[0]))


def without_figures(reason: str) -> str:
    """Return a reason as a sentence that holds whatever its figures are.

    Raises:
        ValueError: it has figures for which there are no words yet.
    """
    for figures, words in _WITHOUT_FIGURES:
        reason = figures.sub(words, reason)
    if re.search(r'(?<!\w)\d', reason):
        raise ValueError(f'say in _WITHOUT_FIGURES what stands for the figures of {reason!r}')
    return reason


def cases(most: int) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield what is tried: up to so many parts at once, at each moment, for each span."""
    for count in range(1, most + 1):
        for parts in itertools.combinations(PARTS, count):
            yield from ((parts, moment, span) for moment in MOMENTS for span in SPANS)


def tried(case: tuple[tuple[str, ...], str, str]) -> tuple[str, dict[str, str]]:
    """Return what became of a case, by its key in the page; in a process of its own."""
    parts, moment, span = case
    with tempfile.TemporaryDirectory() as folder, home(Path(folder)) as where:
        return '+'.join((*parts, moment, span)), asdict(reaction(parts, moment, span, where))


def page(reactions: dict[str, dict[str, str]]) -> str:
    """Return the page of what was tried."""
    data = {'parts': {name: words for name, (words, _) in PARTS.items()}, 'moments': MOMENTS,
            'mended_s': SPANS['mended'], 'reactions': reactions}
    text = '\n'.join(f'{json.dumps(key)}: {json.dumps(value)},' for key, value in data.items())
    return TEMPLATE.read_text(encoding='utf-8').replace('/* data */', text)


def data_of(text: str) -> dict[str, dict[str, str]]:
    """Return what a page says was tried."""
    line = next(line for line in text.splitlines() if line.startswith('"reactions": '))
    found: dict[str, dict[str, str]] = json.loads(line.partition(': ')[2].rstrip(','))
    return found


def main() -> None:
    """Try everything and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--most', type=int, default=2, help='fail at most so many at once')
    parser.add_argument('--jobs', type=int, default=2, help='processes')
    options = parser.parse_args()
    todo = list(cases(options.most))
    with workers(options.jobs) as pool:
        reactions = dict(tqdm(pool.imap(tried, todo), total=len(todo)))
    PAGE.write_text(page(reactions), encoding='utf-8')


if __name__ == '__main__':
    main()
