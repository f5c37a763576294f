"""What the operator page shows of documents: the scene, its view, its past, its pictures."""

import json
from dataclasses import replace
from typing import Any

import builders
import numpy as np
import pytest

from semantic_nav.contracts.documents import (
    Belief,
    Body,
    Budgets,
    Cone,
    Decision,
    Document,
    GroundedObject,
    Hypothesis,
    Look,
    RobotPose,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import Scene as ModelScene
from semantic_nav.contracts.vocabulary import (
    Code,
    Level,
    Outcome,
    Phase,
    Purpose,
    Source,
    Status,
)
from semantic_nav.operator.heard import (
    MapShown,
    PictureShown,
    PlacesShown,
    ShownPlace,
    Statement,
)
from semantic_nav.operator.history import History
from semantic_nav.operator.layers import heat_pixels, map_pixels
from semantic_nav.operator.scene import SILENT_S, PageScene
from semantic_nav.operator.view import STALE_IDLE_POSE_S, STALE_POSE_S, outline_of, view_of

EVIL = '<img src=x onerror=alert(1)>'
BUDGETS = Budgets(1.0, 900.0, 0, 120, 0.0, 300.0, 0, 20)
BELIEF = Belief('find the mug', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', 'look',
                BUDGETS, p_here=0.5)


def document(body: Body, goal_id: str = 'goal-1', stamp_ns: int = 5) -> Document:
    return Document(f'id-{stamp_ns}', '', goal_id, stamp_ns, 'map', body)


def pose(x: float, **fields: Any) -> Document:
    return document(RobotPose(Pose2D(x, 0.0, 0.0), True, 0.0, **fields), '')


def thing(name: str, x: float) -> GroundedObject:
    return GroundedObject(name, (0.0, 0.0, 9.0, 9.0), (x, 1.0, 0.5), (0.1, 0.1, 0.1), 2.0,
                          False, False)


def taken(*heard: tuple[float, Any]) -> PageScene:
    scene = PageScene()
    for at_s, item in heard:
        scene.take(at_s, item)
    return scene


def grid(cells: list[list[int]]) -> OccupancyGrid:
    return OccupancyGrid(np.array(cells, np.int8), 0.5, 1.0, 2.0, 'map', 7)


def test_where_looks_were_missed_nothing_is_called_likely() -> None:
    late = replace(BELIEF, budgets=replace(BELIEF.budgets, model_calls=7))
    here = MapShown('map-1', lambda: grid([[0, 0], [0, 0]]))
    for belief, shown in ((BELIEF, True), (late, False)):
        scene = taken((0.0, here), (1.0, document(belief)), (2.0, document(late)))
        assert bool(view_of(scene, 3.0, live=True)['heat']) is shown


def test_a_view_is_plain_json_and_leaves_words_as_they_are() -> None:
    seen = builders.observation('step-1', objects=(thing(EVIL, 1.0),))
    scene = taken((0.0, document(replace(BELIEF, goal_text=EVIL))), (1.0, pose(0.0)),
                  (2.0, document(seen)))
    view = view_of(scene, 3.0, live=True)
    assert json.loads(json.dumps(view, allow_nan=False)) == view
    assert view['mission']['goal'] == EVIL
    assert [one['name'] for one in view['things']] == [EVIL]
    assert view['things'][0]['age_s'] == 1.0


def test_an_old_pose_is_stale_but_not_in_the_past() -> None:
    scene = taken((0.0, document(BELIEF)), (0.0, pose(0.0)))
    assert not view_of(scene, STALE_POSE_S, live=True)['robot']['stale']
    assert view_of(scene, STALE_POSE_S + 1, live=True)['robot']['stale']
    assert not view_of(scene, STALE_POSE_S + 1, live=False)['robot']['stale']
    idle = taken((0.0, pose(0.0)))
    assert not view_of(idle, STALE_POSE_S + 1, live=True)['robot']['stale']
    assert view_of(idle, STALE_IDLE_POSE_S + 1, live=True)['robot']['stale']


def test_a_node_that_says_no_more_is_silent() -> None:
    scene = taken((0.0, Statement('verifier', 'map', Level.OK, 'there')))
    assert scene.silent(4.0) == ()
    assert scene.silent(6.0) == ('verifier',)
    view = view_of(scene, 6.0, live=True)
    assert view['standing']['state'] == 'faulted' and 'verifier' in view['standing']['reason']


def test_nothing_may_be_done_in_the_past() -> None:
    scene = taken((0.0, document(BELIEF)))
    assert view_of(scene, 1.0, live=True)['standing']['permitted']
    assert view_of(scene, 1.0, live=False)['standing']['permitted'] == []


def test_places_are_changed_only_now_and_while_the_memory_answers() -> None:
    scene = taken((0.0, document(BELIEF)), (0.0, Statement('memory', 'store', Level.OK, 'there')))

    def permitted(now_s: float, **known: bool) -> set[str]:
        view = view_of(scene, now_s, **{'live': True, 'remembering': True, **known})
        return {'name', 'forget'} & {*view['standing']['permitted']}

    assert permitted(1.0) == {'name', 'forget'}
    assert permitted(1.0, listening=False) == {'name', 'forget'}, 'no belief is needed'
    assert not permitted(1.0, live=False) and not permitted(1.0, remembering=False)
    assert not permitted(SILENT_S + 1.0)


def test_a_way_is_told_by_the_name_of_its_place() -> None:
    going = replace(BELIEF, goal_text='go to place-1', purpose=Purpose.GO, place='place-1')
    scene = taken((0.0, document(going)))
    assert view_of(scene, 1.0, live=True)['mission']['goal'] == 'go to place-1'
    for name, goal in ((EVIL, f'go to {EVIL}'), ('', 'go to hall (3)')):
        scene.take(1.0, PlacesShown((ShownPlace(1.0, 2.0, 'hall (3)\ncoat', 'place-1', name),)))
        view = view_of(scene, 1.0, live=True)
        assert (view['mission']['goal'], view['mission']['purpose']) == (goal, 'go')
        assert [(one['id'], one['name']) for one in view['places']] == [('place-1', name)]
    scene.take(2.0, document(going, 'goal-2'))
    assert [one.words for one in scene.timeline if one.kind == 'goal'] == [
        'go to place-1', 'go to hall (3)']


def test_a_tour_is_told_for_what_it_is() -> None:
    answer = builders.canonical()
    said = Hypothesis('step-1', Source.MODEL, answer, builders.meta())
    tour = replace(BELIEF, purpose=Purpose.TOUR)
    scene = taken((0.0, document(tour)), (1.0, document(said)))
    assert view_of(scene, 2.0, live=True)['look']['words'] == 'the model told what it sees'
    scene.take(3.0, document(replace(tour, phase=Phase.FINISHED, outcome=Outcome.TOURED)))
    assert view_of(scene, 3.0, live=True)['mission']['ended'] == 'looked everywhere'
    scene.take(4.0, document(BELIEF, 'goal-2'))
    assert view_of(scene, 4.0, live=True)['look']['words'] == 'the model does not see it'


def test_a_thing_seen_again_is_one_and_another_is_another() -> None:
    scene = taken(*((at_s, document(builders.observation('step-1', objects=(thing('mug', x),))))
                    for at_s, x in ((0.0, 1.0), (1.0, 1.2), (2.0, 3.0))))
    assert [(one.at_s, one.thing.position[0]) for one in scene.things] == [(1.0, 1.2), (2.0, 3.0)]


def test_a_new_goal_begins_anew_but_keeps_what_was_seen() -> None:
    refusal = Verdict('approach', None, Decision(Code.KEEPOUT, EVIL, goal=Pose2D(1.0, 1.0, 0.0)))
    scene = taken(
        (0.0, document(BELIEF)), (1.0, pose(0.0)), (2.0, pose(1.0)), (3.0, document(refusal)),
        (4.0, document(builders.observation('step-1', objects=(thing('mug', 1.0),)))))
    assert view_of(scene, 5.0, live=True)['refused'][0]['reason'] == EVIL
    scene.take(5.0, document(replace(BELIEF, goal_text='a chair'), 'goal-2'))
    view = view_of(scene, 5.0, live=True)
    assert (view['refused'], view['path'], len(view['things'])) == ([], [], 1)
    assert [one.kind for one in scene.timeline if one.kind == 'goal'] == ['goal', 'goal']


def test_a_goal_that_is_refused_leaves_the_one_in_hand_alone() -> None:
    refused = replace(BELIEF, goal_text='', phase=Phase.FINISHED, outcome=Outcome.REFUSED,
                      reason='the text is empty')
    scene = taken((0.0, document(BELIEF)), (1.0, document(refused, 'goal-2')))
    assert scene.goal_id == 'goal-1'
    assert scene.timeline[-1].kind == 'refused'


def test_the_room_is_what_most_looks_called_it() -> None:
    scene = taken(*((float(number), document(builders.observation(
        'step-1', scene_place=name, pose=Pose2D(x, 0.0, 0.0)), stamp_ns=number))
        for number, (name, x) in enumerate([('hall', 0.0), ('Kitchen', 0.2), ('kitchen', 0.4),
                                            ('study', 5.0)])))
    assert [(one['name'], one['x']) for one in view_of(scene, 9.0, live=True)['rooms']] == [
        ('kitchen', 0.0), ('study', 5.0)]


def test_the_look_bears_its_boxes_and_its_picture() -> None:
    answer = builders.approach(scene=ModelScene('kitchen'), rationale=EVIL)
    said = Hypothesis('step-1', Source.MODEL, answer, builders.meta())
    looked = document(Look(True), stamp_ns=77)
    scene = taken((0.0, looked), (0.5, PictureShown(looked.id, lambda: b'jpeg')),
                  (1.0, replace(document(said, stamp_ns=77), cause_id=looked.id)))
    look = view_of(scene, 3.0, live=True)['look']
    assert (look['picture'], look['rationale'], look['age_s']) == (looked.id, EVIL, 2.0)
    assert [one['name'] for one in look['boxes']] == ['target']
    # Another camera may have taken a picture at the same time.
    scene.take(3.0, replace(document(said, stamp_ns=77), cause_id='another-look'))
    assert view_of(scene, 3.0, live=True)['look']['picture'] == ''


def test_the_models_that_the_server_has_are_told() -> None:
    scene = taken((0.0, Statement('hypothesis', 'model', Level.OK, 'there')))
    assert view_of(scene, 1.0, live=True)['model']['offered'] == []
    scene.take(1.0, Statement('hypothesis', 'model', Level.OK, 'there', (
        ('on_gpu', 'True'), ('offered', f'first\n{EVIL}'))))
    model = view_of(scene, 2.0, live=True)['model']
    assert (model['offered'], model['runs_on']) == (['first', EVIL], 'GPU')


def test_the_past_is_what_was_known_then() -> None:
    history = History()
    history.add(0.0, document(BELIEF))
    history.add(1.0, pose(0.0))
    history.add(1.1, pose(0.01))
    history.add(2.0, pose(1.0))
    history.add(3.0, document(replace(BELIEF, phase=Phase.FINISHED, outcome=Outcome.ARRIVED)))
    assert len(history.heard) == 4, 'a robot that stands is told once'
    middle, end = history.at(1.5), history.at(9.0)
    assert middle.pose is not None and middle.pose.pose.x == 0.0
    assert view_of(middle, 1.5, live=False)['standing']['state'] == 'executing'
    assert view_of(end, 9.0, live=False)['standing']['state'] == 'ready'


def test_a_statement_said_again_is_kept_once() -> None:
    history = History()
    for at_s in range(9):
        history.add(float(at_s), Statement('belief', 'alive', Level.OK, 'alone'))
    assert len(history.heard) == 1


def test_what_no_node_has_seen_working_is_told_until_it_has() -> None:
    scene = PageScene()
    for level, unproved in ((Level.WARN, ('verifier: no depth picture yet',)), (Level.OK, ())):
        scene.take(0.0, Statement('verifier', 'proof', level, 'no depth picture yet'))
        assert scene.facts(0.0, listening=True, live=True).unproved == unproved


def test_of_many_maps_every_second_one_is_forgotten_but_not_the_newest() -> None:
    history = History()
    for number in range(200):
        history.add(float(number), MapShown(str(number), lambda: grid([[0]])))
    keys = [one.item.key for one in history.heard if isinstance(one.item, MapShown)]
    assert len(keys) <= 60 and keys[0] == '0' and keys[-1] == '199'


def test_of_many_pictures_the_oldest_are_forgotten() -> None:
    history = History()
    for number in range(1100):
        history.add(float(number), PictureShown(f'look-{number}', lambda: b'jpeg'))
    assert len(history.heard) == 1000
    assert history.picture('look-99') is None
    found = history.picture('look-1099')
    assert found is not None and found.load() == b'jpeg'


def test_the_map_is_drawn_north_up_and_its_unknown_part_is_clear() -> None:
    pixels = map_pixels(grid([[-1, 0], [100, -1]]))
    assert pixels.shape == (2, 2, 4)
    assert (pixels[..., 3] > 0).tolist() == [[True, False], [False, True]]
    assert pixels[0, 0, 0] < pixels[1, 1, 0], 'a wall is darker than the floor'


def test_the_outline_is_that_of_the_known_part() -> None:
    found = outline_of('k', grid([[-1, -1, -1], [-1, 0, 100], [-1, -1, -1]]))
    assert found['known'] == [1.5, 2.5, 2.5, 3.0]
    assert outline_of('k', grid([[-1, -1]]))['known'] == [1.0, 2.0, 2.0, 2.5]


def test_where_was_looked_is_less_likely() -> None:
    floor = grid([[0] * 9 for _ in range(9)])
    cone = Cone(1.0, 4.25, 0.0, 0.4, 2.0)
    alpha = heat_pixels(floor, [cone], [])[..., 3]
    assert alpha[4, 2] < alpha[0, 2] == alpha.max()
    place = builders.candidate('place-1', Pose2D(4.0, 4.25, 0.0), 0.9)
    alpha = heat_pixels(floor, [], [place])[..., 3]
    assert alpha[4, 8] == alpha.max() > alpha[4, 0]


@pytest.mark.parametrize('cells', [[[-1, -1]], [[100, 100]]])
def test_without_floor_nothing_is_likely(cells: list[list[int]]) -> None:
    assert not heat_pixels(grid(cells), [], [])[..., 3].any()


def test_a_long_past_keeps_what_was_told_once() -> None:
    history = History()
    history.add(0.0, MapShown('first', lambda: grid([[0]])))
    history.add(0.0, Statement('memory', 'store', Level.OK, '51 places'))
    history.add(0.0, document(BELIEF))
    for step in range(21_000):
        history.add(1.0 + step, pose(float(step)))
    assert len(history.heard) < 20_001
    scene = history.at(history.last_s / 2)
    assert scene.map is not None and scene.map.key == 'first'
    assert scene.belief is not None
    assert [one.text for one in scene.statements.values()] == ['51 places']
