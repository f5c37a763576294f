"""Plan of an act: goal poses, or a turn on the spot."""

from dataclasses import dataclass

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.exploration import Exploration


@dataclass(frozen=True)
class Plan:
    """One way to carry out an act.

    Attributes:
        goals: goal poses in the map frame, best first; the robot drives to the first with a path.
        turn_rad: a turn on the spot instead, positive to the left.
        camera: name of a camera that already looks where the robot would only turn, as from the
            first goal pose; empty for none.
        target: position that the robot must face at the end, in the map frame.
        leg: the end is no stand-off; a new look follows from there.
        glance: the turn is for a second look at a target seen once, from afar.
        anew: the turn is for another picture of the target, because no other stand-off is left.
        node_id: id of the remembered place to visit.
        exploration: state of the exploration, if the act explores.
        past_stall: every known way leads past a place where the robot got stuck.
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
