"""The memory core: sequences of documents and results, and what follows from them."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_rig import BEDROOM, HASH, KITCHEN, STARTED, Bench, of_type
from numpy.typing import NDArray

from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import RecordCodec, encode_document
from semantic_nav.contracts.core import COMMON_KINDS, DocumentReceived, Event, Output, Tick
from semantic_nav.contracts.documents import Candidates, Document
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import (
    Scene,
    SceneObject,
)
from semantic_nav.contracts.vocabulary import Level, Phase, Source
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.core import MemoryCore
from semantic_nav.memory.events import (
    RECORD_KINDS,
    Embed,
    Embedded,
    EmbedFailed,
    LoadStore,
    PlaceSaved,
    SaveFailed,
    SavePlace,
    StoreFailed,
    StoreLoaded,
)
from semantic_nav.memory.graph import MAX_SHOWN
from semantic_nav.memory.place import MAX_TAGS, Edge, Place
from semantic_nav.memory.retrieval import RANKINGS
from semantic_nav.memory.thresholds import likely_threshold


@pytest.fixture
def bench() -> Bench:
    bench = Bench().started()
    bench.be_at(0)
    return bench


# Places


def test_the_start_asks_for_the_store() -> None:
    bench = Bench(working=False, map_id='home', memory_db='/m')
    assert bench.feed(STARTED) == [LoadStore('home', HASH.id, HASH.dimension)]
    assert bench.store == (Level.WARN, 'opening /m')


def test_a_look_makes_a_place_that_is_saved_first_and_embedded_then(bench: Bench) -> None:
    bench.be_at(1, 2, 0.5)
    outputs = bench.look()
    place = Place('place-s-1', 'default', Pose2D(1, 2, 0.5), 'kitchen', ('red mug', 'kettle'),
                  'kitchen with red mug, kettle', bench.now.calendar_ns, bench.now.calendar_ns,
                  1, 's')
    assert bench.place == place
    first, embed, second = outputs
    assert first == SavePlace(place, None, None)
    assert embed == Embed('embed-s-1', ('kitchen', 'red mug', 'kettle'))
    assert isinstance(second, SavePlace)
    assert second.place == place
    assert second.vector is not None
    assert second.vector.embedder == HASH.id
    assert np.linalg.norm(second.vector.values) == pytest.approx(1, abs=1e-5)
    assert bench.figure('unembedded') == 0


def test_names_come_from_scene_and_grounding_without_the_nameless_target(bench: Bench) -> None:
    bench.look(Scene('Hall_way!', (SceneObject('  Coat   RACK '), SceneObject('coat rack'),
                                   SceneObject('unknown'), SceneObject('{"mug": 1}'))),
               seen='box')
    assert bench.place.kind == 'hall way'
    assert bench.place.tags == ('coat rack', 'mug 1')


def test_without_its_hypothesis_a_look_still_has_what_was_grounded(bench: Bench) -> None:
    bench.look(Scene('kitchen'), told=False)
    assert not bench.places, 'its hypothesis may still come'
    for x in (3.0, 6.0):
        bench.drive_to(x)
        bench.look(Scene('hall'), told=False)
    assert bench.place.summary == 'kitchen'


def test_a_hypothesis_may_come_after_its_observation(bench: Bench) -> None:
    bench.look(KITCHEN, told=False)
    lost = f'lost-{next(bench.numbers) - 2}'
    late = Document(lost, 'look', bench.goal_id, bench.now.clock_ns, 'map', bench.untold)
    bench.feed(DocumentReceived(late))
    assert 'red mug' in bench.place.tags


@pytest.mark.parametrize('scene', [Scene(''), Scene('unknown', (SceneObject('???'),))])
def test_an_unknown_scene_makes_no_place(bench: Bench, scene: Scene) -> None:
    assert bench.look(scene) == []


def test_a_fallback_sees_nothing(bench: Bench) -> None:
    assert bench.look(source=Source.FALLBACK) == []


@pytest.mark.parametrize('lost', ['unhealthy', 'old', 'ahead', 'never'])
def test_without_a_trusted_pose_nothing_is_remembered(lost: str) -> None:
    bench = Bench().started()
    match lost:
        case 'unhealthy':
            bench.be_at(0)
            bench.be_at(0, healthy=False)
        case 'old':
            bench.be_at(0)
            bench.pass_time(2.1)
        case 'ahead':
            bench.be_at(0)
            bench.now = replace(bench.now, clock_ns=0)
    assert bench.look() == []
    assert bench.figure('untrusted_looks') == 1


@pytest.mark.parametrize(('pose', 'again'), [
    (Pose2D(0.9, 0, 0), True), (Pose2D(1.1, 0, 0), False), (Pose2D(0, 0, 0.9), True),
    (Pose2D(0, 0, -1.1), False), (Pose2D(0.8, 0.8, 0), False)])
def test_a_look_close_by_refreshes_the_place(bench: Bench, pose: Pose2D, again: bool) -> None:
    bench.look()
    bench.be_at(pose.x, pose.y, pose.yaw)
    bench.look(Scene('kitchen', (SceneObject('bowl'), SceneObject('kettle'))))
    assert len(bench.places) == (1 if again else 2)
    if again:
        assert bench.place.tags == ('bowl', 'kettle', 'red mug')
        assert bench.place.summary == 'kitchen with bowl, kettle, red mug'
        assert bench.place.pose == Pose2D(0, 0, 0)
        assert bench.place.last_seen_calendar_ns == bench.now.calendar_ns
        assert bench.place.created_calendar_ns < bench.now.calendar_ns
        assert bench.figure('unembedded') == 0


def test_the_viewpoint_moves_to_where_the_target_was_seen_from(bench: Bench) -> None:
    """From the first pose a door frame may hide it."""
    bench.look()
    bench.be_at(0.8, 0.1, 0.9)
    [saved] = of_type(bench.look(seen='box'), SavePlace)
    assert saved.place == bench.place
    assert bench.place.pose == Pose2D(0.8, 0.1, 0.9)
    bench.be_at(0.1, 0.1, 0.5)
    bench.look()
    assert bench.place.pose == Pose2D(0.8, 0.1, 0.9)


def test_looks_of_one_stay_are_one_visit(bench: Bench) -> None:
    bench.look()
    bench.look()
    assert bench.place.visits == 1
    bench.drive_to(3)
    bench.look(BEDROOM)
    bench.drive_to(0.2)
    bench.look()
    assert [place.visits for place in bench.places] == [2, 1]


def test_a_look_that_tells_nothing_new_is_not_embedded_again(bench: Bench) -> None:
    bench.look()
    assert of_type(bench.look(), Embed) == []


def test_tags_are_bounded(bench: Bench) -> None:
    for batch in range(5):
        bench.look(Scene('attic', tuple(
            SceneObject(f'thing {batch} {number}') for number in range(12))))
    assert len(bench.place.tags) == MAX_TAGS
    assert bench.place.tags[0] == 'thing 4 0'
    assert len(bench.place.summary) <= 300


# Ways


def test_successive_places_are_joined_by_the_driven_length(bench: Bench) -> None:
    bench.look()
    bench.drive_to(0, 2)
    bench.drive_to(3, 2)
    bench.look(BEDROOM)
    assert bench.edges == [Edge('place-s-1', 'place-s-2', 5.0)]
    assert [save.edge for save in bench.saved if save.edge] == bench.edges


def test_a_shorter_way_back_replaces_the_longer(bench: Bench) -> None:
    bench.look()
    bench.drive_to(0, 4)
    bench.drive_to(3, 0)
    bench.look(BEDROOM)
    bench.drive_to(0)
    bench.look()
    assert bench.edges == [Edge('place-s-1', 'place-s-2', 3.0)]
    bench.drive_to(5)
    bench.drive_to(3)
    bench.look(BEDROOM)
    assert bench.edges == [Edge('place-s-1', 'place-s-2', 3.0)]


def test_a_jump_of_the_localisation_joins_nothing(bench: Bench) -> None:
    bench.look()
    bench.be_at(4, jump_m=4.0)
    bench.look(BEDROOM)
    assert bench.edges == []
    bench.drive_to(4, 2)
    bench.look(KITCHEN)
    assert [edge.from_id for edge in bench.edges] == ['place-s-2']


def test_a_stretch_without_health_counts_as_straight(bench: Bench) -> None:
    bench.look()
    bench.be_at(100, 100, healthy=False)
    bench.be_at(3)
    bench.look(BEDROOM)
    assert bench.edges == [Edge('place-s-1', 'place-s-2', 3.0)]


# The store


def loaded(*places: Place, edges: tuple[Edge, ...] = (), embedded: int = 0) -> StoreLoaded:
    return StoreLoaded(places, edges, tuple(place.id for place in places[:embedded]),
                       HASH.embed([place.summary for place in places[:embedded]]))


def stored_place(number: int, **changes: Any) -> Place:
    place = Place(f'place-old-{number}', 'default', Pose2D(10.0 * number, 0, 0), 'kitchen',
                  ('red mug',), 'kitchen with red mug', 1, 2, 1, 'old')
    return replace(place, **changes)


def test_vector_of_a_place_that_has_changed_since_it_was_stored_is_made_anew() -> None:
    """The node was deactivated before the change was written, and the file tells of before."""
    bench = Bench(working=False)
    bench.feed(STARTED)
    stored = loaded(stored_place(1), embedded=1)
    bench.feed(stored)
    bench.be_at(10.0)
    bench.look(BEDROOM)
    changed, = bench.places
    assert changed.tags[-1] == 'red mug' and len(changed.tags) == 3
    bench.feed(STARTED)
    embed, = of_type(bench.feed(stored), Embed)
    assert set(embed.texts) == {'bedroom', *changed.tags}


def test_stored_places_are_offered_and_those_without_vector_embedded() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    one, other = stored_place(1), stored_place(2, tags=('mug',), summary='kitchen with mug')
    outputs = bench.feed(loaded(one, other, edges=(
        Edge(one.id, other.id, 2.0), Edge(one.id, 'gone', 2.0)), embedded=1))
    assert outputs == [Embed('embed-s-1', ('kitchen', 'mug'))]
    assert bench.edges == [Edge(one.id, other.id, 2.0)]
    assert bench.figure('unembedded') == 1
    save, = bench.feed(Embedded('embed-s-1', HASH.embed(['kitchen', 'mug'])))
    assert isinstance(save, SavePlace)
    assert (save.place, save.edge) == (other, None)
    assert save.vector is not None


def test_many_places_are_embedded_a_few_at_a_time() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    requests = of_type(bench.feed(loaded(*(stored_place(n) for n in range(20)))), Embed)
    saves = 0
    while requests:
        assert len(requests) == 1
        outputs = bench.feed(Embedded(requests[0].request_id, HASH.embed(requests[0].texts)))
        saves += len(of_type(outputs, SavePlace))
        requests = of_type(outputs, Embed)
    assert saves == 20
    assert bench.figure('unembedded') == 0


def test_a_new_session_adds_to_the_places_of_an_old_one() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    bench.feed(loaded(stored_place(0), stored_place(1, id='place-s-1'), embedded=2))
    bench.be_at(0)
    bench.look(Scene('kitchen', (SceneObject('bowl'),)))
    assert bench.places[0].tags == ('bowl', 'red mug')
    assert bench.places[0].visits == 2
    bench.be_at(5)
    bench.look()
    assert [place.id for place in bench.places] == ['place-old-0', 'place-s-1', 'place-s-2']


def test_looks_wait_for_the_store() -> None:
    bench = Bench(working=False)
    bench.be_at(0)
    assert bench.look() == []
    bench.feed(STARTED)
    assert bench.look() == []
    outputs = bench.feed(loaded(stored_place(0), embedded=1))
    assert bench.place.tags == ('red mug', 'kettle')
    assert len(of_type(outputs, SavePlace)) == 2


def test_without_a_store_the_memory_lasts_for_the_session() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    bench.feed(StoreFailed('the memory /m cannot be used: it is corrupt'))
    bench.working = True
    bench.be_at(0)
    outputs = bench.look()
    assert of_type(outputs, SavePlace) == []
    assert bench.store == (Level.ERROR, 'the memory /m cannot be used: it is corrupt')
    bench.be_at(9)
    bench.believe()
    assert bench.offered == ['place-s-1']


def test_a_store_that_opens_later_takes_what_was_remembered() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    bench.feed(StoreFailed('no disk'))
    bench.be_at(0)
    bench.look()
    bench.feed(STARTED)
    outputs = bench.feed(loaded(stored_place(1), embedded=1))
    assert of_type(outputs, SavePlace) == [SavePlace(bench.places[0], None, None)]
    assert of_type(outputs, Embed)[0].texts == ('kitchen', 'red mug', 'kettle')
    assert [place.id for place in bench.places] == ['place-s-1', 'place-old-1']
    assert bench.store[0] is Level.OK


def test_a_failed_write_is_tried_again_with_all_that_belongs_to_it() -> None:
    bench = Bench(working=False).started()
    bench.be_at(0)
    bench.look()
    bench.drive_to(3)
    save, *_ = of_type(bench.look(BEDROOM), SavePlace)
    assert save.edge is not None
    bench.feed(SaveFailed(save.place.id, save.edge, 'disk full'))
    assert bench.figure('unsaved', 'store') == 1
    assert bench.store == (Level.ERROR, 'disk full')
    assert bench.ticking
    assert bench.feed(Tick()) == []
    bench.pass_time(10)
    assert bench.feed(Tick()) == [SavePlace(save.place, None, None),
                                  SavePlace(save.place, None, save.edge)]
    assert not bench.ticking
    bench.feed(PlaceSaved(save.place.id))
    assert bench.store[0] is Level.OK


# The goal


def test_candidates_are_in_the_frame_of_the_map_that_is_configured() -> None:
    bench = Bench(map_frame='world').started()
    bench.be_at(0)
    bench.look()
    document, = of_type(bench.believe('find the red mugs'), Document)
    assert document.frame_id == 'world'


def test_candidates_answer_the_belief_that_opened_the_goal(bench: Bench) -> None:
    bench.look()
    bench.drive_to(3)
    bench.look(BEDROOM)
    bench.drive_to(9)
    document, = of_type(bench.believe('find the red mugs'), Document)
    assert document.id == 'memory-s-1'
    assert document.goal_id == 'goal-s-1'
    assert document.cause_id.startswith('other-s-')
    assert (document.frame_id, document.stamp_ns) == ('map', bench.now.clock_ns)
    best, = bench.candidates.candidates
    assert best.node_id == 'place-s-1'
    assert best.pose == Pose2D(0, 0, 0)
    assert best.keyword_score == 1
    assert best.score >= bench.candidates.threshold == (
        likely_threshold('content_words', 'hash'))
    assert best.reasons[0] == "names 'red mug'"
    assert bench.candidates.embedder == HASH.id
    assert bench.candidates.places_total == 2
    encode_document(document)


def test_nothing_is_said_before_store_and_goal_are_ready() -> None:
    bench = Bench(working=False)
    bench.believe()
    assert bench.feed(STARTED) == [LoadStore('default', HASH.id, HASH.dimension),
                                   Embed('embed-s-1', ('find the red mug',))]
    assert bench.feed(Embedded('embed-s-1', HASH.embed(['find the red mug']))) == []
    bench.feed(loaded(stored_place(1), embedded=1))
    assert bench.offered == ['place-old-1']


def test_an_empty_memory_says_so_once(bench: Bench) -> None:
    bench.believe()
    assert bench.candidates.candidates == ()
    bench.believe()
    assert len(bench.published) == 1


def test_candidates_follow_the_places_while_the_goal_is_open(bench: Bench) -> None:
    bench.believe()
    bench.goal_id = 'another goal'
    bench.look()
    assert bench.offered == ['place-s-1']
    before = len(bench.published)
    bench.believe(phase=Phase.FINISHED)
    bench.drive_to(5)
    bench.look()
    assert len(bench.published) == before


def test_what_was_found_is_remembered_by_the_words_of_the_goal(bench: Bench) -> None:
    """The model may call it otherwise: a flat screen."""
    bench.believe('find the television')
    bench.look(Scene('lounge', (SceneObject('flat screen'),)), seen='box')
    bench.drive_to(5)
    bench.look(BEDROOM)
    bench.believe('find the television', phase=Phase.FINISHED)
    lounge, bedroom = bench.places
    assert lounge.tags == ('television', 'flat screen')
    assert lounge.summary == 'lounge with television, flat screen'
    assert bedroom.tags == ('double bed', 'pillow')
    assert bench.saved[-1].place == lounge and bench.saved[-1].vector is not None
    bench.believe('find the television', goal_id='goal-s-2')
    assert bench.offered == [lounge.id]
    (offer,) = bench.candidates.candidates
    assert lounge.found is not None and lounge.found.name == 'television'
    assert offer.found_at == lounge.found.position
    bench.believe('find the flat screen', goal_id='goal-s-3')
    assert {one.found_at for one in bench.candidates.candidates} == {None}, 'other words'


def test_thing_that_was_seen_under_other_words_is_not_what_was_found(bench: Bench) -> None:
    bench.believe('find the television')
    bench.look(Scene('lounge', (SceneObject('flat screen'),)), seen='box')
    bench.believe('find the television (the small one)')
    bench.believe('find the television (the small one)', phase=Phase.FINISHED)
    (lounge,) = bench.places
    assert lounge.found is None


def test_what_was_not_found_is_not_remembered(bench: Bench) -> None:
    bench.believe('find the television')
    bench.look(BEDROOM)
    bench.believe('find the television', phase=Phase.FINISHED)
    assert [place.tags for place in bench.places] == [('double bed', 'pillow')]


def test_a_new_goal_ends_the_old_one(bench: Bench) -> None:
    bench.look()
    bench.believe()
    bench.believe('find the bed', goal_id='goal-s-2')
    assert bench.published[-1].goal_id == 'goal-s-2'
    assert bench.candidates.candidates == ()


def test_a_refused_goal_leaves_the_open_one_alone(bench: Bench) -> None:
    bench.look()
    bench.believe()
    bench.believe('', goal_id='goal-s-2', phase=Phase.FINISHED)
    before = len(bench.published)
    bench.drive_to(5)
    bench.look()
    assert len(bench.published) > before
    assert bench.published[-1].goal_id == 'goal-s-1'


def test_a_goal_begins_with_its_first_step_or_belief(bench: Bench) -> None:
    bench.look()
    bench.step('find the red mug')
    assert bench.published[-1].goal_id == 'goal-s-1'
    assert bench.offered == ['place-s-1']
    said = len(bench.published)
    bench.believe('find the red mug')
    assert len(bench.published) == said


def test_what_is_left_of_an_earlier_goal_does_not_take_over(bench: Bench) -> None:
    bench.look()
    bench.believe('find the bed', goal_id='goal-s-1')
    bench.believe(goal_id='goal-s-2')
    said = len(bench.published)
    bench.step('find the bed', goal_id='goal-s-1')
    bench.believe('find the bed', goal_id='goal-s-1')
    bench.drive_to(5)
    bench.goal_id = 'goal-s-2'
    bench.look()
    assert {document.goal_id for document in bench.published[said:]} == {'goal-s-2'}


def test_a_look_that_overtakes_the_first_word_of_its_goal_counts(bench: Bench) -> None:
    bench.goal_id = 'goal-s-1'
    bench.look()
    bench.believe()
    assert bench.offered == []
    assert bench.figure('checked') == 1


def test_an_answer_that_changes_the_words_is_compared_anew(bench: Bench) -> None:
    bench.look(BEDROOM)
    bench.believe()
    assert bench.candidates.candidates == ()
    bench.believe('find the mug (on the pillow)')
    assert bench.offered == ['place-s-1']


@pytest.mark.parametrize('ranking', RANKINGS)
def test_the_meta_tells_what_retrieval_alone_found(ranking: str) -> None:
    bench = Bench(ranking=ranking).started()
    bench.be_at(0)
    bench.look()
    bench.drive_to(5)
    bench.look(BEDROOM)
    bench.believe('find the red mug')
    said = bench.candidates
    assert said.retrieval_ran and said.retrieval_threshold_pass
    best, *others = said.retrieval_topk
    assert best.node_id == 'place-s-1' and best.score == said.retrieval_best_score
    assert [other.node_id for other in others] == (
        ['place-s-2'] if ranking == 'classic' else [])
    assert bench.offered == [node.node_id for node in said.retrieval_topk]
    # What a look has disproved is offered no more, but retrieval finds it as before.
    bench.drive_to(0)
    bench.look(Scene(''))
    assert 'place-s-1' not in bench.offered
    assert bench.candidates.retrieval_topk == said.retrieval_topk
    assert bench.candidates.retrieval_best_score == said.retrieval_best_score
    assert bench.candidates.retrieval_threshold_pass


def test_the_threshold_is_passed_when_it_is_reached() -> None:
    bench = Bench().started()
    bench.be_at(0)
    bench.look()
    bench.believe('find the red mug')
    best = bench.candidates.retrieval_best_score
    assert best is not None
    for threshold, passed in ((best, True), (best + 1e-6, False)):
        bench = Bench(likely_threshold=threshold).started()
        bench.be_at(0)
        bench.look()
        bench.believe('find the red mug')
        assert bench.candidates.retrieval_threshold_pass is passed


def test_what_is_not_remembered_passes_no_threshold(bench: Bench) -> None:
    bench.believe('find the red mug')
    said = bench.candidates
    assert (said.retrieval_ran, said.retrieval_topk, said.retrieval_best_score,
            said.retrieval_threshold_pass) == (True, (), None, False)


@pytest.mark.parametrize('ranking', RANKINGS)
@pytest.mark.parametrize('text', ['?!', '  ', '...', '_', '—'])
def test_a_goal_without_words_is_not_looked_up(ranking: str, text: str) -> None:
    bench = Bench(ranking=ranking).started()
    bench.be_at(0)
    bench.look()
    outputs = bench.believe(text)
    assert of_type(outputs, Embed) == []
    said = bench.candidates
    assert (said.retrieval_ran, said.retrieval_topk, said.retrieval_best_score,
            said.retrieval_threshold_pass) == (False, (), None, False)
    assert said.candidates == ()


def test_classic_offers_every_place_and_five_by_default() -> None:
    bench = Bench(ranking='classic').started()
    for number in range(7):
        bench.be_at(3 * number)
        bench.look(BEDROOM)
    bench.believe('a wheelchair')
    assert [one.node_id for one in bench.candidates.retrieval_topk] == [
        f'place-s-{number}' for number in range(1, 6)]
    # They fit alike; the robot stands at the last one.
    assert bench.offered == [f'place-s-{number}' for number in range(7, 2, -1)]
    assert [one.distance_m for one in bench.candidates.candidates] == [0.0, 3.0, 6.0, 9.0, 12.0]
    assert not bench.candidates.retrieval_threshold_pass


def test_candidates_say_how_far_how_old_and_how_uncertain_and_are_not_said_anew_for_that() -> None:
    bench = Bench().started()
    for x, scene in ((0, KITCHEN), (3, BEDROOM)):
        bench.be_at(x)
        bench.look(scene)
    bench.believe()
    first = bench.candidates.candidates[0]
    assert (first.distance_m, first.uncertainty) == (3.0, 0.333)
    assert first.seen_ago_s is not None and 0.0 <= first.seen_ago_s < 60.0
    said = len([one for one in bench.published if isinstance(one.body, Candidates)])
    bench.be_at(4)
    bench.look(BEDROOM)
    assert len([one for one in bench.published if isinstance(one.body, Candidates)]) == said


def test_candidates_are_said_anew_where_the_robot_has_come_nearer_to_another() -> None:
    bench = Bench().started()
    for x in (0, 12, 6):
        bench.be_at(x)
        bench.look(BEDROOM if x == 6 else KITCHEN)
    bench.be_at(7)
    bench.believe()
    assert bench.offered == ['place-s-2', 'place-s-1']
    bench.be_at(2)
    bench.look(BEDROOM)
    assert bench.offered == ['place-s-1', 'place-s-2']


def test_the_threshold_can_be_set() -> None:
    bench = Bench(likely_threshold=0.9).started()
    bench.believe()
    assert bench.candidates.threshold == 0.9


def test_the_number_of_candidates_is_bounded() -> None:
    bench = Bench().started()
    for number in range(7):
        bench.be_at(3 * number)
        bench.look()
    bench.believe()
    assert len(bench.offered) == 5
    assert bench.candidates.places_total == 7


@pytest.mark.parametrize(('pose', 'checked'), [
    (Pose2D(0, 0, 0), True), (Pose2D(0.4, 0.4, 0.5), True), (Pose2D(0.7, 0, 0), False),
    (Pose2D(0, 0, 0.7), False)])
def test_a_place_that_was_looked_at_in_vain_is_no_candidate(
        bench: Bench, pose: Pose2D, checked: bool) -> None:
    bench.look()
    bench.drive_to(5)
    bench.believe()
    assert bench.offered == ['place-s-1']
    bench.be_at(pose.x, pose.y, pose.yaw)
    bench.look(Scene(''))
    assert bench.offered == ([] if checked else ['place-s-1'])
    assert bench.figure('checked') == checked
    assert bench.candidates.looked_at == (('place-s-1',) if checked else ())
    assert bench.candidates.places_total == 1


@pytest.mark.parametrize(('seen', 'kept'), [
    ('track', True), ('box', True), ('old track', False), ('', False)])
def test_a_place_that_shows_the_target_stays(bench: Bench, seen: str, kept: bool) -> None:
    bench.look()
    bench.believe()
    bench.look(seen=seen)
    assert bench.offered == (['place-s-1'] if kept else [])


def test_a_target_that_is_seen_later_brings_its_place_back(bench: Bench) -> None:
    bench.look()
    bench.believe()
    bench.look()
    assert bench.offered == [] and bench.candidates.looked_at == ('place-s-1',)
    bench.look(seen='track')
    assert bench.offered == ['place-s-1'] and bench.candidates.looked_at == ()


def test_places_that_were_never_offered_are_not_named_as_looked_at(bench: Bench) -> None:
    bench.believe('the bathroom')
    bench.look()
    assert bench.figure('checked') == 1
    assert bench.offered == [] and bench.candidates.looked_at == ()


def test_other_words_of_a_goal_keep_what_was_looked_at(bench: Bench) -> None:
    bench.look()
    bench.believe()
    bench.look()
    bench.believe('find the red mug (the big one)')
    assert bench.offered == [] and bench.candidates.looked_at == ('place-s-1',)


def test_looks_of_another_goal_or_the_fallback_check_nothing(bench: Bench) -> None:
    bench.look()
    bench.believe()
    bench.look(source=Source.FALLBACK)
    bench.goal_id = 'goal-s-0'
    bench.look()
    assert bench.offered == ['place-s-1']


def test_a_new_goal_forgets_what_was_checked(bench: Bench) -> None:
    bench.look()
    bench.believe()
    bench.look()
    assert bench.offered == []
    bench.believe(goal_id='goal-s-2')
    assert bench.offered == ['place-s-1']


# What people see


def test_a_shell_that_begins_anew_is_told_everything_again(bench: Bench) -> None:
    bench.look()
    before, places = dict(bench.reports), bench.places
    bench.reports.clear()
    bench.shown.clear()
    bench.feed(STARTED)
    assert (bench.reports, bench.places) == (before, places)


def test_a_look_shows_its_place_and_the_ways_there_and_nothing_else(bench: Bench) -> None:
    for x in (0, 3, 6):
        bench.drive_to(x)
        bench.look()
    bench.drive_to(3)
    before = len(bench.shown)
    bench.look()
    shown, = bench.shown[before:]
    assert [place.id for place in shown.places] == ['place-s-2']
    assert {(way.from_id, way.to_id) for way in shown.edges} == {
        ('place-s-1', 'place-s-2'), ('place-s-2', 'place-s-3')}


def test_of_many_stored_places_the_newest_are_shown() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    places = [stored_place(number, last_seen_calendar_ns=-number)
              for number in range(MAX_SHOWN + 5)]
    bench.feed(loaded(*places, edges=tuple(
        Edge(one.id, other.id, 1.0) for one, other in zip(places, places[1:], strict=False))))
    assert bench.places == places[:MAX_SHOWN]
    assert len(bench.edges) == MAX_SHOWN - 1
    assert bench.figure('places') == MAX_SHOWN + 5


# Embedders that fail


@pytest.mark.parametrize('vectors', [
    np.zeros((1, 3), np.float32), np.zeros((2, HASH.dimension), np.float32),
    np.full((1, HASH.dimension), np.nan, np.float32), None])
def test_a_goal_that_cannot_be_embedded_is_compared_by_words(
        vectors: NDArray[np.float32] | None) -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    bench.feed(loaded(stored_place(1), embedded=1))
    request, = of_type(bench.believe(), Embed)
    bench.feed(EmbedFailed(request.request_id, 'no memory left') if vectors is None
               else Embedded(request.request_id, vectors))
    best, = bench.candidates.candidates
    assert bench.candidates.retrieval_best_score == pytest.approx(0.2)
    # It was seen long ago.
    assert best.keyword_score == 1.0 and best.score == pytest.approx(0.95 * 0.2)
    assert best.reasons[-1].startswith('keywords only: ')


def test_places_that_cannot_be_embedded_stay_and_the_others_go_on() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    first, = of_type(bench.feed(loaded(*(stored_place(n) for n in range(10)))), Embed)
    second, = of_type(bench.feed(EmbedFailed(first.request_id, 'broken')), Embed)
    bench.feed(Embedded(second.request_id, HASH.embed(second.texts)))
    assert bench.figure('unembedded') == 8


def test_a_place_that_changed_meanwhile_is_embedded_again() -> None:
    bench = Bench(working=False).started()
    bench.be_at(0)
    first, = of_type(bench.look(), Embed)
    assert of_type(bench.look(Scene('kitchen', (SceneObject('bowl'),))), Embed) == []
    outputs = bench.feed(Embedded(first.request_id, HASH.embed(first.texts)))
    assert of_type(outputs, SavePlace) == []
    second, = of_type(outputs, Embed)
    assert second.texts == ('kitchen', 'bowl', 'red mug', 'kettle')


def test_answers_that_nobody_waits_for_change_nothing(bench: Bench) -> None:
    bench.look()
    bench.believe()
    before = dict(bench.reports)
    assert bench.feed(Embedded('embed-other-1', HASH.embed(['x']))) == []
    assert bench.feed(EmbedFailed('embed-s-1', 'late')) == []
    dropped = bench.reports.pop('dropped')
    assert dict(dropped.figures)['dropped'] == 2
    assert bench.reports == before


# The journal


class Journal:
    """Records of a run, as the journal has them."""

    def __init__(self, folder: Path) -> None:
        self.codec = RecordCodec((*COMMON_KINDS, *RECORD_KINDS), FolderBlobs(folder))
        self.lines: list[tuple[Now, str, list[str]]] = []

    def append(self, now: Now, event: Event, outputs: Sequence[Output]) -> None:
        self.lines.append((now, json.dumps(self.codec.encode(event)),
                           [json.dumps(self.codec.encode(output)) for output in outputs]))

    def replay(self, core: MemoryCore) -> None:
        for now, event, outputs in self.lines:
            again = core.handle(self.codec.decode(json.loads(event)), now)
            assert [json.dumps(self.codec.encode(output)) for output in again] == outputs


def test_a_run_is_replayed_from_its_records(tmp_path: Path) -> None:
    bench = Bench()
    journal = Journal(tmp_path)
    handle = bench.core.handle

    def recorded(event: Event, now: Now) -> list[Output]:
        outputs = handle(event, now)
        journal.append(now, event, outputs)
        return outputs

    bench.core.handle = recorded  # type: ignore[method-assign]
    bench.started()
    bench.be_at(0)
    bench.look()
    bench.believe()
    bench.drive_to(3)
    bench.look(BEDROOM, seen='box')
    bench.feed(SaveFailed('place-s-1', Edge('a', 'b', 1.0), 'disk full'))
    bench.feed(EmbedFailed('embed-s-9', 'late'))
    bench.pass_time(20)
    bench.feed(Tick())
    bench.believe(phase=Phase.FINISHED)
    bench.feed(StoreFailed('gone'))
    assert len(journal.lines) > 15
    journal.replay(MemoryCore(MemoryConfig(embedder='hash'), 's'))


steps = st.one_of(
    st.tuples(st.just('drive'), st.integers(-4, 4), st.integers(-4, 4)),
    st.tuples(st.just('look'), st.sampled_from([KITCHEN, BEDROOM, Scene('')]),
              st.sampled_from(['', 'track', 'box'])),
    st.tuples(st.just('believe'), st.sampled_from(['red mug', 'bed', 'sofa']),
              st.integers(1, 3)),
    st.tuples(st.just('finish'), st.integers(1, 3), st.none()))


@given(st.lists(steps, max_size=40))
def test_whatever_happens_places_keep_their_distance_and_documents_their_schema(
        sequence: list[tuple[str, Any, Any]]) -> None:
    bench = Bench().started()
    bench.be_at(0)
    for name, one, other in sequence:
        match name:
            case 'drive':
                bench.drive_to(one, other)
            case 'look':
                bench.look(one, seen=other)
            case 'believe':
                bench.believe(one, f'goal-s-{other}')
            case 'finish':
                bench.believe(goal_id=f'goal-s-{one}', phase=Phase.FINISHED)
    places = bench.places
    for document in bench.published:
        encode_document(document)
        assert isinstance(document.body, Candidates)
        scores = [candidate.score for candidate in document.body.candidates]
        assert scores == sorted(scores, reverse=True)
    # A viewpoint that moved to where the target was seen may come near to another one.
    poses: dict[str, set[Pose2D]] = {}
    for save in bench.saved:
        poses.setdefault(save.place.id, set()).add(save.place.pose)
    stayed = {place.id: place.pose for place in places if len(poses[place.id]) == 1}
    for one, other in itertools.combinations(stayed.values(), 2):
        assert one.distance_to(other.x, other.y) > 1.0
    for edge in bench.edges:
        if {edge.from_id, edge.to_id} <= stayed.keys():
            start, end = stayed[edge.from_id], stayed[edge.to_id]
            assert edge.length_m >= start.distance_to(end.x, end.y) - 1e-3
    # What was saved last is what is remembered.
    assert {save.place.id: save.place for save in bench.saved} == {
        place.id: place for place in places}
