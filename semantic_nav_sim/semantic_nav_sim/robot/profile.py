"""Faults of the simulated robot, as data; by default there are none.

A profile is read from YAML (`profiles.py`). All random numbers depend on the run's seed.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from semantic_nav.contracts.errors import ConfigError


@dataclass(frozen=True)
class OdometryErrors:
    """Drift of the wheel odometry.

    Attributes:
        scale: standard deviation of the constant scale errors, of distances and of turns.
        slip_m: standard deviation of the slip after 1 m; it grows with the root of the distance.
        turn_slip_rad: standard deviation of the slip of turns after 1 rad.
    """

    scale: float = 0.0
    slip_m: float = 0.0
    turn_slip_rad: float = 0.0


@dataclass(frozen=True)
class LocalisationErrors:
    """Errors and jumps of the localisation.

    Attributes:
        noise_m, noise_rad: standard deviation of each update; turns have a long-tailed error, as
            with AMCL.
        noise_lasts_m: distance after which an error has decayed to 1/e; 0: updates are
            independent.
        jump_m, jump_rad: distance and angle of a sudden jump of the believed pose.
        jump_after_s: time of the first jump, from the start.
        jump_every_s: period of the jumps; 0: only one.
        jump_lasts_s: duration of a jump, after which the truth is found again.
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
        dropout: share of rays without a measurement, which are NaN (REP 117).
    """

    noise_m: float = 0.0
    dropout: float = 0.0


@dataclass(frozen=True)
class CameraErrors:
    """Noise of colour and depth.

    Attributes:
        colour: standard deviation of a colour level, of 255.
        depth_per_m: standard deviation of depth at 1 m [m]; it grows with the square of the
            distance, as for stereo cameras.
        depth_step_per_m: depth resolution at 1 m [m], which also grows with the square.
        depth_holes: share of the picture without depth, in patches.
        no_depth: whether pictures lack depth; the map still gets that of an obstacle sensor.
    """

    colour: float = 0.0
    depth_per_m: float = 0.0
    depth_step_per_m: float = 0.0
    depth_holes: float = 0.0
    no_depth: bool = False


@dataclass(frozen=True)
class Delivery:
    """Losses and delays between a sensor and its reader; stamps stay true.

    Attributes:
        dropped: share that is lost.
        late_s: shortest and longest delay; the order is kept.
    """

    dropped: float = 0.0
    late_s: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class RobotProfile:
    """The faults and the additional equipment of one robot.

    Attributes:
        other_cameras: yaw of further cameras to the left of straight ahead [rad], by name; they
            are like the first one, and on its mast.

    Raises:
        ConfigError: the values contradict each other.
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
        """Reject errors that the schema cannot express."""
        for name, (least, most) in (('pictures', self.pictures.late_s),
                                    ('scans', self.scans.late_s)):
            if least > most:
                raise ConfigError(f'{name}.late_s must rise, not {least} and {most}')
        jumps = self.localisation
        if 0 < jumps.jump_every_s < jumps.jump_lasts_s:
            raise ConfigError(f'a jump of {jumps.jump_lasts_s} s cannot come every '
                              f'{jumps.jump_every_s} s')
