"""Stands in for a trained image projector: one of random weights, for llama.cpp to take pictures.

Decoding, token counts and errors are those of a real one; what the model makes of a picture means
nothing. The form is LLaVA's: a small vision transformer, and two layers into the language model.
"""

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

_IMAGE_PX, _PATCH_PX = 112, 16
_WIDTH, _HIDDEN, _HEADS, _LAYERS = 64, 128, 4, 3
#: Width of SmolLM2-135M, into which the pictures are projected.
_MODEL_WIDTH = 576
#: Tokens that a picture takes, whatever its size.
IMAGE_TOKENS = (_IMAGE_PX // _PATCH_PX) ** 2


def write_projector(path: Path, seed: int = 0) -> None:
    """Write the projector as a GGUF file."""
    writer = gguf.GGUFWriter(str(path), 'clip')
    writer.add_type('mmproj')
    writer.add_file_type(0)
    writer.add_bool('clip.has_vision_encoder', True)
    writer.add_bool('clip.has_llava_projector', True)
    writer.add_bool('clip.use_gelu', False)
    writer.add_string('clip.projector_type', 'mlp')
    for name, size in {
            'image_size': _IMAGE_PX, 'patch_size': _PATCH_PX, 'embedding_length': _WIDTH,
            'feed_forward_length': _HIDDEN, 'block_count': _LAYERS,
            'projection_dim': _MODEL_WIDTH, 'attention.head_count': _HEADS}.items():
        writer.add_uint32(f'clip.vision.{name}', size)
    writer.add_float32('clip.vision.attention.layer_norm_epsilon', 1e-5)
    writer.add_array('clip.vision.image_mean', [0.5, 0.5, 0.5])
    writer.add_array('clip.vision.image_std', [0.25, 0.25, 0.25])
    for name, tensor in _tensors(np.random.default_rng(seed)).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    def weights(*shape: int) -> NDArray[np.float32]:
        return (rng.standard_normal(shape) * 0.02).astype(np.float32)

    tensors: dict[str, NDArray[np.float32]] = {
        'v.patch_embd.weight': weights(_WIDTH, 3, _PATCH_PX, _PATCH_PX),
        'v.class_embd': weights(_WIDTH),
        'v.position_embd.weight': weights(IMAGE_TOKENS + 1, _WIDTH)}

    def layer(name: str, rows: int, columns: int) -> None:
        tensors[f'{name}.weight'] = weights(rows, columns)
        tensors[f'{name}.bias'] = np.zeros(rows, np.float32)

    def norm(name: str) -> None:
        tensors[f'{name}.weight'] = np.ones(_WIDTH, np.float32)
        tensors[f'{name}.bias'] = np.zeros(_WIDTH, np.float32)

    norm('v.pre_ln')
    norm('v.post_ln')
    for block in (f'v.blk.{index}' for index in range(_LAYERS)):
        for name in ('attn_q', 'attn_k', 'attn_v', 'attn_out'):
            layer(f'{block}.{name}', _WIDTH, _WIDTH)
        norm(f'{block}.ln1')
        norm(f'{block}.ln2')
        layer(f'{block}.ffn_up', _HIDDEN, _WIDTH)
        layer(f'{block}.ffn_down', _WIDTH, _HIDDEN)
    layer('mm.0', _MODEL_WIDTH, _WIDTH)
    layer('mm.2', _MODEL_WIDTH, _MODEL_WIDTH)
    return tensors
