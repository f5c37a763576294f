"""The JSON schemas of the simulator's files: worlds, profiles and presets of the benchmark."""

from functools import cache

from semantic_nav.contracts.judge import Judge
from semantic_nav.contracts.schemas import Json, check_by, read_schema
from semantic_nav_sim.share import share_path


@cache
def load_schema(name: str) -> Json:
    """The content of `schema/<name>.schema.json`."""
    return read_schema(share_path('schema', f'{name}.schema.json'))


@cache
def _judge(name: str) -> Judge:
    return Judge(load_schema(name))


def check(name: str, value: object) -> None:
    """Validate a value.

    Raises:
        ContractError: the value is invalid; names the schema, the place in the value and the
            error.
    """
    check_by(_judge(name), name, value)
