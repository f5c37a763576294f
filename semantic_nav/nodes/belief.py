"""The belief node: owner of the mission; it chooses the next look and the next act."""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from std_msgs.msg import String
from std_srvs.srv import Trigger

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.core import STEP_LISTENERS, BeliefCore
from semantic_nav.belief.events import (
    READS,
    RECORD_KINDS,
    REQUESTS,
    WRITES,
    AnswerReceived,
    AnswerRequest,
    CancelRequested,
    GoalReceived,
    KeepMission,
    MissionFound,
    SwitchedOff,
)
from semantic_nav.belief.goal import Goal
from semantic_nav.belief.listeners import Heard, Listeners
from semantic_nav.contracts.core import Core, DocumentReceived, Effect, Event
from semantic_nav.contracts.documents import Belief, Document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.ids import new_goal_id
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.deadman import Deadman
from semantic_nav.nodes.ros.find_server import FindServer
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.ros.mission_file import MissionFile, path_of
from semantic_nav.nodes.ros.names import PREFIX, journal_folder
from semantic_nav.nodes.ros.shell_config import ShellConfig

_LISTENERS_S = 0.5
#: Period in which the mission file is rewritten while its belief lives, and age below which a file
#: counts as kept by a living belief, in s.
_REFRESH_S, _CARED_FOR_S = 1.0, 1.5
#: Time to listen for another belief before its mission is taken up, and period of the check, in s.
_ALONE_S, _TAKE_UP_S = 1.0, 0.1


class BeliefNode(CoreNode):
    """Shell of the belief core.

    Parameters: `BeliefConfig`, `ShellConfig`.
    Actions: find (semantic_nav_msgs/Find).
    Subscribes: goal and answer (std_msgs/String, words), look, hypothesis, observation,
    candidates, verdict, pose, alive/verifier, alive/hypothesis, alive/memory.
    Publishes: belief, step.
    Services: cancel, pause, resume (std_srvs/Trigger); those that `Deadman` uses.
    """

    config_class = BeliefConfig
    reads = READS
    writes = WRITES
    record_kinds = RECORD_KINDS
    heard = (DocumentReceived, GoalReceived, AnswerReceived)

    def __init__(self, **kwargs: Any) -> None:
        """Declare the parameters."""
        super().__init__('belief', **kwargs)
        self._missions: FindServer | None = None

    def make_core(self, config: Any, session: str, seed: int) -> Core:
        """The belief core."""
        return BeliefCore(config, session, seed)

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Handlers of the effects of the core."""
        return {AnswerRequest: self._on_answer,
                KeepMission: self._keep}

    def activated(self) -> None:
        """Listen to the operator, and look for a mission that an earlier belief left."""
        folder = journal_folder(parameters.read(self, ShellConfig).journal_dir)
        self._file = MissionFile(path_of(self, folder / 'missions'))
        self._found = self._find() is not None
        self.steady_timer(_REFRESH_S, lambda: self._on_disk(self._file.refresh))
        for topic, event_of in (('goal', _goal_said), ('answer', AnswerReceived)):
            self.undo_with(self.destroy_subscription, self.create_subscription(
                String, f'{PREFIX}/{topic}',
                lambda message, event_of=event_of: self.feed(event_of(message.data)), qos.EVENTS))
        for service, request in REQUESTS.items():
            self.undo_with(self.destroy_service, self.create_service(
                Trigger, f'{PREFIX}/{service}',
                lambda _, response, request=request: self._on_request(request(), response)))
        self._listeners = Listeners()
        self._watches = {'verifier': Deadman(self).watch, **{
            name: self.life.watch(name, self._look_round) for name in ('hypothesis', 'memory')}}
        self.steady_timer(_LISTENERS_S, self._look_round)
        self.diagnostics.report('mission', Level.OK, 'no goal yet')
        self._look_round()
        self.steady_timer(_TAKE_UP_S, self._look_after_missions)

    def _look_after_missions(self) -> None:
        """Serve clients and take a mission up, once no earlier belief is there any more."""
        if self._missions is None and self.life.alone_s >= _ALONE_S:
            self._missions = self.lasting.get(FindServer, lambda: FindServer(
                self, lambda goal: self.feed(GoalReceived(goal)),
                lambda goal_id: self._accepted(CancelRequested(goal_id))))
        if self._missions is not None:
            self._missions.look_after()
        self._take_up()

    def stand_aside(self) -> None:
        """Stand aside, and leave the clients to the belief that was there first."""
        super().stand_aside()
        self._missions = None
        self.lasting.drop(FindServer)

    def feed(self, event: Event) -> None:
        """Feed the core, and let the clients hear the same documents."""
        if self._missions is not None and self.active and isinstance(event, DocumentReceived):
            self._missions.take(event.document)
        super().feed(event)

    def settled(self) -> bool:
        """Tell whether every client knows the end of its mission."""
        return self._missions is None or self._missions.settled

    def _find(self) -> MissionFound | None:
        """The mission that an earlier belief left; a fault in its file stays on /diagnostics."""
        try:
            return self._file.find()
        except (OSError, ContractError) as error:
            self.diagnostics.report('found', Level.WARN, 'the mission before this start cannot be '
                                    f'taken up: {error}')
            self._set_aside()
            return None

    def _set_aside(self) -> None:
        """Rename the file: a fault in taking a mission up must not recur at every start."""
        with contextlib.suppress(OSError):
            self._file.set_aside()

    def _take_up(self) -> None:
        """Take up the mission of an earlier belief, once that belief is surely gone."""
        if not self._found or self.life.alone_s < _ALONE_S:
            return
        found = self._find()
        if found is not None and found.away_s is not None and found.away_s < _CARED_FOR_S:
            return
        self._found = False
        if found is not None:
            self._set_aside()
            self.feed(found)

    def _keep(self, effect: KeepMission) -> None:
        # A goal that came meanwhile replaces the earlier mission.
        self._found = False
        self._on_disk(lambda: self._file.keep(effect))

    def _on_disk(self, do: Callable[[], None]) -> None:
        """Use the disk; the mission goes on if that fails."""
        try:
            do()
        except (OSError, ContractError) as error:
            self.diagnostics.report('kept', Level.WARN,
                                    f'a restart would lose the mission: {error}')
        else:
            self.diagnostics.report('kept', Level.OK, 'a restart takes the mission up')

    def _look_round(self) -> None:
        """Tell the core which listeners to its steps are missing."""
        endpoints: dict[str, set[bytes]] = {}
        for info in self.get_subscriptions_info_by_topic(f'{PREFIX}/step'):
            endpoints.setdefault(info.node_name, set()).add(bytes(info.endpoint_gid))
        self._report_memory()
        changed = self._listeners.changed(endpoints, {
            name: Heard(watch.session, watch.lost_s) for name, watch in self._watches.items()},
            deaf=self.life.deaf)
        if changed is not None:
            self.feed(changed)
        self._report_listeners()

    def _report_listeners(self) -> None:
        silent = [name for name in STEP_LISTENERS if self._watches[name].lost_s]
        missing = [one for one in self._listeners.missing if one not in silent]
        words = [f'waiting for {", ".join(missing)}'] if missing else []
        if silent:
            words.append(f'no sign of life of {", ".join(silent)}: it was killed, or hangs; '
                         'start it again')
        self.diagnostics.report('listeners', *(
            (Level.WARN, '; '.join(words)) if words else (Level.OK, 'all there')))

    def _report_memory(self) -> None:
        """Report whether the memory is alive; a mission goes on without it."""
        watch = self._watches['memory']
        if watch.lost_s:
            self.diagnostics.report('memory', Level.WARN, 'no sign of life of the memory: the '
                                    'mission goes on without it; start it again')
        elif watch.session:
            self.diagnostics.report('memory', Level.OK, 'heard')

    def deactivating(self) -> None:
        """End the mission, so that the robot does not drive without an owner."""
        # A mission that another belief goes on with does not end.
        if not self.yields:
            self.feed(SwitchedOff())
        if self._missions is not None:
            self._missions.abandon()

    def published(self, document: Document) -> None:
        """Log each change of the mission once."""
        if self._missions is not None:
            self._missions.take(document)
        body = document.body
        if isinstance(body, Belief):
            state = body.outcome.value if body.outcome is not None else body.phase.value
            self.diagnostics.report(
                'mission', Level.OK, f'{state}, {body.status.value}: {body.reason}',
                goal=body.goal_text, next_action=body.next_action, **asdict(body.budgets))

    def _on_request(self, request: Event, response: Trigger.Response) -> Trigger.Response:
        response.success = self._accepted(request)
        response.message = self._answer.message
        return response

    def _accepted(self, request: Event) -> bool:
        """Feed a request and return the core's answer, which comes before `feed` returns."""
        self._answer = AnswerRequest(False, 'the node is not active')
        self.feed(request)
        return self._answer.accepted

    def _on_answer(self, effect: AnswerRequest) -> None:
        self._answer = effect


def _goal_said(words: str) -> GoalReceived:
    """The goal for words that came on a topic."""
    return GoalReceived(Goal(new_goal_id(), words), may_repeat=True)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(BeliefNode, args)


if __name__ == '__main__':
    sys.exit(main())
