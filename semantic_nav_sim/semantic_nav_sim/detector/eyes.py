"""Eyes without the truth: they see only what the detector finds in the pixels."""

import logging

from semantic_nav_sim.detector.centernet import Detector
from semantic_nav_sim.detector.labels import MEANINGS
from semantic_nav_sim.model.eyes import SeenObject, Sight

_LOG = logging.getLogger(__name__)
#: Least score of a thing: in homes 1-10 three boxes of four were right from there on.
LEAST_SCORE = 0.4


class DetectorEyes:
    """Eyes that report the detections in a picture."""

    def __init__(self, detector: Detector | None = None) -> None:
        """Load the detector's weights, or use a loaded detector.

        Raises:
            ConfigError: the weights are missing.
        """
        self._detector = detector or Detector()

    def look(self, picture: bytes) -> Sight:
        """See `Eyes`; a thing has no colour, and no identity from one picture to the next."""
        try:
            found, (width_px, height_px) = self._detector.detect(picture, LEAST_SCORE)
        except OSError as error:
            _LOG.warning('the detector sees nothing: %s', error)
            return Sight()
        seen: list[SeenObject] = []
        for one in found:
            if one.label in MEANINGS:
                meaning = MEANINGS[one.label]
                x1, y1, x2, y2 = one.box_px
                seen.append(SeenObject(
                    id=f'{one.label} {len(seen)}', name=meaning.kinds[0], kind=meaning.word,
                    colour='', box_px=one.box_px, pixels=round((x2 - x1) * (y2 - y1)),
                    confidence=one.score))
        seen.sort(key=lambda item: (-item.pixels, item.id))
        return Sight(recognised=True, width_px=width_px, height_px=height_px,
                     objects=tuple(seen))
