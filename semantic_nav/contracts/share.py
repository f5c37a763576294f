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
    return share_folder_of(PACKAGE, __file__, 'schema/envelope.schema.json')


def share_folder_of(package: str, module: str, holds: str) -> Path:
    """Return the folder of a package's data files.

    Args:
        package: its name.
        module: a file of the package; the folder, or `share/<package>`, is one of those above it.
        holds: a file in that folder, by which it is known.

    Raises:
        ConfigError: there is none.
    """
    for parent in Path(module).resolve().parents:
        for folder in (parent, parent / 'share' / package):
            if (folder / holds).is_file():
                return folder
    raise ConfigError(f'the data files of {package} are not installed: no {holds} above {module}')


def share_path(*parts: str) -> Path:
    """Return the path of one data file, such as `share_path('schema', 'step.schema.json')`."""
    return share_folder().joinpath(*parts)


def version() -> str:
    """Return the version of the package, as its manifest says."""
    return ElementTree.parse(share_path('package.xml')).findtext('version') or 'of no version'
