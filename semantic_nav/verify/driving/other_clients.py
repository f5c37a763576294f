"""Other clients of Nav2, as a person at RViz: goals that take the place of the verifier's."""

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
    """A new UUID in hexadecimal by which every verifier knows the goal as one of a verifier."""
    return f'{OURS}{source.getrandbits(128 - 4 * len(OURS)):0{32 - len(OURS)}x}'


def preempted(drive: Drive, situation: Situation) -> Result | None:
    """Result of a drive, whose place a goal of another client may have taken.

    Nav2 gives no code then; with a code the drive had an end of its own.
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
