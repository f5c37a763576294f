"""Looks at pictures from files, as the hypothesis node looks through the camera."""

import os
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from semantic_nav.contracts.errors import ConfigError, SemanticNavError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.looker import Looker, Rgb
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.redaction import secrets_in


class TrialFailed(SemanticNavError):
    """A trial of the model failed."""


def looker_of(config: HypothesisConfig, deadline_s: float) -> Looker:
    """The looker of a model.

    Args:
        config: parameters of the hypothesis node.
        deadline_s: for a look, all its calls together.

    Raises:
        ConfigError: the client library of the backend is missing, or a file of it.
    """
    return Looker(config, make_provider(config, os.environ), deadline_s, secrets_of(config))


def secrets_of(config: HypothesisConfig) -> frozenset[str]:
    """The secrets that must not be shown, even if a server repeats them.

    Raises:
        ConfigError: the file of the key or of the headers cannot be read.
    """
    return secrets_in(os.environ) | Server.of(config, os.environ).secrets


def read_picture(path: Path) -> Rgb:
    """A picture as RGB pixels, upright by its EXIF orientation.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with Image.open(path) as image:
            return np.asarray(ImageOps.exif_transpose(image).convert('RGB'))
    except FileNotFoundError as error:
        raise ConfigError(f'{path} is not there') from error
    except UnidentifiedImageError as error:
        raise ConfigError(f'{path} is no picture') from error
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ConfigError(f'{path} is no picture that can be read: {words}') from error
