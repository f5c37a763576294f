"""Reads profiles of the model server."""

from __future__ import annotations

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav.sim.model.profile import Profile
from semantic_nav.sim.profiles import merged_profile


def load_profile(choice: str) -> Profile:
    """Return a profile of config/profiles/model, or several as one (see `merged_profile`).

    Raises:
        ConfigError: it does not exist, breaks schema/model_profile.schema.json, or says what
            makes no sense.
    """
    try:
        profile = from_plain(merged_profile('model', choice), Profile)
    except ContractError as error:
        raise ConfigError(f'profile {choice!r}: {error}') from error
    _check_sense(choice, profile)
    return profile


def _check_sense(choice: str, profile: Profile) -> None:
    """Refuse what the schema cannot express."""
    eyes, latency_s = profile.eyes, profile.transport.latency_s
    for name, low, high in (('blind_px and sure_px', eyes.blind_px, eyes.sure_px),
                            ('sure_m and blind_m', eyes.sure_m, eyes.blind_m),
                            ('blind_share and sure_share', eyes.blind_share, eyes.sure_share),
                            ('latency_s', *latency_s)):
        if low > high:
            raise ConfigError(f'profile {choice!r}: {name} must rise, not {low} and {high}')
