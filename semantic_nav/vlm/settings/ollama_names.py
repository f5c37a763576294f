"""Names of Ollama's models: tags, and models that run elsewhere."""

from urllib.parse import urlsplit

from semantic_nav.contracts.schemas import Json

#: Host on which Ollama runs the models with these endings.
_CLOUD = 'ollama.com'
_CLOUD_ENDINGS = (':cloud', '-cloud')


def is_same_model(one: str, other: str) -> bool:
    """Tell whether two names mean one model; a name without a tag means `latest`."""
    return _tagged(one) == _tagged(other)


def cloud_host(model: str, *told: Json | None) -> str:
    """The other machine on which Ollama runs a model; empty for a local one.

    Args:
        model: name of the model.
        told: answers of the server about it.
    """
    for said in told:
        if remote := remote_place(said):
            return remote
    return _CLOUD if model.lower().endswith(_CLOUD_ENDINGS) else ''


def remote_place(said: Json | None) -> str:
    """The remote machine of a model by the server's answer; empty if it names none."""
    remote, name = ((said or {}).get(key) for key in ('remote_host', 'remote_model'))
    if not isinstance(remote, str) or not remote:
        # The model runs on another machine, which is not named.
        return _CLOUD if isinstance(name, str) and name else ''
    try:
        host = urlsplit(remote if '//' in remote else f'//{remote}').hostname
    except ValueError:
        host = None
    return (host or remote).lower()


def refusal_of_cloud(model: str, host: str) -> str:
    """The reason why a model that runs elsewhere is not asked."""
    return (f'{model} runs on {host}, to which the server here would send the pictures; choose a '
            f'model that runs here, or name {host} in allowed_hosts')


def _tagged(name: str) -> str:
    tagged = name if ':' in name.rpartition('/')[2] else f'{name}:latest'
    return tagged.lower()
