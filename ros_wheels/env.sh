# Sets up a shell for this checkout. Source it, from any directory, in bash, zsh or sh:
#   . ros_wheels/env.sh
# With a ROS 2 sourced before, its paths stay in front of everything but .venv.

# Where this file is: bash and zsh say so; elsewhere the shell has it open just now.
if [ -n "${BASH_VERSION:-}" ]; then
    _sn_file=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
    eval '_sn_file=${(%):-%x}'
else
    _sn_file=
    read -r _sn_pid _sn_rest </proc/self/stat
    for _sn_fd in /proc/"$_sn_pid"/fd/*; do
        _sn_link=$(readlink "$_sn_fd") || continue
        case $_sn_link in */ros_wheels/env.sh) _sn_file=$_sn_link ;; esac
    done
fi
_sn_root=$(cd "$(dirname "$_sn_file")/.." 2>/dev/null && pwd -P)

# usage: _sn_front VARIABLE DIRECTORY ; the directory becomes the first entry, and the only such.
_sn_front() {
    eval "_sn_rest=\${$1:-}"
    _sn_kept=$2
    while [ -n "$_sn_rest" ]; do
        _sn_entry=${_sn_rest%%:*}
        case $_sn_rest in *:*) _sn_rest=${_sn_rest#*:} ;; *) _sn_rest= ;; esac
        [ -z "$_sn_entry" ] || [ "$_sn_entry" = "$2" ] || _sn_kept=$_sn_kept:$_sn_entry
    done
    eval "$1=\$_sn_kept"
    export "${1?}"
}

if [ -z "$_sn_file" ] || [ ! -f "$_sn_root/ros_wheels/env.sh" ]; then
    echo 'env.sh: cannot tell where the checkout is; source it from bash' >&2
    false
elif [ ! -x "$_sn_root/.venv/bin/python" ]; then
    echo "env.sh: $_sn_root/.venv is missing; run $_sn_root/ros_wheels/bootstrap first" >&2
    false
else
    _sn_front PATH "$_sn_root/.venv/bin"
    export VIRTUAL_ENV="$_sn_root/.venv"
    if [ -d "$_sn_root/.venv/share/rclpy" ]; then
        # ROS from the wheels.
        _sn_front AMENT_PREFIX_PATH "$VIRTUAL_ENV"
        _sn_front CMAKE_PREFIX_PATH "$VIRTUAL_ENV"
        for _sn_libs in "$VIRTUAL_ENV"/lib/python3*/site-packages/ros_*.libs; do
            [ ! -d "$_sn_libs" ] || _sn_front LD_LIBRARY_PATH "$_sn_libs"
        done
        _sn_front LD_LIBRARY_PATH "$VIRTUAL_ENV/lib"
        # The wheels would start each interpreter a second time only to set LD_LIBRARY_PATH.
        export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
        # The only one the wheels bring.
        export RMW_IMPLEMENTATION=rmw_fastrtps_cpp
        export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
    fi
    # The checkout itself, unless the packages are installed in a sourced workspace.
    _sn_rest=${AMENT_PREFIX_PATH:-}:
    _sn_installed=
    while [ -n "$_sn_rest" ]; do
        _sn_entry=${_sn_rest%%:*}
        _sn_rest=${_sn_rest#*:}
        if [ -e "$_sn_entry/share/ament_index/resource_index/packages/semantic_nav" ]; then
            _sn_installed=1
        fi
    done
    if [ -z "$_sn_installed" ]; then
        _sn_front PYTHONPATH "$_sn_root/semantic_nav_sim"
        _sn_front PYTHONPATH "$_sn_root"
    fi
    if [ -z "${MUJOCO_GL:-}" ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
        export MUJOCO_GL=egl
    fi
    unset -f _sn_front
    unset _sn_file _sn_root _sn_pid _sn_fd _sn_link _sn_rest _sn_kept _sn_entry _sn_libs _sn_installed
fi
