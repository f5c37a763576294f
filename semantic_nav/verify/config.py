"""The parameters of the verifier."""

from dataclasses import dataclass, replace
from typing import Self

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.parameters import parameter

#: Policies for a goal that another client sends to Nav2 during a mission.
YIELD, REFUSE = 'yield', 'refuse'


@dataclass(frozen=True)
class VerifierConfig:
    """Parameters and limits of grounding, checks and driving."""

    map_frame: str = parameter(
        'map', 'Frame of the map, in which all coordinates of the documents are.')
    min_confidence: float = parameter(
        0.3, 'Confidence below which approach and goto_node are refused.', 0.0, 1.0)
    pose_max_age_s: float = parameter(
        1.0, 'Age from which on the pose counts as unknown, in s.', 0.05, 60.0)
    costmap_max_age_s: float = parameter(
        5.0, 'Age from which on the costmap counts as unknown, in s.', 0.1, 600.0)
    map_is_live: bool = parameter(False, 'True: the map is published repeatedly, as by SLAM. '
        'False: it is a saved map.')
    map_max_age_s: float = parameter(
        30.0, 'Age from which on a live map counts as unknown, in s.', 0.1, 3600.0)
    jump_settle_s: float = parameter(
        1.0, 'Time without decisions and drives after the localisation jumped by half a metre '
        'or more, at once or in small steps within 10 s; in s.', 0.0, 60.0)
    jump_doubt_s: float = parameter(
        15.0, 'Time for which a jump of the localisation may be taken back before it is '
        'believed, in s.',
        0.0, 60.0)
    depth_max_age_s: float = parameter(
        3.0, 'Age of the newest depth picture from which on the depth camera counts as silent, '
        'in s; 0: not watched.', 0.0, 600.0)
    scan_max_age_s: float = parameter(
        2.0, 'Age of the newest scan from which on the laser scanner counts as silent, in s; 0: '
        'not watched.', 0.0, 600.0)
    pause_max_age_s: float = parameter(
        0.0, 'Silence of pause_topic after which the robot is held, in s; 0: none, for a topic '
        'that tells changes only.', 0.0, 600.0)
    other_client: str = parameter(
        YIELD, 'Reaction to a goal that another client sends to Nav2, such as a person at RViz: '
        'yield lets it drive and goes on when it has ended; refuse cancels it where it replaced a '
        'goal of the verifier.', choices=(YIELD, REFUSE))
    battery_min: float = parameter(
        0.15, 'Battery charge below which the robot is held, as a share of 1, told on '
        'battery_topic.', 0.0, 1.0)
    position_stddev_max_m: float = parameter(
        1.2, 'Largest standard deviation of the position of the robot, in m, told on '
        'localisation_topic. AMCL tells 0.2 to 0.4 m of a robot that it knows, at times 0.85 m, '
        'and 1.2 m of one that may be anywhere in a room of 4 m.', 0.01, 100.0)
    yaw_stddev_max_rad: float = parameter(
        0.8, 'Largest standard deviation of the yaw of the robot, in rad, told on '
        'localisation_topic. AMCL tells up to 0.5 rad of a robot that it knows.', 0.01, 10.0)
    stand_off_near_m: float = parameter(
        0.55, 'Smallest distance of a stand-off pose from its target, in m.', 0.1, 10.0)
    stand_off_far_m: float = parameter(
        0.9, 'Largest distance of a stand-off pose from its target, in m; leaves room for the '
        'goal tolerance of Nav2.', 0.1, 10.0)
    stand_off_last_m: float = parameter(
        1.1, 'Largest distance of a stand-off pose where no nearer one is clear, in m. The last '
        'look tells whether the robot got near enough.', 0.1, 10.0)
    stand_off_best_m: float = parameter(
        0.75, 'Preferred largest distance of a stand-off pose, in m; a farther one is taken '
        'only where none so near is clear.', 0.1, 10.0)
    leg_stand_off_m: float = parameter(
        2.0, 'Distance from an uncertain target at which the leg towards it ends, in m.',
        0.5, 20.0)
    glimpse_m: float = parameter(
        2.0, 'Distance from which on a target that was seen once is looked at again before the '
        'robot goes to it, in m.', 0.0, 100.0)
    facing_rad: float = parameter(
        0.15, 'Largest angle between the heading of the robot and its target without a turn, in '
        'rad.',
        0.02, 1.0)
    clear_cost: int = parameter(
        80, 'Largest costmap value, 0..100, of a pose that counts as clear for the footprint.',
        1, 98)
    footprint: str = parameter(
        '', 'Corners of the robot in base_link, in m, as in Nav2, for a robot that is not '
        "round: '[[0.35, 0.25], [0.35, -0.25], [-0.35, -0.25], [-0.35, 0.25]]'. Empty: the "
        'costmap alone tells collisions.')
    robot_radius: float = parameter(
        0.0, 'Radius of a round robot, in m, as in Nav2, where no footprint is known. So much '
        'floor on both sides of its paths must have been seen. 0: unknown; only the floor under '
        'its centre is checked.', 0.0, 5.0)
    zone_margin_m: float = parameter(
        0.25, 'Smallest distance of the centre of the robot from closed zones, in m; at least '
        'robot_radius, or the circle inscribed in its footprint.',
        0.0, 5.0)
    ground_min_m: float = parameter(
        0.25, 'Distance below which depth is not used, in m.', 0.0, 5.0)
    ground_sure_m: float = parameter(
        4.5, 'Distance above which a grounding is provisional, in m.', 0.5, 50.0)
    ground_max_m: float = parameter(
        8.0, 'Distance above which depth is not used, in m.', 0.5, 100.0)
    camera_error_m: float = parameter(
        0.01, 'Standard deviation of the camera position against TF, in m.', 0.0, 1.0)
    camera_error_rad: float = parameter(
        0.02, 'Standard deviation of the direction of a grounded position, in rad, from the '
        'camera mount, its calibration, the registration of depth and the pose at the stamp '
        'together.', 0.0, 0.5)
    navigation_goal_near_m: float = parameter(
        1.5, 'Largest distance of a pose named by the model from something grounded, in m.',
        0.1, 10.0)
    track_merge_m: float = parameter(
        0.7, 'Largest distance between sightings that are one target, in m.', 0.05, 5.0)
    track_agree_m: float = parameter(
        0.1, 'Largest distance between sightings that agree, in m, beyond two standard '
        'deviations.',
        0.01, 5.0)
    track_apart_m: float = parameter(
        1.0, 'Smallest distance between two viewpoints of a target that count as independent, '
        'in m. From nearer ones a model repeats its mistake.', 0.05, 5.0)
    track_apart_rad: float = parameter(
        0.35, 'Smallest angle between two viewpoints, seen from the target, that count as '
        'independent, in rad. A turn of the robot is no other viewpoint.', 0.05, 3.142)
    track_lost_after: int = parameter(
        2, 'Views of the place of a target that do not show it after which it is given up, for '
        'each view that showed it.', 1, 20)
    frozen_looks: int = parameter(8, 'Looks whose depth is kept for a late reply of the model.',
        4, 64)
    freeze_wait_s: float = parameter(
        1.5, 'Longest wait for depth and TF of a picture, in s. Some robots publish TF once a '
        'second.', 0.0, 5.0)
    path_tries: int = parameter(
        3, 'Goal poses of one act for which Nav2 is asked for a path.', 1, 20)
    path_end_m: float = parameter(
        0.3, 'Largest distance between the robot and the start of a path, and between its end '
        'and the goal pose, in m: planners have a tolerance.', 0.01, 5.0)
    path_timeout_s: float = parameter(10.0, 'Longest wait for a path of the planner, in s.',
        0.1, 120.0)
    goal_reached_m: float = parameter(
        0.5, 'Largest distance of the robot from its goal pose after Nav2 reports success, in '
        'm.',
        0.05, 5.0)
    way_max_m: float = parameter(100.0, 'Longest path to a goal pose, in m.', 1.0, 10000.0)
    node_shift_m: float = parameter(
        0.6, 'Largest shift of a blocked viewpoint to a clear cell, in m.', 0.0, 5.0)
    failure_memory_s: float = parameter(
        60.0, 'Time for which a pose that was not reached is not tried again, in s, and goal '
        'poses beyond a place where the robot got stuck are tried last.', 0.0, 3600.0)
    back_off_m: float = parameter(
        0.4, 'Smallest distance that the robot backs off where it got stuck, in m; 0: it does '
        'not.', 0.0,
        1.0)
    settle_s: float = parameter(
        0.5, 'Time without motion after which a drive counts as ended, in s.', 0.0, 10.0)
    settle_max_s: float = parameter(
        4.0, 'Time after which a drive counts as ended even while the robot moves, in s. The '
        'next drive waits as long for a standstill, then it is refused.', 0.0, 60.0)
    stuck_s: float = parameter(
        30.0, 'Time without progress after which a drive is cancelled, in s; longer than a '
        'recovery of Nav2.', 1.0, 600.0)
    cancel_max_s: float = parameter(
        5.0, 'Longest time in which Nav2 must end a cancelled goal, in s. After it all goals '
        'are cancelled.', 0.1, 60.0)
    show_candidates: bool = parameter(
        False, 'Show in RViz the stand-off poses of a target, each with the check that refuses '
        'it; takes some milliseconds an approach.')
    show_search: bool = parameter(
        False, 'Show in RViz the probability of the target over the floor and the next '
        'viewpoint; takes some milliseconds a look.')
    policy: str = parameter(
        'likely_first', 'Search policy: likely_first goes to the view with the most probability '
        'of the target for its time; sweep looks everywhere, coarse to fine.',
        choices=('sweep', 'likely_first'))
    look_range_m: float = parameter(
        3.0, 'Distance up to which a look counts for the coverage, in m.', 0.5, 20.0)
    absent_prior: float = parameter(
        0.5, 'Probability before the first look that the target is not in the home, 0..1.',
        0.01, 0.99)
    absent_prior_found: float = parameter(
        0.25, 'Probability before the first look that a target which an earlier mission found '
        'is not in the home, 0..1. The smaller of it and absent_prior counts.', 0.01, 0.99)
    min_gain_m2: float = parameter(
        1.5, 'Smallest gain of a viewpoint, in m2 of unseen floor. Furniture counts three times '
        'and, with likely_first, floor that may have been overlooked counts by its probability.',
        0.01, 100.0)

    @property
    def keepout_margin_m(self) -> float:
        """Least distance of its middle to closed zones, in m, before Nav2 tells a footprint."""
        footprint = footprint_of(self.footprint)
        return max(self.zone_margin_m,
                   self.robot_radius if footprint is None else footprint.inscribed_m)

    @property
    def reach_m(self) -> float:
        """Distance of the farthest part of the robot from base_link, in m; 0 if unknown."""
        footprint = footprint_of(self.footprint)
        return self.robot_radius if footprint is None else footprint.circumscribed_m

    def with_stand_offs(self, longer_m: float) -> Self:
        """The configuration with all stand-offs longer by `longer_m`."""
        return replace(self, stand_off_near_m=self.stand_off_near_m + longer_m,
                       stand_off_best_m=self.stand_off_best_m + longer_m,
                       stand_off_far_m=self.stand_off_far_m + longer_m,
                       stand_off_last_m=self.stand_off_last_m + longer_m)

    def __post_init__(self) -> None:
        """Check that the values fit each other.

        Raises:
            ConfigError: the limits of a range are in the wrong order, so that no pose or depth
                would pass, or the footprint is invalid.
        """
        footprint_of(self.footprint)
        for less, low, more, high in (
                ('stand_off_near_m', self.stand_off_near_m,
                 'stand_off_far_m', self.stand_off_far_m),
                ('stand_off_far_m', self.stand_off_far_m,
                 'stand_off_last_m', self.stand_off_last_m),
                ('ground_min_m', self.ground_min_m, 'ground_max_m', self.ground_max_m)):
            if not low < high:
                raise ConfigError(f'parameter {less} = {low!r}: must be less than {more}, '
                                  f'which is {high:g}')
