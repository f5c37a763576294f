"""What a check found, and what mends it."""

from dataclasses import dataclass

from semantic_nav.contracts.vocabulary import Level

#: What starts our nodes on a robot.
LAUNCH = 'ros2 launch semantic_nav nav.launch.py'


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's.

    Attributes:
        about: what was looked at.
        words: what was found.
        mend: what to do about it, or the command that does; empty where nothing need be done.
    """

    level: Level
    about: str
    words: str
    mend: str = ''


def good(about: str, words: str) -> Finding:
    """Return that all is well."""
    return Finding(Level.OK, about, words)


def missing(node: str) -> Finding:
    """Return that a node of ours is not there."""
    return Finding(Level.ERROR, node, 'it does not run in this namespace and ROS domain',
                   f'{LAUNCH}; or give this shell the ROS_DOMAIN_ID of the one that runs')


def worst(findings: list[Finding]) -> Level:
    """Return the worst level of some findings; OK of none."""
    return max((one.level for one in findings), default=Level.OK)
