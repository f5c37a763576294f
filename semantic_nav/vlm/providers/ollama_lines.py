"""The lines of an Ollama server's answer, read before its client, which drops unknown fields.

They tell the machine on which the model ran. A model can be replaced under its name after the
check of its machine, and the server names the machine in each part of the reply.
"""

import json
from collections.abc import Iterable, Iterator

from semantic_nav.vlm.errors import RemoteModel
from semantic_nav.vlm.http.server_json import words_of
from semantic_nav.vlm.http.streams import lines_of
from semantic_nav.vlm.http.transport import Mend
from semantic_nav.vlm.providers.ollama_tool_calls import texts_as_objects
from semantic_nav.vlm.settings.ollama_names import cloud_host, refusal_of_cloud

#: Signs of a remote model in a line: the beginning of a key, and the end of a name.
_SIGNS = (b'"remote_', b'cloud"')


def checked_lines(model: str, allowed: frozenset[str]) -> Mend:
    """A function that passes an answer on, line by line, while it comes from an allowed machine.

    It raises RemoteModel for an answer from elsewhere.

    Args:
        model: model that was asked.
        allowed: machines on which it may run, besides this one.
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
        return  # the client reports the fault
    if not isinstance(value, dict):
        return
    remote = cloud_host(words_of(value.get('model')), value)
    if remote and remote not in allowed:
        raise RemoteModel(refusal_of_cloud(model, remote))
