"""Paths of the simulator's data files, in a checkout and in an install tree."""

from functools import cache
from pathlib import Path

from semantic_nav.contracts.share import share_folder_of

PACKAGE = 'semantic_nav_sim'


@cache
def _share_folder() -> Path:
    return share_folder_of(PACKAGE, __file__, 'schema/world.schema.json')


def share_path(*parts: str) -> Path:
    """The path of one data file, such as `share_path('config', 'worlds')`.

    Raises:
        ConfigError: the data files are not installed.
    """
    return _share_folder().joinpath(*parts)
