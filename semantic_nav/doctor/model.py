"""Asks the model server what the hypothesis node would ask it."""

from collections.abc import Mapping
from threading import Event as Flag

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding, good
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.providers.factory import make_provider

_MEND = 'ros2 run semantic_nav vlm discover, and docs/models.md'


def model(config: HypothesisConfig, environ: Mapping[str, str]) -> list[Finding]:
    """Return whether a look would be answered, and what works badly.

    Args:
        config: parameters of the hypothesis node.
        environ: of the shell, which may hold a key.
    """
    about = f'model {config.model}'
    try:
        found = make_provider(config, environ).probe(Flag())
    except SemanticNavError as error:
        return [Finding(Level.ERROR, about, str(error), _MEND)]
    if not found.ok:
        return [Finding(Level.ERROR, about, found.message, _MEND)]
    return [good(about, found.message),
            *(Finding(Level.WARN, about, note) for note in found.notes)]
