"""A plan depends on the situation alone, and changes nothing in it."""

import dataclasses
import math

import numpy as np
import pytest
from builders import act_request, candidate, candidates, canonical, meta
from situations import Known, ListeningPolicy
from verifier_rig import table_room

from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis
from semantic_nav.contracts.vocabulary import Code, Source
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.exploration import Exploration
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.unreached import UnreachedPart
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav.verify.checks.attempts import Attempts, Failure
from semantic_nav.verify.checks.goal_checks import no_view
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Rejection, Views
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.planning.planning import plan
from semantic_nav.verify.tracking.findings import Findings, Proposal

MUG = Grounded((4.2, 3.0, 0.81), (0.02, 0.02, 0.02), 2.2, False, 0.1,
               (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 0.0, 1e-4))
PROPOSALS = {
    'approach': canonical('approach', seen='visible', target_box=(450.0, 450.0, 550.0, 550.0)),
    'goto_node': canonical('goto_node', node_id='n'), 'explore': canonical('explore'),
    'rotate': canonical('rotate', rotate_rad=1.0), 'stop': canonical('stop')}


def proposed(hypothesis: CanonicalHypothesis, **changes: object) -> Situation:
    """Return a situation in which a look of this moment proposed something."""
    known = Known(table_room())
    situation = known.situation
    assert known.surroundings.map is not None
    proposal = Proposal('h', Hypothesis('belief-s-1', Source.MODEL, hypothesis, meta()),
                        known.clock.now.clock_ns, known.robot, MUG, '', (MUG,))
    findings = Findings(GoalCoverage.none(known.surroundings.map), {'h': proposal})
    return dataclasses.replace(
        situation, findings=findings,
        candidates=candidates(candidate('n', Pose2D(6.5, 1.5, 2.0))), offered=frozenset({'n'}),
        **changes)


@pytest.mark.parametrize('name', PROPOSALS)
def test_same_situation_gives_the_same_answer(name: str) -> None:
    situation = proposed(PROPOSALS[name])
    before = dataclasses.asdict(situation.attempts), dict(situation.findings.proposals)
    first = plan(act_request('h'), situation)
    assert plan(act_request('h'), situation) == first
    assert plan(act_request('h'), proposed(PROPOSALS[name])) == first
    assert (dataclasses.asdict(situation.attempts), dict(situation.findings.proposals)) == before
    coverage = situation.findings.coverage
    assert coverage is not None and not coverage.in_range.looked.any()


def test_search_stays_clear_of_goals_that_were_not_reached() -> None:
    failure = Failure(Known().clock.now.steady_ns, Pose2D(6.0, 1.5, 0.0))
    for attempts, near in ((Attempts(), True),
                           (Attempts().failing(failure), False)):
        policy = ListeningPolicy()
        plan(act_request('h'), proposed(
            PROPOSALS['explore'], exploration=Exploration.begin(policy), attempts=attempts))
        search = policy.searches[0]
        # Another heading there is no other place.
        assert search.may_stand(Pose2D(6.0, 1.8, 2.0)) is near
        assert search.may_stand(Pose2D(6.0, 2.0, 0.0))


@dataclasses.dataclass(frozen=True)
class _Views:
    """A policy that has some views to name."""

    views: tuple[Viewpoint, ...]

    def next_views(self, search: Search) -> NextViews:
        del search
        return NextViews(self.views, self)


def test_explorer_turns_to_what_is_near_and_is_never_sent_there() -> None:
    far, near, other = (Viewpoint(pose, 2.0, way_m, 1.0) for pose, way_m in (
        (Pose2D(6.0, 1.5, 0.0), 4.5), (Pose2D(2.2, 3.0, 2.0), 0.2), (Pose2D(6.0, 4.5, 0.0), 4.5)))
    planned = {first: plan(act_request('h'), proposed(PROPOSALS['explore'], exploration=(
        Exploration.begin(_Views(views))))) for first, views in (
            ('far', (far, near, other)), ('near', (near, far)))}
    assert planned['far'].turn_rad is None
    assert planned['far'].goals == (far.pose, other.pose)
    assert planned['near'].turn_rad == pytest.approx(2.0) and not planned['near'].goals


def test_nothing_in_a_situation_can_be_set() -> None:
    situation = proposed(PROPOSALS['explore'])
    for holder in (situation, situation.surroundings, situation.surroundings.robot,
                   situation.findings, situation.attempts, situation.exploration):
        name = dataclasses.fields(holder)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(holder, name, None)


def test_distances_are_kept_as_long_as_costmap_and_cell_stay() -> None:
    """Else every verdict would cost a search over the whole costmap."""
    known = Known(table_room())
    before = known.surroundings.reach.all_m
    known.clock.advance(1.0)
    known.refresh()
    known.stand(Pose2D(2.01, 3.01, 1.0))
    assert known.surroundings.reach.all_m is before
    known.stand(Pose2D(3.0, 3.0, 1.0))
    there = known.surroundings.reach.all_m
    assert not np.array_equal(there, before)
    # The same cells say something else where they lie elsewhere.
    known.take_costmap(dataclasses.replace(known.room.costmap(0), origin_x_m=-1.0))
    assert known.surroundings.reach.all_m is not there


def test_exploring_says_which_policy_goes_on() -> None:
    situation = proposed(PROPOSALS['explore'])
    coverage = situation.findings.coverage
    assert coverage is not None
    done = dataclasses.replace(coverage.in_range,
                               looked=np.ones_like(coverage.in_range.looked))
    looked = dataclasses.replace(situation, findings=dataclasses.replace(
        situation.findings, coverage=dataclasses.replace(
            coverage, in_range=done, nearby=done, overlooked=tuple(
                dataclasses.replace(one, chance=np.zeros_like(one.chance))
                for one in coverage.overlooked))))
    planned = plan(act_request('h'), situation)
    assert isinstance(planned, Plan) and planned.exploration == situation.exploration
    refused = plan(act_request('h'), looked)
    assert isinstance(refused, Rejection) and refused.code is Code.NOTHING_LEFT
    assert refused.exploration not in (None, situation.exploration)
    assert looked.exploration == situation.exploration


def test_answer_names_the_corner_to_which_no_way_led() -> None:
    nook = UnreachedPart(Pose2D(1.0, 5.5, 0.0), 0.7, math.inf, None)
    rejection = no_view(Views(0, nooks=(nook,)), proposed(PROPOSALS['explore']))
    assert rejection is not None and rejection.code is Code.NOTHING_LEFT
    assert '0.7 m² between furniture no way led to, as at (1.0, 5.5)' in rejection.reason


def test_what_was_tried_is_part_of_the_situation() -> None:
    fresh = plan(act_request('h'), proposed(PROPOSALS['goto_node']))
    assert isinstance(fresh, Plan) and fresh.action is Action.GOTO_NODE
    visited = proposed(PROPOSALS['goto_node'], attempts=Attempts(places=frozenset({'n'})))
    refused = plan(act_request('h'), visited)
    assert isinstance(refused, Rejection) and refused.code is Code.SKIPPED
