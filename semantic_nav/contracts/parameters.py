"""Parameters as fields of frozen dataclasses: default, description with unit, range."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from semantic_nav.contracts.errors import ConfigError

T = TypeVar('T')


@dataclasses.dataclass(frozen=True)
class Spec:
    """Specification of one parameter, besides its type and default."""

    description: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


def parameter(default: Any, description: str, minimum: float | None = None,
              maximum: float | None = None, *, choices: tuple[str, ...] = ()) -> Any:
    """A dataclass field that carries its own specification."""
    spec = Spec(description, minimum, maximum, choices)
    return dataclasses.field(default=default, metadata={'spec': spec})


def specs(config: type) -> dict[str, tuple[Any, Spec]]:
    """Default and specification of each parameter of a configuration class, by name."""
    return {field.name: (field.default, field.metadata['spec'])
            for field in dataclasses.fields(config) if 'spec' in field.metadata}


def build(config: type[T], values: Mapping[str, Any]) -> T:
    """The configuration with these values, each of them checked.

    Raises:
        ConfigError: a parameter is unknown, or a value has the wrong type or is out of range; the
            message gives name, value and range.
    """
    unknown = sorted(set(values) - set(specs(config)))
    if unknown:
        raise ConfigError(f'unknown parameter {unknown[0]!r}')
    return config(**checked(config, values))


def checked(config: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that belong to a configuration, each of its type and in its range.

    Raises:
        ConfigError: a value has the wrong type or is out of range.
    """
    return {name: _check(name, values[name], default, spec)
            for name, (default, spec) in specs(config).items() if name in values}


def _check(name: str, value: Any, default: Any, spec: Spec) -> Any:
    kind = type(default)
    if type(value) is bool and str(value).lower() in spec.choices:
        # YAML reads words such as true as booleans.
        value = str(value).lower()
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ConfigError(f'parameter {name} = {value!r}: expected {kind.__name__}')
    if spec.choices and value not in spec.choices:
        raise ConfigError(f'parameter {name} = {value!r}: allowed are {", ".join(spec.choices)}')
    if kind in (int, float):
        low = -math.inf if spec.minimum is None else spec.minimum
        high = math.inf if spec.maximum is None else spec.maximum
        if not low <= value <= high:
            raise ConfigError(f'parameter {name} = {value!r}: allowed is {low:g} to {high:g}')
    return value
