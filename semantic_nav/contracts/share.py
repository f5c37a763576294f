"""Where the package's data files lie, in a checkout and in an install tree alike."""

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from semantic_nav.contracts.errors import ConfigError

PACKAGE = 'semantic_nav'


@cache
def share_folder() -> Path:
    """Return the folder that holds schema/, config/ and launch/.

    In a checkout that is the repository root, in an install tree `share/semantic_nav`.

    Raises:
        ConfigError: neither was found above this file.
    """
    for parent in Path(__file__).resolve().parents:
        for folder in (parent, parent / 'share' / PACKAGE):
            if (folder / 'schema' / 'envelope.schema.json').is_file():
                return folder
    raise ConfigError(f'the data files of {PACKAGE} are not installed: '
                      f'no schema/envelope.schema.json above {__file__}')


def share_path(*parts: str) -> Path:
    """Return the path of one data file, such as `share_path('schema', 'step.schema.json')`."""
    return share_folder().joinpath(*parts)


def version() -> str:
    """Return the version of the package, as its manifest says."""
    return ElementTree.parse(share_path('package.xml')).findtext('version') or 'of no version'
