"""Which start of a node speaks: the ids of its documents tell."""

from collections import deque

from semantic_nav.contracts.documents import Document

#: Sessions that are remembered.
_MAX_LEFT = 8


class Sessions:
    """The newest session of each node that carries out steps."""

    def __init__(self, nodes: tuple[str, ...]) -> None:
        """Begin without having heard any of them."""
        self._newest = dict.fromkeys(nodes, '')
        # Of these nothing new begins, however late they are heard.
        self._left: deque[str] = deque(maxlen=_MAX_LEFT)

    def restarted(self, document: Document) -> str:
        """Take a document; returns its node where that speaks from another start than before."""
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
        """Take the next session that these are heard from for the one that is expected."""
        for node in nodes:
            self._newest[node] = ''
