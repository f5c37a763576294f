"""What is wrong with the simulated robot, as data: without a word said, nothing is.

A profile is read from YAML (`profiles.py`). All chance comes from the run's seed.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from semantic_nav.contracts.errors import ConfigError


@dataclass(frozen=True)
class OdometryErrors:
    """How wheel odometry drifts.

    Attributes:
        scale: standard deviation of this robot's errors of scale, of ways and of turns.
        slip_m: standard deviation of the slip after one metre; it grows with the root of the way.
        turn_slip_rad: the same of turns, after one radian.
    """

    scale: float = 0.0
    slip_m: float = 0.0
    turn_slip_rad: float = 0.0


@dataclass(frozen=True)
class LocalisationErrors:
    """How far the localisation is off, and when it loses its way.

    Attributes:
        noise_m, noise_rad: standard deviation of each look at the truth; turns err now and then
            by far more, as AMCL's do.
        noise_lasts_m: the way after which an error has gone to 1/e; 0: each look errs by itself.
        jump_m, jump_rad: how far and how much turned the robot suddenly believes to be elsewhere.
        jump_after_s: when that happens first, from the start.
        jump_every_s: when it happens again, from one to the next; 0: never.
        jump_lasts_s: when the truth is found again, from the jump.
    """

    noise_m: float = 0.0
    noise_rad: float = 0.0
    noise_lasts_m: float = 0.0
    jump_m: float = 0.0
    jump_rad: float = 0.0
    jump_after_s: float = 0.0
    jump_every_s: float = 0.0
    jump_lasts_s: float = 0.0


@dataclass(frozen=True)
class ScanErrors:
    """Noise of the laser scanner.

    Attributes:
        noise_m: standard deviation of a range.
        dropout: share of rays that measure nothing, which is told as NaN (REP 117).
    """

    noise_m: float = 0.0
    dropout: float = 0.0


@dataclass(frozen=True)
class CameraErrors:
    """Noise of pictures and depth.

    Attributes:
        colour: standard deviation of a colour's level, of 255.
        depth_per_m: standard deviation of a depth at one metre [m]; it grows with the square of
            the distance, as that of stereo cameras does.
        depth_step_per_m: the step between two depths at one metre [m], which grows the same way.
        depth_holes: share of the picture in which no depth is found, in patches.
        no_depth: pictures have no depth; the map still gets that of a sensor of obstacles.
    """

    colour: float = 0.0
    depth_per_m: float = 0.0
    depth_step_per_m: float = 0.0
    depth_holes: float = 0.0
    no_depth: bool = False


@dataclass(frozen=True)
class Delivery:
    """What happens to a measurement between sensor and reader; its stamp stays true.

    Attributes:
        dropped: share that never arrives.
        late_s: shortest and longest delay; the order is kept.
    """

    dropped: float = 0.0
    late_s: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class RobotProfile:
    """What is wrong with one robot, and what it has besides the usual one.

    Attributes:
        other_cameras: how far to the left of straight ahead further cameras look [rad], by their
            names; they are like the first one, and on the same mast.

    Raises:
        ConfigError: it makes no sense.
    """

    PART: ClassVar[str] = 'robot'

    odometry: OdometryErrors = field(default_factory=OdometryErrors)
    localisation: LocalisationErrors = field(default_factory=LocalisationErrors)
    scan: ScanErrors = field(default_factory=ScanErrors)
    camera: CameraErrors = field(default_factory=CameraErrors)
    pictures: Delivery = field(default_factory=Delivery)
    scans: Delivery = field(default_factory=Delivery)
    other_cameras: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what the schema cannot express."""
        for name, (least, most) in (('pictures', self.pictures.late_s),
                                    ('scans', self.scans.late_s)):
            if least > most:
                raise ConfigError(f'{name}.late_s must rise, not {least} and {most}')
        jumps = self.localisation
        if 0 < jumps.jump_every_s < jumps.jump_lasts_s:
            raise ConfigError(f'a jump of {jumps.jump_lasts_s} s cannot come every '
                              f'{jumps.jump_every_s} s')
