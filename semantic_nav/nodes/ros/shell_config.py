"""The parameters that every node has besides those of its core."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class ShellConfig:
    """Parameters of the shell."""

    autostart: bool = parameter(
        True, 'Configure and activate by itself; false under a lifecycle manager.')
    seed: int = parameter(0, 'Seed of the random numbers of the core.', 0)
    journal: bool = parameter(True, 'Write a journal.')
    journal_dir: str = parameter(
        '', 'Folder of the journals; empty: $ROS_HOME/semantic_nav/journal.')
    journal_mb: int = parameter(
        1000, 'What the journals in that folder may take, with what is kept beside them, in MB; '
        'the oldest sessions go first, none that is being written.', 1, 1000000)
    journal_days: int = parameter(
        30, 'How long a journal is kept after its session, in days.', 1, 36500)
    journal_blobs: bool = parameter(
        False, 'Keep pictures, depth and maps beside the journal, so that it can be replayed.')
