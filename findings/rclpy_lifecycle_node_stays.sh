#!/usr/bin/env bash
# A LifecycleNode of rclpy that was destroyed stays in the ROS graph until Python collects garbage.
#
# `destroy_node()` of a plain Node takes the node out of the graph and ends its DDS participant at
# once. That of a LifecycleNode does not: the node refers to a state machine, which holds the node's
# handle, in a cycle. Programs that make and destroy such nodes, as tests do, gather participants.
# Two minutes, of which most is fetching.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ros-jazzy-rclpy==7.1.6 ros-jazzy-rmw-fastrtps-cpp==8.4.3 \
  ros-jazzy-lifecycle-msgs==2.0.3
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=$((RANDOM % 100 + 1))
export RMW_IMPLEMENTATION=rmw_fastrtps_cpp ROS_LOG_DIR=$folder/log
"$folder/venv/bin/python" - <<'PYTHON'
import gc
import importlib.metadata
import sys
import time

import rclpy
from rclpy.context import Context
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node

context = Context()
rclpy.init(context=context)
witness = Node('witness', context=context)


def there(wanted, patience_s=10.0):
    """Tell whether the witness sees the other node, once that is as wanted or time is over."""
    end = time.monotonic() + patience_s
    while ('other' in witness.get_node_names()) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    return 'other' in witness.get_node_names()


def lingers(kind):
    # A context of its own is a participant of its own.
    own = Context()
    rclpy.init(context=own)
    node = kind('other', context=own)
    assert there(True), 'the nodes did not meet'
    node.destroy_node()
    rclpy.shutdown(context=own)
    del node, own
    return there(False)


gc.disable()
print('rclpy', importlib.metadata.version('ros-jazzy-rclpy'))
found = {kind.__name__: lingers(kind) for kind in (Node, LifecycleNode)}
gc.collect()
found['after gc.collect()'] = there(False)
print('still in the graph:', found)
sys.exit(0 if found == {'Node': False, 'LifecycleNode': True, 'after gc.collect()': False}
         else 'this has changed')
PYTHON
