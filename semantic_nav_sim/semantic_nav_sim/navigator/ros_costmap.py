"""The costmaps as Nav2 publishes them, and the footprint of the base (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable

from geometry_msgs.msg import PolygonStamped
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from std_msgs.msg import Header

from semantic_nav_sim.navigator.costmap import Costmap, Window
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.ros_messages import (
    costmap_to_msg,
    footprint_to_msg,
    update_to_msg,
)

STATE = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class CostmapPublisher:
    """Publishes the whole global costmap if much of it changed, else the changed window.

    It also publishes the whole local costmap, since its window moves, and the footprint of the
    base in both frames.

    Args:
        node: Owns the publishers.
        header: Returns a header of the global frame, stamped now.
        odom_frame: Frame of the local costmap.
    """

    def __init__(self, node: Node, header: Callable[[], Header], odom_frame: str) -> None:
        self._header, self._odom_frame = header, odom_frame
        # The part of the costmap that differs from the last whole one published.
        self._differs: Window | None = None
        self._whole = node.create_publisher(OccupancyGrid, 'global_costmap/costmap', STATE)
        self._updates = node.create_publisher(
            OccupancyGridUpdate, 'global_costmap/costmap_updates', 1)
        self._local = node.create_publisher(OccupancyGrid, 'local_costmap/costmap', STATE)
        self._footprints = [
            node.create_publisher(PolygonStamped, f'{which}_costmap/published_footprint', 1)
            for which in ('global', 'local')]

    def tell_footprint(self, costmap: Costmap, *stamped: tuple[Pose, Time] | None) -> None:
        """Publish the footprint of the base at its poses, if known.

        Args:
            costmap: Holds the footprint.
            stamped: Pose and stamp in the global frame and in the odom frame.
        """
        for publisher, frame, there in zip(
                self._footprints, (self._header().frame_id, self._odom_frame), stamped,
                strict=True):
            if there is not None:
                pose, stamp = there
                publisher.publish(footprint_to_msg(
                    costmap, pose, Header(stamp=stamp.to_msg(), frame_id=frame)))

    def publish_local(self, local: Costmap) -> None:
        """Publish the local costmap."""
        header = Header(stamp=self._header().stamp, frame_id=self._odom_frame)
        self._local.publish(costmap_to_msg(local, header))

    def publish(self, costmap: Costmap, pose: Pose | None) -> None:
        """Publish the changes; without any, the surroundings of the robot's pose."""
        changed = costmap.take_changed()
        if changed is not None:
            self._differs = changed.union(self._differs) if self._differs else changed
        header = self._header()
        if self._differs is not None and 2 * self._differs.size > costmap.everything.size:
            self._whole.publish(costmap_to_msg(costmap, header))
            self._differs = None
            return
        # The window holds all differences from the whole map that a late subscriber gets. Without
        # any, the robot's surroundings show that the costmap is alive.
        window = self._differs or costmap.around(pose or Pose(0.0, 0.0, 0.0))
        self._updates.publish(update_to_msg(costmap, window, header))
