"""What a model takes for the target, rightly and wrongly."""

from dataclasses import replace

from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.finding import Found, find
from semantic_nav_sim.model.profile import EyesProfile, ModelProfile
from semantic_nav_sim.model.words import parse_goal
from semantic_nav_sim.profiles import load_profile

PERFECT = EyesProfile()
RED = SeenObject('red', 'red mug', 'mug', 'red', (100.0, 100.0, 130.0, 140.0), 1200)
BLUE = SeenObject('blue', 'blue mug', 'mug', 'blue', (300.0, 100.0, 340.0, 150.0), 2000)
BOWL = SeenObject('bowl', 'red bowl', 'bowl', 'red', (400.0, 100.0, 440.0, 150.0), 2000)
SOFA = SeenObject('sofa', 'blue sofa', 'sofa', 'blue', (0.0, 200.0, 300.0, 480.0), 80_000)
PLANT = SeenObject('plant', 'dining room dark potted plant', 'potted plant', 'green',
                   (500.0, 100.0, 560.0, 300.0), 9000)


def sight(*objects: SeenObject, room: str = '', view: str = '') -> Sight:
    return Sight(True, 640, 480, room, tuple(sorted(objects, key=lambda one: -one.pixels)), view)


def found(goal: str, seen: Sight, eyes: EyesProfile = PERFECT, seed: int = 0,
          truth: Sight | None = None) -> Found:
    return find(parse_goal(goal), seen, truth or seen, eyes,
                Draws(seed, eyes.persistence, b'picture'))


def test_what_is_seen_is_found_and_right() -> None:
    assert found('find the red mug', sight(RED, BLUE)) == Found(RED)
    assert found('find the lamp', sight(RED, BLUE)) == Found()


def test_what_was_overlooked_is_wrongly_not_seen() -> None:
    assert found('find the red mug', sight(SOFA), truth=sight(SOFA, RED)) == Found(right=False)


def test_a_wrong_colour_or_kind_is_found_and_wrong() -> None:
    painted = replace(BLUE, colour='red', name='red mug')
    assert found('find the red mug', sight(painted), truth=sight(BLUE)) == Found(
        painted, right=False)


def test_what_resembles_the_target_is_taken_for_it_as_often_as_the_profile_says() -> None:
    eyes = EyesProfile(takes_for_it=0.25)
    for thing in (BLUE, BOWL):
        claims = [found('find the red mug', sight(thing, SOFA), eyes, seed) for seed in range(400)]
        taken = [one for one in claims if one.target is not None]
        assert {one.target for one in taken} == {thing}
        assert not any(one.right for one in taken)
        assert 0.18 < len(taken) / len(claims) < 0.32
    assert found('find the red mug', sight(SOFA), EyesProfile(takes_for_it=1.0)).target is None


def test_a_target_is_imagined_where_something_else_stands() -> None:
    eyes = EyesProfile(imagines_it=0.2)
    claims = [found('find the red mug', sight(SOFA, PLANT), eyes, seed) for seed in range(400)]
    made_up = [one for one in claims if one.target is not None]
    assert 0.14 < len(made_up) / len(claims) < 0.26
    assert {one.target for one in made_up} == {SOFA, PLANT}
    assert found('find the red mug', Sight(), EyesProfile(imagines_it=1.0)) == Found()


def test_what_is_imagined_stays_with_the_view() -> None:
    eyes = EyesProfile(imagines_it=0.5, persistence=1.0)

    def claim(view: str, picture: bytes) -> bool:
        seen = sight(SOFA, view=view)
        return find(parse_goal('find the red mug'), seen, seen, eyes,
                    Draws(3, 1.0, picture)).target is not None

    claims = {view: {claim(view, bytes([number])) for number in range(20)}
              for view in map(str, range(12))}
    assert {len(one) for one in claims.values()} == {1}
    assert len(set(map(frozenset, claims.values()))) == 2


def test_a_wrong_box_is_drawn_around_another_of_the_kind_or_the_next_thing() -> None:
    eyes = EyesProfile(wrong_box=1.0)
    wrong = found('find the red mug', sight(RED, BOWL, BLUE), eyes)
    assert wrong.target is not None and not wrong.right
    assert (wrong.target.id, wrong.target.box_px) == ('red', BLUE.box_px)
    wrong = found('find the red mug', sight(RED, SOFA), eyes)
    assert wrong.target is not None and wrong.target.box_px == SOFA.box_px
    assert found('find the red mug', sight(RED), eyes) == Found(RED)


def test_no_thing_is_known_by_the_name_of_its_room() -> None:
    other = replace(PLANT, id='other', name='dark potted plant', pixels=9001)
    both = found('find the dining room dark potted plant', sight(PLANT, other))
    assert both.target == other and both.ambiguous


MEASURED = load_profile(ModelProfile, 'measured').eyes


def share_claimed(goal: str, thing: SeenObject, eyes: EyesProfile = MEASURED) -> float:
    """Return of how many such things it is said that each is what is sought."""
    claims = [found(goal, sight(replace(thing, id=f'{thing.id} {number}')), eyes)
              for number in range(600)]
    return sum(one.target is not None for one in claims) / len(claims)


def test_whether_a_colour_is_wrong_depends_on_which_was_asked_for() -> None:
    asked = {colour: share_claimed(f'find the {colour} mug', RED)
             for colour in ('red', 'orange', 'brown', 'green', 'blue')}
    assert asked['red'] > 0.9
    for near in ('orange', 'brown'):
        for far in ('green', 'blue'):
            assert asked[near] > 2 * asked[far] > 0.1
    assert share_claimed('find the orange mug', RED, EyesProfile(takes_for_it=0.1)) < 0.2


def test_what_resembles_the_target_is_claimed_far_more_often_than_anything() -> None:
    like = share_claimed('find the red mug', BOWL)
    assert 0.17 < like < 0.30
    assert like > 5 * share_claimed('find the red mug', SOFA)
    # What nobody asked for deceives nobody.
    assert share_claimed('find the red lamp', BOWL) < 0.05


def claims_from(eyes: EyesProfile, views: int = 6) -> list[list[bool]]:
    """Return for many bowls from which views each is taken for the mug, in a picture each."""
    return [[find(parse_goal('find the red mug'), seen, seen, eyes,
                  Draws(1, eyes.persistence, f'{view}'.encode())).target is not None
             for view in range(views)
             for seen in [sight(replace(BOWL, id=f'bowl {number}', view=f'{view}'))]]
            for number in range(400)]


def test_a_false_claim_stays_from_wherever_it_is_looked() -> None:
    always = claims_from(replace(MEASURED, claims_stay=1.0, imagines_it=0.0))
    assert {len(set(one)) for one in always} == {1}
    often, anew = (claims_from(replace(MEASURED, claims_stay=share, imagines_it=0.0))
                   for share in (MEASURED.claims_stay, 0.0))

    def again(claims: list[list[bool]]) -> float:
        """Return how often what is claimed from the first view is claimed from all others."""
        first = [one for one in claims if one[0]]
        return sum(all(one) for one in first) / len(first)

    assert again(often) > 0.5 and again(anew) < 0.05
    for claims in (always, often, anew):
        share = sum(map(sum, claims)) / sum(map(len, claims))
        assert 0.18 < share < 0.28
