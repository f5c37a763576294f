"""Asks the truth server of a simulated robot; for judges and tests, never for the robot."""

import json
import urllib.request
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from PIL import Image

_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Overview:
    """The world from above: a picture, and where its lower left corner lies."""

    image: Image.Image
    origin_x_m: float
    origin_y_m: float
    resolution_m: float


class TruthClient:
    """Talks to a truth server on loopback."""

    def __init__(self, url: str) -> None:
        """Use the server of a URL; nothing is sent yet."""
        self._url = url
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path: str) -> Any:
        """Return the answer to 'pose', 'world' or 'view'."""
        with self._opener.open(f'{self._url}/{path}', timeout=_TIMEOUT_S) as response:
            return json.load(response)

    def ready(self) -> bool:
        """Tell whether the simulator answers."""
        try:
            self.get('pose')
        except OSError:
            return False
        return True

    def overview(self) -> Overview:
        """Return the world from above."""
        with self._opener.open(f'{self._url}/overview.png', timeout=_TIMEOUT_S) as response:
            image = Image.open(BytesIO(response.read())).convert('RGB')
            return Overview(image, float(response.headers['X-Origin-X']),
                            float(response.headers['X-Origin-Y']),
                            float(response.headers['X-Resolution']))
