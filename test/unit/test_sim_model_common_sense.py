"""In which direction a model would look, by what it knows of homes."""

from dataclasses import replace

import pytest

from semantic_nav_sim.model.brain import Mind, Task, answer
from semantic_nav_sim.model.common_sense import direction_deg
from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import Box, SeenObject, Sight
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.model.words import parse_goal
from semantic_nav_sim.profiles import load_profile

LEFT, AHEAD, RIGHT = ((x, 100.0, x + 100.0, 200.0) for x in (0.0, 270.0, 540.0))


def thing(kind: str, box: Box) -> SeenObject:
    return SeenObject(kind, kind, kind, '', box, 10_000)


def sight(*objects: SeenObject, view: str = '') -> Sight:
    return Sight(True, 640, 480, '', objects, view)


@pytest.mark.parametrize(('goal', 'side'), [
    ('find the kettle', 1), ('where is the toaster?', 1), ('find my laptop', -1),
    ('find the pillow', -1), ('find the red coffee mug', 1)])
def test_it_looks_to_where_such_things_are_kept(goal: str, side: int) -> None:
    kitchen, bedroom = thing('kitchen counter', LEFT), thing('bed', RIGHT)
    toilet = thing('toilet', AHEAD)
    bearing = direction_deg(parse_goal(goal), sight(toilet, kitchen, bedroom))
    assert bearing is not None and 20 < side * bearing < 30
    assert direction_deg(parse_goal(goal), sight(
        thing('kitchen counter', AHEAD), thing('bed', AHEAD))) == 0


def test_where_nothing_is_known_it_names_no_direction() -> None:
    for goal in ('find the piano', 'find the sofa', 'go to the kitchen', 'find the flurble'):
        assert direction_deg(parse_goal(goal), sight(thing('kitchen counter', LEFT))) is None
    assert direction_deg(parse_goal('find the kettle'), sight(thing('bathtub', LEFT))) is None
    assert direction_deg(parse_goal('find the kettle'), Sight()) is None


def test_it_says_so_in_as_many_replies_as_the_profile_says() -> None:
    profile = load_profile(ModelProfile, 'none')

    def hints(share: float) -> float:
        mine = replace(profile, words=replace(profile.words, hints=share))
        told = [answer(Task('find the kettle'), sight(thing('kitchen counter', LEFT), view=f'{n}'),
                       False, Mind(mine, Draws(1, 0.5))) for n in range(300)]
        assert {one['action'] for one in told} == {'explore'}
        return sum('explore_bearing_deg' in one for one in told) / len(told)

    assert (hints(0.0), hints(1.0)) == (0.0, 1.0)
    assert 0.7 < hints(0.8) < 0.9
