"""What the environment says where a parameter was left empty."""

from collections.abc import Mapping
from typing import Any

from semantic_nav.contracts.errors import ConfigError

#: Parameters of text that the backend openai may take from the environment; the first that is
#: set counts.
_OPENAI = {
    'base_url': ('OPENAI_BASE_URL', 'OPENAI_ENDPOINT'),
    'response_format': ('OPENAI_RESPONSE_FORMAT',),
    'tool_choice': ('OPENAI_TOOL_CHOICE',),
}
_TIMEOUT = 'OPENAI_TIMEOUT'


def with_environment(values: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters, those left empty taken from the environment where it has them.

    Keys are no parameters and are not read here, for parameters stand in journals.

    Args:
        values: parameters of the hypothesis node by name.
        environ: the environment.

    Raises:
        ConfigError: a number in the environment is none.
    """
    filled = dict(values)
    _fill(filled, 'vlm_backend', environ, ('VLM_BACKEND',))
    if str(filled.get('vlm_backend', '')).strip().lower() != 'openai':
        return filled
    for name, variables in _OPENAI.items():
        _fill(filled, name, environ, variables)
    timeout = environ.get(_TIMEOUT, '').strip()
    if timeout and not filled.get('request_timeout_s'):
        try:
            filled['request_timeout_s'] = float(timeout)
        except ValueError as error:
            raise ConfigError(f'environment {_TIMEOUT} = {timeout!r}: expected seconds') from error
    return filled


def _fill(values: dict[str, Any], name: str, environ: Mapping[str, str],
          variables: tuple[str, ...]) -> None:
    if values.get(name):
        return
    for variable in variables:
        if environ.get(variable, '').strip():
            values[name] = environ[variable].strip()
            return
