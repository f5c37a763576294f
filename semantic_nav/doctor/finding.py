"""Findings of checks, and their cure."""

from dataclasses import dataclass

from semantic_nav.contracts.vocabulary import Level

#: Command that starts our nodes on a robot.
LAUNCH = 'ros2 launch semantic_nav nav.launch.py'


@dataclass(frozen=True)
class Finding:
    """A line of the doctor's report.

    Attributes:
        about: the checked part.
        words: the result.
        mend: the cure, or a command; empty if nothing need be done.
    """

    level: Level
    about: str
    words: str
    mend: str = ''


def good(about: str, words: str) -> Finding:
    """The finding of a part that is well."""
    return Finding(Level.OK, about, words)


def missing(node: str) -> Finding:
    """The finding of one of our nodes that is missing."""
    return Finding(Level.ERROR, node, 'it does not run in this namespace and ROS domain',
                   f'{LAUNCH}; or give this shell the ROS_DOMAIN_ID of the one that runs')


def worst(findings: list[Finding]) -> Level:
    """The worst level of some findings; OK for none."""
    return max((one.level for one in findings), default=Level.OK)
