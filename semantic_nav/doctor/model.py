"""Check of the model server with the hypothesis node's questions."""

from collections.abc import Mapping
from threading import Event as Flag

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding, good
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.proving import prove

_MEND = 'ros2 run semantic_nav vlm discover, and docs/models.md'


def model(config: HypothesisConfig, environ: Mapping[str, str]) -> list[Finding]:
    """Findings about the model: the answer to one real look, and the notes of probe and proof.

    Args:
        config: parameters of the hypothesis node.
        environ: of the shell, which may hold a key.
    """
    about = f'model {config.model}'
    try:
        provider = make_provider(config, environ)
        found = provider.probe(Flag())
    except SemanticNavError as error:
        return [Finding(Level.ERROR, about, str(error), _MEND)]
    if not found.ok:
        return [Finding(Level.ERROR, about, found.message, _MEND)]
    proof = prove(config, provider, found, Flag())
    answered = good(about, proof.words) if proof.ok and not proof.doubted else Finding(
        Level.WARN if proof.ok else Level.ERROR, about, proof.words, _MEND)
    return [good(about, found.message), answered,
            *(Finding(Level.WARN, about, note) for note in (*found.notes, *proof.notes))]
