"""Token counts and pieces, roughly as a real tokenizer would give them."""

from __future__ import annotations

import math
import re

_PIECE = re.compile(r'\s?\w{1,4}|\s|[^\w\s]{1,2}')
_PATCH_PX = 28
_MIN_IMAGE_TOKENS = 1024


def split(text: str) -> list[str]:
    """Split text into token-sized pieces, which join to the text again."""
    return _PIECE.findall(text)


def count(text: str) -> int:
    """Estimate the tokens of a text."""
    return len(split(text))


def image_tokens(width_px: int, height_px: int) -> int:
    """Tokens of one picture: one per 28x28 patch, at least 1024 (qwen2.5vl in Ollama)."""
    patches = math.ceil(width_px / _PATCH_PX) * math.ceil(height_px / _PATCH_PX)
    return max(_MIN_IMAGE_TOKENS, patches)
