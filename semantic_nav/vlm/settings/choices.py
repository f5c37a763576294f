"""Settings with a few allowed words."""

from semantic_nav.contracts.errors import ConfigError

RESPONSE_FORMATS = ('json_schema', 'json_object', 'text')
TOOL_CHOICES = ('auto', 'none', 'required')


def one_of(where: str, value: str, choices: tuple[str, ...]) -> str:
    """A word in lower case; the first choice if it is empty.

    Args:
        where: source of the word, for an error.
        value: word as it was written.
        choices: allowed words.

    Raises:
        ConfigError: it is not one of the choices.
    """
    word = value.strip().lower() or choices[0]
    if word not in choices:
        raise ConfigError(f'{where} = {value!r}: allowed are {", ".join(choices)}')
    return word
