# semantic_nav on ROS 2 Jazzy, for a robot's computer or a server beside it. Nav2, the camera and the
# model server run elsewhere, or in containers of their own:
#   docker build -t semantic_nav .
#   docker run --rm -it --network host --ipc host -v semantic_nav:/opt/semantic_nav_data \
#     semantic_nav ros2 launch semantic_nav nav.launch.py robot:=generic_depth
# With --network host the model server is the one on this machine; --ipc host lets Fast DDS share
# memory with the robot's other processes; the volume keeps memory, journals and logs.
# Not built on the machine that this was written on.
FROM ros:jazzy

SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /opt/semantic_nav

# What the distribution has, first: it changes seldom.
COPY package.xml ./
COPY interfaces ./interfaces
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3-venv python3-colcon-common-extensions \
    && rosdep update \
    && rosdep install --from-paths . interfaces --ignore-src -y --dependency-types exec \
       --dependency-types build --dependency-types build_export \
    && rm -rf /var/lib/apt/lists/*

COPY . .
RUN source /opt/ros/jazzy/setup.bash \
    && ros_wheels/bootstrap \
    && . ros_wheels/env.sh \
    && python -m colcon build --base-paths . interfaces \
       --packages-select semantic_nav_msgs semantic_nav

# Each command finds ROS and the package; Ctrl-C and docker stop reach it as they are.
RUN printf '%s\n' '#!/bin/bash' 'source /opt/ros/jazzy/setup.bash' \
    'source /opt/semantic_nav/install/setup.bash' 'exec "$@"' > /entrypoint \
    && chmod +x /entrypoint
STOPSIGNAL SIGINT
ENV ROS_HOME=/opt/semantic_nav_data
ENTRYPOINT ["/entrypoint"]
CMD ["ros2", "launch", "semantic_nav", "nav.launch.py"]
