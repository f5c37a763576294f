"""Parameters of the simulated robot."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter
from semantic_nav_sim.profile_files import AMCL, LOCALISERS
from semantic_nav_sim.robot.base import Drive


@dataclass(frozen=True)
class RobotConfig:
    """Parameters from outside, read once at the start."""

    world: str = parameter(
        'apartment', 'a folder of config/worlds, the path of one elsewhere, or '
        'generated:SEED[:ROOMS[:wide]]')
    seed: int = parameter(0, 'start pose, places of movable things, noise', 0)
    people: int = parameter(0, 'people who walk about', 0, 3)
    moving_doors: bool = parameter(False, 'the doors inside close and open by themselves')
    usual_places: bool = parameter(
        False, 'things that the seed places lie where such things usually do')
    truth_port: int = parameter(
        0, 'loopback port on which stand-ins and judges ask for the truth; 0: none', 0, 65535)
    profile: str = parameter(
        'default', 'what is wrong with the robot: a name of config/profiles/robot, the path of a '
        'YAML file, or several with + between them')
    localiser: str = parameter(
        AMCL, 'what the profile `default` errs as: amcl, which localises on a saved map, or slam, '
        'which makes the map', choices=LOCALISERS)
    shape: str = parameter(
        '', 'of the base: round:RADIUS or rectangle:LENGTHxWIDTH, in metres; empty: round, 0.2')
    drive: str = parameter('differential', 'only an omnidirectional base goes sideways',
                           choices=tuple(Drive))
    camera_rate: float = parameter(10.0, 'pictures a second [Hz]', 0.1, 60.0)
    width: int = parameter(640, 'width of the pictures [px]', 64, 1920)
    height: int = parameter(480, 'height of the pictures [px]', 48, 1440)
    odom_rate: float = parameter(30.0, 'odometry [Hz]', 1.0, 200.0)
    tf_rate: float = parameter(50.0, 'transforms, and steps of the base [Hz]', 10.0, 200.0)
    scan_rate: float = parameter(10.0, 'laser scans [Hz]', 0.1, 50.0)
    transform_tolerance: float = parameter(
        1.0, 'how far ahead the localisation stamps its transform, as AMCL does [s]', 0.0, 5.0)
    frame_prefix: str = parameter('', "stands before the names of the robot's own frames")
