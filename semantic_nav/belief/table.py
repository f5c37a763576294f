"""Status of the target as a table of status and evidence."""

from enum import StrEnum

from semantic_nav.contracts.vocabulary import Status


class Evidence(StrEnum):
    """Evidence that may change the status; retrieval alone only ever lifts it."""

    PLACE_LIKELY = 'place_likely'
    PLACES_DISPROVED = 'places_disproved'
    TARGET_SEEN = 'target_seen'
    TARGET_LOST = 'target_lost'
    TARGET_REJECTED = 'target_rejected'
    GOAL_REWORDED = 'goal_reworded'
    NO_WAY = 'no_way'
    CONFIRMED = 'confirmed'


#: A pair that is not in the table changes nothing.
TABLE: dict[tuple[Status, Evidence], tuple[Status, str]] = {
    (Status.SEARCHING, Evidence.PLACE_LIKELY): (
        Status.LIKELY_IN_MEMORY, 'a remembered place fits the goal'),
    (Status.SEARCHING, Evidence.TARGET_SEEN): (Status.VISIBLE, 'the target was seen'),
    (Status.LIKELY_IN_MEMORY, Evidence.TARGET_SEEN): (Status.VISIBLE, 'the target was seen'),
    (Status.LIKELY_IN_MEMORY, Evidence.PLACES_DISPROVED): (
        Status.SEARCHING, 'the remembered places were looked at and do not show it'),
    (Status.VISIBLE, Evidence.TARGET_LOST): (
        Status.SEARCHING, 'its place was looked at and does not show it any more'),
    (Status.VISIBLE, Evidence.TARGET_REJECTED): (
        Status.SEARCHING, 'it was not confirmed, and the search goes on'),
    (Status.VISIBLE, Evidence.GOAL_REWORDED): (
        Status.SEARCHING, 'what was seen may not fit the new words'),
    (Status.VISIBLE, Evidence.NO_WAY): (Status.UNREACHABLE, 'no way leads to it'),
    (Status.VISIBLE, Evidence.CONFIRMED): (Status.DONE, 'seen from the stand-off'),
    (Status.UNREACHABLE, Evidence.TARGET_LOST): (
        Status.SEARCHING, 'its place was looked at and does not show it any more'),
    (Status.UNREACHABLE, Evidence.TARGET_REJECTED): (
        Status.SEARCHING, 'it was not confirmed, and the search goes on'),
    (Status.UNREACHABLE, Evidence.GOAL_REWORDED): (
        Status.SEARCHING, 'what was seen may not fit the new words'),
    (Status.UNREACHABLE, Evidence.CONFIRMED): (Status.DONE, 'seen from the stand-off'),
}


def after(status: Status, evidence: Evidence) -> tuple[Status, str]:
    """The status after a piece of evidence, and the reason; an empty reason means no change."""
    return TABLE.get((status, evidence), (status, ''))
