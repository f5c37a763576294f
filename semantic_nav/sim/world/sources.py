"""A hash of the simulator's own code: what was built by other code is built again."""

import hashlib
from functools import cache
from pathlib import Path

_WORLD = Path(__file__).parent
_GENERATOR = _WORLD / 'generator'


@cache
def code_digest(*, generator: bool = False, also: bytes = b'') -> str:
    """Return the SHA-256 of the code that builds worlds, in hexadecimal.

    Args:
        generator: of the code that generates them too. A generated world is a document like any
            other, so how it came about does not change how it is built.
        also: other content that decides.
    """
    digest = hashlib.sha256(also)
    for path in sorted(_WORLD.rglob('*.py')):
        if generator or _GENERATOR not in path.parents:
            digest.update(path.read_bytes())
    return digest.hexdigest()
