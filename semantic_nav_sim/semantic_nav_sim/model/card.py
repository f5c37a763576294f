"""The metadata of a model: name, family, sizes, capabilities."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

_FAMILIES = (
    # prefix of the name, family, whether boxes are 0..1000 instead of pixels
    ('qwen2.5vl', 'qwen25vl', False),
    ('qwen3-vl', 'qwen3vl', True),
)
_MODIFIED_AT = '2025-01-01T00:00:00Z'
_SIZE_BYTES = 5_969_245_856


@dataclass(frozen=True)
class ModelCard:
    """One model of the server.

    Attributes:
        name: Name with its tag, such as 'qwen2.5vl:7b'.
        context_length: Largest sum of prompt and reply [tokens].
    """

    name: str
    context_length: int = 128_000

    def is_named(self, name: str) -> bool:
        """Tell whether a requested name means this model (no tag means ':latest')."""
        return _tagged(name) == _tagged(self.name)

    @property
    def of_known_family(self) -> bool:
        """Tell whether the name belongs to a family that is known here."""
        return any(self.name.startswith(prefix) for prefix, _, _ in _FAMILIES)

    @property
    def size_bytes(self) -> int:
        """The size on the disk."""
        return _SIZE_BYTES

    @property
    def family(self) -> str:
        """The architecture, in Ollama's spelling."""
        return next((family for prefix, family, _ in _FAMILIES if self.name.startswith(prefix)),
                    'qwen25vl')

    @property
    def per_mille_boxes(self) -> bool:
        """Tell whether the family gives boxes in 0..1000 of the picture instead of pixels."""
        return any(per_mille for _, family, per_mille in _FAMILIES if family == self.family)

    @property
    def digest(self) -> str:
        """The digest, which depends on the name alone."""
        return hashlib.sha256(self.name.encode()).hexdigest()

    def details(self) -> dict[str, Any]:
        """The `details` of /api/tags, /api/ps and /api/show."""
        return {
            'parent_model': '', 'format': 'gguf', 'family': self.family,
            'families': [self.family], 'parameter_size': '8.3B', 'quantization_level': 'Q4_K_M'}

    def listed(self) -> dict[str, Any]:
        """One entry of /api/tags."""
        return {
            'name': self.name, 'model': self.name, 'modified_at': _MODIFIED_AT,
            'size': _SIZE_BYTES, 'digest': self.digest, 'details': self.details()}

    def running(self, expires_at: str, context_length: int) -> dict[str, Any]:
        """One entry of /api/ps."""
        return {
            'name': self.name, 'model': self.name, 'size': _SIZE_BYTES, 'digest': self.digest,
            'details': self.details(), 'expires_at': expires_at, 'size_vram': _SIZE_BYTES,
            'context_length': context_length}

    def shown(self) -> dict[str, Any]:
        """The reply of /api/show."""
        return {
            'license': 'Apache License 2.0', 'modelfile': f'FROM {self.name}\n',
            'parameters': 'temperature                    0.0001',
            'template': '{{- .Prompt }}',
            'details': self.details(),
            'model_info': {
                'general.architecture': self.family,
                'general.parameter_count': 8_292_166_656,
                f'{self.family}.context_length': self.context_length,
                f'{self.family}.embedding_length': 3584,
                f'{self.family}.vision.patch_size': 14,
            },
            'capabilities': ['completion', 'vision', 'tools'],
            'modified_at': _MODIFIED_AT}


def _tagged(name: str) -> str:
    return (name if ':' in name else f'{name}:latest').lower()
