"""What a server can do that lists its models on `/v1/models`: OpenAI's API, or Anthropic's.

llama.cpp says more on `/props`, vLLM in the list itself; the others say little.
"""

from dataclasses import replace
from urllib.parse import quote

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server_json import ServerJson, count_of, entries, inside, words_of
from semantic_nav.vlm.providers.probing import names_in, not_known

_SHOWN_NAMES = 5
_LLAMA_CPP = 'llamacpp'


def probe(server: ServerJson, config: HypothesisConfig) -> ModelProbed:
    """Return what is known of the model.

    Args:
        server: the server.
        config: which model, and what is asked of it.

    Raises:
        Errors of `ServerJson.get`.
    """
    model, url = config.model, config.base_url
    listed = server.ask('/v1/models')
    if listed is None:
        return ModelProbed.failed(model, f'{url} does not serve /v1/models; is base_url the '
                                         f'server of the model?')
    models = entries(listed, 'data')
    return replace(_found(server, config, models), offered=names_in(models, 'id'))


def _found(server: ServerJson, config: HypothesisConfig, models: list[Json]) -> ModelProbed:
    model, url = config.model, config.base_url
    entry = next((one for one in models if _is_named(one, model)), None)
    if entry is None and config.vlm_backend == 'anthropic':
        # Its list comes in pages, and leaves out the short names.
        entry = server.ask(f'/v1/models/{quote(model)}')
    if entry is None:
        names = ', '.join(names_in(models[:_SHOWN_NAMES], 'id')) or 'none'
        return ModelProbed.failed(model, f'{url} has no model {model} but {names}; set parameter '
                                         f'model to the one to be asked')
    props = server.ask('/props') if entry.get('owned_by') == _LLAMA_CPP else None
    vision = _flag(inside(props, 'modalities', 'vision'))
    if vision is None:
        vision = config.sees_by_name
    tools = _flag(inside(props, 'chat_template_caps', 'supports_tools'))
    if tools is None:
        tools = config.uses_tools_by_name
    window = (count_of(entry.get('max_model_len'))
              or count_of(inside(props, 'default_generation_settings', 'n_ctx')))
    if vision is False:
        return ModelProbed(
            False, f'{model} at {url} cannot see pictures; start `llama-server` with '
            f'`--mmproj FILE`, the projector of the model', model, '', vision, tools, window, None)
    return ModelProbed(True, f'{model} at {url}', model, '', vision, tools, window, None,
                       tuple(not_known(config, vision, tools)))


def _is_named(entry: Json, model: str) -> bool:
    aliases = entry.get('aliases')
    names = [entry.get('id'), *(aliases if isinstance(aliases, list) else ())]
    return model.lower() in [words_of(name).lower() for name in names]


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
