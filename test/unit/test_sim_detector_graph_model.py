"""Graph models of TensorFlow.js: each operation against its definition, written out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from red_detector import conv, node, write_graph_model

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.detector.graph_model import GraphModel

RNG = np.random.default_rng(7)


def halves(*shape: int) -> np.ndarray:
    """Return random numbers that 16 bits hold."""
    return RNG.normal(size=shape).astype(np.float16).astype(np.float32)


def run(tmp_path: Path, nodes: list[dict[str, Any]], picture: np.ndarray,
        **weights: np.ndarray) -> np.ndarray:
    """Return what the last of some nodes makes of a picture."""
    write_graph_model(tmp_path / 'model.json', weights, [node('picture', 'Placeholder'), *nodes])
    [value] = GraphModel(tmp_path / 'model.json').run(picture, (nodes[-1]['name'],))
    return value


def written_out(picture: np.ndarray, kernel: np.ndarray, step: int, same: bool) -> np.ndarray:
    """Return a convolution, cell by cell (tensorflow.org/api_docs/python/tf/nn)."""
    (rows, columns, _), (high, wide) = picture.shape, kernel.shape[:2]
    out = [-(-rows // step), -(-columns // step)] if same else [
        (rows - high) // step + 1, (columns - wide) // step + 1]
    before = [max(0, (count - 1) * step + side - size) // 2 if same else 0
              for count, side, size in zip(out, (high, wide), (rows, columns), strict=True)]
    total = np.zeros((*out, kernel.shape[3]))
    for row in range(out[0]):
        for column in range(out[1]):
            for down in range(high):
                for across in range(wide):
                    y, x = row * step + down - before[0], column * step + across - before[1]
                    if 0 <= y < rows and 0 <= x < columns:
                        total[row, column] += picture[y, x] @ kernel[down, across]
    return total


@pytest.mark.parametrize('size', [(7, 6), (8, 9)])
@pytest.mark.parametrize('step', [1, 2])
@pytest.mark.parametrize('side', [1, 3, 4])
@pytest.mark.parametrize('padding', ['SAME', 'VALID'])
def test_a_convolution(tmp_path: Path, size: tuple[int, int], step: int, side: int,
                       padding: str) -> None:
    picture, kernel, bias = halves(*size, 3), halves(side, side, 3, 5), halves(5)
    found = run(tmp_path, [conv('out', 'picture', 'kernel', 'bias', step=step, padding=padding,
                                then=('BiasAdd', 'Relu'))], picture, kernel=kernel, bias=bias)
    expected = np.maximum(written_out(picture, kernel, step, padding == 'SAME') + bias, 0)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize('step', [1, 2])
def test_a_convolution_of_each_channel_by_itself(tmp_path: Path, step: int) -> None:
    picture, kernel = halves(7, 8, 4), halves(3, 3, 4, 1)
    found = run(tmp_path, [conv('out', 'picture', 'kernel', step=step, then=(),
                                operation='DepthwiseConv2dNative')], picture, kernel=kernel)
    for channel in range(4):
        expected = written_out(picture[..., channel:channel + 1],
                               kernel[:, :, channel:channel + 1], step, same=True)
        np.testing.assert_allclose(found[..., channel:channel + 1], expected, atol=1e-4)


def test_a_picture_is_enlarged(tmp_path: Path) -> None:
    """Its first pixel stays the first; behind the last there is nothing between."""
    plain = {'half_pixel_centers': {'b': False}, 'align_corners': {'b': False}}
    picture = np.array([[[0.0], [4.0]], [[8.0], [12.0]]], np.float32)
    found = run(tmp_path, [node('out', 'ResizeBilinear', 'picture', 'size', **plain)], picture,
                size=np.array([4, 4]))
    assert found[..., 0].tolist() == [
        [0, 2, 4, 4], [4, 6, 8, 8], [8, 10, 12, 12], [8, 10, 12, 12]]
    plain['half_pixel_centers']['b'] = True
    with pytest.raises(ConfigError, match='plain way'):
        run(tmp_path, [node('out', 'ResizeBilinear', 'picture', 'size', **plain)], picture,
            size=np.array([4, 4]))


def test_the_rest_of_the_operations(tmp_path: Path) -> None:
    picture = halves(3, 4, 2)
    found = run(tmp_path, [
        node('more', 'Add', 'picture', 'three'), node('cut', 'Relu6', 'more'),
        node('mean', 'Mean', 'picture', 'axes'), node('times', 'Mul', 'cut', 'mean'),
        node('less', 'Relu', 'times'), node('soft', 'Sigmoid', 'picture'),
        node('both', 'ConcatV2', 'less', 'soft', 'last'), node('out', 'Identity', 'both')],
        picture, three=np.array(3.0), axes=np.array([1, 2]), last=np.array(3))
    expected = np.maximum(np.clip(picture + 3, 0, 6) * picture.mean((0, 1)), 0)
    np.testing.assert_allclose(found[..., :2], expected, atol=1e-5)
    np.testing.assert_allclose(found[..., 2:], 1 / (1 + np.exp(-picture)), atol=1e-5)


def test_what_is_no_graph_model_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / 'model.json'
    with pytest.raises(ConfigError, match='FileNotFoundError'):
        GraphModel(path)
    path.write_text('{"format": "layers-model"}')
    with pytest.raises(ConfigError, match='weightsManifest'):
        GraphModel(path)
    with pytest.raises(ConfigError, match="'MaxPool' of the network is not known"):
        run(tmp_path, [node('out', 'MaxPool', 'picture')], halves(2, 2, 1))
