"""The sources of a world, code and tables: a change of them makes cached results invalid."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_WORLD = Path(__file__).parent
_GENERATOR = _WORLD / 'generator'
#: libyaml's loader, if available, which reads a table ten times as fast.
_LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


def table_beside(module_file: str) -> Any:
    """The table of a module: the YAML file of its name beside it."""
    return _LOADER(Path(module_file).with_suffix('.yaml').read_bytes()).get_single_data()


@cache
def code_digest(*, generator: bool = False, also: bytes = b'') -> str:
    """The SHA-256 of the code and tables that build worlds, in hexadecimal.

    Args:
        generator: whether to include the generator. A generated world is a document like any
            other, so its origin does not change how it is built.
        also: other content to include.
    """
    digest = hashlib.sha256(also)
    for path in sorted(_WORLD.rglob('*')):
        if path.suffix in ('.py', '.yaml') and (generator or _GENERATOR not in path.parents):
            digest.update(path.read_bytes())
    return digest.hexdigest()
