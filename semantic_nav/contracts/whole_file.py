"""Files that are there as a whole or not at all, whatever the disk does."""

from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name beside its own, and rename it when it is whole.

    What lay there stays until then, and where the disk is full nothing new is left. What is no
    file, such as /dev/stdout, is written to as it is.

    Raises:
        OSError: it cannot be written; the error names the file, which a full disk does not.
    """
    # A link stays one.
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
