import numpy as np
import pytest
from PIL import Image

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import MapError, load_map, save_map

FIELDS = {'image': 'm.pgm', 'resolution': '0.05', 'origin': '[-1.0, -2.0, 0.0]', 'negate': '0',
          'occupied_thresh': '0.65', 'free_thresh': '0.196'}


def write(folder, shades=((0, 254), (205, 100)), name='m.pgm', **changes):
    Image.fromarray(np.array(shades, dtype=np.uint8)).save(folder / name)
    fields = {key: value for key, value in {**FIELDS, 'image': name, **changes}.items() if value}
    path = folder / 'm.yaml'
    path.write_text(''.join(f'{key}: {value}\n' for key, value in fields.items()))
    return path


@pytest.mark.parametrize('name', ['m.pgm', 'm.png'])
def test_image_is_read_upside_up(tmp_path, name):
    found = load_map(write(tmp_path, name=name))
    # The image's last row has the smallest y; 205 and 100 lie between the thresholds.
    assert found.cells.tolist() == [[-1, -1], [100, 0]]
    assert (found.resolution_m, found.origin_x_m, found.origin_y_m) == (0.05, -1.0, -2.0)


def test_thresholds_decide(tmp_path):
    # As map_server does it: the grey of the unknown, 205, is free to a threshold of 0.25.
    found = load_map(write(tmp_path, free_thresh='0.25', occupied_thresh='0.6'))
    assert found.cells.tolist() == [[0, 100], [100, 0]]


def test_negated_image(tmp_path):
    found = load_map(write(tmp_path, negate='1'))
    assert found.cells.tolist()[1] == [0, 100]


@pytest.mark.parametrize('changes', [
    {'resolution': ''}, {'resolution': '-1'}, {'origin': '[0, 0, 1.0]'}, {'origin': 'here'},
    {'mode': 'scale'}, {'image': 'none.pgm'}, {'occupied_thresh': 'much'}])
def test_unusable_map_is_refused_with_its_name(tmp_path, changes):
    path = write(tmp_path)
    write(tmp_path, **{'name': 'm.pgm', **{k: v for k, v in changes.items() if k != 'image'}})
    if 'image' in changes:
        path.write_text(path.read_text().replace('m.pgm', changes['image']))
    with pytest.raises(MapError, match=r'm\.yaml'):
        load_map(path)


@pytest.mark.parametrize('text', ['', '- a\n', 'image: [unclosed'])
def test_file_that_is_no_map_is_refused(tmp_path, text):
    path = tmp_path / 'm.yaml'
    path.write_text(text)
    with pytest.raises(MapError):
        load_map(path)
    with pytest.raises(MapError):
        load_map(tmp_path / 'missing.yaml')


def test_a_saved_map_reads_back(tmp_path):
    cells = np.random.default_rng(1).choice([-1, 0, 100], (7, 5)).astype(np.int8)
    save_map(OccupancyGrid(cells, 0.1, -3.25, 1.5, 'map', 0), tmp_path / 'new' / 'home')
    found = load_map(tmp_path / 'new' / 'home' / 'map.yaml')
    assert np.array_equal(found.cells, cells)
    assert (found.resolution_m, found.origin_x_m, found.origin_y_m) == (0.1, -3.25, 1.5)
    assert {path.name for path in (tmp_path / 'new' / 'home').iterdir()} == {'map.pgm', 'map.yaml'}


def test_a_map_that_cannot_be_saved_says_why(tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(MapError, match='cannot be saved'):
        save_map(OccupancyGrid(np.zeros((1, 1), np.int8), 0.1, 0, 0, 'map', 0), tmp_path / 'file')
