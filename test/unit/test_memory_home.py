"""A home of 16 places: what the thresholds were measured on, and how often the best is right."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.embed.embedder import EMBEDDERS, Embedder
from semantic_nav.embed.registry import load_embedder
from semantic_nav.memory.place import Place, phrases, summarise, vector_of
from semantic_nav.memory.place_index import PlaceIndex
from semantic_nav.memory.retrieval import RANKINGS, ContentWords, Match, Ranked, Ranking
from semantic_nav.memory.thresholds import likely_threshold

pytestmark = pytest.mark.slow

HOME = {
    'counter': ('kitchen', 'counter, kettle, toaster, red mug, sink'),
    'table': ('kitchen', 'dining table, chair, bowl, fruit basket'),
    'fridge': ('kitchen', 'refrigerator, microwave, cupboard, waste bin'),
    'sofa': ('living room', 'sofa, cushion, coffee table, television, remote control'),
    'armchair': ('living room', 'armchair, window, floor lamp, curtain'),
    'books': ('living room', 'bookshelf, board games, picture frame'),
    'bed': ('bedroom', 'double bed, pillow, nightstand, alarm clock'),
    'wardrobe': ('bedroom', 'wardrobe, mirror, laundry basket, slippers'),
    'children': ("children's room", 'bunk bed, toy box, teddy bear, crayons'),
    'basin': ('bathroom', 'wash basin, mirror, toothbrush, towel'),
    'bathtub': ('bathroom', 'bathtub, shower curtain, bath mat, toilet'),
    'desk': ('office', 'desk, laptop, office chair, printer, notebook'),
    'entrance': ('hallway', 'coat rack, umbrella stand, shoes, front door'),
    'corridor': ('hallway', 'corridor, fire extinguisher, framed photo'),
    'garage': ('garage', 'workbench, toolbox, bicycle, ladder'),
    'balcony': ('balcony', 'potted plants, watering can, folding chair'),
}
#: The place names what is asked for.
NAMED = {
    'find the red mug': 'counter', 'bring me to the refrigerator': 'fridge',
    'where is the remote control': 'sofa', 'go to the bookshelf': 'books',
    'find the alarm clock': 'bed', 'the toothbrush': 'basin', 'find my laptop': 'desk',
    'go to the coat rack': 'entrance', 'find the bicycle': 'garage',
    'look for the watering can': 'balcony', 'the teddy bear': 'children',
    'find the laundry basket': 'wardrobe', 'find the fruit basket': 'table',
    'the fire extinguisher': 'corridor', 'floor lamp': 'armchair', 'go to the toilet': 'bathtub',
}
#: The place is meant, in other words.
DESCRIBED = {
    'somewhere to sit near the window': 'armchair', 'something to drink tea from': 'counter',
    'where can I sleep': 'bed', 'a place to watch a movie': 'sofa',
    'somewhere to wash my hands': 'basin', 'where do we keep cold milk': 'fridge',
    'I need a hammer': 'garage', 'where can I print a document': 'desk',
    'something to keep me dry in the rain': 'entrance', 'water the flowers': 'balcony',
    'something to read': 'books', 'toys to play with': 'children', 'take a shower': 'bathtub',
}
#: Not in this home, nor anything that goes by a part of its name.
ABSENT = ('find the piano', 'find the dog', 'go to the elevator', 'a wheelchair',
          'the swimming pool', 'find the guitar', 'blue backpack', 'cash register',
          'green bottle')



@dataclass(frozen=True)
class Pair:
    """A ranking and an embedder, and the score from which on a place is likely."""

    ranking: Ranking
    embedder: Embedder
    threshold: float


@pytest.fixture(scope='module', params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    try:
        return load_embedder(request.param)
    except ConfigError as error:
        pytest.skip(str(error))


@pytest.fixture(scope='module', params=RANKINGS)
def pair(request: pytest.FixtureRequest, embedder: Embedder) -> Pair:
    return Pair(RANKINGS[request.param], embedder,
                likely_threshold(request.param, embedder.name))


def homes(pair: Pair, names: int) -> Iterator[PlaceIndex]:
    """Yield three homes whose places have this many names, those of other places among them."""
    everything = [name for _, text in HOME.values() for name in text.split(', ')]
    for seed in range(3):
        rng = random.Random(seed)
        index = PlaceIndex(pair.embedder.dimension, pair.ranking.words_of_place)
        for number, (place_id, (kind, text)) in enumerate(HOME.items()):
            own = text.split(', ')
            others = [name for name in everything if name not in own]
            tags = own + rng.sample(others, max(0, names - len(own)))
            rng.shuffle(tags)
            place = Place(place_id, 'home', Pose2D(number, 0, 0), kind, tuple(tags),
                          summarise(kind, tuple(tags)), 0, 0, 1, 's')
            index.put(place)
            vector = vector_of(place, pair.embedder.id, pair.embedder.embed(phrases(place)))
            index.set_vector(place_id, vector.values)
        yield index


def ranked(index: PlaceIndex, pair: Pair, goal: str) -> list[Match]:
    query = pair.ranking.query(goal, pair.embedder.embed([goal])[0])
    return Ranked(pair.ranking, index, query).best(len(HOME))


def likely(pair: Pair, goals: Iterable[str]) -> float:
    """Return how often the best place of three homes is likely."""
    best = [found[0].score >= pair.threshold if (found := ranked(index, pair, goal)) else False
            for index in homes(pair, 0) for goal in goals]
    return sum(best) / len(best)


def test_named_targets_are_likely_and_found_first(pair: Pair) -> None:
    first = [ranked(index, pair, goal)[0].place_id == place_id
             for index in homes(pair, 0) for goal, place_id in NAMED.items()]
    share = sum(first) / len(first), likely(pair, NAMED), likely(pair, ABSENT)
    print(f'{type(pair.ranking).__name__}, {pair.embedder.id}: '
          f'first {share[0]:.3f}, likely {share[1]:.3f}, absent but likely {share[2]:.3f}')
    assert share[0] >= 0.9
    assert share[1] == 1


def test_what_is_not_there_is_not_likely(pair: Pair) -> None:
    assert likely(pair, ABSENT) == 0


def test_crowded_places_are_told_apart_most_of_the_time(embedder: Embedder) -> None:
    """With 12 names a place, likely ones name the target, and those that name it are likely."""
    pair = Pair(ContentWords(), embedder, likely_threshold('content_words', embedder.name))
    likely_named = likely_other = named = other = 0
    for index in homes(pair, 12):
        for goal in NAMED:
            for match in ranked(index, pair, goal):
                is_likely = match.score >= pair.threshold
                if match.keyword_score == 1:
                    named += 1
                    likely_named += is_likely
                else:
                    other += 1
                    likely_other += is_likely
    print(f'{embedder.id}: likely are {likely_named}/{named} that name the target, '
          f'{likely_other}/{other} others')
    assert likely_named > 0.85 * named
    assert likely_other < 0.03 * other


def test_top_1_and_top_3(pair: Pair) -> None:
    index = next(homes(pair, 0))
    goals = {**NAMED, **DESCRIBED}
    places = [[match.place_id for match in ranked(index, pair, goal)] for goal in goals]
    top_1, top_3 = (
        sum(place_id in found[:limit]
            for place_id, found in zip(goals.values(), places, strict=True)) for limit in (1, 3))
    print(f'{type(pair.ranking).__name__}, {pair.embedder.id}: top-1 {top_1}, top-3 {top_3} '
          f'of {len(goals)} goals')
    assert top_1 > len(goals) / 2


def test_each_pair_has_its_threshold() -> None:
    for ranking in RANKINGS:
        for embedder in EMBEDDERS:
            assert 0 < likely_threshold(ranking, embedder) < 1
