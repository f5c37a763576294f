"""Robot and bridge for Gazebo: what one publishes the other carries, under names that we hear."""

import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import sdf_schema
import yaml
from numpy.typing import NDArray
from test_parameters_yaml import in_file

from semantic_nav.contracts.share import share_path
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.lidar_model import LidarModel
from semantic_nav_sim.robot.shape import USUAL
from semantic_nav_sim.share import share_path as sim_path
from semantic_nav_sim.world.meshes import rotation_x, rotation_y, rotation_z

ROOT = Path(__file__).parents[2]
GAZEBO = sim_path('config', 'gazebo')
BRIDGE: list[dict[str, str]] = yaml.safe_load((GAZEBO / 'bridge.yaml').read_text())
SDF = ElementTree.parse(GAZEBO / 'robot.sdf').getroot()
URDF = ElementTree.parse(GAZEBO / 'robot.urdf').getroot()
NAV2: dict[str, Any] = yaml.safe_load(share_path('config', 'nav2_params.yaml').read_text())
#: Pairs that ros_gz_bridge converts, by the table in its README (branch jazzy).
PAIRS = {('rosgraph_msgs/msg/Clock', 'gz.msgs.Clock'),
         ('geometry_msgs/msg/Twist', 'gz.msgs.Twist'),
         ('nav_msgs/msg/Odometry', 'gz.msgs.Odometry'),
         ('tf2_msgs/msg/TFMessage', 'gz.msgs.Pose_V'),
         ('sensor_msgs/msg/LaserScan', 'gz.msgs.LaserScan'),
         ('sensor_msgs/msg/Image', 'gz.msgs.Image'),
         ('sensor_msgs/msg/CameraInfo', 'gz.msgs.CameraInfo')}
#: Of the topic of an rgbd_camera, what gz-sensors publishes below it.
BELOW = ('image', 'depth_image', 'points', 'camera_info')


def to_ros() -> dict[str, str]:
    return {one['ros_topic_name']: one['ros_type_name'] for one in BRIDGE
            if one['direction'] == 'GZ_TO_ROS'}


def sensor(name: str) -> ElementTree.Element:
    found, = (one for one in SDF.iter('sensor') if one.get('name') == name)
    return found


def words(text: str | None) -> NDArray[np.float64]:
    return np.array([float(word) for word in (text or '').split()])


def test_the_bridge_converts_these_pairs() -> None:
    assert {(one['ros_type_name'], one['gz_type_name']) for one in BRIDGE} <= PAIRS
    assert all(set(one) == {'ros_topic_name', 'gz_topic_name', 'ros_type_name', 'gz_type_name',
                            'direction'} for one in BRIDGE)
    assert len({one['ros_topic_name'] for one in BRIDGE}) == len(BRIDGE)


def test_the_bridge_carries_what_the_robot_publishes_and_hears() -> None:
    drive, = SDF.iter('plugin')
    camera = sensor('camera').findtext('topic')
    written = {'clock', drive.findtext('odom_topic'), drive.findtext('tf_topic'),
               sensor('scanner').findtext('topic'), *(f'{camera}/{one}' for one in BELOW)}
    for one in BRIDGE:
        if one['direction'] == 'GZ_TO_ROS':
            assert one['gz_topic_name'] in written, one
        else:
            assert (one['direction'], one['gz_topic_name']) == (
                'ROS_TO_GZ', drive.findtext('topic'))


def test_our_nodes_hear_it_under_their_own_names_and_with_these_types() -> None:
    verifier, hypothesis = in_file('verifier'), in_file('hypothesis')
    page = (ROOT / 'docs' / 'interfaces.md').read_text()
    for topic in (hypothesis['image_topic'], verifier['camera_info_topic'],
                  verifier['depth_topic'], verifier['scan_topic']):
        kind, = re.findall(rf'^\| `{topic}` \| `(\w+)/(\w+)`', page, re.MULTILINE)
        assert to_ros()[topic] == '/msg/'.join(kind), topic


def test_nav2_hears_it_too() -> None:
    assert to_ros()[NAV2['bt_navigator']['ros__parameters']['odom_topic']] == \
        'nav_msgs/msg/Odometry'
    assert to_ros()[NAV2['amcl']['ros__parameters']['scan_topic']] == 'sensor_msgs/msg/LaserScan'
    commands = NAV2['collision_monitor']['ros__parameters']
    down, = (one for one in BRIDGE if one['direction'] == 'ROS_TO_GZ')
    assert down['ros_topic_name'] == commands['cmd_vel_out_topic']
    assert down['ros_type_name'].endswith('Stamped') == commands['enable_stamped_cmd_vel']
    # depth_image_proc makes the points: its launch action says where they go.
    text = (ROOT / 'semantic_nav_sim' / 'launch' / 'gazebo.launch.py').read_text()
    layer = NAV2['local_costmap']['local_costmap']['ros__parameters']['voxel_layer']
    assert f"('points', '{layer['depth']['topic'].removeprefix('/')}')" in text
    depth, = re.findall(r"\('image_rect', '([\w/]+)'\)", text)
    assert to_ros()[depth].endswith('Image')
    assert to_ros()[f'{depth.rpartition("/")[0]}/camera_info'].endswith('CameraInfo')


def test_frames_are_those_that_our_nodes_ask_for() -> None:
    drive, = SDF.iter('plugin')
    verifier = in_file('verifier')
    assert (drive.findtext('frame_id'), drive.findtext('child_frame_id')) == (
        verifier['odom_frame'], verifier['base_frame'])
    links = {link.get('name') for link in URDF.iter('link')}
    for name in ('scanner', 'camera'):
        assert sensor(name).findtext('gz_frame_id') in links
    assert sensor('camera').findtext('camera/optical_frame_id') in links
    children = {joint.find('child').get('link') for joint in URDF.iter('joint')}
    assert links - children == {verifier['base_frame']}


def test_ros_is_told_where_the_sensors_are() -> None:
    joints = {joint.find('child').get('link'): joint for joint in URDF.iter('joint')}
    for name, link in (('scanner', 'laser'), ('camera', 'camera_link')):
        origin = joints[link].find('origin')
        assert joints[link].find('parent').get('link') == 'base_link'
        told = np.concatenate([words(origin.get('xyz')), words(origin.get('rpy'))])
        assert np.allclose(told, words(sensor(name).findtext('pose')), atol=1e-5)
    roll, pitch, yaw = words(joints['camera_color_optical_frame'].find('origin').get('rpy'))
    turn = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
    assert np.allclose(turn @ [0, 0, 1], [1, 0, 0], atol=1e-6)  # ahead
    assert np.allclose(turn @ [1, 0, 0], [0, -1, 0], atol=1e-6)  # right


def test_it_sees_and_measures_as_the_robot_of_the_simulator() -> None:
    camera, scanner = CameraModel(), LidarModel()
    x, y, z, _, pitch, _ = words(sensor('camera').findtext('pose'))
    assert np.allclose([x, y, z, pitch], [*camera.mount, camera.pitch_rad], atol=1e-4)
    seen = sensor('camera').find('camera')
    assert seen is not None
    assert float(seen.findtext('horizontal_fov') or 0) == pytest.approx(camera.hfov_rad, abs=1e-4)
    assert (int(seen.findtext('image/width') or 0), int(seen.findtext('image/height') or 0)) == (
        camera.width, camera.height)
    rays = sensor('scanner').find('lidar')
    assert rays is not None
    assert words(sensor('scanner').findtext('pose'))[2] == scanner.height_m
    assert int(rays.findtext('scan/horizontal/samples') or 0) == scanner.rays
    assert (float(rays.findtext('range/min') or 0), float(rays.findtext('range/max') or 0)) == (
        scanner.range_min_m, scanner.range_max_m)
    turn = float(rays.findtext('scan/horizontal/max_angle') or 0) - float(
        rays.findtext('scan/horizontal/min_angle') or 0)
    assert turn == pytest.approx(math.tau - scanner.step_rad, abs=1e-3)


def test_its_body_is_as_large_as_nav2_and_the_verifier_are_told() -> None:
    radius = max(float(one.findtext('geometry/cylinder/radius') or 0)
                 for one in SDF.iter('collision'))
    assert radius == USUAL.radius_m
    profile = yaml.safe_load(share_path('config', 'robots', 'generic_depth.yaml').read_text())
    assert profile['/**/verifier']['ros__parameters']['robot_radius'] == USUAL.nav2_radius_m


def test_it_stands_on_its_wheels_and_drives_them() -> None:
    drive, = SDF.iter('plugin')
    radius, separation = (float(drive.findtext(tag) or 0)
                          for tag in ('wheel_radius', 'wheel_separation'))
    for side, sign in (('left', 1), ('right', -1)):
        wheel, = (link for link in SDF.iter('link') if link.get('name') == f'{side}_wheel')
        x, y, z, *_ = words(wheel.findtext('pose'))
        assert (x, y, z) == (0, sign * separation / 2, radius)
        assert float(wheel.findtext('collision/geometry/cylinder/radius') or 0) == radius
        joint = drive.findtext(f'{side}_joint')
        assert joint in {one.get('name') for one in SDF.iter('joint')}
    balls = [(words(one.findtext('pose'))[2], float(radius))
             for one in SDF.iter('collision')
             if (radius := one.findtext('geometry/sphere/radius'))]
    assert len(balls) == 2 and all(height == radius for height, radius in balls)


def test_the_robot_is_as_sdformat_describes_it() -> None:
    assert SDF.get('version') == '1.11'
    folder = sdf_schema.descriptions('1.11')
    if folder is None:
        pytest.skip('sdformat is not installed')
    assert sdf_schema.problems(SDF, folder) == []


@pytest.mark.parametrize('path', sorted((ROOT / 'config').rglob('*.y*ml')),
                         ids=lambda path: str(path.relative_to(ROOT)))
def test_every_yaml_file_is_yaml(path: Path) -> None:
    assert yaml.safe_load(path.read_text(encoding='utf-8')) is not None
