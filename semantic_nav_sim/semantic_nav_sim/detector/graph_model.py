"""Runs a network in numpy that was saved as a graph model of TensorFlow.js.

A graph model is a JSON file (a TensorFlow `GraphDef`, and a list of the weights) with the weights
in files beside it; 16 bits may represent 32 (tensorflow.org/js/guide/conversion). Only the
operations of `centernet` are implemented. Pictures have the shape (height, width, channels).
"""

import base64
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from semantic_nav.contracts.errors import ConfigError

Tensor = NDArray[Any]
Node = dict[str, Any]


class GraphModel:
    """A network with its weights."""

    def __init__(self, path: Path) -> None:
        """Read a graph model.

        Args:
            path: its JSON file.

        Raises:
            ConfigError: it cannot be read, or is not a graph model that can run here.
        """
        try:
            document = json.loads(path.read_bytes())
            self._weights = dict(_weights(document['weightsManifest'], path.parent))
            nodes = {node['name']: node for node in document['modelTopology']['node']}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f'{path} is no graph model: {error!r}') from error
        self._nodes = nodes

    def run(self, picture: Tensor, outputs: tuple[str, ...]) -> list[Tensor]:
        """Run the network on a picture.

        Args:
            picture: float32, shape (height, width, channels), in the range that the network needs.
            outputs: names of the output nodes.

        Returns:
            Their values, in this order, shape (height, width, channels) each.

        Raises:
            ConfigError: an operation on the way is not implemented.
        """
        order = _ordered(self._nodes, outputs)
        last_use = {name: index for index, node in enumerate(order)
                    for name in node.get('input', ())}
        values: dict[str, Tensor] = dict(self._weights)
        for index, node in enumerate(order):
            name, operation = node['name'], node['op']
            inputs = node.get('input', [])
            if operation == 'Placeholder':
                values[name] = picture
            elif operation != 'Const':
                values[name] = _OPERATIONS[operation](node, *(values[one] for one in inputs))
            for one in inputs:
                if last_use[one] == index and one not in outputs:
                    values.pop(one, None)
        return [values[name] for name in outputs]


def _weights(manifest: Sequence[Any], folder: Path) -> Iterator[tuple[str, Tensor]]:
    for group in manifest:
        content, at = b''.join((folder / name).read_bytes() for name in group['paths']), 0
        for one in group['weights']:
            stored = np.dtype(one.get('quantization', one)['dtype'])
            count = math.prod(one['shape'])
            values = np.frombuffer(content, stored, count, at).reshape(one['shape'])
            at += count * stored.itemsize
            yield one['name'], values.astype(one['dtype'])


def _ordered(nodes: dict[str, Node], outputs: Sequence[str]) -> list[Node]:
    """The nodes that the outputs need, each after its inputs."""
    done: dict[str, Node] = {}
    waiting = list(outputs)
    while waiting:
        node = nodes[waiting[-1]]
        if node['op'] not in _OPERATIONS and node['op'] not in ('Const', 'Placeholder'):
            raise ConfigError(f'operation {node["op"]!r} of the network is not known')
        missing = [name for name in node.get('input', ()) if name not in done]
        waiting += missing
        if not missing:
            done[waiting.pop()] = node
    return list(done.values())


def _fused(node: Node, value: Tensor, more: Sequence[Tensor]) -> Tensor:
    """Add the bias, and apply the fused activation."""
    for name in node['attr'].get('fused_ops', {}).get('list', {}).get('s', ()):
        what = base64.b64decode(name)
        if what not in (b'BiasAdd', b'Relu'):
            raise ConfigError(f'operation {what!r} of the network is not known')
        value = value + more[0] if what == b'BiasAdd' else _relu(value)
    return value


def _windows(node: Node, picture: Tensor, kernel: Tensor) -> Iterator[tuple[int, int, Tensor]]:
    """Yield the part of a picture under each cell of a kernel, over all positions."""
    step = int(node['attr']['strides']['list']['i'][1])
    edge = kernel.shape[:2]
    same = base64.b64decode(node['attr']['padding']['s']) == b'SAME'
    sizes = [math.ceil((size if same else size - side + 1) / step)
             for size, side in zip(picture.shape, edge, strict=False)]
    missing = [max(0, (out - 1) * step + side - size) if same else 0
               for out, side, size in zip(sizes, edge, picture.shape, strict=False)]
    if any(missing):
        # As in TensorFlow: the remainder of an uneven padding is at the end.
        picture = np.pad(picture, [(gap // 2, gap - gap // 2) for gap in missing] + [(0, 0)])
    high, wide = sizes
    for row in range(edge[0]):
        for column in range(edge[1]):
            yield row, column, picture[row:row + (high - 1) * step + 1:step,
                                       column:column + (wide - 1) * step + 1:step]


def _conv(node: Node, picture: Tensor, kernel: Tensor, *more: Tensor) -> Tensor:
    """Kernel: shape (rows, columns, channels in, channels out)."""
    total = sum(part @ kernel[row, column] for row, column, part in _windows(
        node, picture, kernel))
    return _fused(node, np.asarray(total), more)


def _depthwise(node: Node, picture: Tensor, kernel: Tensor, *more: Tensor) -> Tensor:
    """Kernel: shape (rows, columns, channels, 1)."""
    total = sum(part * kernel[row, column, :, 0] for row, column, part in _windows(
        node, picture, kernel))
    return _fused(node, np.asarray(total), more)


def _resize(node: Node, picture: Tensor, size: Tensor) -> Tensor:
    """Bilinear resizing in which the first pixels of both pictures start at one position."""
    if node['attr']['half_pixel_centers']['b'] or node['attr']['align_corners']['b']:
        raise ConfigError('only the plain way to enlarge pictures is known')
    for axis in (0, 1):
        at = np.arange(size[axis], dtype=np.float32) * np.float32(picture.shape[axis] / size[axis])
        low = at.astype(np.intp)
        share = (at - np.floor(at)).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        first = picture.take(low, axis)
        picture = first + share * (
            picture.take(np.minimum(low + 1, picture.shape[axis] - 1), axis) - first)
    return picture


def _relu(value: Tensor) -> Tensor:
    return np.maximum(value, np.float32(0))


_OPERATIONS: dict[str, Callable[..., Tensor]] = {
    'Conv2D': _conv, '_FusedConv2D': _conv,
    'DepthwiseConv2dNative': _depthwise, 'FusedDepthwiseConv2dNative': _depthwise,
    'ResizeBilinear': _resize,
    'Add': lambda node, one, other: one + other,
    'Mul': lambda node, one, other: one * other,
    'Identity': lambda node, value: value,
    'Relu': lambda node, value: _relu(value),
    'Relu6': lambda node, value: np.clip(value, np.float32(0), np.float32(6)),
    'Sigmoid': lambda node, value: expit(value),
    # Of a picture, over rows and columns; with a batch axis in front these are 1 and 2.
    'Mean': lambda node, value, axes: value.mean((0, 1), keepdims=True),
    'ConcatV2': lambda node, *values: np.concatenate(values[:-1], axis=-1)}
