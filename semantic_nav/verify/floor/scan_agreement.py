"""Scan-to-map agreement: whether scans contradict the map at the believed pose.

New objects such as people and crates shorten rays. A ray past a removed object ends at a wall
behind it. Neither is counted. A ray counts only if it went through something on the map and ended
where the map has nothing. A lost robot has many such rays, another one hardly any.

Scans are kept in the odometry frame, one for each place, and transformed by the current
correction. So a pose given to the localisation is judged at once by all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.verify.events import ScanTaken
from semantic_nav.verify.floor.localisation import JUMP_M
from semantic_nav.verify.floor.scanner import Walls

#: Number of places judged together, and least distance of each to the one before, in m.
PLACES, APART_M = 8, 0.3
#: Excess of a ray over the distance to an object of the map from which on it went through it,
#: and radius within which the map must be free round its end, in m.
_BEYOND_M, _NEAR_M = 0.5, 0.3
#: Share of contradicting rays, of those towards something on the map, above which the robot is
#: lost, and the share up to which scans and map agree.
CONTRADICTS, AGREES = 0.1, 0.02
#: Least number of rays per scan towards something on the map for a judgement.
_LEAST_RAYS = 10
#: Longest ray used, in m. An error of the heading moves the ends of longer ones too far.
_MOST_M = 5.0
#: Turn by a correction above which the scans are discarded, in rad: more than AMCL errs.
_TURNED_RAD = 0.3
#: Correction up to which the scans are not judged again.
_STILL_M, _STILL_RAD = 0.1, 0.05


@dataclass(frozen=True)
class ScanAgreement:
    """The scans of the last places, and their contradictions with the map.

    Attributes:
        scans: oldest first, none from before the localisation moved the robot far.
        corrections: the map_T_odom when each scan came.
        map_T_odom: the correction by which they were judged.
        share: of the rays towards something on the map, the share that contradict it; None for
            too few places or rays.
        now: the share of the newest scan alone, which may be of the last place.
    """

    scans: tuple[ScanTaken, ...] = ()
    corrections: tuple[Transform, ...] = ()
    map_T_odom: Transform | None = None
    share: float | None = None
    now: float | None = None

    def after(self, scan: ScanTaken, map_T_odom: Transform,
              grid: OccupancyGrid) -> 'ScanAgreement':
        """The agreement after the newest scan.

        Args:
            scan: in the odometry frame.
            map_T_odom: the current correction.
            grid: the map.
        """
        after = self.corrected(map_T_odom, grid)
        if not after.scans or math.dist(after.scans[-1].at, scan.at) >= APART_M:
            after = replace(
                after, scans=(*after.scans, scan)[-PLACES:],
                corrections=(*after.corrections, map_T_odom)[-PLACES:])._judged(map_T_odom, grid)
        return replace(after, now=_share((scan,), map_T_odom, grid))

    def corrected(self, map_T_odom: Transform, grid: OccupancyGrid) -> 'ScanAgreement':
        """The agreement after a correction of the localisation; a large one clears it.

        Args:
            map_T_odom: the current correction.
            grid: the map.
        """
        if self.map_T_odom is None:
            return self
        if self._moved(self.corrections[0], map_T_odom, JUMP_M, _TURNED_RAD):
            return ScanAgreement()
        moved = self._moved(self.map_T_odom, map_T_odom, _STILL_M, _STILL_RAD)
        return self._judged(map_T_odom, grid) if moved else self

    def _judged(self, map_T_odom: Transform, grid: OccupancyGrid) -> 'ScanAgreement':
        return replace(self, map_T_odom=map_T_odom, share=None if len(self.scans) < PLACES
                       else _share(self.scans, map_T_odom, grid))

    def _moved(self, before: Transform, after: Transform, by_m: float, by_rad: float) -> bool:
        """Tell whether two corrections differ by more than a limit at the last place."""
        here = Transform((*self.scans[-1].at, 0.0), (0.0, 0.0, 0.0, 1.0))
        return (after @ here).pose().moved_from((before @ here).pose(), by_m, by_rad)

    @property
    def words(self) -> str:
        """Contradiction of the scans with the pose, and the remedy; empty for none.

        The newest scan has to contradict the map too, so that a robot can be cleared where it
        stands.
        """
        if self.share is None or self.now is None or min(self.share, self.now) <= CONTRADICTS:
            return ''
        return (f'the scans of the last {PLACES} places contradict the map: {self.share:.0%} of '
                f'the rays go through what it has and end where it has nothing, '
                f'{CONTRADICTS:.0%} are allowed. The robot is lost: give it its pose, as with 2D '
                'Pose Estimate in RViz; if the pose is right the map is outdated: make a new one')

    @property
    def agrees(self) -> bool:
        """Tell whether the scans of several places fit the map."""
        return self.share is not None and self.share <= AGREES


def _share(scans: Sequence[ScanTaken], map_T_odom: Transform,
           grid: OccupancyGrid) -> float | None:
    """Share of the rays that contradict the map; None for too few rays."""
    towards, against = np.sum([contradiction(scan, map_T_odom, grid) for scan in scans], axis=0)
    return float(against / towards) if towards >= _LEAST_RAYS * len(scans) else None


def contradiction(scan: ScanTaken, map_T_odom: Transform,
                  grid: OccupancyGrid) -> tuple[int, int]:
    """Number of rays towards something on the map, and of those among them that contradict it.

    Args:
        scan: in the odometry frame.
        map_T_odom: places it in the map.
        grid: the map.
    """
    points = map_T_odom.apply(np.array([(*point, 0.0) for point in (scan.at, *scan.ends)]))
    eye_x, eye_y = points[0, :2].tolist()
    away_m = np.hypot(*(points[:, :2] - points[0, :2]).T)
    near = (away_m > 0.0) & (away_m <= _MOST_M)
    x, y, away_m = points[near, 0], points[near, 1], away_m[near]
    walls = Walls.of(grid, eye_x, eye_y, np.arctan2(y - eye_y, x - eye_x), _MOST_M)
    towards = walls.occupied_m <= walls.free_m
    through = towards & (away_m > walls.occupied_m + _BEYOND_M)
    return int(towards.sum()), int(_alone(grid, x[through], y[through]).sum())


def _alone(grid: OccupancyGrid, x: NDArray[np.float64],
           y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mask of the points with no occupied cell of the map near them, shape (n,)."""
    cells = math.ceil(_NEAR_M / grid.resolution_m)
    steps = np.linspace(-_NEAR_M, _NEAR_M, 2 * cells + 1)
    across, along = (one.ravel() for one in np.meshgrid(steps, steps))
    disc = np.hypot(across, along) <= _NEAR_M
    values = grid.values_at((x[:, None] + across[disc]).ravel(),
                            (y[:, None] + along[disc]).ravel()).reshape(len(x), disc.sum())
    return np.asarray((values < OCCUPIED).all(axis=1))


def scan_report(agreement: ScanAgreement) -> Report | None:
    """Diagnostic report of the agreement; None before the first scan."""
    if not agreement.scans:
        return None
    return Report('scan on map', Level.WARN if agreement.words else Level.OK, agreement.words or (
        f'too little is known of {PLACES} places yet' if agreement.share is None
        else 'the scans do not contradict the map'))
