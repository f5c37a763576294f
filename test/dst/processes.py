"""Nodes that hang, die and start anew, and the signs of life by which others notice."""

import errno
import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from semantic_nav.belief.listeners import Heard, Listeners
from semantic_nav.contracts.announced_goal import AGAIN_S, AnnouncedGoal
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.core import DocumentReceived, Event, Output, Tick
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.journal import Gap
from semantic_nav.nodes.ros.node_journal import NodeJournal, starts_motion
from semantic_nav.verify.events import (
    BeliefLost,
    CostmapReceived,
    MapReceived,
    NavAnswered,
    PoseMissing,
    PoseResolved,
)
from semantic_nav_sim.bench.shell import CoreShell, Journal

#: How many messages of a topic wait for a node that hangs.
_DEPTH = 10
#: What a timer of the node itself resolves, which hangs with it; and of which the newest counts.
_OF_TIMERS = (Tick, PoseResolved, PoseMissing)
_NEWEST = (CostmapReceived, MapReceived)
#: After this time without a sign of life a node counts as gone (qos.ALIVE).
LEASE_S = 0.7
#: How often the belief looks round.
_LOOK_S = 0.5
#: Who cancels the goal of a verifier that is gone.
SURVIVORS = ('belief', 'hypothesis')


class Disk:
    """A journal on a disk that fills up.

    Attributes:
        full: nothing is taken any more.
    """

    def __init__(self, journal: Journal, *, kept: bool) -> None:
        """Have room; a journal that is not kept costs no time."""
        self._journal, self._kept = journal, kept
        self.full = False

    def append(self, now: Now, event: Event, outputs: Sequence[Output], *, durable: bool,
               gap: Gap | None = None) -> None:
        """Write one record, without waiting for the disk."""
        del durable
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._kept:
            self._journal.append(now, event, outputs, durable=False, gap=gap)

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()


class Process(CoreShell):
    """A node that may hang, and whose disk may be full.

    Attributes:
        held: it hangs: what comes waits.
        disk: of its journal.
        session: of this start.
    """

    held = False

    def __init__(self, *args: Any, session: str, kept: bool) -> None:
        """See CoreShell; a journal that nobody reads need not be kept."""
        super().__init__(*args, session)
        self.session = session
        self.disk = Disk(self.journal, kept=kept)
        self._node_journal = NodeJournal(lambda: self.disk, lambda level, words: None)
        self.journal = _Durable(self._node_journal)
        self._kept: list[Event] = []

    @property
    def alive(self) -> bool:
        """Tell whether it gives signs of life."""
        return self.running and not self.held

    def feed(self, event: Event) -> None:
        """See CoreShell; one that hangs takes it later, as far as it fits."""
        if not self.held or not self.running:
            super().feed(event)
        elif not isinstance(event, _OF_TIMERS):
            if isinstance(event, _NEWEST):
                self._kept = [one for one in self._kept if type(one) is not type(event)]
            self._kept.append(event)
            self._overflow()

    def release(self) -> None:
        """Go on with what came meanwhile."""
        self.held = False
        kept, self._kept = self._kept, []
        for event in kept:
            self.feed(event)

    def carry_out(self, output: Output) -> None:
        """See CoreShell; without a journal nothing sets out, as in the node."""
        if starts_motion(output) and self._node_journal.failure:
            self.feed(NavAnswered(output.nav_goal_id,  # type: ignore[union-attr]
                                  accepted=False, reason=self._node_journal.failure,
                                  held_back=True))
        else:
            super().carry_out(output)

    def _overflow(self) -> None:
        counts = Counter(one.document.schema for one in self._kept
                         if isinstance(one, DocumentReceived))
        for schema, count in counts.items():
            if count > _DEPTH:
                self._kept.remove(next(
                    one for one in self._kept
                    if isinstance(one, DocumentReceived) and one.document.schema == schema))


class _Durable:
    """What a shell writes to a node's journal."""

    def __init__(self, journal: NodeJournal) -> None:
        self._journal = journal

    def append(self, now: Now, event: Event, outputs: Sequence[Output], *, durable: bool,
               gap: Gap | None = None) -> None:
        del durable, gap
        self._journal.append(now, event, outputs)

    def close(self) -> None:
        self._journal.close()


class SignsOfLife:
    """What the nodes notice of each other: liveliness, and who listens to the steps.

    When they notice is decided here; what follows is what the nodes themselves run.
    """

    def __init__(self, shells: dict[str, Process], after: Callable[..., None],
                 now_ns: Callable[[], int], cancel: Callable[[str], None],
                 lost: Callable[[str], None]) -> None:
        """Watch nobody yet.

        Args:
            shells: the nodes; a start anew takes the place of the one before.
            after: lets something be done later.
            now_ns: the steady clock.
            cancel: asks the navigator for the end of a goal, and of what follows a path.
            lost: is told of a node that gives no sign of life.
        """
        self._shells, self._after, self._now_ns = shells, after, now_ns
        self._cancel, self._lost = cancel, lost
        self._lost_ns: dict[str, int] = {}
        self._announced = {name: AnnouncedGoal() for name in SURVIVORS}
        #: Those that were killed without a word seem to listen until then.
        self._seems_ns: dict[str, int] = {}
        self._listeners = Listeners()
        after(_LOOK_S, self._look_again)
        after(AGAIN_S, self._cancel_again)

    def stopped(self, name: str) -> None:
        """A node hangs or died just now."""
        began_ns = self._now_ns()
        shell = self._shells[name]

        def expire() -> None:
            if not shell.alive and (name not in self._lost_ns):
                self._lost_ns[name] = began_ns
                self._on_lost(name)
            if self._shells[name].alive:
                self._lost_ns.pop(name, None)

        self._after(LEASE_S, expire)

    def killed(self, name: str, seems_s: float) -> None:
        """A node died; the others hold it to be there for a while yet."""
        self._seems_ns[name] = self._now_ns() + round(seems_s * NS_PER_S)
        self.stopped(name)

    def started(self, name: str) -> None:
        """A node begins anew, and knows nothing of before."""
        self.back(name)
        if name in SURVIVORS:
            self._announced[name] = AnnouncedGoal()
        if name == 'belief':
            self._listeners = Listeners()
            self.look_round()

    def back(self, name: str) -> None:
        """A node gives signs of life again."""
        self._lost_ns.pop(name, None)

    def heard(self, document: Document) -> None:
        """Follow which goal the verifier announces."""
        for name, announced in self._announced.items():
            if self._shells[name].alive:
                announced.hear(document)

    def _on_lost(self, name: str) -> None:
        self._lost(name)
        if name == 'belief':
            self._shells['verifier'].feed(BeliefLost())
        elif name == 'verifier':
            self._cancel_by(lambda announced: announced.lost(self._now_ns()))

    def _cancel_again(self) -> None:
        self._after(AGAIN_S, self._cancel_again)
        self._cancel_by(lambda announced: announced.again(
            self._now_ns(), lost='verifier' in self._lost_ns))

    def _cancel_by(self, goal_of: Callable[[AnnouncedGoal], str]) -> None:
        for name, announced in self._announced.items():
            goal_id = goal_of(announced) if self._shells[name].alive else ''
            if goal_id:
                self._cancel(goal_id)

    def _look_again(self) -> None:
        self._after(_LOOK_S, self._look_again)
        self.look_round()

    def look_round(self) -> None:
        """Tell the belief who of those that carry out its steps is not there."""
        now_ns, belief = self._now_ns(), self._shells['belief']
        if not belief.alive:
            return
        seen = {name: frozenset({shell.session}) for name, shell in self._shells.items()
                if shell.running or now_ns < self._seems_ns.get(name, 0)}
        heard = {name: Heard('' if name in self._lost_ns else shell.session,
                             (now_ns - self._lost_ns.get(name, now_ns)) / NS_PER_S)
                 for name, shell in self._shells.items()}
        changed = self._listeners.changed(seen, heard)
        if changed is not None:
            belief.feed(changed)
