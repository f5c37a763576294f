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
        10, 'Tries in a row that found the ways to all that is left to look at blocked after '
        'which a mission gives up; all of them count, and it says not here, where it has looked '
        'at so much that the target is hardly here.', 1, 1000)
    blocked_wait_s: float = parameter(
        10.0, 'Pause before a blocked way is tried again, in s.', 0.1, 600.0)
    questions_limit: int = parameter(3, 'Questions that a mission may ask.', 0, 100)
    answer_wait_s: float = parameter(
        180.0, 'Time that a question waits for its answer, in s; then the mission goes on without '
        'one.', 1.0, 86400.0)
    unusable_looks_limit: int = parameter(
        10, 'Looks in a row for which the model gave nothing usable after which a mission gives '
        'up; one that gives no answer is waited for.', 1, 10000)
    refusals_before_fallback: int = parameter(
        3, 'Refusals in a row after which one look is answered without the model.', 1, 100)
    look_deadline_s: float = parameter(60.0, 'Time that a look may take, in s.', 1.0, 3600.0)
    look_grace_s: float = parameter(
        10.0, 'Time after a deadline at which a look is given up, in s.', 0.0, 600.0)
    slow_answer_s: float = parameter(
        1.0, 'Time of an answer of the model, in s, from which on the robot explores on while the '
        'model looks at where it was.', 0.0, 3600.0)
    looks_under_way: int = parameter(
        2, 'So many looks the model may have before it at once while the robot explores on.',
        1, 4)
    part_wait_s: float = parameter(
        5.0, 'How long a look may wait for what needs no model, in s: its picture (longer than '
        'picture_timeout_s of the hypothesis node) and its observation.', 1.0, 600.0)
    retry_wait_s: float = parameter(
        2.0, 'Pause before a look or an act is tried again when a part is missing, in s; before '
        'an act so much longer after each in a row, up to blocked_wait_s.', 0.1, 60.0)
    second_looks_share: float = parameter(
        0.9, 'Share of each budget of a mission up to which, once all was looked at, the robot '
        'looks a second time at what it may have overlooked, as what was taken for the target '
        'and not confirmed; 0: never.', 0.0, 1.0)
    not_here_below: float = parameter(
        0.25, 'How likely the target may be here at most for the answer that it is not, 0..1; as '
        'long as it is likelier, second looks follow.', 0.0, 1.0)
    memory_wait_s: float = parameter(
        5.0, 'How long the first look of a goal waits at most for what the memory says, in s; 0 '
        'where no memory runs.', 0.0, 60.0)
    stale_after_s: float = parameter(
        90.0, 'Age of a picture from which on nothing is driven on it, in s.', 1.0, 3600.0)
    start_within_s: float = parameter(15.0, 'Time in which an act must start, in s.', 0.5, 600.0)
    drive_budget_s: float = parameter(120.0, 'Time that one drive may take, in s.', 1.0, 3600.0)
    track_again_s: float = parameter(
        30.0, 'Pause until a target that was seen is gone to again after an act towards it came '
        'to nothing, in s; so much longer after each in a row. Where no way is found for so long, '
        'there is none.', 0.0, 3600.0)
    place_again_s: float = parameter(
        120.0, 'How long a remembered place to which the robot could not go, or where it was '
        'already, is not offered to the model, in s; so much longer after each time.', 0.0, 3600.0)
    stand_off_m: float = parameter(
        1.2, 'Distance to the target within which a claim to have arrived counts, in m.',
        0.1, 10.0)
    confirm_bearing_rad: float = parameter(
        math.radians(15), 'How far the last look may see the target from its track, in rad; '
        'half the width of its box, where that is more.', 0.01, math.pi)
    confirm_views: int = parameter(
        2, 'Places apart from which sightings must agree, that of the last look among them; one '
        'more where a last look saw the target elsewhere, until three in a row agree.', 1, 10)
    confirm_retries: int = parameter(
        4, 'Further last looks where one does not confirm, from other stand-offs or, where there '
        'is none, after a turn; until one has shown it, at most two for each view that did.', 0,
        10)
    stop_again_s: float = parameter(
        1.0, 'Time after which a stop is said again while the robot is not known to stand, in s; '
        'the answer to one must come in that time.', 0.5, 60.0)
    stands_age_s: float = parameter(
        0.5, 'A word that the robot stands counts if the pose that it goes by is no older, in s; '
        'more where the localisation always lags, or clocks differ.', 0.1, 60.0)
    stop_wait_s: float = parameter(
        10.0, 'How long the end of a mission waits for the robot to stand, in s: longer than '
        'cancel_max_s and settle_max_s of the verifier together.', 0.1, 600.0)
    take_up_s: float = parameter(
        30.0, 'How long the belief node may have been away, killed and started anew, for its '
        'mission to go on, in s; after that it ends.', 0.0, 3600.0)
    max_goal_chars: int = parameter(500, 'Longest goal that is taken, in characters.', 1, 2000)
