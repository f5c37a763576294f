"""Where the target may still be, and where it is looked next, for people to look at."""

import logging
from dataclasses import replace

from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.likely_squares import likely_squares
from semantic_nav.verify.effects import ShowSearch
from semantic_nav.verify.plan import Plan
from semantic_nav.verify.situation import Situation
from semantic_nav.verify.subjects import Rejection

_log = logging.getLogger(__name__)


def search_shown(planned: Plan | Rejection, situation: Situation) -> list[ShowSearch]:
    """Return how the search stands at an act that explores; nothing where nobody wants it."""
    if not situation.config.show_search or isinstance(planned, Rejection) or (
            planned.action is not Action.EXPLORE):
        return []
    coverage, robot = situation.findings.seen, situation.robot
    assert coverage is not None
    views = planned.goals or (
        replace(robot, yaw=wrap_angle(robot.yaw + (planned.turn_rad or 0.0))),)
    try:
        return [ShowSearch(views, likely_squares(coverage, situation.findings.sighted))]
    except Exception:  # noqa: BLE001
        # What is only shown decides nothing.
        _log.exception('the search cannot be shown')
        return []
