"""Advice for entries of /diagnostics that are not OK, as in docs/operating.md."""

import shutil

from semantic_nav.doctor.finding import LAUNCH

#: Replacements on a machine without `ros2`.
_WITHOUT_ROS2 = {'ros2 run semantic_nav ': 'python -m semantic_nav ',
                 LAUNCH: 'python -m semantic_nav demo --missions 0'}
#: Advice by node and entry.
ADVICE: dict[tuple[str, str], str] = {
    ('hypothesis', 'camera'): 'start the camera, or set `image_topic`, or `other_cameras`',
    ('hypothesis', 'look'): 'docs/models.md',
    ('hypothesis', 'model'): 'ros2 run semantic_nav vlm discover, and docs/models.md',
    ('hypothesis', 'proof'): 'ros2 run semantic_nav vlm ping, and docs/models.md',
    ('hypothesis', 'circuit'): 'ros2 run semantic_nav vlm ping, and docs/models.md',
    ('hypothesis', 'context'): 'docs/models.md',
    ('hypothesis', 'schema'): 'update the model server, or set `think: unsaid`; docs/models.md',
    ('hypothesis', 'tools'): 'docs/models.md',
    ('hypothesis', 'request_log'): 'docs/models.md',
    ('hypothesis', 'backend'): 'unset `vlm_backend: mock`',
    ('memory', 'store'): 'set `memory_db`, or mend the disk',
    ('memory', 'embedder'): 'run `ros_wheels/bootstrap` again',
    ('belief', 'listeners'): 'start the node that is missing',
    ('belief', 'memory'): 'start the memory again',
    ('belief', 'kept'): 'make room in `journal_dir`/missions',
    ('belief', 'found'): 'the next mission writes the damaged file over',
    ('verifier', 'pose'): 'start SLAM or AMCL; check the frames, the clocks, that one node '
                          'alone publishes odom -> base_link, and one map -> odom; set the pose '
                          'anew',
    ('verifier', 'map'): 'start Nav2; check the topics, and `map_frame`',
    ('verifier', 'costmap'): 'start Nav2; check the topics, and `map_frame`',
    ('verifier', 'keepout'): 'start Nav2; check the topics, and `map_frame`',
    ('verifier', 'pause'): 'see who publishes `pause_topic`',
    ('verifier', 'depth picture'): 'start the sensor; set `depth_topic`',
    ('verifier', 'laser scan'): 'start the sensor; set `scan_topic` (empty: none)',
    ('verifier', 'other cameras'): 'start it, or remap its topics; check the frame of its '
                                   '`camera_info`',
    ('verifier', 'battery'): 'see who publishes `battery_topic`: its `percentage` is to be 0 to 1',
    ('verifier', 'localisation'): 'see who publishes `localisation_topic`',
    ('verifier', 'scan on map'): 'give the robot its pose, as with 2D Pose Estimate in RViz; if '
                                 'that is right, map the home anew',
    ('verifier', 'mount'): 'mend the mount of the camera in TF, its calibration, or how its depth '
                           'is registered; until then places are held to be less certain',
    ('verifier', 'depth on map'): 'switch the mirroring of depth or picture off in the driver; '
                                  'clear the lens; see unit, range mode and phase unwrapping of '
                                  'depth',
    ('verifier', 'clocks'): 'chrony or NTP on base, camera computer and this one; use_sim_time '
                            'alike for all',
    ('verifier', 'topics'): 'start who publishes them, or name the right topics; empty: the robot '
                            'has none',
    ('verifier', 'nav2'): "start Nav2's servers",
    ('verifier', 'drives'): 'set `default_server_timeout` of `bt_navigator` to 1000; see whether '
                            'the computer is overloaded',
    ('verifier', 'footprint'): 'see who publishes `footprint_topic`, or set `footprint`',
    ('verifier', 'proof'): 'start the camera, or mend what it says; docs/interfaces.md tells what '
                           'the topics must hold',
    ('verifier', 'depth'): 'docs/interfaces.md tells what the topics must hold',
    ('recorder', 'recording'): 'make room on the disk, or raise `max_mb` of the recorder',
}
#: Advice for an entry of any node.
OF_ANY = {
    'alive': 'end one of two nodes of a name; docs/operating.md',
    'deadman': 'restart the verifier',
    'journal': 'make room on the disk',
    'middleware': 'docs/safety.md; or RMW_IMPLEMENTATION=rmw_fastrtps_cpp for all nodes',
    'lifecycle': 'start the nodes by nav.launch.py, which activates them',
    'parameters': 'config/semantic_nav.yaml names all; mend the parameter file',
}


def advice(node: str, entry: str) -> str:
    """Advice for an entry of a node; empty if there is none."""
    return ADVICE.get((node, entry)) or OF_ANY.get(entry, '')


def here(words: str) -> str:
    """Advice with the commands that this machine has."""
    if shutil.which('ros2') is None:
        for command, instead in _WITHOUT_ROS2.items():
            words = words.replace(command, instead)
    return words
