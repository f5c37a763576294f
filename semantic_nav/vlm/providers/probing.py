"""A probe of a server, with each failure told together with the command that mends it."""

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

#: How the usual server of a backend is started.
_START = {'ollama': '`ollama serve`',
          'openai': '`llama-server -m MODEL.gguf --mmproj PROJECTOR.gguf --port 8080`'}
_KEY = {'openai': 'OPENAI_API_KEY', 'anthropic': 'ANTHROPIC_API_KEY'}
_UNAUTHORISED = (401, 403)
_LOADING = 503
_REDIRECTS = range(300, 400)
#: So many models are named to choose from.
_MOST_OFFERED = 50

_Probe = Callable[[ServerJson, HypothesisConfig], ModelProbed]


def probed(probe: _Probe, config: HypothesisConfig, server: Server,
           cancelled: Flag) -> ModelProbed:
    """Return what a probe found; what kept it from finding anything, in words.

    Args:
        probe: asks the server.
        config: the parameters.
        server: the server.
        cancelled: breaks it off when set.

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
    """Return what the models of a list are called, by the first of these keys that each has."""
    named = (next(filter(None, (words_of(one.get(key)) for key in keys)), '') for one in models)
    return tuple(islice(filter(None, named), _MOST_OFFERED))


def not_known(config: HypothesisConfig, vision: bool | None, tools: bool | None,
              family: Family | None) -> list[str]:
    """Return a note on each thing that nobody can tell of a model, and that matters.

    Args:
        config: which model, and whether it is offered tools.
        vision: whether it sees pictures; None where that is not known.
        tools: whether it uses tools, likewise.
        family: of the model; None where that is not known.
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
    """Return a note where a model thinks though it is told not to.

    Args:
        config: which model, and what it is told.
        family: of the model.
        told: whether its server says that it thinks; None where it does not say.
    """
    name = config.model.lower()
    thinks = told or (told is None and 'thinking' in name)
    if config.may_think or not thinks or family is None or (
            family.thoughts is not Thoughts.ALWAYS or 'instruct' in name):
        return []
    return [f'{config.model} thinks before it answers and cannot be told not to: choose its tag '
            f'that does not, such as {family.name}:8b-instruct']


def in_its_place(config: HypothesisConfig, seeing: Sequence[str]) -> str:
    """Return the model to ask where the server lacks that of the backend; empty for none.

    Args:
        config: whether another than that of the backend was chosen.
        seeing: the models of the server that see.
    """
    return seeing[0] if config.any_model and len(seeing) == 1 else ''


def taken_instead(config: HypothesisConfig, model: str) -> str:
    """Return a note that another model is asked than that of the backend."""
    return (f'{config.base_url} has no {config.model}: {model} is asked, the only one there that '
            f'sees; name the one to be asked in parameter model')


def taken_over(config: HypothesisConfig, found: ModelProbed) -> HypothesisConfig:
    """Return the configuration with the model that was found in the place of the backend's."""
    return replace(config, model=found.model) if found.ok and config.any_model else config


def _remedy(error: SemanticNavError, config: HypothesisConfig) -> str:
    """Return what to do about an error, as the end of a sentence."""
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
