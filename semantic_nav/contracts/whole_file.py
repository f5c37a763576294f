"""Files that are written as a whole or not at all, even on a full disk."""

from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its final name, and rename it when it is whole.

    An old file stays until then, and a full disk leaves nothing new. A path that is not a file,
    such as /dev/stdout, is written to directly.

    Raises:
        OSError: it cannot be written; the error names the file, as that of a full disk does not.
    """
    # A symbolic link stays a link.
    target = path.resolve()
    part = target.with_name(f'{target.name}.part')
    try:
        if target.exists() and not target.is_file():
            path.write_bytes(content)
            return
        part.write_bytes(content)
        part.replace(target)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
