"""Names that all nodes share: of topics, of sessions, and of the folders of their files."""

import os
import secrets
import time
from pathlib import Path

PREFIX = 'semantic_nav'


def new_session() -> str:
    """Name of a new session, also the name of its folder among the journals."""
    return f'{time.strftime("%Y%m%dT%H%M%S", time.gmtime())}-{secrets.token_hex(2)}'


def journal_folder(journal_dir: str) -> Path:
    """Folder of the journals, by the parameter `journal_dir`."""
    return Path(journal_dir).expanduser() if journal_dir else ros_home() / PREFIX / 'journal'


def ros_home() -> Path:
    """Folder of a user's ROS files: $ROS_HOME, or ~/.ros."""
    home = os.environ.get('ROS_HOME')
    return Path(home) if home else Path.home() / '.ros'
