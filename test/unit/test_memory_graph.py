"""The places and the ways between them, as the robot drives."""

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.answers import describe
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.scene import View

NOW = Now(0, 0, 0)
KITCHEN = View('kitchen', ('sink',))


def drive(graph: PlaceGraph, *way: tuple[float, float, float | None]) -> None:
    """Look at x and y, having driven so far since the last look."""
    for x, y, driven_m in way:
        graph.remember(KITCHEN, Pose2D(x, y, 0.0), driven_m, NOW, target_seen=False)


def test_way_is_no_shorter_than_the_line_between_its_places() -> None:
    """The pose is told twice in a second: a drive is summed up from fewer points than it had."""
    graph = PlaceGraph(MemoryConfig(), 's')
    drive(graph, (0.0, 0.0, None), (3.0, 4.0, 1.5), (9.0, 4.0, 7.25))
    assert [edge.length_m for edge in graph.edges] == [5.0, 7.25]


def test_no_way_leads_from_a_place_that_is_forgotten() -> None:
    graph = PlaceGraph(MemoryConfig(), 's')
    drive(graph, (0.0, 0.0, None), (3.0, 0.0, 3.0))
    graph.forget('place-s-2')
    drive(graph, (6.0, 0.0, 3.0))
    assert list(graph.edges) == []


def test_of_many_ways_the_shortest_are_told_first() -> None:
    graph = PlaceGraph(MemoryConfig(), 's')
    drive(graph, (0.0, 0.0, None))
    for number in range(10, 0, -1):
        drive(graph, (2.0 * number, 0.0, 2.0 * number), (0.0, 0.0, None))
    place = graph.index.get('place-s-1')
    assert place is not None
    assert [way.length_m for way in describe(place, graph, NOW).ways] == [
        2.0 * number for number in range(1, 9)]
