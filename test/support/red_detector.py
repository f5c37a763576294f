"""A network in the form of the detector's, which takes whatever is red for a cup, 40 px across."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from semantic_nav_sim.detector.centernet import CELL_PX, CLASSES

HALF_PX = 20.0


def write_red_detector(folder: Path) -> Path:
    """Write its files; return the folder."""
    red = np.zeros((CELL_PX, CELL_PX, 3, len(CLASSES)), np.float16)
    # The mean of a cell, of red less green: 0 for grey, 255 for red.
    red[:, :, 0, CLASSES.index('cup')] = 1 / CELL_PX**2
    red[:, :, 1, CLASSES.index('cup')] = -1 / CELL_PX**2
    weights = {'red': red, 'dark': np.full(len(CLASSES), -127.0, np.float16),
               'nothing': np.zeros((CELL_PX, CELL_PX, 3, 4), np.float16),
               'half': np.full(4, HALF_PX, np.float16)}
    write_graph_model(folder / 'centernet.json', weights, [
        node('picture', 'Placeholder'),
        conv('bright', 'picture', 'red', 'dark'), node('tower_0/keypoints', 'Sigmoid', 'bright'),
        conv('edges', 'picture', 'nothing', 'half'), node('tower_0/wh', 'Identity', 'edges')])
    return folder


def write_graph_model(path: Path, weights: dict[str, Any], nodes: list[dict[str, Any]]) -> None:
    """Write a graph model with weights of 16 bits that stand for 32, as a converter leaves it."""
    constants = [{'name': name, 'op': 'Const', 'attr': {}} for name in weights]
    manifest = [{'name': name, 'shape': list(value.shape), 'dtype': 'float32',
                 'quantization': {'dtype': 'float16', 'original_dtype': 'float32'}}
                for name, value in weights.items()]
    path.write_text(json.dumps({
        'format': 'graph-model', 'modelTopology': {'node': [*constants, *nodes]},
        'weightsManifest': [{'paths': ['weights.bin'], 'weights': manifest}]}))
    (path.parent / 'weights.bin').write_bytes(b''.join(
        value.astype('<f2').tobytes() for value in weights.values()))


def node(name: str, operation: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
    """Return a node of a graph."""
    return {'name': name, 'op': operation, 'input': list(inputs), 'attr': attributes}


def conv(name: str, *inputs: str, step: int = CELL_PX, padding: str = 'SAME',
         operation: str = '_FusedConv2D', then: tuple[str, ...] = ('BiasAdd',)) -> dict[str, Any]:
    """Return a convolution, and what is done with its result at once."""
    steps = ['1', str(step), str(step), '1']
    return node(name, operation, *inputs, strides={'list': {'i': steps}},
                padding={'s': _text(padding)},
                fused_ops={'list': {'s': [_text(one) for one in then]}})


def _text(words: str) -> str:
    return base64.b64encode(words.encode()).decode()
