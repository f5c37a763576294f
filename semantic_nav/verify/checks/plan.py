"""What an act comes to: poses to drive to, or a turn on the spot."""

from dataclasses import dataclass

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.exploration import Exploration


@dataclass(frozen=True)
class Plan:
    """How an act may be carried out.

    Attributes:
        goals: poses in the map frame, best first; the first one with a path is driven to.
        turn_rad: a turn on the spot instead, positive to the left.
        camera: name of one that looks from here as from the first goal, to which the robot would
            only turn; empty for none.
        target: what the robot must face at the end, in the map frame.
        leg: the end is not the stand-off: look again from there.
        glance: the turn is for a second look at what was seen once, from afar.
        anew: the turn is for another picture of the target, for want of another stand-off.
        node_id: the remembered place that is visited.
        exploration: how far it has come, where the act explores.
        past_stall: the only ways that are known lead past where the robot got stuck.
    """

    action: Action
    reason: str
    goals: tuple[Pose2D, ...] = ()
    turn_rad: float | None = None
    camera: str = ''
    target: Point | None = None
    leg: bool = False
    glance: bool = False
    anew: bool = False
    node_id: str | None = None
    exploration: Exploration | None = None
    past_stall: bool = False
