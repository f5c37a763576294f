"""Replies of every kind that a model may send, the same ones for the same seed and number."""

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orders import OBEDIENT, ORDERS, repeating

from semantic_nav.contracts.hypothesis import Action
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext

Json = dict[str, Any]
NODES = ('memory-s-1', 'memory-s-2')
_SIZES = ((1036, 784), (644, 476), (28, 28))
_WORDS = ('mug', 'red', 'the', 'kitchen', 'I', 'see', 'a', 'door', '{', '}', '[', ']', '"', "'",
          '```', '```json', '\n', ':', ',', 'true', 'null', '\\', '<think>', '</think>', '1.5',
          '{}', '{"action":', 'ünïcode', '\N{HOT BEVERAGE}', '\x00', '\x1b[2J', '\ufeff')
_NUMBERS = (0, -0.0, 1, -1, 0.5, 1000, 1000.5, 3.15, -3.15, 1e-320, 1e308, 10**400, -10**30, 2**63)
_STRINGS = ('', ' ', '0.5', 'NaN', 'visible', 'Approach', 'x' * 61, 'x' * 500, 'x' * 70_000,
            '\ud800', '\udc00\ud800', '\x00', '\u202egnp', '../etc/passwd', '99', NODES[0])
_KEYS = ('action', 'Action', 'confidence', 'rotate_rad', 'target_box', 'box', '', '__proto__',
         'scene', 'x' * 300, '\ud800')


@dataclass(frozen=True)
class HostileReply:
    """A reply, and what it is to be judged by.

    Attributes:
        kind: how it was made; `valid` ones must pass the gate, whatever else does.
    """

    kind: str
    text: str
    context: GateContext


def hostile_reply(seed: int, number: int) -> HostileReply:
    """Return the reply of a seed that bears this number."""
    rng = random.Random(f'{seed}/{number}')
    boxes, size = rng.choice(list(BoxConvention)), rng.choice(_SIZES)
    context = GateContext(boxes, size, frozenset(NODES))
    kind = rng.choice(list(_KINDS))
    return HostileReply(kind, _KINDS[kind](rng, context), context)


# Valid ones

def _valid(rng: random.Random, context: GateContext) -> str:
    return _dressed(rng, json.dumps(_reply(rng, context), ensure_ascii=rng.random() < 0.5))


def _reply(rng: random.Random, context: GateContext) -> Json:
    action = rng.choice(list(Action))
    reply = {
        'action': action.value,
        'target_status': rng.choice(['visible', 'ambiguous']),
        'confidence_percent': rng.choice((rng.randrange(101), rng.random())),
        'scene': {'place': _text(rng, 60), 'objects': [
            {'name': _text(rng, 60) or 'x', **({'box': _box(rng, context)} if rng.random() < 0.5
                                               else {})}
            for _ in range(rng.randrange(13))]},
        'rationale': _text(rng, 400)}
    if action is Action.APPROACH and rng.random() < 0.3:
        reply['navigation_goal'] = {
            'frame_id': rng.choice(['map', 'base_link']), 'x_cm': rng.randint(-10**6, 10**6),
            'y_cm': rng.randint(-10**6, 10**6), 'yaw': rng.uniform(-math.pi, math.pi)}
    elif action is Action.APPROACH or rng.random() < 0.3:
        reply['target_box'] = _box(rng, context)
    if action is Action.GOTO_NODE:
        reply['node_id'] = rng.choice(NODES)
    elif action is Action.ROTATE:
        if rng.random() < 0.5:
            reply['rotate_deg'] = rng.randint(-400, 400)
        else:
            reply['rotate_rad'] = rng.uniform(-math.pi, math.pi)
    elif action is Action.ASK_CLARIFICATION:
        reply['clarification_question'] = _text(rng, 300) or '?'
    return reply


def _box(rng: random.Random, context: GateContext) -> list[float]:
    """Return a box inside the picture, at least a twentieth of it wide and high."""
    width, height = {
        BoxConvention.PIXELS: context.sent_px, BoxConvention.UNIT: (1, 1)}.get(
            context.boxes, (1000, 1000))
    x, y = rng.uniform(0, 0.9), rng.uniform(0, 0.9)
    right, bottom = rng.uniform(x + 0.05, 1), rng.uniform(y + 0.05, 1)
    box = [x * width, y * height, right * width, bottom * height]
    if context.boxes is BoxConvention.PERMILLE_YX:
        return [box[1], box[0], box[3], box[2]]
    return box


def _text(rng: random.Random, longest: int) -> str:
    text = rng.choice((rng.choice(ORDERS), ' '.join(rng.choices(_WORDS, k=rng.randrange(8)))))
    return text[:longest]


def _dressed(rng: random.Random, text: str) -> str:
    """Return a reply with something around it that is no object."""
    before = rng.choice(('', '', '\ufeff', '\n\n', 'Sure! ', '```json\n', '{curly} ', 'so: '))
    after = rng.choice(('', '', '\n```', ' Hope that helps.', '}', ' {...}', '\x00'))
    return before + text + after


# Spoilt ones

def _mutated(rng: random.Random, context: GateContext) -> str:
    reply: Any = _reply(rng, context)
    for _ in range(rng.randrange(1, 4)):
        place = rng.choice(list(reply))
        reply[place] = _spoilt(rng, reply[place])
        if rng.random() < 0.2:
            reply.pop(rng.choice(list(reply)))
            reply[rng.choice(_KEYS)] = _odd(rng)
    return json.dumps(reply)


def _spoilt(rng: random.Random, value: Any) -> Any:
    """Return a value with one thing changed, at some depth."""
    inside = (list(value) if isinstance(value, dict)
              else list(range(len(value))) if isinstance(value, list) else [])
    how = rng.choice(('deeper', 'deeper', 'deeper', 'less', 'more', 'instead'))
    if inside and how in ('deeper', 'less'):
        place = rng.choice(inside)
        copy = value.copy()
        if how == 'deeper':
            copy[place] = _spoilt(rng, value[place])
        else:
            del copy[place]
        return copy
    if how == 'more' and isinstance(value, dict):
        return {**value, rng.choice(_KEYS): _odd(rng)}
    if how == 'more' and isinstance(value, list):
        return value + [_odd(rng)] * rng.choice((1, 1, 20, 2000))
    return _odd(rng)


def _odd(rng: random.Random) -> Any:
    return rng.choice((
        rng.choice(_NUMBERS), rng.choice(_STRINGS), rng.choice(ORDERS), None, True, [], {},
        [[]], [rng.choice(_NUMBERS)] * 4, {'name': rng.choice(_STRINGS)}))


def _nonsense(rng: random.Random, context: GateContext) -> str:
    """Return a reply that keeps the wire schema and makes little sense."""
    longest = max(*context.sent_px, 1000) * 1.1
    box = [rng.choice((rng.uniform(-20, longest), 0, 1000, longest)) for _ in range(4)]
    return json.dumps({
        **_reply(rng, context), 'target_status': rng.choice(('visible', 'not_visible')),
        'target_box': rng.choice((box, sorted(box), None)),
        'node_id': rng.choice((*NODES, '99', 'Memory-s-1', rng.choice(ORDERS)[:160])),
        'rotate_deg': rng.choice((None, 170)), 'explore_bearing_rad': rng.choice((None, -3.0))})


def _garbled(rng: random.Random, context: GateContext) -> str:
    text = _valid(rng, context)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice((0, 1, 1, 5, 100, len(text))))
        middle = rng.choice(
            ('', rng.choice(_WORDS), chr(rng.randrange(0x110000)), text[at:end] * 2))
        text = text[:at] + middle + text[end:]
    return text


# Others

def _adversarial(rng: random.Random, context: GateContext) -> str:
    good = json.dumps(_reply(rng, context))
    depth = rng.choice((5, 31, 32, 33, 1000, 20_000))
    nested = rng.choice((
        f'{{"a":{"[" * depth}{"]" * depth}}}', '{"a":' * depth + '1' + '}' * depth,
        '{' * depth, '[' * depth, '{"a":' * depth))
    number = rng.choice(('NaN', 'Infinity', '-Infinity', '1e999', '-1e999', '01', '+1', '.5', '1.',
                         '0x10', '9' * 5000, '1e-400', '"0.5"', 'true', '--1', '1_000'))
    return rng.choice((
        nested,
        good.replace('_percent": ', f'_percent": {number}, "c": ', 1),
        good.replace(
            '"confidence_percent": ', f'"confidence": {number}, "confidence_percent": ', 1),
        good.replace('"confidence_percent": ', f'"confidence": {number}, "confidence": ', 1),
        good.replace('"action"', f'"action": "{rng.choice(list(Action)).value}", "action"', 1),
        good[:-1] + ',}', good.replace('"', "'"), good.replace('{', '{/* */', 1), f'//\n{good}',
        good + good, good + json.dumps(_reply(rng, context)), good + ' {"action": "stop"}',
        f'[{good}]', f'{{"draft": {good}}}', f'{{"draft": {good}', json.dumps(good),
        good.replace('"', '\\"'), good.replace(' ', '\u00a0'), good.replace(':', '\uff1a'),
        good.replace('a', '\\u0061'), good.replace('"rationale": "', '"rationale": "\\ud83d', 1),
        good.replace('"rationale": "', '"rationale": "\n', 1), good.encode().hex(),
        '{"a": "' + '\\' * rng.randrange(5000), '"' * rng.randrange(5000),
        '{' + ','.join(f'"k{n}": {n}' for n in range(rng.choice((400, 600, 6000)))) + '}',
        '{}' * rng.choice((1, 15, 16, 17, 5000)) + good, good + ' ' * rng.choice((10, 70_000)),
        good.encode('utf-16').decode('latin-1'), '\ud800' + good))


def _prose(rng: random.Random, context: GateContext) -> str:
    del context
    return rng.choice(('', ' ')).join(rng.choices(_WORDS, k=rng.choice((0, 1, 20, 400, 9000))))


def _injection(rng: random.Random, context: GateContext) -> str:
    del context
    return rng.choice((*OBEDIENT, *repeating(rng.choice(ORDERS))))


_KINDS: dict[str, Callable[[random.Random, GateContext], str]] = {
    'valid': _valid, 'nonsense': _nonsense, 'mutated': _mutated, 'garbled': _garbled,
    'adversarial': _adversarial, 'prose': _prose, 'injection': _injection}
