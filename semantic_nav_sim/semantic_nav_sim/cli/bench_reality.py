"""`bench reality`: groundings in frames of a real camera; searches of maps of real places."""

import argparse
from pathlib import Path

from tqdm import tqdm

from semantic_nav.cli.arguments import location, number
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.map_file import load_map
from semantic_nav.show.table import Measure, at_most
from semantic_nav_sim.bench.frames import load_frames
from semantic_nav_sim.bench.real_maps import map_files_in, measures_of_map
from semantic_nav_sim.bench.reality import Scene, measures, sighting_of, with_things
from semantic_nav_sim.cli.bench_table import show
from semantic_nav_sim.detector.centernet import Detection, Detector
from semantic_nav_sim.detector.eyes import LEAST_SCORE


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, except --json."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument('--maps', type=location, metavar='DIR',
                       help='with NAME.yaml and the picture of each saved map: a home is made of '
                            'each, and all of it searched for what is not there')
    which.add_argument('--frames', type=location, metavar='DIR',
                       help='with NAME.color.jpg, NAME.depth.png and NAME.pose.txt of each '
                            'frame, and camera-intrinsics.txt')
    parser.add_argument('--seed', type=number, default=0, help='of poor boxes (default: 0)')


def carry_out(chosen: argparse.Namespace) -> int:
    """Measure and print the table.

    Raises:
        ConfigError: the detector is not installed, or frames or maps cannot be read.
    """
    if chosen.maps is not None:
        return _search_maps(chosen)
    return show(measures(_scene(chosen.frames), chosen.seed), chosen.json)


def _search_maps(chosen: argparse.Namespace) -> int:
    told, refused = [], []
    for path in tqdm(map_files_in(chosen.maps), unit='map', disable=None):
        try:
            told += measures_of_map(load_map(path), path.stem)
        except ConfigError as error:
            refused.append(f'{path.stem}: {error}')
    for words in refused:
        print(f'refused: {words}')
    return show([Measure('maps', len({one.group for one in told})),
                 at_most('maps that are refused', len(refused), 0), *told], chosen.json,
                refused=refused)


def _scene(folder: Path) -> Scene:
    detector, (frames, camera) = Detector(), load_frames(folder)
    sightings = []
    for at, frame in enumerate(tqdm(frames, unit='frame', disable=None)):
        found, size_px = detector.detect(frame.picture, LEAST_SCORE)
        sightings += [sighting_of(one.label, _per_mille(one, size_px), at, frame, camera)
                      for one in found]
    return Scene(frames, camera, with_things(sightings))


def _per_mille(one: Detection, size_px: tuple[int, int]) -> Box:
    (width, height), (x1, y1, x2, y2) = size_px, one.box_px
    return (x1 / width * 1000.0, y1 / height * 1000.0, x2 / width * 1000.0, y2 / height * 1000.0)
