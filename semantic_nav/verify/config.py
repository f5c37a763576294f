"""The parameters of the verifier."""

from dataclasses import dataclass, replace
from typing import Self

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.parameters import parameter

#: What becomes of a goal that another client sends to Nav2 while a mission is under way.
YIELD, REFUSE = 'yield', 'refuse'


@dataclass(frozen=True)
class VerifierConfig:
    """Limits of what is grounded, accepted and driven."""

    map_frame: str = parameter(
        'map', 'Frame of the map, in which all coordinates of the documents are.')
    min_confidence: float = parameter(
        0.3, 'Confidence below which approach and goto_node are refused.', 0.0, 1.0)
    pose_max_age_s: float = parameter(
        1.0, 'Age from which on the pose counts as unknown, in s.', 0.05, 60.0)
    costmap_max_age_s: float = parameter(
        5.0, 'Age from which on the costmap counts as unknown, in s.', 0.1, 600.0)
    map_is_live: bool = parameter(False, 'The map is published again and again, as SLAM does.')
    map_max_age_s: float = parameter(
        30.0, 'Age from which on a live map counts as unknown, in s.', 0.1, 3600.0)
    jump_settle_s: float = parameter(
        1.0, 'How long nothing is decided or driven after the localisation has jumped by half a '
        'metre or more, at once or in small steps within 10 s; in s.', 0.0, 60.0)
    jump_doubt_s: float = parameter(
        15.0, 'How long such a jump is waited for to be taken back before it is believed, in s.',
        0.0, 60.0)
    depth_max_age_s: float = parameter(
        3.0, 'Age from which on a depth camera that was heard counts as silent, in s; 0: it is '
        'not watched.', 0.0, 600.0)
    scan_max_age_s: float = parameter(
        2.0, 'Age from which on a laser scanner that was heard counts as silent, in s; 0: it is '
        'not watched.', 0.0, 600.0)
    pause_max_age_s: float = parameter(
        0.0, 'How long pause_topic may say nothing before the robot is held, in s; 0: for ever, '
        'where it only tells changes.', 0.0, 600.0)
    other_client: str = parameter(
        YIELD, 'Where another client sends a goal to Nav2, as a person at RViz does: yield lets '
        'it drive, and goes on when that goal has ended; refuse cancels it where it takes the '
        'place of one of the verifier.', choices=(YIELD, REFUSE))
    battery_min: float = parameter(
        0.15, 'Share of its charge that the battery must hold, by battery_topic, or the robot is '
        'held.', 0.0, 1.0)
    position_stddev_max_m: float = parameter(
        1.2, 'How uncertain the place of the robot may be, by localisation_topic, as a standard '
        'deviation in m. AMCL tells 0.2 to 0.4 m of a robot that it knows, at times 0.85 m, and '
        '1.2 m of one that may be anywhere in a room of 4 m.', 0.01, 100.0)
    yaw_stddev_max_rad: float = parameter(
        0.8, 'How uncertain the yaw of the robot may be, by localisation_topic, as a standard '
        'deviation in rad. AMCL tells up to 0.5 rad of a robot that it knows.', 0.01, 10.0)
    stand_off_near_m: float = parameter(
        0.55, 'Nearest stand-off pose, in m.', 0.1, 10.0)
    stand_off_far_m: float = parameter(
        0.9, 'Farthest stand-off pose, in m: leaves room for the tolerance of Nav2.', 0.1, 10.0)
    stand_off_last_m: float = parameter(
        1.1, 'Farthest stand-off pose where no nearer one is clear, in m; the last look tells '
        'whether the robot got near enough.', 0.1, 10.0)
    stand_off_best_m: float = parameter(
        0.75, 'Farthest stand-off pose where one so near is clear, in m.', 0.1, 10.0)
    leg_stand_off_m: float = parameter(
        2.0, 'Distance at which the leg towards an uncertain target ends, in m.', 0.5, 20.0)
    glimpse_m: float = parameter(
        2.0, 'A target that was seen once, from farther off, is looked at again before the robot '
        'goes to it, where it is there yet, in m.', 0.0, 100.0)
    facing_rad: float = parameter(
        0.15, 'How far the robot may stand turned away from the target before it turns, in rad.',
        0.02, 1.0)
    clear_cost: int = parameter(
        80, 'Costmap value (0 to 100) above which a pose is not footprint-clear.', 1, 98)
    footprint: str = parameter(
        '', 'Corners of the robot in base_link in m, as in Nav2, for one that is not round: '
        "'[[0.35, 0.25], [0.35, -0.25], [-0.35, -0.25], [-0.35, 0.25]]'; empty: the costmap alone "
        'tells where it touches something.')
    robot_radius: float = parameter(
        0.0, 'Radius of a round robot in m, as in Nav2: on its paths so much floor on both sides '
        'must have been seen; counts where no footprint is known. 0: unknown, and only the floor '
        'under its middle is asked for.', 0.0, 5.0)
    zone_margin_m: float = parameter(
        0.25, 'How far the middle of the robot keeps away from closed zones at least, in m; '
        'farther where its robot_radius, or the circle that fits into its footprint, is larger.',
        0.0, 5.0)
    ground_min_m: float = parameter(
        0.25, 'Distance below which depth is not believed, in m.', 0.0, 5.0)
    ground_sure_m: float = parameter(
        4.5, 'Distance above which a grounding is provisional, in m.', 0.5, 50.0)
    ground_max_m: float = parameter(
        8.0, 'Distance above which depth is not believed, in m.', 0.5, 100.0)
    camera_error_m: float = parameter(
        0.01, 'Standard deviation of where a camera sits from where TF says, in m.', 0.0, 1.0)
    camera_error_rad: float = parameter(
        0.02, 'Standard deviation of what the mount of a camera, its calibration, the '
        'registration of its depth and the pose at its stamp turn a place by, in rad.', 0.0, 0.5)
    navigation_goal_near_m: float = parameter(
        1.5, 'How near something grounded a pose named by the model must lie, in m.', 0.1, 10.0)
    track_merge_m: float = parameter(
        0.7, 'Sightings nearer to each other than this are one target, in m.', 0.05, 5.0)
    track_agree_m: float = parameter(
        0.1, 'Sightings agree that are no farther apart than this and two sigma, in m.',
        0.01, 5.0)
    track_apart_m: float = parameter(
        1.0, 'How far apart two places must be to be two views of a target, in m; a model errs in '
        'the same way from nearer ones.', 0.05, 5.0)
    track_apart_rad: float = parameter(
        0.35, 'Or how far apart they must lie round the target, as an angle at it, in rad; that '
        'the robot turns makes no other view.', 0.05, 3.142)
    track_lost_after: int = parameter(
        2, 'Views of the place of a target that do not show it until it is given up, for each '
        'view that showed it.', 1, 20)
    frozen_looks: int = parameter(8, 'Looks whose depth is kept for a late reply.', 4, 64)
    freeze_wait_s: float = parameter(
        1.5, 'How long depth and TF of a picture are waited for, in s: some robots publish TF '
        'once a second.', 0.0, 5.0)
    path_tries: int = parameter(
        3, 'Goals of one act for which Nav2 is asked for a path.', 1, 20)
    path_end_m: float = parameter(
        0.3, 'How far from the robot a path may begin, and from the goal it may end, in m: the '
        'planner has a tolerance.', 0.01, 5.0)
    path_timeout_s: float = parameter(10.0, 'Time that the planner has, in s.', 0.1, 120.0)
    goal_reached_m: float = parameter(
        0.5, 'How far from its goal the robot may stand when Nav2 says succeeded, in m.',
        0.05, 5.0)
    way_max_m: float = parameter(100.0, 'Longest way to a goal, in m.', 1.0, 10000.0)
    node_shift_m: float = parameter(
        0.6, 'How far a blocked viewpoint may be moved to a clear cell, in m.', 0.0, 5.0)
    failure_memory_s: float = parameter(
        60.0, 'How long a pose that was not reached is not tried again, and goals past a place '
        'where the robot got stuck come last, in s.', 0.0, 3600.0)
    back_off_m: float = parameter(
        0.4, 'How far the robot backs off where it got stuck, at least, in m; 0: never.', 0.0,
        1.0)
    settle_s: float = parameter(
        0.5, 'How long the robot must stand before a drive counts as ended, in s.', 0.0, 10.0)
    settle_max_s: float = parameter(
        4.0, 'After this time a drive counts as ended even if the robot moves, in s; the next one '
        'waits as long for a standstill, then it is refused.', 0.0, 60.0)
    stuck_s: float = parameter(
        30.0, 'A drive on which the robot gets nowhere for so long is cancelled, in s; longer '
        'than a recovery of Nav2.', 1.0, 600.0)
    cancel_max_s: float = parameter(
        5.0, 'How long Nav2 may take to end a goal that was cancelled, in s; then all are '
        'cancelled.', 0.1, 60.0)
    show_candidates: bool = parameter(
        False, 'Show in RViz where the robot could stand before a target, and which check refuses '
        'the rest; takes some milliseconds for each approach.')
    show_search: bool = parameter(
        False, 'Show in RViz where the target may still be, and where it is looked next; takes '
        'some milliseconds for each look from elsewhere.')
    policy: str = parameter(
        'likely_first', 'Where it is looked next: likely_first goes to where the target is most '
        'likely yet for the time it takes; sweep looks everywhere, coarse to fine.',
        choices=('sweep', 'likely_first'))
    look_range_m: float = parameter(
        3.0, 'How far a look counts for the coverage, in m.', 0.5, 20.0)
    absent_prior: float = parameter(
        0.5, 'How likely it is before the first look that what is sought is not in the home at '
        'all, 0..1: nobody knows.', 0.01, 0.99)
    absent_prior_found: float = parameter(
        0.25, 'The same for what an earlier mission found in the home, 0..1; the smaller of the '
        'two counts.', 0.01, 0.99)
    min_gain_m2: float = parameter(
        1.5, 'What a viewpoint must show to be worth the way, in m2 of floor at which nobody '
        'looked; furniture counts three times, and with likely_first what may have been '
        'overlooked counts by that chance.', 0.01, 100.0)

    @property
    def keepout_margin_m(self) -> float:
        """How far its middle keeps away from closed zones, before Nav2 tells a shape."""
        footprint = footprint_of(self.footprint)
        return max(self.zone_margin_m,
                   self.robot_radius if footprint is None else footprint.inscribed_m)

    @property
    def reach_m(self) -> float:
        """Distance of the farthest part of the robot from its frame, in m; 0 where unknown."""
        footprint = footprint_of(self.footprint)
        return self.robot_radius if footprint is None else footprint.circumscribed_m

    def with_stand_offs(self, longer_m: float) -> Self:
        """Return it with all stand-offs so much longer."""
        return replace(self, stand_off_near_m=self.stand_off_near_m + longer_m,
                       stand_off_best_m=self.stand_off_best_m + longer_m,
                       stand_off_far_m=self.stand_off_far_m + longer_m,
                       stand_off_last_m=self.stand_off_last_m + longer_m)

    def __post_init__(self) -> None:
        """Check what must go together.

        Raises:
            ConfigError: with these values the robot would never stand in front of anything, or it
                has a footprint that is none.
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
