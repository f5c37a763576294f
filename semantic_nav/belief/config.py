"""The parameters of the belief."""

import math
from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class BeliefConfig:
    """Budgets of a mission and limits of its steps."""

    time_limit_s: float = parameter(900.0, 'Time that a mission may take, in s.', 1.0, 86400.0)
    model_calls_limit: int = parameter(
        240, 'Answers of the model that a mission may take; a call without one does not count.',
        1, 100000)
    distance_limit_m: float = parameter(
        300.0, 'Distance that a mission may drive, in m.', 1.0, 100000.0)
    refusals_limit: int = parameter(
        20, 'Refused or failed acts since the last view was reached after which a mission gives '
        'up.', 1, 10000)
    doubts_limit: int = parameter(
        20, 'Last looks that do not confirm their target after which a mission gives up.', 1,
        10000)
    waits_limit: int = parameter(
        20, 'Acts in a row that found map, pose or navigator missing after which a mission gives '
        'up.', 1, 10000)
    blocked_tries: int = parameter(
        10, 'Tries in a row, all with the ways to the remaining views blocked, after which a '
        'mission gives up. It ends as not here instead where so much was looked at that the '
        'target is unlikely to be there.', 1, 1000)
    blocked_wait_s: float = parameter(
        10.0, 'Pause before a blocked way is tried again, in s.', 0.1, 600.0)
    questions_limit: int = parameter(3, 'Questions that a mission may ask.', 0, 100)
    answer_wait_s: float = parameter(
        180.0, 'Time that a question waits for its answer, in s; then the mission goes on without '
        'one.', 1.0, 86400.0)
    unusable_looks_limit: int = parameter(
        10, 'Looks in a row without a usable answer of the model after which a mission gives '
        'up. A model that gives no answer at all is waited for instead.', 1, 10000)
    look_deadline_s: float = parameter(60.0, 'Time that a look may take, in s.', 1.0, 3600.0)
    slow_answer_s: float = parameter(
        1.0, 'Answer time of the model, in s, from which on the robot explores while it waits '
        'for the answer.', 0.0, 3600.0)
    looks_under_way: int = parameter(
        2, 'Looks that the model may have at once while the robot explores.',
        1, 4)
    part_wait_s: float = parameter(
        5.0, 'Longest wait of a look for its picture and for its observation, in s; longer than '
        'picture_timeout_s of the hypothesis node.', 1.0, 600.0)
    second_looks_share: float = parameter(
        0.9, 'Share of each budget of a mission up to which the robot takes second looks, once '
        'all floor was looked at: at what the model may have overlooked, and at rejected targets. '
        '0: none.', 0.0, 1.0)
    not_here_below: float = parameter(
        0.25, 'Probability that the target is in the home, 0..1, at or below which a mission '
        'may end as not here. Above it second looks follow.', 0.0, 1.0)
    memory_wait_s: float = parameter(
        5.0, 'Longest wait of the first look of a goal for the answer of the memory, in s; 0 '
        'where no memory runs.', 0.0, 60.0)
    stale_after_s: float = parameter(
        90.0, 'Age of a picture from which on no act is based on it, in s.', 1.0, 3600.0)
    start_within_s: float = parameter(15.0, 'Time in which an act must start, in s.', 0.5, 600.0)
    drive_budget_s: float = parameter(120.0, 'Time that one drive may take, in s.', 1.0, 3600.0)
    track_again_s: float = parameter(
        30.0, 'Pause before the robot goes to a seen target again after an act towards it '
        'failed, in s. It grows with each failure in a row. Where no path was found for so long, '
        'the target counts as unreachable.', 0.0, 3600.0)
    place_again_s: float = parameter(
        120.0, 'Time for which a remembered place that could not be reached, or was visited, is '
        'not offered to the model, in s. It grows with each time.', 0.0, 3600.0)
    stand_off_m: float = parameter(
        1.2, 'Distance to the target within which a claim to have arrived counts, in m.',
        0.1, 10.0)
    confirm_bearing_rad: float = parameter(
        math.radians(15), 'Largest angle between the last sighting of a target and its track, '
        'in rad; half the width of its box where that is larger.', 0.01, math.pi)
    confirm_views: int = parameter(
        2, 'Separate viewpoints from which sightings must agree to confirm a target, the last '
        'look included. One more is needed where a last look saw the target elsewhere, until '
        'three in a row agree.', 1, 10)
    confirm_retries: int = parameter(
        4, 'Further last looks after one that did not confirm the target, from other stand-offs '
        'or, without one, after a turn. Until one of them has shown it, at most two for each view '
        'that did.', 0,
        10)
    stop_again_s: float = parameter(
        1.0, 'Time after which a stop is repeated while the robot is not known to stand, in s. '
        'The answer to a stop must come within it.', 0.5, 60.0)
    stands_age_s: float = parameter(
        0.5, 'Largest age of the pose behind a report that the robot stands, in s. Raise it '
        'where the localisation always lags, or clocks differ.', 0.1, 60.0)
    stop_wait_s: float = parameter(
        10.0, 'Longest wait of the end of a mission for the robot to stand, in s; longer than '
        'cancel_max_s and settle_max_s of the verifier together.', 0.1, 600.0)
    take_up_s: float = parameter(
        30.0, 'Longest absence of a belief node that was killed and restarted, in s, after '
        'which its mission still goes on.', 0.0, 3600.0)
    max_goal_chars: int = parameter(500, 'Longest accepted goal text, in characters.', 1, 2000)
