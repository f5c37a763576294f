"""A probe of a server, with a remedy for each failure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from threading import Event as Flag

from semantic_nav.contracts.errors import ModelTimeout, SemanticNavError
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled, ConnectionFailed, ServerRefused
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.gate.families import Family, Thoughts
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.server_json import ServerJson, words_of

#: Command that starts the usual server of a backend.
_START = {'ollama': '`ollama serve`',
          'openai': '`llama-server -m MODEL.gguf --mmproj PROJECTOR.gguf --port 8080`'}
_KEY = {'openai': 'OPENAI_API_KEY', 'anthropic': 'ANTHROPIC_API_KEY'}
_UNAUTHORISED = (401, 403)
_LOADING = 503
_REDIRECTS = range(300, 400)
#: Most models that are named to choose from.
_MOST_OFFERED = 50

_Probe = Callable[[ServerJson, HypothesisConfig], ModelProbed]


def probed(probe: _Probe, config: HypothesisConfig, server: Server,
           cancelled: Flag) -> ModelProbed:
    """The findings of a probe, or its failure in words.

    Args:
        probe: function that asks the server.
        config: parameters of the hypothesis node.
        server: server to ask.
        cancelled: flag that breaks it off.

    Raises:
        CallCancelled: `cancelled` was set.
    """
    try:
        with ServerJson(server, config.vlm_backend, cancelled) as talk:
            return probe(talk, config)
    except CallCancelled:
        raise
    except SemanticNavError as error:
        return ModelProbed.failed(config.model, f'{error}{_remedy(error, config)}')


def names_in(models: Iterable[Json], *keys: str) -> tuple[str, ...]:
    """Names of the models in a list, each by the first of these keys that it has."""
    named = (next(filter(None, (words_of(one.get(key)) for key in keys)), '') for one in models)
    return tuple(islice(filter(None, named), _MOST_OFFERED))


def not_known(config: HypothesisConfig, vision: bool | None, tools: bool | None,
              family: Family | None) -> list[str]:
    """Notes on the unknown abilities of a model that matter.

    Args:
        config: model and options.
        vision: true if it sees pictures; None if unknown.
        tools: true if it uses tools; None if unknown.
        family: family of the model; None if unknown.
    """
    notes = []
    if config.known_boxes(family) is None:
        whose = f'{family.name} models write' if family is not None else f'{config.model} writes'
        notes.append(f'how {whose} boxes is not known, so they are asked for in thousandths of '
                     f'the picture: try `vlm eval` with a labelled picture, and set '
                     f'box_convention')
    if vision is None:
        notes.append(f'whether {config.model} sees pictures is not known; if it does, add its '
                     f'name to vision_models')
    if tools is None and config.tool_rounds > 0:
        notes.append(f'whether {config.model} uses tools is not known; if it does, add its name '
                     f'to tool_models')
    return notes


def thinking(config: HypothesisConfig, family: Family | None, told: bool | None) -> list[str]:
    """A note on a model that thinks though it is told not to; empty for any other.

    Args:
        config: model and options.
        family: family of the model; None if unknown.
        told: true if its server lists thinking; None if it does not list abilities.
    """
    name = config.model.lower()
    thinks = told or (told is None and 'thinking' in name)
    if config.may_think or not thinks or family is None or (
            family.thoughts is not Thoughts.ALWAYS or 'instruct' in name):
        return []
    return [f'{config.model} thinks before it answers and cannot be told not to: choose its tag '
            f'that does not, such as {family.name}:8b-instruct']


def in_its_place(config: HypothesisConfig, seeing: Sequence[str]) -> str:
    """The model that replaces the backend's default if the server lacks that; empty for none.

    Args:
        config: parameters, which tell whether a model was chosen.
        seeing: models of the server that see.
    """
    return seeing[0] if config.any_model and len(seeing) == 1 else ''


def taken_instead(config: HypothesisConfig, model: str) -> str:
    """A note that another model replaces the backend's default."""
    return (f'{config.base_url} has no {config.model}: {model} is asked, the only one there that '
            f'sees; name the one to be asked in parameter model')


def taken_over(config: HypothesisConfig, found: ModelProbed) -> HypothesisConfig:
    """The configuration with the model that was found instead of the backend's default."""
    return replace(config, model=found.model) if found.ok and config.any_model else config


def _remedy(error: SemanticNavError, config: HypothesisConfig) -> str:
    """The remedy for an error, as the end of a sentence."""
    backend = config.vlm_backend
    if isinstance(error, ConnectionFailed):
        start = _START.get(backend)
        return f' Start it with {start}, or set base_url.' if start else ''
    if isinstance(error, ModelTimeout):
        return f'; {config.base_url} hangs: restart the server'
    if not isinstance(error, ServerRefused):
        return f'; is {config.base_url} the server of the model? Set base_url'
    if error.status in _UNAUTHORISED:
        key = _KEY.get(backend)
        return f'; set {key} or api_key_file' if key else '; name its key in extra_headers_file'
    if error.status in _REDIRECTS:
        return f'; {config.base_url} leads elsewhere, which is not followed: set base_url'
    if error.status == _LOADING:
        return '; it may be loading the model still'
    return '; look at the log of the server'
