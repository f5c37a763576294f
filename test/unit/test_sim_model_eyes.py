import random

import pytest

from semantic_nav.sim.model.eyes import NOISE, NoiseProfile, OracleEyes, degrade, read_sight


def truth(*objects, found=True):
    return {'found': found, 'similarity': 0.99, 'width': 640, 'height': 480, 'room': 'hall',
            'objects': list(objects)}


def seen(ident='m', pixels=2000, colour='red', box=(100, 100, 150, 140)):
    return {'id': ident, 'name': f'{colour} mug', 'kind': 'mug', 'colour': colour,
            'box': list(box), 'pixels': pixels, 'distance_m': 1.5, 'edge': False}


def look(profile, *objects, seed=0):
    return degrade(read_sight(truth(*objects)), profile, random.Random(seed))


def share_seen(profile, pixels, trials=400):
    return sum(bool(look(profile, seen(pixels=pixels), seed=n).objects)
               for n in range(trials)) / trials


def test_objects_come_largest_first():
    sight = read_sight(truth(seen('small', 100), seen('large', 900)))
    assert [item.id for item in sight.objects] == ['large', 'small']


def test_unknown_picture_shows_nothing():
    assert not read_sight(truth(found=False)).recognised


def test_answer_of_another_form_is_refused():
    with pytest.raises(KeyError):
        read_sight({})
    with pytest.raises(ValueError, match='size'):
        read_sight(truth() | {'width': 0})


def test_without_noise_nothing_changes():
    sight = read_sight(truth(seen(pixels=1)))
    assert degrade(sight, NOISE['none'], random.Random(1)) == sight


def test_misses_depend_on_size():
    profile = NOISE['default']
    assert share_seen(profile, profile.blind_px - 1) == 0.0
    middle = share_seen(profile, (profile.blind_px + profile.sure_px) // 2)
    assert 0.3 < middle < 0.7
    assert share_seen(profile, 5000) > 0.93


def test_boxes_move_a_little_and_stay_inside():
    for seed in range(100):
        for item in look(NOISE['default'], seen(box=(0, 400, 90, 480)), seed=seed).objects:
            x1, y1, x2, y2 = item.box_px
            assert 0.0 <= x1 < x2 <= 640.0
            assert 0.0 <= y1 < y2 <= 480.0
            assert abs(x2 - 90.0) < 20.0


def test_look_alike_changes_colour_and_name_together():
    profile = NoiseProfile(confuse=1.0)
    item = look(profile, seen()).objects[0]
    assert item.colour != 'red'
    assert item.name == f'{item.colour} mug'
    assert look(profile, seen(colour='')).objects[0].colour == ''


def test_same_seed_sees_the_same():
    profile = NOISE['default']
    assert look(profile, seen(), seed=3) == look(profile, seen(), seed=3)
    assert look(profile, seen(), seed=3) != look(profile, seen(), seed=4)


def test_eyes_without_a_truth_server_are_blind():
    assert not OracleEyes('', NOISE['none']).look(b'x', random.Random(0)).recognised
    unreachable = OracleEyes('http://127.0.0.1:1', NOISE['none'])
    assert not unreachable.look(b'x', random.Random(0)).recognised
