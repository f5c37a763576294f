#!/bin/bash
# Sets a new container up, in the checkout: what the distribution has, then the environment, then the
# package. Not built on the machine that this was written on.
set -eo pipefail
apt-get update
apt-get install -y --no-install-recommends python3-venv python3-colcon-common-extensions
rosdep update
rosdep install --from-paths . interfaces --ignore-src -y
source /opt/ros/jazzy/setup.bash
ros_wheels/bootstrap --all
. ros_wheels/env.sh
python -m colcon build --base-paths . interfaces --packages-select semantic_nav_msgs semantic_nav
printf 'source /opt/ros/jazzy/setup.bash\n. %s/ros_wheels/env.sh\n. %s/install/setup.bash\n' \
  "$PWD" "$PWD" >> ~/.bashrc
