"""Parameters that every node has besides those of its core."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class ShellConfig:
    """Parameters of the shell."""

    autostart: bool = parameter(
        True, 'Configure and activate the node at its start; false under a lifecycle manager.')
    seed: int = parameter(0, 'Seed of the random numbers of the core.', 0)
    journal: bool = parameter(True, 'Write a journal.')
    journal_dir: str = parameter(
        '', 'Folder of the journals; empty: $ROS_HOME/semantic_nav/journal.')
    journal_mb: int = parameter(
        1000, 'Largest size of the journals in their folder, blobs included, in MB. The oldest '
        'sessions are deleted first, but none that is being written.', 1, 1000000)
    journal_days: int = parameter(
        30, 'Age at which a journal is deleted, in days since its session.', 1, 36500)
    journal_blobs: bool = parameter(
        False, 'Keep pictures, depth and maps beside the journal, so that it can be replayed.')
