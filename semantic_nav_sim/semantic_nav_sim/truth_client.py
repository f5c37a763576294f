"""Client of a simulated robot's truth server; for judges and tests, never for the robot."""

import json
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from io import BytesIO
from typing import Any

from PIL import Image

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.show.mission_pictures import Overview

_TIMEOUT_S = 10.0


class SimulatorGone(SemanticNavError):
    """The simulator does not answer, or no longer."""


class TruthClient:
    """Client of a truth server on loopback."""

    def __init__(self, url: str) -> None:
        """Use the server of a URL; nothing is sent yet."""
        self._url = url
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path: str) -> Any:
        """The answer to 'pose', 'world' or 'view'.

        Raises:
            SimulatorGone: no answer came.
        """
        return json.loads(self._read(path)[0])

    def ready(self) -> bool:
        """Tell whether the simulator answers."""
        try:
            self.get('pose')
        except SimulatorGone:
            return False
        return True

    def overview(self) -> Overview:
        """The world from above.

        Raises:
            SimulatorGone: no answer came.
        """
        content, headers = self._read('overview.png')
        return Overview(Image.open(BytesIO(content)).convert('RGB'), float(headers['X-Origin-X']),
                        float(headers['X-Origin-Y']), float(headers['X-Resolution']))

    def _read(self, path: str) -> tuple[bytes, Mapping[str, str]]:
        try:
            with self._opener.open(f'{self._url}/{path}', timeout=_TIMEOUT_S) as response:
                return response.read(), response.headers
        except (OSError, HTTPException) as error:
            raise SimulatorGone(f'the simulator does not answer: {error}') from error
