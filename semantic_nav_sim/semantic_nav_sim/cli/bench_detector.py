"""`bench detector`: recall and precision, in rendered pictures, of a detector for photographs."""

import argparse
import time
from collections.abc import Iterator, Sequence

from tqdm import tqdm

from semantic_nav.cli.arguments import number, numbers, share
from semantic_nav_sim.bench.detector import Judged, judge, measures
from semantic_nav_sim.bench.detector_views import views
from semantic_nav_sim.cli.bench_table import show
from semantic_nav_sim.detector.centernet import Detector
from semantic_nav_sim.detector.eyes import LEAST_SCORE


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, except --json."""
    parser.add_argument('--homes', type=numbers, default=list(range(1, 11)), metavar='SEEDS',
                        help="of generated homes, such as '1-10' or '3,7,9' (default: 1-10)")
    parser.add_argument('--views', type=number, default=20, metavar='N',
                        help='of each home (default: %(default)s)')
    parser.add_argument('--least-score', type=share, default=LEAST_SCORE, metavar='SCORE',
                        help='from which on a box counts, 0 to 1 (default: %(default)s)')


def carry_out(chosen: argparse.Namespace) -> int:
    """Render, detect and judge views, and print the table.

    Raises:
        ConfigError: the detector is not installed, or this machine cannot render.
    """
    detector = Detector()
    return show(measures(list(_judged(
        detector, chosen.homes, chosen.views, chosen.least_score))), chosen.json)


def _judged(detector: Detector, homes: Sequence[int], count: int,
            least: float) -> Iterator[Judged]:
    with tqdm(total=len(homes) * count, unit='view', disable=None) as bar:
        for home in homes:
            for view in views(home, count):
                began_s = time.perf_counter()
                found, _ = detector.detect(view.picture.jpeg, least)
                yield judge(view, found, time.perf_counter() - began_s)
                bar.update()
