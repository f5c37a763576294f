"""The parameters of the verifier node itself."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class VerifierWiring:
    """Parameters of the node itself: names of foreign topics and frames."""

    map_topic: str = parameter('map', 'The map: nav_msgs/OccupancyGrid.')
    costmap_topic: str = parameter(
        'global_costmap/costmap', 'The global costmap; its updates come on <name>_updates.')
    depth_topic: str = parameter(
        'camera/depth/image_raw', 'Depth, registered to the picture or with depth_info_topic: '
        '16UC1 mm or 32FC1 m; empty: there is no depth camera, and bearings, scans and the map '
        'tell where things are.')
    camera_info_topic: str = parameter('camera/camera_info', 'Intrinsics of the picture.')
    depth_info_topic: str = parameter(
        '', 'Intrinsics of a depth camera whose depth is not registered to the picture; empty: it '
        'is.')
    image_is_rectified: bool = parameter(
        False, 'Picture and depth are rectified, as image_rect and its like: their pixels follow '
        'P of camera_info. Else they follow K, and what D says of the lens is undone.')
    other_cameras: str = parameter(
        '', 'Names of further cameras, with commas, as of the hypothesis node; empty: none. What '
        'is said of the first one holds of each, with the topics NAME/depth/image_raw, registered '
        'to the picture, and NAME/camera_info.')
    scan_topic: str = parameter(
        'scan', 'The laser scan, by which it is noticed that the scanner falls silent and that '
        'the robot is lost on a saved map, and what a look showed where there is no depth camera: '
        'sensor_msgs/LaserScan; empty: none.')
    pause_topic: str = parameter(
        '', 'Where somebody says whether the robot is to stand: std_msgs/Bool; empty: nowhere.')
    battery_topic: str = parameter(
        '', 'Where the charge of the battery is told: sensor_msgs/BatteryState; empty: nowhere.')
    localisation_topic: str = parameter(
        '', 'Where the localisation tells how sure it is, as amcl_pose: '
        'geometry_msgs/PoseWithCovarianceStamped; empty: nowhere.')
    localisation_update_service: str = parameter(
        'request_nomotion_update', 'The service of the localisation that has it take in one more '
        "scan although the robot stands, as AMCL's: std_srvs/Empty. It is called where the "
        'uncertainty told on localisation_topic, or scans that contradict the map, alone keep the '
        'robot from driving, ten times at most; empty: never.')
    footprint_topic: str = parameter(
        '', 'Where a costmap of Nav2 tells the outline of the robot, as '
        'global_costmap/published_footprint: geometry_msgs/PolygonStamped; then footprint and '
        'robot_radius count only until it does. Empty: nowhere.')
    zones_file: str = parameter(
        '', 'File of the zones where the robot may not be, or is slow (schema/zones.schema.json); '
        'empty: none.')
    keepout_mask_topic: str = parameter(
        '', 'The mask of a keep-out filter of Nav2: nav_msgs/OccupancyGrid, closed where it is '
        '100; empty: none. Nothing is driven before it has come.')
    speed_limit_topic: str = parameter(
        'speed_limit', 'Where the controller is told how fast it may drive, where there are speed '
        'zones: nav2_msgs/SpeedLimit.')
    odom_frame: str = parameter('odom', 'Frame of the odometry.')
    base_frame: str = parameter('base_link', 'Frame of the robot.')
    depth_tolerance_s: float = parameter(
        0.2, 'How far depth and picture may lie apart, in s.', 0.0, 5.0)
    feedback_max_age_s: float = parameter(
        1.0, 'A server of Nav2 that has told how far a goal is, and tells no more for so long, '
        'counts as dead, in s; what it drives is stopped. One that tells it often is missed after '
        'twice its longest pause so far, and 0.7 of it at least.', 0.2, 60.0)
