"""Log of the cores, which know no ROS, in the log of their node."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node

_PACKAGE = 'semantic_nav'


class _ToNode(logging.Handler):
    """Handler that writes to the logger of a node, whose own level decides what is shown."""

    def __init__(self, logger: RcutilsLogger) -> None:
        super().__init__()
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; rclpy allows one level for each place that logs, hence the branches."""
        text = self.format(record)
        if record.levelno >= logging.ERROR:
            self._logger.error(text)
        elif record.levelno >= logging.WARNING:
            self._logger.warning(text)
        elif record.levelno >= logging.INFO:
            self._logger.info(text)
        else:
            self._logger.debug(text)


@contextmanager
def logged_by(node: Node) -> Iterator[None]:
    """Send the log of the package to a node for a block."""
    package, handler = logging.getLogger(_PACKAGE), _ToNode(node.get_logger())
    before = package.level, package.propagate
    package.addHandler(handler)
    package.setLevel(logging.DEBUG)
    # Otherwise each line comes twice if the root logger has a handler too.
    package.propagate = False
    try:
        yield
    finally:
        package.removeHandler(handler)
        package.level, package.propagate = before
