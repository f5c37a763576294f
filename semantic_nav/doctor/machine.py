"""Looks at the machine and the shell: ROS, room on the disk, shared memory for pictures."""

import importlib.util
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding, good

_MB = 1_000_000
#: Less room than this is full after some hours of missions, and less than that after some minutes.
_LITTLE_MB, _NONE_MB = 2000, 50
#: Fast DDS keeps a picture of 640 x 480 in memory that must hold some of them.
_SHARED_MB = 64
_PROFILE = 'FASTRTPS_DEFAULT_PROFILES_FILE'


def machine(environ: Mapping[str, str],
            free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
            ) -> list[Finding]:
    """Return what can be said without talking to anybody.

    Args:
        environ: of the shell.
        free: returns the bytes that are free where a folder lies.
    """
    return [_ros(), _domain(environ), _disk(environ, free), _shared_memory(environ, free)]


def _ros() -> Finding:
    if importlib.util.find_spec('rclpy') is None:
        return Finding(Level.ERROR, 'ROS', 'this shell has no ROS',
                       '. ros_wheels/env.sh, or source /opt/ros/jazzy/setup.bash before it')
    missing = [name for name in ('nav2_msgs', 'tf2_ros')
               if importlib.util.find_spec(name) is None]
    if missing:
        return Finding(Level.ERROR, 'ROS', f'these packages are missing: {", ".join(missing)}',
                       'rosdep install --from-paths . --ignore-src -y; ros_wheels/bootstrap')
    return good('ROS', 'rclpy, nav2_msgs and tf2 are there')


def _domain(environ: Mapping[str, str]) -> Finding:
    domain = environ.get('ROS_DOMAIN_ID', '0')
    where = environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    return good('ROS', f'domain {domain}, discovery {where}, '
                f'{environ.get("RMW_IMPLEMENTATION", "the usual RMW")}')


def _disk(environ: Mapping[str, str], free: Callable[[Path], int]) -> Finding:
    home = Path(environ.get('ROS_HOME') or Path(environ.get('HOME', '/')) / '.ros')
    there = next(path for path in (home, *home.parents) if path.exists())
    left_mb = free(there) // _MB
    words = f'{left_mb} MB are free for journals and memory, in {home}'
    if left_mb >= _LITTLE_MB:
        return good('disk', words)
    return Finding(Level.ERROR if left_mb < _NONE_MB else Level.WARN, 'disk', words,
                   'make room; on a full disk no drive begins')


def _shared_memory(environ: Mapping[str, str], free: Callable[[Path], int]) -> Finding:
    about, folder = 'shared memory', Path('/dev/shm')
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return Finding(Level.WARN, about, '/dev/shm cannot be written: pictures go by UDP',
                       'give a container --ipc=host')
    left_mb = free(folder) // _MB
    if left_mb < _SHARED_MB:
        return Finding(Level.WARN, about, f'/dev/shm has {left_mb} MB left: pictures get lost',
                       'give a container --shm-size=512m, or --ipc=host')
    fast = 'fastrtps' in environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp')
    if fast and not environ.get(_PROFILE):
        return Finding(Level.WARN, about,
                       'the usual one of Fast DDS loses half of the pictures of 640 x 480',
                       f'export {_PROFILE}={share_path("config", "fastdds_pictures.xml")}, where '
                       'the camera is started')
    return good(about, f'{left_mb} MB')
