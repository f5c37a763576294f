"""Checks of machine and shell: ROS, disk space, shared memory for pictures."""

import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding, good

_MB = 1_000_000
#: Disk space that lasts for some hours of missions, and for some minutes.
_LITTLE_MB, _NONE_MB = 2000, 50
#: Shared memory that Fast DDS needs for some pictures of 640 x 480.
_SHARED_MB = 64
_RCL_OF_KILTED = 10
#: Library of Fast DDS in the memory of a process: version 2 has the one name, 3 the other.
_LIBRARY = re.compile(r'/libfast(?:rtps|dds)\.so\.(\d+)\.(\d+)')


def machine(environ: Mapping[str, str],
            free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
            processes: Path = Path('/proc')) -> list[Finding]:
    """Findings about the machine, without talking to a node or a server.

    Args:
        environ: of the shell.
        free: returns the free bytes on the disk of a folder.
        processes: folder of the kernel's process information.
    """
    return [_ros(), _domain(environ), _disk(environ, free), _shared_memory(environ, free),
            *_two_kinds_of_fast_dds(processes)]


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
    if environ.get('ROS_LOCALHOST_ONLY') == '1':
        if _is_kilted(environ):
            return Finding(Level.WARN, 'ROS', f'domain {domain}, discovery {where}: this ROS '
                           'takes no notice of ROS_LOCALHOST_ONLY=1',
                           'export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST in its place')
        where = 'LOCALHOST by ROS_LOCALHOST_ONLY'
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
    profile = f'FAST{"DDS" if _is_kilted(environ) else "RTPS"}_DEFAULT_PROFILES_FILE'
    if fast and not environ.get(profile):
        return Finding(Level.WARN, about,
                       'the usual one of Fast DDS loses half of the pictures of 640 x 480',
                       f'export {profile}={share_path("config", "fastdds_pictures.xml")}, where '
                       'the camera is started')
    return good(about, f'{left_mb} MB')


def _is_kilted(environ: Mapping[str, str]) -> bool:
    """Tell whether this shell's ROS is Kilted or later, by its rcl: wheels set no ROS_DISTRO."""
    for prefix in environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        about = Path(prefix, 'share', 'rcl', 'package.xml')
        if about.is_file():
            version = re.search(r'<version>(\d+)', about.read_text(encoding='utf-8'))
            return version is not None and int(version[1]) >= _RCL_OF_KILTED
    return False


def _two_kinds_of_fast_dds(processes: Path) -> list[Finding]:
    """A warning if programs run here that cannot share memory: two versions of Fast DDS."""
    versions: set[tuple[int, int]] = set()
    for maps in processes.glob('[0-9]*/maps'):
        try:
            text = maps.read_text(errors='replace')
        except OSError:
            # It has ended, or belongs to another user.
            continue
        versions |= {(int(major), int(minor)) for major, minor in _LIBRARY.findall(text)}
    if len({major for major, _ in versions}) < 2:
        return []
    told = ' and '.join(f'{major}.{minor}' for major, minor in sorted(versions))
    return [Finding(Level.WARN, 'shared memory',
                    f'Fast DDS {told} run on this machine, as of Jazzy and of Kilted: they share '
                    'no memory, and pictures between them get lost over UDP',
                    'run camera and robot with one distribution, or send compressed pictures '
                    '(image_topic: camera/image_raw/compressed)')]
