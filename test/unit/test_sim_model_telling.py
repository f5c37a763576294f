"""How a scene is told: a person's words, what stands out, and what is not so."""

from dataclasses import replace

import pytest

from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.finding import Found
from semantic_nav_sim.model.mistakes import degrade, guess_room
from semantic_nav_sim.model.profile import EyesProfile, ModelProfile, WordsProfile
from semantic_nav_sim.model.telling import name_of, place_of, scene
from semantic_nav_sim.model.words import parse_goal
from semantic_nav_sim.profiles import load_profile

PLAIN = WordsProfile()
GOAL = parse_goal('find the red mug')
RED = SeenObject('red', 'red mug', 'mug', 'red', (310.0, 230.0, 330.0, 250.0), 300)
BED = SeenObject('bed', 'double bed', 'bed', 'teal', (0.0, 200.0, 300.0, 480.0), 60_000)
STOVE = SeenObject('stove', 'stove', 'stove', 'white', (400.0, 200.0, 500.0, 400.0), 15_000)
REMOTE = SeenObject('remote', 'second living room black remote control', 'remote control', 'black',
                    (300.0, 300.0, 330.0, 310.0), 250)

LEATHER = SeenObject('armchair', 'leather armchair', 'armchair', 'brown',
                     (100.0, 200.0, 200.0, 300.0), 8000)


def chair(number: int, pixels: int = 5000, x: float = 300.0) -> SeenObject:
    return SeenObject(f'chair_{number}', f'walnut chair {number}', f'chair {number}', 'brown',
                      (x, 200.0, x + 40.0, 280.0), pixels)


def sight(*objects: SeenObject, room: str = '', view: str = '') -> Sight:
    return Sight(True, 640, 480, room, objects, view)


def told(seen: Sight, profile: WordsProfile = PLAIN, found: Found | None = None, seed: int = 0,
         most: int = 6, picture: bytes = b'') -> list[str]:
    return [name for name, _ in scene(seen, found or Found(), GOAL, profile,
                                      Draws(seed, 0.8, picture), most)[1]]


def test_no_more_things_are_listed_than_are_asked_for() -> None:
    crowd = sight(*(chair(number) for number in range(20)))
    assert [len(told(crowd, most=most)) for most in (3, 6, 12)] == [3, 6, 12]


def test_what_is_large_and_central_comes_first() -> None:
    names = told(sight(chair(1, x=0.0), chair(2, pixels=4000), chair(3, pixels=20_000)))
    assert names == ['brown chair 3', 'brown chair 2', 'brown chair 1']


def test_the_same_word_is_not_said_again_and_again() -> None:
    same = [replace(chair(number), kind='chair') for number in range(4)]
    assert told(sight(*same, RED)) == ['brown chair', 'brown chair', 'red mug']


def test_a_target_is_listed_though_it_is_small_but_not_always() -> None:
    crowd = sight(*(chair(number) for number in range(6)), RED)
    assert 'red mug' in told(crowd, found=Found(RED))
    assert 'red mug' not in told(crowd)
    listed = ['red mug' in told(crowd, WordsProfile(unlisted=0.3), Found(RED), seed)
              for seed in range(300)]
    assert 0.6 < sum(listed) / len(listed) < 0.8


def test_the_words_of_the_goal_are_said_of_what_is_taken_for_the_target() -> None:
    assert told(sight(BED), WordsProfile(goal_words=1.0), Found(BED, right=False)) == ['red mug']


def test_things_are_called_by_words_of_people() -> None:
    profile = WordsProfile(other_words=0.5)
    words = {name_of(RED, profile, Draws(seed, 0.8)) for seed in range(100)}
    assert 'red mug' in words and {'red cup', 'red coffee mug'} & words
    assert {name_of(RED, WordsProfile(vague=1.0), Draws(0, 0.8)),
            name_of(RED, WordsProfile(colourless=1.0), Draws(0, 0.8))} == {'something red', 'mug'}


def test_a_thing_keeps_its_word_from_wherever_it_is_seen() -> None:
    profile = load_profile(ModelProfile, 'default').words
    for seed in range(50):
        assert len({name_of(replace(RED, view=str(number)), profile,
                            Draws(seed, 0.0, bytes([number]))) for number in range(9)}) == 1


@pytest.mark.parametrize('profile', ['none', 'default', 'weak', 'strong', 'harsh'])
def test_no_name_of_the_world_is_told(profile: str) -> None:
    words = load_profile(ModelProfile, profile).words
    for seed in range(50):
        for thing in (REMOTE, LEATHER):
            assert name_of(thing, words, Draws(seed, 0.8)) != thing.name
        assert not any('living room' in name for name in told(sight(REMOTE), words, seed=seed))


def test_things_that_are_not_there_belong_in_such_a_room() -> None:
    seen = sight(*(chair(number) for number in range(6)), room='kitchen')
    names = [name for seed in range(100)
             for name in told(seen, WordsProfile(invented=0.2), seed=seed)]
    made_up = [name for name in names if not name.startswith('brown chair')]
    assert 0.1 < len(made_up) / len(names) < 0.25
    assert {'stove', 'refrigerator'} & set(made_up) and 'toilet' not in made_up
    assert told(Sight(), WordsProfile(invented=1.0)) == []


def test_boxes_of_what_is_not_there_lie_in_the_picture() -> None:
    seen = sight(*(chair(number) for number in range(6)), room='kitchen')
    for seed in range(30):
        _, things = scene(seen, Found(), GOAL, WordsProfile(invented=1.0), Draws(seed, 0.8), 6)
        for _, (x1, y1, x2, y2) in things:
            assert 0.0 <= x1 < x2 <= 640.0 and 0.0 <= y1 < y2 <= 480.0


def test_a_room_is_guessed_by_what_is_in_view() -> None:
    assert guess_room((BED, RED)) == 'bedroom'
    assert guess_room((STOVE, RED)) == 'kitchen'
    assert guess_room((RED,)) == ''
    assert place_of(sight(RED), PLAIN, Draws(0, 0.8)) == 'room'
    assert place_of(Sight(), PLAIN, Draws(0, 0.8)) == 'unknown'


def test_a_room_is_taken_for_another_as_often_as_the_profile_says() -> None:
    eyes = EyesProfile(wrong_room=0.3, persistence=0.8)
    rooms = [degrade(sight(STOVE), eyes, Draws(seed, 0.8)).room for seed in range(400)]
    assert 0.24 < sum(room != 'kitchen' for room in rooms) / len(rooms) < 0.36
    assert {'dining room', 'kitchen'} <= set(rooms)
    again = {degrade(sight(STOVE, view='here'), replace(eyes, persistence=1.0),
                     Draws(1, 1.0, bytes([number]))).room for number in range(20)}
    assert len(again) == 1
