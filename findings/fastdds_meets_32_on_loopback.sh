#!/usr/bin/env bash
# With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST a process meets 32 others of its domain, no more.
#
# rmw_fastrtps then asks at the ports of participants 0 to 31 of the machine, instead of by
# multicast. A later process does not meet those with a higher number, though both run well and
# each meets others; nothing is said of it. With SUBNET, the default, all meet. Two minutes, of which
# most is fetching.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ros-jazzy-rclpy==7.1.6 ros-jazzy-rmw-fastrtps-cpp==8.4.3
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=$((RANDOM % 100 + 1))
export RMW_IMPLEMENTATION=rmw_fastrtps_cpp ROS_LOG_DIR=$folder/log
cat >"$folder/newcomer.py" <<'PYTHON'
import time

import rclpy
from rclpy.node import Node

rclpy.init()
node = Node('newcomer')
met, end = 0, time.monotonic() + 20
while time.monotonic() < end:
    now = sum(name.startswith('early') for name in node.get_node_names())
    if now > met:
        met, end = now, time.monotonic() + 8
    time.sleep(0.2)
print(met)
PYTHON
"$folder/venv/bin/python" - "$folder/newcomer.py" <<'PYTHON'
import importlib.metadata
import subprocess
import sys

import rclpy
from rclpy.context import Context
from rclpy.node import Node

contexts = [Context() for _ in range(36)]
for number, context in enumerate(contexts):
    rclpy.init(context=context)
nodes = [Node(f'early{number}', context=context) for number, context in enumerate(contexts)]
met = int(subprocess.run([sys.executable, sys.argv[1]], check=True, capture_output=True,
                         text=True).stdout)
print('rmw_fastrtps_cpp', importlib.metadata.version('ros-jazzy-rmw-fastrtps-cpp'))
print(f'of {len(nodes)} participants a newcomer met {met}')
sys.exit(0 if met == 32 else 'this has changed')
PYTHON
