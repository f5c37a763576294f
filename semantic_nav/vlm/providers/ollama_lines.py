"""The lines of an Ollama server's answer, before its client sees them: it drops what it knows not.

What is read here is where the model ran that gave the answer. A model can be replaced under its
name after it was asked where it runs, and the server says so with each part of the reply.
"""

import json
from collections.abc import Iterable, Iterator

from semantic_nav.vlm.errors import RemoteModel
from semantic_nav.vlm.http.server_json import words_of
from semantic_nav.vlm.http.streams import lines_of
from semantic_nav.vlm.http.transport import Mend
from semantic_nav.vlm.providers.ollama_tool_calls import texts_as_objects
from semantic_nav.vlm.settings.ollama_names import cloud_host, refusal_of_cloud

#: What lines hold that say so: the beginning of a key, and the end of a name.
_SIGNS = (b'"remote_', b'cloud"')


def checked_lines(model: str, allowed: frozenset[str]) -> Mend:
    """Return what passes an answer on, line by line, as long as it comes from where it may.

    It raises RemoteModel where the answer says that it comes from elsewhere.

    Args:
        model: that was asked.
        allowed: other machines than this one on which it may run.
    """
    def mend(pieces: Iterable[bytes]) -> Iterator[bytes]:
        for line in lines_of(pieces):
            _keep_here(line, model, allowed)
            yield texts_as_objects(line)
    return mend


def _keep_here(line: bytes, model: str, allowed: frozenset[str]) -> None:
    if not any(sign in line for sign in _SIGNS):
        return
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return  # the client says what is wrong with it
    if not isinstance(value, dict):
        return
    remote = cloud_host(words_of(value.get('model')), value)
    if remote and remote not in allowed:
        raise RemoteModel(refusal_of_cloud(model, remote))
