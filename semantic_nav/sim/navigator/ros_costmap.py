"""The map and the costmap as Nav2 publishes them (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable

from geometry_msgs.msg import PolygonStamped
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from std_msgs.msg import Header

from semantic_nav.sim.navigator.costmap import Costmap, Window
from semantic_nav.sim.navigator.geometry import Pose
from semantic_nav.sim.navigator.ros_messages import (
    costmap_to_msg,
    footprint_to_msg,
    update_to_msg,
)

STATE = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class CostmapPublisher:
    """Publishes the whole costmap where much of it changed, else the window that did.

    And the outline of the base.

    Args:
        node: Owns the publishers.
        header: Makes a header of the global frame, stamped now.
    """

    def __init__(self, node: Node, header: Callable[[], Header]) -> None:
        self._header = header
        # The part of the costmap that differs from the last whole one that was published.
        self._differs: Window | None = None
        self._whole = node.create_publisher(OccupancyGrid, 'global_costmap/costmap', STATE)
        self._updates = node.create_publisher(
            OccupancyGridUpdate, 'global_costmap/costmap_updates', 1)
        self._footprints = [
            node.create_publisher(PolygonStamped, f'{which}_costmap/published_footprint', 1)
            for which in ('global', 'local')]

    def tell_footprint(self, costmap: Costmap, stamped: tuple[Pose, Time] | None) -> None:
        """Publish the outline of the base where it is, with the stamp of its pose, if known."""
        if stamped is None:
            return
        pose, stamp = stamped
        message = footprint_to_msg(
            costmap, pose, Header(stamp=stamp.to_msg(), frame_id=self._header().frame_id))
        for footprint in self._footprints:
            footprint.publish(message)

    def publish(self, costmap: Costmap, pose: Pose | None) -> None:
        """Publish what changed; where nothing did, the surroundings of the robot's pose."""
        changed = costmap.take_changed()
        if changed is not None:
            self._differs = changed.union(self._differs) if self._differs else changed
        header = self._header()
        if self._differs is not None and 2 * self._differs.size > costmap.everything.size:
            self._whole.publish(costmap_to_msg(costmap, header))
            self._differs = None
            return
        # Everything that differs from the whole map a late subscriber gets; if nothing does, the
        # robot's surroundings, so that the costmap is known to be alive.
        window = self._differs or costmap.around(pose or Pose(0.0, 0.0, 0.0))
        self._updates.publish(update_to_msg(costmap, window, header))
