"""Parameters of the verifier node itself."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class VerifierWiring:
    """Parameters of the node itself: topics of others, frames and files."""

    map_topic: str = parameter('map', 'Map topic: nav_msgs/OccupancyGrid.')
    costmap_topic: str = parameter(
        'global_costmap/costmap', 'Topic of the global costmap, nav_msgs/OccupancyGrid; its '
        'updates come on <name>_updates.')
    depth_topic: str = parameter(
        'camera/depth/image_raw', 'Depth topic, registered to the picture or with '
        'depth_info_topic: 16UC1 in mm or 32FC1 in m. Empty: no depth camera; bearings, scans and '
        'the map tell positions.')
    camera_info_topic: str = parameter('camera/camera_info', 'Topic of the camera intrinsics, '
        'sensor_msgs/CameraInfo.')
    depth_info_topic: str = parameter(
        '', 'Topic of the intrinsics of a depth camera whose depth is not registered to the '
        'picture; empty: it is registered.')
    image_is_rectified: bool = parameter(
        False, 'True: picture and depth are rectified, as on image_rect, and follow P of '
        'camera_info. False: they follow K, and the distortion D is removed.')
    camera_name: str = parameter(
        'camera', 'Name of the first camera, as in camera_name of the hypothesis node. Beside '
        'other_cameras it tells which looks are its own; the name of a sole camera does not '
        'matter.')
    other_cameras: str = parameter(
        '', 'Names of further cameras, separated by commas, as in other_cameras of the '
        'hypothesis node. Each has the topics NAME/depth/image_raw, registered to the picture, '
        'and NAME/camera_info. Empty: none.')
    scan_topic: str = parameter(
        'scan', 'Laser scan topic, sensor_msgs/LaserScan: shows a scanner that fell silent, a '
        'robot that is lost on a saved map and, without a depth camera, the free space of a look. '
        'Empty: none.')
    pause_topic: str = parameter(
        '', 'Topic on which true holds the robot: std_msgs/Bool; empty: none.')
    battery_topic: str = parameter(
        '', 'Topic of the battery charge: sensor_msgs/BatteryState; empty: none.')
    localisation_topic: str = parameter(
        '', 'Topic of the pose with its covariance, such as amcl_pose: '
        'geometry_msgs/PoseWithCovarianceStamped; empty: none.')
    localisation_update_service: str = parameter(
        'request_nomotion_update', 'Service that makes the localisation take in one more scan '
        "while the robot stands, such as AMCL's request_nomotion_update: std_srvs/Empty. It is "
        'called, ten times at most, while only the uncertainty on localisation_topic or scans '
        'that contradict the map keep the robot from driving. Empty: none.')
    footprint_topic: str = parameter(
        '', 'Topic of the footprint of the robot, such as global_costmap/published_footprint: '
        'geometry_msgs/PolygonStamped. Once heard it replaces footprint and robot_radius. Empty: '
        'none.')
    zones_file: str = parameter(
        '', 'File of keep-out and speed zones (schema/zones.schema.json); empty: none.')
    keepout_mask_topic: str = parameter(
        '', "Topic of the mask of Nav2's keep-out filter: nav_msgs/OccupancyGrid, closed where "
        'it is 100. The robot does not drive before it has come. Empty: none.')
    speed_limit_topic: str = parameter(
        'speed_limit', 'Topic of the speed limit for the controller, used where there are speed '
        'zones: nav2_msgs/SpeedLimit.')
    odom_frame: str = parameter('odom', 'Frame of the odometry.')
    base_frame: str = parameter('base_link', 'Frame of the robot.')
    depth_tolerance_s: float = parameter(
        0.2, 'Largest time between a picture and its depth, in s.', 0.0, 5.0)
    feedback_max_age_s: float = parameter(
        1.0, 'Pause in the feedback of a Nav2 action after which its server counts as dead and '
        'the drive is stopped, in s. For a server with frequent feedback it is twice the longest '
        'pause so far, and at least 0.7 of this value.', 0.2, 60.0)
