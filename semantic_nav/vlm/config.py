"""The parameters of the hypothesis node."""

import re
from dataclasses import dataclass

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import parameter
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.families import FAMILIES, Family, family_of, pattern_of
from semantic_nav.vlm.settings.backends import backend_of
from semantic_nav.vlm.settings.choices import RESPONSE_FORMATS, TOOL_CHOICES, one_of
from semantic_nav.vlm.settings.ollama_names import cloud_host, refusal_of_cloud
from semantic_nav.vlm.settings.server_url import allowed_hosts, server_url

_TIMEOUT_S = 120.0
_NUMBER = re.compile(r'-?[0-9]+(\.[0-9]+)?')
_DURATION = re.compile(r'-?([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+')


_VISION_MODELS = ','.join(name for family in FAMILIES for name in (family.name, *family.also))


@dataclass(frozen=True)
class HypothesisConfig:
    """Parameters of the hypothesis node, complete: an empty one gets its default.

    `with_environment` fills in values of the environment before.

    Raises:
        ConfigError: the backend is unknown, `base_url` is a server that is not allowed, or another
            value is not valid.
    """

    vlm_backend: str = parameter(
        '', 'Protocol of the model server: ollama, openai (llama.cpp, vLLM, LM Studio, TGI), '
        'anthropic, or mock, a script of ready replies for trials. Empty: VLM_BACKEND, else '
        'ollama.')
    model: str = parameter(
        '', 'Name of the vision-language model on the server. Empty or default: qwen2.5vl:7b '
        'for ollama, or the only vision model of a server that has no such model.')
    base_url: str = parameter(
        '', 'URL of the model server, with the path of a gateway if any, with or without /v1. '
        'Only this machine and allowed_hosts are allowed. Empty: OLLAMA_HOST and OLLAMA_PORT for '
        "ollama, OPENAI_BASE_URL and OPENAI_ENDPOINT for openai, else the backend's default.")
    allowed_hosts: str = parameter(
        '', 'Other machines that pictures may be sent to: names or addresses, separated by '
        'commas.')
    api_key_file: str = parameter(
        '', 'File that holds the key of the server; empty: OPENAI_API_KEY or ANTHROPIC_API_KEY.')
    extra_headers_file: str = parameter(
        '', 'File of HTTP headers sent with each call, one "Name: value" a line.')
    request_timeout_s: float = parameter(
        0.0, 'Longest time of one call, in s, whatever the deadline of the look; 0: '
        'OPENAI_TIMEOUT for openai, else 120.', 0.0, 3600.0)
    response_format: str = parameter(
        '', 'Form in which a server of the backend openai gets the schema: json_schema, '
        'json_object or text; empty: OPENAI_RESPONSE_FORMAT, else json_schema.')
    tool_choice: str = parameter(
        '', 'Use of tools by the model, for the backend openai: auto, none or required; empty: '
        'OPENAI_TOOL_CHOICE, else auto.')
    temperature: float = parameter(0.2, 'Sampling temperature of the model.', 0.0, 2.0)
    max_retries: int = parameter(
        1, 'Largest number of times that a reply which fails the gate is sent back for repair.',
        0, 2)
    tool_rounds: int = parameter(
        0, 'Turns of a look in which the model may use tools before it answers; 0: none.', 0, 4)
    num_predict: int = parameter(512, 'Longest reply in tokens.', 32, 8192)
    num_ctx: int = parameter(
        16384, 'Longest context window asked of the server, in tokens; the model may have less. '
        'A longer one takes more GPU memory, and a change makes the server reload the model.',
        2048, 262144)
    token_reserve: int = parameter(
        2000, 'Smallest part of the context window that a prompt leaves free for the reply, in '
        'tokens; at least num_predict.', 0, 100000)
    strict_provenance: bool = parameter(
        False, 'Leave remembered places whose session is not known out of the prompt.')
    keep_alive: str = parameter(
        '30m', 'Time for which the server keeps the model loaded after a call: a duration such '
        'as 1h30m, or a number of seconds; negative: no limit.')
    think: str = parameter(
        'false', 'Thinking before an answer, for models that can: true, false, or unsaid, which '
        'leaves it out of the request, for servers that otherwise ignore the schema.',
        choices=('false', 'true', 'unsaid'))
    jpeg_quality: int = parameter(85, 'JPEG quality of the pictures sent.', 30, 95)
    image_long_side_px: int = parameter(
        644, 'Longer side of the pictures sent, rounded to a multiple of 28 pixels. A model '
        'that writes boxes in pixels gets at least 1024 patches of 28 by 28 pixels.',
        56, 2016)
    box_convention: str = parameter(
        'auto', 'Coordinates in which the model writes boxes: permille (0-1000), permille_yx '
        '(0-1000, y first), unit (0-1), or pixels of the picture sent. auto: by the family of the '
        'model, told by its server or by its name; `vlm eval` measures it.',
        choices=('auto', *BoxConvention))
    vision_models: str = parameter(
        _VISION_MODELS, 'Parts of the names of models that see pictures, separated by commas, '
        'whatever joins them: for servers that cannot tell.')
    tool_models: str = parameter(
        '', 'Parts of the names of models that can use tools, separated by commas: for servers '
        'that cannot tell.')
    warm_up: bool = parameter(
        True, 'Have the server load the model at the start, where it can, and ask it one '
        'question to prove that it answers.')
    circuit_failures: int = parameter(
        3, 'Failed calls of the model in a row after which it is left alone for a while; looks '
        'fall back at once then.', 1, 100)
    picture_timeout_s: float = parameter(
        3.0, 'Longest wait for a picture of the camera, in s; less than part_wait_s of the '
        'belief.', 0.1, 60.0)
    mock_script: str = parameter(
        '', 'File of ready replies for vlm_backend mock, one JSON value a line; empty: every '
        'reply is explore.')

    def __post_init__(self) -> None:
        """Fill in empty parameters, and check what ranges cannot express."""
        backend = backend_of(self.vlm_backend)
        model, url = self.model.strip(), self.base_url or backend.base_url
        if model.lower() in ('', 'default'):
            model = backend.model
        if backend.name == 'ollama' and (host := cloud_host(model)) not in ('', *self.hosts):
            raise ConfigError(f'parameter model = {model!r}: {refusal_of_cloud(model, host)}')
        object.__setattr__(self, 'vlm_backend', backend.name)
        object.__setattr__(self, 'model', model)
        object.__setattr__(self, 'base_url', url and server_url(url, self.hosts))
        object.__setattr__(self, 'response_format', one_of(
            'parameter response_format', self.response_format, RESPONSE_FORMATS))
        object.__setattr__(self, 'tool_choice', one_of(
            'parameter tool_choice', self.tool_choice, TOOL_CHOICES))
        object.__setattr__(self, 'keep_alive', _duration('keep_alive', self.keep_alive))
        object.__setattr__(self, 'request_timeout_s', self.request_timeout_s or _TIMEOUT_S)

    @property
    def any_model(self) -> bool:
        """Tell whether the model is the backend's default, which another one may replace."""
        return self.model == backend_of(self.vlm_backend).model

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts to which pictures may be sent, besides this machine."""
        return allowed_hosts(self.allowed_hosts)

    @property
    def schema_in_words(self) -> bool:
        """Tell whether the prompt holds the schema, since the server does not enforce it."""
        return self.vlm_backend == 'anthropic' or (
            self.vlm_backend == 'openai' and self.response_format != 'json_schema')

    @property
    def may_think(self) -> bool | None:
        """Permission for a thinking model to think; None if the server is not told."""
        return {'true': True, 'false': False}.get(self.think)

    @property
    def is_proved(self) -> bool:
        """Tell whether the model is asked a question at the start; a script would lose a reply."""
        return self.warm_up and self.vlm_backend != 'mock'

    @property
    def boxes(self) -> BoxConvention:
        """The model's box convention, as far as its name tells."""
        return self.boxes_of(family_of(self.model))

    def boxes_of(self, family: Family | None) -> BoxConvention:
        """The box convention asked of a model of this family."""
        return self.known_boxes(family) or BoxConvention.PERMILLE

    def known_boxes(self, family: Family | None) -> BoxConvention | None:
        """The box convention of a model of this family; None if unknown."""
        if self.box_convention != 'auto':
            return BoxConvention(self.box_convention)
        if self.vlm_backend == 'mock':
            return BoxConvention.PERMILLE
        return family.boxes if family is not None else None

    @property
    def sees_by_name(self) -> bool | None:
        """True if the model's name is that of one that sees pictures; None if it tells nothing."""
        return self._is_named(self.vision_models)

    @property
    def uses_tools_by_name(self) -> bool | None:
        """True if the model's name is that of one that uses tools; None if it tells nothing."""
        return self._is_named(self.tool_models)

    def _is_named(self, parts: str) -> bool | None:
        names = [name.strip() for name in parts.split(',') if name.strip()]
        return True if names and pattern_of(names).search(self.model.lower()) else None


def _duration(name: str, value: str) -> str:
    """A duration with units, as Ollama takes it; a bare number is in seconds.

    Raises:
        ConfigError: the value is not a duration.
    """
    text = value.strip()
    duration = f'{text}s' if _NUMBER.fullmatch(text) else text
    if not _DURATION.fullmatch(duration):
        raise ConfigError(f'parameter {name} = {value!r}: expected a duration such as 30m, or '
                          f'seconds')
    return duration
