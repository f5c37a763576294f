"""The page's view of a scene as plain JSON; all of its strings are text, none is markup."""

from collections import Counter
from typing import Any

import numpy as np

from semantic_nav.client.words import what_came
from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.documents import (
    Belief,
    Candidate,
    Document,
    Hypothesis,
    PlaceDescription,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import NODES, Level, Purpose
from semantic_nav.operator.scene import Entry, PageScene
from semantic_nav.operator.standing import ENDED, judge

Json = dict[str, Any]
#: Age from which a pose looks stale, in s: the verifier publishes it every second while a mission
#: is open, and every minute while the robot stands without one.
STALE_POSE_S, STALE_IDLE_POSE_S = 3.0, 90.0
_DECIMALS = 3
#: Distance within which looks are of one room, in m.
_ROOM_M = 2.0


def view_of(scene: PageScene, now_s: float, *, live: bool, listening: bool = True,
            remembering: bool = False) -> Json:
    """The page's view of a scene.

    Args:
        scene: the scene.
        now_s: in s since the beginning; ages count from here.
        live: it is now; in the past nothing is stale, and no deed is permitted.
        listening: the belief node hears goals.
        remembering: the memory hears queries.
    """
    standing = judge(scene.facts(now_s, listening=listening, live=live, remembering=remembering))
    return {
        'now_s': now_s, 'live': live,
        'standing': {'state': standing.state.value, 'reason': standing.reason,
                     'next': standing.next, 'broken': list(standing.broken),
                     'permitted': [deed.value for deed in standing.permitted] if live else []},
        'mission': _mission(scene, now_s), 'robot': _robot(scene, now_s, live),
        'driven_to': _pose(scene.driven_to), 'path': [_xy(*at) for at in scene.path],
        'track': None if scene.track is None else {
            **_xy_of(scene.track.position), 'views': scene.track.views, 'sure': scene.track.sure},
        'things': [{**_xy_of(seen.thing.position), 'name': seen.thing.name,
                    'is_target': seen.thing.is_target, 'provisional': seen.thing.provisional,
                    'sigma_m': _short(max(seen.thing.sigma_m[:2])),
                    'age_s': _short(now_s - seen.at_s)} for seen in scene.things],
        'places': [{**_xy_dict(place.x, place.y), 'words': place.words, 'id': place.id,
                    'name': place.name} for place in scene.places],
        'rooms': _rooms(scene),
        'refused': [{'action': one.action, 'code': one.code.value, 'reason': one.reason,
                     'goal': _pose(one.goal), 'age_s': _short(now_s - one.at_s)}
                    for one in scene.refused],
        'candidates': _candidates(scene), 'look': _look(scene, now_s), 'model': _model(scene),
        'nodes': _nodes(scene, now_s, live),
        'map': None if scene.map is None else scene.map.key,
        'heat': '' if scene.map is None or not scene.goal_id or not scene.from_begin else
                f'{scene.map.key}.{scene.goal_id}.{len(scene.cones)}'
                f'.{len(scene.candidates.candidates) if scene.candidates else 0}',
    }


def entry_to_plain(entry: Entry) -> Json:
    """A line of the timeline; its time is exact, as the page asks for the past by it."""
    return {'at_s': entry.at_s, 'kind': entry.kind, 'words': entry.words}


def outline_of(key: str, grid: OccupancyGrid) -> Json:
    """Geometry of a map, with the extent of its known part: left, bottom, right, top in m."""
    height, width = grid.shape
    rows, columns = (np.flatnonzero((grid.cells != UNKNOWN).any(axis=axis)) for axis in (1, 0))
    low = (rows[0], columns[0]) if len(rows) else (0, 0)
    high = (rows[-1] + 1, columns[-1] + 1) if len(rows) else grid.shape
    size = grid.resolution_m
    return {'key': key, 'resolution_m': size, 'width': width, 'height': height,
            'origin_x_m': grid.origin_x_m, 'origin_y_m': grid.origin_y_m,
            'known': [_short(grid.origin_x_m + low[1] * size),
                      _short(grid.origin_y_m + low[0] * size),
                      _short(grid.origin_x_m + high[1] * size),
                      _short(grid.origin_y_m + high[0] * size)]}


def _mission(scene: PageScene, now_s: float) -> Json | None:
    belief = scene.belief.body if scene.belief is not None else None
    if not isinstance(belief, Belief):
        return None
    return {'id': scene.goal_id, 'goal': scene.goal_of(belief), 'purpose': belief.purpose.value,
            'status': belief.status.value, 'phase': belief.phase.value,
            'outcome': None if belief.outcome is None else belief.outcome.value,
            'ended': '' if belief.outcome is None else ENDED[belief.outcome],
            'reason': belief.reason, 'question': belief.question, 'next': belief.next_action,
            'rejection': belief.rejection_reason, 'budgets': to_plain(belief.budgets),
            'p_here': None if scene.p_here is None else _short(scene.p_here),
            'age_s': _short(now_s - scene.belief_at_s)}


def _robot(scene: PageScene, now_s: float, live: bool) -> Json | None:
    if scene.pose is None:
        return None
    age_s = now_s - scene.pose_at_s
    limit_s = STALE_POSE_S if scene.open else STALE_IDLE_POSE_S
    return {**(_pose(scene.pose.pose) or {}), 'healthy': scene.pose.healthy,
            'stands': scene.pose.stands, 'held': scene.pose.held, 'age_s': _short(age_s),
            'stale': live and age_s > limit_s}


def _rooms(scene: PageScene) -> list[Json]:
    """The model's names for the parts of the home: the most frequent one of the looks there."""
    groups: list[tuple[Pose2D, Counter[str]]] = []
    for look in scene.looks:
        name = look.place.strip().lower()
        if not name:
            continue
        names = next((names for pose, names in groups
                      if pose.distance_to(look.pose.x, look.pose.y) < _ROOM_M), None)
        if names is None:
            names = Counter()
            groups.append((look.pose, names))
        names[name] += 1
    return [{**_xy_dict(pose.x, pose.y), 'name': names.most_common(1)[0][0]}
            for pose, names in groups]


def _candidates(scene: PageScene) -> list[Json]:
    if scene.candidates is None:
        return []
    return [place_to_plain(one) for one in scene.candidates.candidates]


def place_to_plain(place: Candidate) -> Json:
    """A retrieved place as JSON."""
    return {'id': place.node_id, **(_pose(place.pose) or {}), 'score': _short(place.score),
            'summary': place.summary, 'tags': list(place.tags), 'reasons': list(place.reasons)}


def description_to_plain(place: PlaceDescription) -> Json:
    """The description of a place as JSON."""
    return {'id': place.node_id, 'name': place.name, 'kind': place.kind, 'summary': place.summary,
            'visits': place.visits, 'seen_ago_s': _short(place.seen_ago_s)}


def _look(scene: PageScene, now_s: float) -> Json | None:
    answer = scene.answer
    if answer is None or not isinstance(answer.body, Hypothesis):
        return None
    said = answer.body.hypothesis
    meta = answer.body.meta
    boxes = [{'box': list(one.box), 'name': one.name, 'is_target': False}
             for one in said.scene.objects if one.box is not None]
    if said.target_box is not None:
        boxes.append({'box': list(said.target_box), 'name': 'target', 'is_target': True})
    return {'picture': answer.cause_id if answer.cause_id in scene.pictures else '',
            'boxes': boxes, 'source': answer.body.source.value, 'action': said.action.value,
            'words': what_came(meta.vlm_answer, said.target_status, meta.vlm_error,
                               _purpose_of(scene, answer)),
            'confidence': _short(said.confidence), 'rationale': said.rationale,
            'place': said.scene.place, 'age_s': _short(now_s - scene.answer_at_s)}


def _purpose_of(scene: PageScene, document: Document) -> Purpose:
    """The purpose of a document's mission; FIND if that is not the one in hand."""
    belief = scene.belief.body if scene.belief is not None else None
    return belief.purpose if isinstance(belief, Belief) and (
        document.goal_id == scene.goal_id) else Purpose.FIND


def _model(scene: PageScene) -> Json | None:
    health = scene.statements.get(('hypothesis', 'model'))
    answer = scene.answer
    meta = answer.body.meta if answer is not None and isinstance(answer.body, Hypothesis) else None
    if health is None and meta is None:
        return None
    values = dict(health.values) if health is not None else {}
    return {'backend': meta.vlm_backend if meta else '', 'model': meta.vlm_model if meta else '',
            'answer': meta.vlm_answer.value if meta else '',
            'latency_ms': _short(meta.vlm_latency_ms) if meta else None,
            'prompt_tokens': meta.vlm_prompt_tokens if meta else None,
            'reply_tokens': meta.vlm_reply_tokens if meta else None,
            'runs_on': {'True': 'GPU', 'False': 'CPU'}.get(
                values.get('on_gpu', ''), 'not told'),
            'offered': list(filter(None, values.get('offered', '').split('\n'))),
            'health': health.text if health else '',
            'level': int(health.level) if health else int(Level.OK)}


def _nodes(scene: PageScene, now_s: float, live: bool) -> list[Json]:
    silent = scene.silent(now_s) if live else ()
    return [{'name': name, 'heard': name in scene.spoke_at_s, 'silent': name in silent,
             'age_s': _short(now_s - scene.spoke_at_s.get(name, now_s)),
             'says': [{'subject': one.subject, 'level': int(one.level), 'text': one.text}
                      for one in scene.statements.values()
                      if one.node == name and one.level is not Level.OK]}
            for name in NODES]


def _pose(pose: Pose2D | None) -> Json | None:
    return None if pose is None else {**_xy_dict(pose.x, pose.y), 'yaw': _short(pose.yaw)}


def _xy_dict(x: float, y: float) -> Json:
    return {'x': _short(x), 'y': _short(y)}


def _xy(x: float, y: float) -> Any:
    return [_short(x), _short(y)]


def _xy_of(position: tuple[float, float, float]) -> Json:
    return _xy_dict(position[0], position[1])


def _short(value: float) -> float:
    return round(float(value), _DECIMALS)
