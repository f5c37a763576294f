import math
from dataclasses import replace

import pytest

from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import OracleEyes, read_sight
from semantic_nav_sim.model.mistakes import degrade
from semantic_nav_sim.model.profile import EyesProfile, ModelProfile
from semantic_nav_sim.profiles import load_profile

DEFAULT = load_profile(ModelProfile, 'default').eyes


def truth(*objects, found=True):
    return {'found': found, 'similarity': 0.99, 'width': 640, 'height': 480, 'room': 'hall',
            'objects': list(objects)}


def seen(ident='m', pixels=2000, colour='red', box=(100, 100, 150, 140), distance_m=1.5,
         share=1.0):
    return {'id': ident, 'name': f'{colour} mug', 'kind': 'mug', 'colour': colour,
            'box': list(box), 'pixels': pixels, 'distance_m': distance_m, 'edge': False,
            'share': share}


def look(profile, *objects, seed=0):
    return degrade(read_sight(truth(*objects)), profile,
                   Draws(seed, profile.persistence, b'picture'))


def share_seen(profile, trials=400, **what):
    return sum(bool(look(profile, seen(**what), seed=n).objects) for n in range(trials)) / trials


def test_objects_come_largest_first():
    sight = read_sight(truth(seen('small', 100), seen('large', 900)))
    assert [item.id for item in sight.objects] == ['large', 'small']


def test_an_enlarged_picture_shows_no_more_and_a_smaller_one_less():
    def pixels(times):
        answer = truth(seen(pixels=round(1600 * times * times)))
        answer |= {'width': round(640 * times), 'height': round(480 * times),
                   'camera': {'width': 640, 'height': 480, 'x': 0.0, 'y': 0.0, 'yaw': 0.0}}
        return read_sight(answer).objects[0].pixels

    assert pixels(1.0) == pixels(1.5) == pixels(3.0) == 1600
    assert pixels(0.5) == 400


def test_nobody_sees_the_name_of_a_room():
    assert read_sight(truth(seen())).room == ''


def test_a_view_is_a_distance_and_a_side():
    def view(distance_m, from_rad):
        answer = truth(seen(distance_m=distance_m) | {'from_rad': from_rad})
        return read_sight(answer).objects[0].view

    assert view(2.1, 0.1) == view(2.3, 0.3)
    assert len({view(2.1, 0.1), view(4.1, 0.1), view(2.1, 0.8), view(2.1, -math.pi)}) == 4


def test_most_of_what_is_missed_from_somewhere_is_missed_there_again():
    profile = EyesProfile(miss=0.3, persistence=0.8)

    def misses(name, side, picture):
        answer = truth(seen(name) | {'from_rad': side})
        return not degrade(read_sight(answer), profile, Draws(1, 0.8, picture)).objects

    names = [f'mug_{number}' for number in range(400)]
    missed = [name for name in names if misses(name, 0.1, b'one')]
    assert 0.24 < len(missed) / len(names) < 0.36
    again = [name for name in missed if misses(name, 0.2, b'other')]
    elsewhere = [name for name in missed if misses(name, 2.0, b'other')]
    assert len(again) / len(missed) > 0.75
    assert len(elsewhere) / len(missed) < 0.45


def test_unknown_picture_shows_nothing():
    assert not read_sight(truth(found=False)).recognised


def test_answer_of_another_form_is_refused():
    with pytest.raises(KeyError):
        read_sight({})
    with pytest.raises(ValueError, match='size'):
        read_sight(truth() | {'width': 0})


def test_without_noise_nothing_changes():
    sight = read_sight(truth(seen(pixels=1)))
    assert degrade(sight, load_profile(ModelProfile, 'none').eyes, Draws(1, 0.0)) == sight


@pytest.mark.parametrize(('profile', 'what', 'never', 'half', 'always'), [
    (EyesProfile(blind_px=40, sure_px=240), 'pixels', 39, 140, 240),
    (EyesProfile(sure_m=2.0, blind_m=6.0), 'distance_m', 6.0, 4.0, 2.0),
    (EyesProfile(blind_share=0.2, sure_share=0.8), 'share', 0.2, 0.5, 0.8)])
def test_misses_grow_with_smallness_distance_and_what_hides(profile, what, never, half, always):
    assert share_seen(profile, **{what: never}) == 0.0
    assert 0.4 < share_seen(profile, **{what: half}) < 0.6
    assert share_seen(profile, **{what: always}) == 1.0


def test_some_things_are_missed_all_the_same():
    assert 0.9 < share_seen(DEFAULT, pixels=5000) < 1.0
    assert share_seen(load_profile(ModelProfile, 'blind').eyes, pixels=5000) == 0.0


def test_boxes_move_a_little_and_stay_inside():
    for seed in range(100):
        for item in look(DEFAULT, seen(box=(0, 400, 90, 480)), seed=seed).objects:
            x1, y1, x2, y2 = item.box_px
            assert 0.0 <= x1 < x2 <= 640.0
            assert 0.0 <= y1 < y2 <= 480.0
            assert abs(x2 - 90.0) < 20.0


def test_a_wrong_colour_changes_the_name_too():
    profile = EyesProfile(wrong_colour=1.0)
    item = look(profile, seen()).objects[0]
    assert item.colour != 'red'
    assert item.name == f'{item.colour} mug'
    assert look(profile, seen(colour='')).objects[0].colour == ''


def test_a_look_alike_is_of_another_kind_and_of_the_same_colour():
    profile = EyesProfile(look_alike=1.0)
    kinds = {item.kind for n in range(40) for item in look(profile, seen(), seed=n).objects}
    assert len(kinds) > 1
    assert 'mug' not in kinds
    item = look(profile, seen()).objects[0]
    assert item.name == f'red {item.kind}'
    strange = seen() | {'kind': 'umbrella stand', 'name': 'umbrella stand'}
    assert look(profile, strange).objects[0].name == 'umbrella stand'


def test_same_seed_sees_the_same():
    profile = DEFAULT
    assert look(profile, seen(), seed=3) == look(profile, seen(), seed=3)
    assert look(profile, seen(), seed=3) != look(profile, seen(), seed=4)


def test_eyes_without_a_truth_server_are_blind():
    assert not OracleEyes('').look(b'x').recognised
    unreachable = OracleEyes('http://127.0.0.1:1')
    assert not unreachable.look(b'x').recognised


MEASURED = load_profile(ModelProfile, 'measured').eyes


def recall(profile, area, trials=600, cut=False, share=1.0, times=1.0):
    """Return how many of some things are seen whose boxes take so much of the picture."""
    side = (area * 640 * 480) ** 0.5 * times
    entry = {'kind': 'guitar', 'box': [10, 10, 10 + side, 10 + side], 'edge': cut, 'share': share}
    things = [seen(f'thing {n}') | entry for n in range(trials)]
    answer = truth(*things) | {'width': round(640 * times), 'height': round(480 * times)}
    return len(degrade(read_sight(answer), profile, Draws(3, 0.0, b'picture')).objects) / trials


def test_smaller_things_are_seen_less_and_larger_ones_never_less():
    areas = [0.0001, 0.0003, 0.00073, 0.0015, 0.0033, 0.007, 0.0146, 0.022, 0.0326, 0.1, 0.5]
    # The same things and draws: what is seen when small is seen when it is larger.
    found = [recall(MEASURED, area) for area in areas]
    assert found == sorted(found)
    assert found[0] < 0.1 and found[-1] == found[-2] > 0.9
    for (area, share) in MEASURED.recall_by_area:
        assert recall(MEASURED, area) == pytest.approx(0.97 * share, abs=0.06)


def test_what_part_of_the_picture_it_takes_does_not_change_with_the_pictures_size():
    assert recall(MEASURED, 0.003, times=2.0) == recall(MEASURED, 0.003)


def test_of_what_the_edge_cuts_less_is_seen_the_less_of_it_is_in_view():
    whole = recall(MEASURED, 0.3)
    cut = [recall(MEASURED, 0.3, cut=True, share=share) for share in (0.2, 0.58, 0.8, 1.0)]
    assert cut == sorted(cut) and cut[0] < cut[1] == pytest.approx(0.15 * whole, abs=0.04)
    assert cut[-1] == whole
    assert recall(DEFAULT, 0.3, cut=True, share=0.58) == recall(DEFAULT, 0.3, share=0.58)


def test_a_colour_is_seen_as_it_is_until_somebody_asks():
    colours = {item.colour for n in range(300) for item in look(MEASURED, seen(), seed=n).objects}
    assert colours == {'red'}
    assert len({item.colour for n in range(300)
                for item in look(DEFAULT, seen(), seed=n).objects}) > 1


def answers_that_change(profile, trials=500):
    """Return of how many things the next picture of a view tells something else."""
    things = [seen(f'thing {n}', box=(100, 100, 130, 130)) | {'kind': 'guitar'}
              for n in range(trials)]
    first, later = ({item.id for item in degrade(
        read_sight(truth(*things)), profile, Draws(1, profile.persistence, picture)).objects}
        for picture in (b'one', b'some pixels to the side'))
    return len(first ^ later) / trials


def test_a_shift_of_some_pixels_changes_more_answers_than_in_the_usual_world():
    usual = replace(MEASURED, persistence=DEFAULT.persistence)
    assert answers_that_change(MEASURED) > 1.5 * answers_that_change(usual) > 0.05


def test_of_ten_rooms_three_get_a_wrong_word():
    stove = seen(box=(100, 100, 400, 400), pixels=90_000) | {'kind': 'stove', 'name': 'stove'}
    rooms = [look(replace(MEASURED, miss=0.0), stove, seed=n).room for n in range(400)]
    assert rooms.count('kitchen') / len(rooms) == pytest.approx(0.7, abs=0.08)


def test_what_is_drawn_for_a_sight_does_not_go_by_what_is_cut():
    whole, cut = (read_sight(truth(seen() | {'edge': edge})) for edge in (False, True))
    assert whole != cut and repr(whole) == repr(cut)
