"""What goes wrong in a mission, and when: a frozen value that one integer fixes."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from semantic_nav.verify.config import REFUSE, YIELD

NODES = ('hypothesis', 'memory', 'belief', 'verifier')
#: Until when faults begin, in simulated seconds after the goal.
SAFETY_S, LIVENESS_S = 30.0, 30.0
#: Profiles of the stand-in for the model, by what they mean for the truth of what it says.
HONEST = ('none', 'slow', 'slow_tokens', 'stall', 'hang', 'down', 'dies', 'flapping',
          'outage', 'http_500', 'cut', 'reset', 'blind', 'misses', 'garbage', 'prose', 'nan',
          'wrong_schema', 'cut_json', 'duplicate_keys', 'numbers_as_strings', 'oversized',
          'hallucinated_node', 'tools', 'unknown_tools')
LYING = ('default', 'box_jitter', 'hallucinated_box', 'same_wrong_box', 'injected_text',
         'contradiction', 'always_stop', 'look_alikes', 'wrong_colours', 'harsh')
NAVIGATORS = ('rejects', 'planner_dead', 'drops_goal', 'spurious_abort_0', 'slow_planner',
              'harsh')
GOALS = ('find the red mug', 'find the green bottle', 'find the stool', 'find the blue vase')
#: Goals that the house refuses, or that name nothing.
ERRANDS = ('tour', 'place', 'nowhere')
ODD_GOALS = ('', '   ', 'x' * 600, 'find\x07 it', 'go')


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong for a while, or that somebody does.

    Attributes:
        kind: one of DRAWS, or what the operator does.
        at_s: when it begins, after the goal was said.
        for_s: how long it lasts; 0 for what is done once.
        what: whom or what it strikes.
        size: how badly.
    """

    kind: str
    at_s: float
    for_s: float = 0.0
    what: str = ''
    size: float = 0.0

    def __str__(self) -> str:
        """Return it in one line."""
        lasts = f' for {self.for_s:.2f} s' if self.for_s else ''
        return f'{self.at_s:6.2f} s  {self.kind} {self.what!r} {self.size:.3g}{lasts}'


#: In such a share of the missions the robot waits for no answer of the model.
_HURRY = 0.4


@dataclass(frozen=True)
class Plan:
    """One mission and all that goes wrong.

    Attributes:
        mode: safety or liveness.
        world_seed: of world, robot and model.
        model: its profile before any fault.
        mapping: whether the robot maps on.
        jitter_s: longest usual delay of a document.
        budgets: parameters of the belief that differ from the defaults.
        verifier: those of the verifier.
        heal_s: from here on nothing is wrong any more; 0 for never.
    """

    seed: int
    mode: str
    goal: str
    world_seed: int
    model: str
    mapping: bool
    jitter_s: float
    budgets: dict[str, Any] = field(default_factory=dict)
    verifier: dict[str, Any] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    heal_s: float = 0.0

    def keeping(self, numbers: tuple[int, ...]) -> 'Plan':
        """Return it with only these of its faults."""
        return replace(self, faults=tuple(self.faults[number] for number in numbers))

    @property
    def lies(self) -> bool:
        """Tell whether the model says what is not so, or somebody else's target is meant."""
        return self.model in LYING or any(
            one.kind == 'model' and one.what in LYING for one in self.faults)

    def has(self, *kinds: str) -> bool:
        """Tell whether a fault of one of these kinds is among the faults."""
        return any(one.kind in kinds for one in self.faults)

    def describe(self) -> str:
        """Return all of it, a line for each fault with its number."""
        head = (f'{self.mode} seed {self.seed}: {self.goal[:40]!r} in home {self.world_seed}, '
                f'model {self.model}, mapping {self.mapping}, jitter {self.jitter_s:.3f} s, '
                f'heals at {self.heal_s:.1f} s\n  belief {self.budgets}\n'
                f'  verifier {self.verifier}')
        return '\n'.join([head, *(f'  [{number}] {one}'
                                  for number, one in enumerate(self.faults))])


def draw(seed: int, mode: str) -> Plan:
    """Return the plan of a seed."""
    rng = random.Random(f'{mode} {seed}')
    live = mode == 'liveness'
    until_s = LIVENESS_S if live else SAFETY_S
    share = rng.choice((0.08, 0.2, 0.4))
    enabled = [kind for kind in DRAWS if rng.random() < share]
    # What goes wrong at the same time finds more, and most happens at the beginning.
    centres_s = [until_s * rng.random() ** 2 for _ in range(rng.choice((1, 2, 4)))]

    def moment_s() -> float:
        if rng.random() < 0.3:
            return rng.uniform(0.0, until_s)
        return min(until_s, max(0.0, rng.gauss(rng.choice(centres_s), 0.5)))

    faults = [one for kind in enabled for _ in range(rng.choice((1, 1, 2, 3)))
              for one in DRAWS[kind](rng, moment_s())]
    if not live:
        faults += _operator(rng, moment_s)
    heal_s = round(rng.uniform(5.0, until_s + 10.0), 2) if live else 0.0
    if live:
        faults = [replace(one, for_s=min(one.for_s, max(0.0, heal_s - one.at_s)))
                  for one in faults if one.at_s < heal_s]
    # Drawn apart, so that what else a seed means stays as it was.
    hurries = random.Random(f'hurries {mode} {seed}').random() < _HURRY
    others = _others(random.Random(f'others {mode} {seed}'), until_s)
    if live:
        others = [replace(one, for_s=min(one.for_s, heal_s - one.at_s))
                  for one in others if one.at_s < heal_s]
    other_client = {'other_client': YIELD if seed % 2 else REFUSE} if others else {}
    return Plan(
        seed, mode, rng.choice(GOALS), rng.randrange(1, 9),
        'none' if live else rng.choice(('none', 'none', 'misses', rng.choice(LYING))),
        rng.random() < 0.4, rng.choice((0.0, 0.002, 0.02)),
        _odd_belief(rng, live=live) | ({'slow_answer_s': 0.0} if hurries else {}),
        _odd_verifier(rng) | other_client,
        tuple(sorted([*faults, *others], key=lambda one: (one.at_s, one.kind, one.what))), heal_s)


def _odd_belief(rng: random.Random, *, live: bool) -> dict[str, Any]:
    """Return legal, but odd parameters: budgets are short, for short missions find more."""
    odd: dict[str, Any] = {'time_limit_s': 90.0 if live else rng.choice((15.0, 30.0, 60.0))}
    if live:
        return odd
    choices: dict[str, tuple[Any, ...]] = {
        'model_calls_limit': (3, 10, 40), 'distance_limit_m': (2.0, 10.0, 300.0),
        'refusals_limit': (2, 20), 'waits_limit': (2, 20), 'look_deadline_s': (2.0, 10.0, 60.0),
        'memory_wait_s': (0.0, 1.0), 'stale_after_s': (1.0, 90.0), 'start_within_s': (0.5, 15.0),
        'drive_budget_s': (1.0, 5.0, 120.0), 'answer_wait_s': (1.0, 30.0),
        'questions_limit': (0, 3), 'confirm_retries': (0, 4), 'stop_again_s': (0.5, 1.0)}
    return odd | {name: rng.choice(of) for name, of in choices.items() if rng.random() < 0.2}


def _odd_verifier(rng: random.Random) -> dict[str, Any]:
    choices: dict[str, tuple[Any, ...]] = {
        'path_timeout_s': (0.5, 10.0), 'freeze_wait_s': (0.0, 0.3), 'frozen_looks': (4, 8),
        'path_tries': (1, 3), 'cancel_max_s': (1.0, 5.0), 'settle_max_s': (1.0, 4.0),
        'stuck_s': (3.0, 30.0), 'pose_max_age_s': (0.5, 1.0), 'failure_memory_s': (0.0, 60.0)}
    return {name: rng.choice(of) for name, of in choices.items() if rng.random() < 0.15}


def _span_s(rng: random.Random, most: float = 20.0) -> float:
    """Return a duration: short ones are as likely as long ones."""
    return round(0.1 * (most / 0.1) ** rng.random(), 2)


def _window(kind: str, whats: tuple[str, ...], sizes: tuple[float, float] = (0.0, 0.0),
            most_s: float = 20.0) -> Any:
    def make(rng: random.Random, at_s: float) -> list[Fault]:
        return [Fault(kind, round(at_s, 2), _span_s(rng, most_s), rng.choice(whats),
                      round(rng.uniform(*sizes), 3))]
    return make


def _once(kind: str, whats: tuple[str, ...] = ('',), sizes: tuple[float, float] = (0.0, 0.0),
          ) -> Any:
    def make(rng: random.Random, at_s: float) -> list[Fault]:
        return [Fault(kind, round(at_s, 2), 0.0, rng.choice(whats), round(rng.uniform(*sizes), 3))]
    return make


def _operator(rng: random.Random, moment_s: Callable[[], float]) -> list[Fault]:
    faults = []
    if rng.random() < 0.5:
        faults.append(Fault('cancel', round(moment_s(), 2)))
    for _ in range(rng.choice((0, 0, 1, 2))):
        faults.append(Fault('goal', round(moment_s(), 2),
                            what=rng.choice((*GOALS, rng.choice(ODD_GOALS)))))
    if rng.random() < 0.2:
        faults.append(Fault('errand', round(moment_s(), 2), what=rng.choice(ERRANDS)))
    if rng.random() < 0.3:
        at_s = moment_s()
        faults.append(Fault('pause', round(at_s, 2)))
        faults.append(Fault('resume', round(at_s + _span_s(rng), 2)))
    if rng.random() < 0.2:
        faults.append(Fault('answer', round(moment_s(), 2), what='the red one'))
    return faults


def _others(rng: random.Random, until_s: float) -> list[Fault]:
    """Return the goals of another client, in some of the missions."""
    count = rng.choice((0, 0, 0, 1, 2, 3))
    return [Fault('other_client', round(rng.uniform(0.0, until_s), 2), _span_s(rng, 30.0),
                  size=round(rng.uniform(-3.0, 3.0), 2)) for _ in range(count)]


_TOPICS = ('step', 'belief', 'look', 'hypothesis', 'observation', 'candidates', 'verdict', 'pose',
           '*')
#: How the faults of each kind are drawn; each seed has a random subset of them.
DRAWS: dict[str, Any] = {
    'delay': _window('delay', _TOPICS, (0.01, 3.0)),
    'partition': _window('partition', tuple(f'{a}>{b}' for a in NODES for b in NODES if a != b),
                         most_s=8.0),
    'crash': _window('crash', NODES, (0.0, 20.0), most_s=15.0),
    'hang': _window('hang', NODES, most_s=10.0),
    'clock': _once('clock', sizes=(-30.0, 30.0)),
    'camera': _window('camera', ('',)),
    'depth': _window('depth', ('',)),
    'costmap': _window('costmap', ('',)),
    'scan': _window('scan', ('',)),
    'tf': _window('tf', ('stale', 'missing')),
    'condition': _window('condition', ('pause', 'battery', 'localisation')),
    'jump': _window('jump', ('',), (0.1, 2.0), most_s=10.0),
    'map': _window('map', ('walled', 'cut', 'again'), (0.5, 2.0)),
    'model': _window('model', (*HONEST, *LYING), most_s=40.0),
    'late_model': _window('late_model', ('',), (0.0, 15.0)),
    'navigator': _window('navigator', NAVIGATORS),
    'bt_navigator': _window('bt_navigator', ('',), most_s=10.0),
    'pause_nav2': _window('pause_nav2', ('',)),
    'late_nav2': _window('late_nav2', ('',), (0.01, 2.0)),
    'disk': _window('disk', NODES),
    'store': _window('store', ('',)),
    'embed': _window('embed', ('',), (0.1, 5.0)),
}
