"""Settings that are one word of a few."""

from semantic_nav.contracts.errors import ConfigError

RESPONSE_FORMATS = ('json_schema', 'json_object', 'text')
TOOL_CHOICES = ('auto', 'none', 'required')


def one_of(where: str, value: str, choices: tuple[str, ...]) -> str:
    """Return a word in lower case; the first choice of an empty one.

    Args:
        where: it stands, for an error.
        value: the word.
        choices: what it may be.

    Raises:
        ConfigError: it is none of the choices.
    """
    word = value.strip().lower() or choices[0]
    if word not in choices:
        raise ConfigError(f'{where} = {value!r}: allowed are {", ".join(choices)}')
    return word
