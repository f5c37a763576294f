"""What the names of Ollama's models mean."""

from urllib.parse import urlsplit

from semantic_nav.contracts.schemas import Json

#: Where Ollama runs the models whose names end like this.
_CLOUD = 'ollama.com'
_CLOUD_ENDINGS = (':cloud', '-cloud')


def is_same_model(one: str, other: str) -> bool:
    """Tell whether two names mean the same model; without a tag a name means `latest`."""
    return _tagged(one) == _tagged(other)


def cloud_host(model: str, *told: Json | None) -> str:
    """Return the other machine on which Ollama runs a model; empty for a local one.

    Args:
        model: its name.
        told: what the server says of it, in any of its answers.
    """
    for said in told:
        if remote := remote_place(said):
            return remote
    return _CLOUD if model.lower().endswith(_CLOUD_ENDINGS) else ''


def remote_place(said: Json | None) -> str:
    """Return the machine on which the server says that a model runs; empty if it says none."""
    remote, name = ((said or {}).get(key) for key in ('remote_host', 'remote_model'))
    if not isinstance(remote, str) or not remote:
        # A model of another machine, which is not named.
        return _CLOUD if isinstance(name, str) and name else ''
    try:
        host = urlsplit(remote if '//' in remote else f'//{remote}').hostname
    except ValueError:
        host = None
    return (host or remote).lower()


def refusal_of_cloud(model: str, host: str) -> str:
    """Return why a model that runs elsewhere is not asked."""
    return (f'{model} runs on {host}, to which the server here would send the pictures; choose a '
            f'model that runs here, or name {host} in allowed_hosts')


def _tagged(name: str) -> str:
    tagged = name if ':' in name.rpartition('/')[2] else f'{name}:latest'
    return tagged.lower()
