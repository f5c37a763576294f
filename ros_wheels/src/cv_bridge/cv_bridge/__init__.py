"""Conversion between sensor_msgs/Image and numpy arrays, without OpenCV."""

from cv_bridge.core import CvBridge, CvBridgeError

__all__ = ['CvBridge', 'CvBridgeError']
