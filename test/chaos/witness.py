"""What the simulator's truth and the operator's diagnostics tell against a mission."""

from dataclasses import dataclass, field

from chaos import Chaos
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from semantic_nav.contracts.vocabulary import Phase
from semantic_nav_sim.running.simulated_robot import SimulatedRobot

#: How long a robot may drive on that has to stand, in s, and how far it may come after that, in m:
#: it brakes, and the truth is asked now and then.
_STANDS_S, _BRAKES_M = 1.0, 0.3
#: What the operator reads, by which the robot stands.
_STANDING = (Phase.PAUSED, Phase.ASKING, Phase.FINISHED)


@dataclass
class Witness:
    """Holds what happens against the simulator's truth, and against what the operator reads.

    Attributes:
        driven_m: how far the robot has truly driven.
        broken: what must not have happened, in words.
        not_ok: entries of /diagnostics that were not OK at some time.
    """

    robot: SimulatedRobot
    chaos: Chaos
    driven_m: float = 0.0
    broken: dict[str, str] = field(default_factory=dict)
    not_ok: set[str] = field(default_factory=set)
    _since: dict[str, tuple[float, float | None]] = field(default_factory=dict)

    def listen(self) -> None:
        """Read /diagnostics from now on."""
        self.robot.operator.create_subscription(
            DiagnosticArray, '/diagnostics', self._read, 20)

    def _read(self, message: DiagnosticArray) -> None:
        self.not_ok |= {one.name for one in message.status if one.level != DiagnosticStatus.OK}

    def look(self, now_s: float) -> None:
        """See whether the robot stands where it has to; on the steady clock, in s."""
        self.driven_m = self.robot.truth.get('pose')['distance_m']
        belief = self.robot.narrator.belief
        owed = {f'without the {name}' for name in self.chaos.without & {'belief', 'verifier'}}
        if belief is not None and belief.phase in _STANDING and 'belief' not in self.chaos.without:
            owed.add(f'while it said {belief.phase.value}')
        self._since = {why: self._since.get(why, (now_s, None)) for why in owed}
        for why, (since_s, stood_m) in self._since.items():
            if stood_m is None:
                if now_s - since_s >= _STANDS_S:
                    self._since[why] = since_s, self.driven_m
            elif self.driven_m - stood_m > _BRAKES_M:
                self.broken[why] = f'drove on for {self.driven_m - stood_m:.2f} m {why}'
