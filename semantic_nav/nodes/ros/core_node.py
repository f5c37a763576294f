"""Shell around a core: documents in, outputs out, a journal of both, one thread."""

import logging
import queue
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_msgs.msg import String

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.codec import decode_document, encode_document, to_plain
from semantic_nav.contracts.core import (
    Core,
    DocumentReceived,
    Effect,
    Event,
    Output,
    Report,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.errors import ContractError, SemanticNavError
from semantic_nav.contracts.journal import Start
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.alive import Life
from semantic_nav.nodes.ros.clock import read_clocks, steady_timer
from semantic_nav.nodes.ros.diagnostics import Diagnostics
from semantic_nav.nodes.ros.journal_keeper import JournalKeeper
from semantic_nav.nodes.ros.lasting import Lasting
from semantic_nav.nodes.ros.middleware import report_middleware
from semantic_nav.nodes.ros.names import PREFIX, new_session
from semantic_nav.nodes.ros.node_journal import NodeJournal, open_journal, starts_motion
from semantic_nav.nodes.ros.shell_config import ShellConfig
from semantic_nav.nodes.ros.transitions import (
    log_what_transitions_raise,
    refuse_forbidden_transitions,
)

_log = logging.getLogger(__name__)
_TICK_S = 0.25


class CoreNode(LifecycleNode):  # type: ignore[misc]
    """Lifecycle node whose decisions are made by a core.

    A subclass names its configuration, the documents that it reads and writes, and the handler of
    each effect. Everything that reaches the core passes `feed`, in the executor's thread; a worker
    uses `post`.
    """

    config_class: ClassVar[type]
    #: Schemas of the documents that the core reads and writes.
    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    #: Events and effects of this core, for the journal.
    record_kinds: ClassVar[tuple[type, ...]] = ()
    #: Events from other nodes; a node that is leaving ignores them.
    heard: ClassVar[tuple[type[Event], ...]] = (DocumentReceived,)

    def __init__(self, name: str, **kwargs: Any) -> None:
        """Declare the parameters; nothing else happens before `configure`."""
        super().__init__(name, **kwargs)
        refuse_forbidden_transitions(self)
        log_what_transitions_raise(self)
        self.core: Core | None = None
        self.parameters = parameters.Fixed(self, lambda: self.core is not None)
        self.parameters.declare(ShellConfig)
        self.parameters.declare(self.config_class)
        self.failure: Exception | None = None
        self._life: Life | None = None
        self._session = ''
        self.active = False
        self.ended = False
        self._leaving = False
        #: The node leaves its work to another node of its name.
        self.yields = False
        self._ticking = False
        self.diagnostics = Diagnostics(self)
        self._posted: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.diagnostics.health.waiting = self._posted.qsize
        self._journal: NodeJournal | None = None
        self._keeper: JournalKeeper | None = None
        self._made = ExitStack()
        self.lasting = Lasting()
        self._document_publishers: dict[str, Any] = {}
        self._effects: dict[type[Effect], Callable[[Any], None]] = {}

    # Hooks of a subclass

    @abstractmethod
    def make_core(self, config: Any, session: str, seed: int) -> Core:
        """A new core."""

    @abstractmethod
    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Handlers of the effects of the core; none of them may block."""

    def read_config(self) -> Any:
        """Configuration from the parameters.

        Raises:
            ConfigError: a value has the wrong type or is out of range.
        """
        return parameters.read(self, self.config_class)

    def activated(self) -> None:
        """Create subscriptions, clients and workers; undo them through `undo_with`."""

    def deactivating(self) -> None:
        """Cancel what is under way while effects can still be carried out."""

    def forgetting(self) -> None:
        """Destroy the objects that `make_core` made besides the core."""

    def motion_refused(self, effect: Any, reason: str) -> None:
        """Tell the core that a durable effect is not carried out."""

    def settled(self) -> bool:
        """Tell whether nothing is left to wait for before the process ends."""
        return True

    # Lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Check the parameters, make the core and open the journal."""
        del state
        return (TransitionCallbackReturn.SUCCESS if self._prepare()
                else TransitionCallbackReturn.FAILURE)

    def _prepare(self) -> bool:
        """Make the core and open the journal; log a refusal, and return False for it."""
        try:
            shell = parameters.read(self, ShellConfig)
            config = self.read_config()
            session = self._session = new_session()
            self.core = self.make_core(config, session, shell.seed)
            self._open_journal(shell, config, session)
        except (SemanticNavError, OSError) as error:
            self.get_logger().error(str(error))
            self._forget()
            return False
        unknown = self.parameters.unknown()
        if unknown:
            self.diagnostics.report('parameters', Level.WARN,
                                    f'unknown, so without effect: {", ".join(unknown)}')
        self._ticking = False
        self._effects = {Ticking: self._let_tick, Report: self._say, **self.effect_handlers()}
        for schema in self.writes:
            self._document_publishers[schema] = self.create_publisher(
                String, f'{PREFIX}/{schema}', qos.OF_DOCUMENT[schema])
        return True

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to listen."""
        try:
            self._life = Life(self, self._session)
            self._take_up_work()
        except BaseException:
            # rclpy goes on with a node that failed: it must not work by halves.
            self._end_life()
            raise
        return super().on_activate(state)

    def _take_up_work(self) -> None:
        self.active, self._leaving, self.yields = True, False, False
        for schema in self.reads:
            self.undo_with(self.destroy_subscription, self.create_subscription(
                String, f'{PREFIX}/{schema}',
                lambda message, schema=schema: self._document(message, schema),
                qos.OF_READER[schema]))
        self.steady_timer(_TICK_S, self._tick)
        self.activated()
        report_middleware(self.diagnostics)
        self.diagnostics.report('lifecycle', Level.OK, 'active')

    def stand_aside(self) -> None:
        """Leave the work to another node of this name, which was there first."""
        self.yields = True
        self._close()
        # The other node reports the state now.
        self._drop_publishers()
        self.diagnostics.clear_all()

    def step_in(self) -> str:
        """Take up the work that another node of this name has left; return the new session."""
        self._forget()
        if self._prepare():
            self._take_up_work()
        else:
            self.fail(SemanticNavError('the work of the node before cannot be taken up; the log '
                                       'tells why'))
        return self._session

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Cancel what is under way and stop listening."""
        self._end_life()
        self.diagnostics.report('lifecycle', Level.WARN, 'inactive')
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the core and close the journal."""
        del state
        self._forget()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Cancel what is under way and forget everything."""
        del state
        try:
            self._end_life()
        finally:
            self._forget()
            self.ended = True
        return TransitionCallbackReturn.SUCCESS

    def say_goodbye(self) -> None:
        """Cancel what is under way, and ignore events that could start something new.

        Answers still count; `settled` tells when the last one came.
        """
        if self.active and not self._leaving:
            self._leaving = True
            self.deactivating()

    def _end_life(self) -> None:
        try:
            self._close()
        finally:
            if self._life is not None:
                self._life.close()
                self._life = None

    def _close(self) -> None:
        try:
            self.say_goodbye()
        finally:
            self.active = False
            self._made.close()

    def _forget(self) -> None:
        if self.core is not None:
            self.forgetting()
        self._drop_publishers()
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None
        self.core = None

    def _drop_publishers(self) -> None:
        for publisher in self._document_publishers.values():
            self.destroy_publisher(publisher)
        self._document_publishers.clear()

    @property
    def life(self) -> Life:
        """Signs of life, its own and those of others; from activation to deactivation."""
        assert self._life is not None
        return self._life

    def undo_with(self, undo: Callable[[Any], object], thing: Any) -> Any:
        """Register the undoing of something at deactivation, and return that thing."""
        self._made.callback(undo, thing)
        return thing

    def steady_timer(self, period_s: float, callback: Callable[[], None]) -> None:
        """Call back periodically until deactivation, whatever the ROS clock does.

        rclpy's events executor may call a destroyed timer once more.
        """
        def call() -> None:
            if timer in self.timers:
                callback()

        timer = self.undo_with(self.destroy_timer, steady_timer(self, period_s, call))

    def destroy_node(self) -> None:
        """Destroy the node; nobody may spin it any more."""
        self.lasting.destroy()
        super().destroy_node()

    # Events and outputs

    @property
    def listens(self) -> bool:
        """Tell whether the node takes in messages of others."""
        return self.active and not self._leaving

    def feed(self, event: Event) -> None:
        """Feed an event to the core, record it, and carry out the outputs."""
        if self.core is None or not self.active:
            return
        if self._leaving and isinstance(event, self.heard):
            return
        now = read_clocks(self)
        outputs = list(self.core.handle(event, now))
        self.diagnostics.health.handled(
            (time.monotonic_ns() - now.steady_ns) / NS_PER_S)
        if self._journal is not None:
            self._journal.append(now, event, outputs)
        for output in outputs:
            self._carry_out(output)

    def post(self, event: Event) -> None:
        """Hand over an event from another thread."""
        self._posted.put(event)
        executor = self.executor
        if executor is not None:
            executor.create_task(self.guarded(self._drain))

    def guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """Callback for a task or an event, whose exception ends the node in order.

        Elsewhere an exception leaves the executor and ends the node by itself. Out of a task it
        ends rclpy's events executor by SIGSEGV, with nothing cancelled. For futures there is
        `when_done`.
        """
        def call(*arguments: Any) -> None:
            try:
                callback(*arguments)
            except Exception as error:  # noqa: BLE001
                _log.exception('%s ends: a callback failed', self.get_name())
                self.fail(error)

        return call

    def fail(self, error: Exception) -> None:
        """End the node in order because of an error."""
        self.failure = self.failure or error

    def _drain(self) -> None:
        while True:
            try:
                event = self._posted.get_nowait()
            except queue.Empty:
                return
            self.feed(event)

    def _carry_out(self, output: Output) -> None:
        if isinstance(output, Document):
            self._publish(output)
        elif starts_motion(output) and (refusal := self._refusal_of_motion()):
            self.motion_refused(output, refusal)
        else:
            self._effects[type(output)](output)

    def _refusal_of_motion(self) -> str:
        """Reason why no motion may start now; empty if it may."""
        if self._journal is not None and self._journal.failure:
            # Fail closed: without a record nobody could tell later why the robot moved.
            return self._journal.failure
        if not self.life.heard:
            # Such a node would not hear either that the belief is lost.
            return f'{self.get_name()} does not hear its own sign of life'
        return ''

    def _publish(self, document: Document) -> None:
        self._document_publishers[document.schema].publish(String(data=encode_document(document)))
        self.published(document)

    def published(self, document: Document) -> None:
        """Follow a published document, to show it to people."""

    def _document(self, message: String, schema: str) -> None:
        try:
            document = decode_document(message.data, schema)
        except ContractError as error:
            self.get_logger().warning(f'dropped a message: {error}',
                                      throttle_duration_sec=5.0)
            return
        self.feed(DocumentReceived(document))

    def _let_tick(self, effect: Ticking) -> None:
        self._ticking = effect.wanted

    def _say(self, effect: Report) -> None:
        self.diagnostics.report(effect.subject, effect.level, effect.text, **dict(effect.figures))

    def _tick(self) -> None:
        if self._ticking:
            self.feed(Tick())

    # Journal

    def _open_journal(self, shell: ShellConfig, config: Any, session: str) -> None:
        if not shell.journal:
            self.diagnostics.clear('journal')
            return
        start = Start(self.get_name(), session, shell.seed, to_plain(config))
        self._journal, self._keeper = open_journal(
            shell, start, self.record_kinds,
            lambda level, words: self.diagnostics.report('journal', level, words))
