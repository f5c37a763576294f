"""Lines and events of a body that arrives in arbitrary pieces."""

from collections.abc import Iterable, Iterator

#: Beginnings of a stream of events (WHATWG HTML, server-sent events), and of nothing else.
_FIELDS = (b'data', b'event', b'id', b'retry', b'error', b':')
#: Prefix of an error within a stream of llama.cpp until late 2025.
_ERROR = b'error:'


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield whole lines with their line breaks; the last one may lack it."""
    begun: list[bytes] = []
    for piece in pieces:
        first, *others = piece.split(b'\n')
        begun.append(first)
        for line in others:
            yield b''.join(begun) + b'\n'
            begun = [line]
    rest = b''.join(begun)
    if rest:
        yield rest


def events_with_data(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a body without events that carry no data, which the clients take for broken ones.

    Gateways send them as signs of life, and the standard ignores them. A body that is not a stream
    of events stays as it is.
    """
    lines = lines_of(pieces)
    event: list[bytes] = []
    for line in lines:
        event.append(b'data: {"error": %b}\n' % line.removeprefix(_ERROR).strip() if (
            line.startswith(_ERROR)) else line)
        if line.strip():
            if not event[0].strip().startswith(_FIELDS):
                yield line
                yield from lines
                return
        else:
            if any(map(_is_data, event)):
                yield b''.join(event)
            event = []
    if any(map(_is_data, event)):
        yield from event


def _is_data(line: bytes) -> bool:
    """Tell whether a line carries data; no reply of a model begins with a comment's colon."""
    value = line.removeprefix(b'data:').strip()
    return line.startswith(b'data:') and bool(value) and not value.startswith(b':')
