"""Sessions of nodes: the ids of documents tell one start of a node from the next."""

from collections import deque

from semantic_nav.contracts.documents import Document

#: Number of earlier sessions that are remembered.
_MAX_LEFT = 8


class Sessions:
    """The newest session of each node that carries out steps."""

    def __init__(self, nodes: tuple[str, ...]) -> None:
        """Start with none of them heard."""
        self._newest = dict.fromkeys(nodes, '')
        # Documents of these, however late, are no sign of a restart.
        self._left: deque[str] = deque(maxlen=_MAX_LEFT)

    def restarted(self, document: Document) -> str:
        """Take a document in and return its node if that was restarted, else an empty string."""
        # As `Ids` mints them: `<node>-<session>-<counter>`.
        node, _, rest = document.id.partition('-')
        session = rest.rpartition('-')[0]
        before = self._newest.get(node)
        if before is None or session == before or session in self._left:
            return ''
        self._newest[node] = session
        if not before:
            return ''
        self._left.append(before)
        return node

    def forget(self, nodes: tuple[str, ...]) -> None:
        """Forget the sessions of nodes: the next one that is heard is no restart."""
        for node in nodes:
            self._newest[node] = ''
