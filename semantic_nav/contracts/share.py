"""Paths of the package's data files, in a checkout or an install tree."""

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from semantic_nav.contracts.errors import ConfigError

PACKAGE = 'semantic_nav'


@cache
def share_folder() -> Path:
    """The folder that holds schema/, config/ and launch/.

    It is the repository root in a checkout, and `share/semantic_nav` in an install tree.

    Raises:
        ConfigError: neither was found above this file.
    """
    return share_folder_of(PACKAGE, __file__, 'schema/envelope.schema.json')


def share_folder_of(package: str, module: str, holds: str) -> Path:
    """The folder of a package's data files.

    Args:
        package: name of the package.
        module: file of the package; the folder, or `share/<package>`, is in one of its parents.
        holds: file by which the folder is recognised, relative to it.

    Raises:
        ConfigError: there is none.
    """
    for parent in Path(module).resolve().parents:
        for folder in (parent, parent / 'share' / package):
            if (folder / holds).is_file():
                return folder
    raise ConfigError(f'the data files of {package} are not installed: no {holds} above {module}')


def share_path(*parts: str) -> Path:
    """The path of one data file, such as `share_path('schema', 'step.schema.json')`."""
    return share_folder().joinpath(*parts)


def version() -> str:
    """The version of the package, from its manifest."""
    return ElementTree.parse(share_path('package.xml')).findtext('version') or 'of no version'
