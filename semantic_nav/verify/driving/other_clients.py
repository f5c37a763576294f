"""Other clients of Nav2, as a person at RViz: whether one drives the robot, and what follows."""

import random
from dataclasses import replace

from semantic_nav.contracts.documents import Result
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus
from semantic_nav.verify.checks.act_checks import ANOTHER_DRIVES
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.config import YIELD
from semantic_nav.verify.driving.drive import Drive
from semantic_nav.verify.floor.nav2_clients import OURS


def new_goal_id(source: random.Random) -> str:
    """Return a new UUID in hexadecimal that tells every verifier that the goal is no other's."""
    return f'{OURS}{source.getrandbits(128 - 4 * len(OURS)):0{32 - len(OURS)}x}'


def preempted(drive: Drive, situation: Situation) -> Result | None:
    """Return how a drive ended, which may be that another client's goal took its place.

    Nav2 gives no code then; where it does, the drive had an end of its own.
    """
    result = drive.result
    if result is None or drive.cut is not None or result.nav_code or (
            result.nav_status is not NavStatus.ABORTED) or (
            not situation.surroundings.clients.have_driven_since(drive.began_ns)):
        return result
    yields = situation.config.other_client == YIELD
    return replace(
        result, outcome=ActOutcome.UNAVAILABLE,
        code=Code.HELD if yields else Code.NAV_UNAVAILABLE,
        reason=ANOTHER_DRIVES if yields else (
            'another client sent a goal of its own, which was cancelled'))
