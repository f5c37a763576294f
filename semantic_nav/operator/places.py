"""Remembered places: those shown, and the operator's requests to the memory."""

from visualization_msgs.msg import MarkerArray

from semantic_nav.contracts import schemas
from semantic_nav.contracts.documents import STILL_LOADING, ToolQuery, ToolReply
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.nodes.ros.queries import Queries
from semantic_nav.operator.heard import PlacesShown, ShownPlace
from semantic_nav.operator.standing import Command
from semantic_nav.operator.wish import Wish

#: The memory's tool for each deed.
TOOLS = {Command.SEARCH: QueryTool.RECALL_PLACES, Command.DESCRIBE: QueryTool.DESCRIBE_PLACE,
         Command.NAME: QueryTool.NAME_PLACE, Command.FORGET: QueryTool.FORGET_PLACE}
_ANSWER_S, _PLACES, _MOST_CHARS = 8.0, 6, 200


class PlaceDesk:
    """Passes wishes to the memory, and its answers back."""

    def __init__(self, queries: Queries) -> None:
        """Use these queries."""
        self._queries = queries
        # Wishes that the memory has not answered, and those that it could not answer yet, each
        # with its deadline on the steady clock.
        self._open: dict[str, tuple[Wish, float]] = {}
        self._early: list[tuple[Wish, float]] = []

    def ask(self, wish: Wish, now_s: float) -> None:
        """Ask for a deed of `TOOLS`."""
        try:
            self._ask(wish, now_s + _ANSWER_S)
        except ContractError as error:
            wish.tell(False, str(error), None)

    def _ask(self, wish: Wish, until_s: float) -> None:
        self._open[self._queries.ask(_query_of(wish))] = wish, until_s

    def take(self, request_id: str, reply: ToolReply) -> None:
        """Take a reply; a reply to another client is ignored."""
        wish, until_s = self._open.pop(request_id, (None, 0.0))
        if wish is not None and reply.error == STILL_LOADING:
            self._early.append((wish, until_s))
        elif wish is not None:
            wish.tell(not reply.error, reply.error or _told(reply), reply)

    def look_after(self, now_s: float) -> None:
        """Repeat wishes that could not be answered yet, and fail those past their deadline."""
        early, self._early = self._early, []
        for wish, until_s in early:
            if now_s > until_s:
                wish.tell(False, STILL_LOADING, None)
            else:
                self._ask(wish, until_s)
        for request_id, (wish, until_s) in list(self._open.items()):
            if now_s > until_s:
                del self._open[request_id]
                wish.tell(False, 'the memory did not answer', None)


def places_of(message: MarkerArray) -> PlacesShown:
    """The places that the memory shows; a sphere carries an id and a name in two lines."""
    # The text for people stands above the sphere.
    words = {(one.pose.position.x, one.pose.position.y): one.text
             for one in message.markers if one.ns == 'names'}
    places = []
    for marker in message.markers:
        if marker.ns == 'places':
            at = marker.pose.position.x, marker.pose.position.y
            node_id, _, name = marker.text.partition('\n')
            known = _is_sound({'node_id': node_id, 'name': name})
            places.append(ShownPlace(*at, words.get(at, 'place'), node_id if known else '',
                                     name if known else ''))
    return PlacesShown(tuple(sorted(places, key=lambda one: (one.x, one.y))))


def _is_sound(place: dict[str, str]) -> bool:
    return schemas.judge(f'tool_{QueryTool.NAME_PLACE}').breach(place) is None


def _query_of(wish: Wish) -> ToolQuery:
    """The memory query of a wish.

    Raises:
        ContractError: its words or its place are invalid.
    """
    tool = TOOLS[wish.deed]
    arguments: dict[str, str | int] = {'node_id': wish.place}
    if tool is QueryTool.RECALL_PLACES:
        arguments = {'query': wish.words[:_MOST_CHARS], 'k': _PLACES}
    elif tool is QueryTool.NAME_PLACE:
        # On one line, as it is shown among others.
        arguments['name'] = ' '.join(wish.words.split())
    schemas.check(f'tool_{tool}', arguments)
    return ToolQuery(tool, arguments, _ANSWER_S)


def _told(reply: ToolReply) -> str:
    """The result in words."""
    place = reply.place
    if place is None:
        return f'{len(reply.places)} found' if reply.places else 'nothing is remembered'
    what = place.summary or place.kind or place.node_id
    match reply.tool:
        case QueryTool.FORGET_PLACE:
            return f'forgotten: {what}'
        case QueryTool.NAME_PLACE if place.name:
            return f'it is called {place.name} now'
        case QueryTool.NAME_PLACE:
            return f'it has no name any more: {what}'
        case _:
            return what
