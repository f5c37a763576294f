"""Looks of the product at a real llama.cpp server: which replies its grammar lets through.

`python test/servers/looks_under_grammar.py`, or with `--help`. The request is the product's own,
the model so small that it says the first thing that its grammar allows, at temperature 1. Of the
replies that were finished nine of ten must pass the gate, and none that jsonschema refuses.
"""

import argparse
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from jsonschema import Draft202012Validator
from llama_cpp import LlamaCpp, llama_cpp

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.documents import Candidate
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.schemas import loads_strict
from semantic_nav.contracts.vocabulary import Status
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import AskModel
from semantic_nav.vlm.gate.gate import GateContext, GateRefusal, gate
from semantic_nav.vlm.gate.wire import canonical_schema
from semantic_nav.vlm.look.token_budget import TokenBudget
from semantic_nav.vlm.picture import prepare
from semantic_nav.vlm.prompt.assembly import PromptContext, build
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.question import question_of
from semantic_nav_sim.ports import free_port

_COLOURS = ('red', 'blue', 'green', 'white', 'black', 'yellow')
_THINGS = ('mug', 'chair', 'backpack', 'potted plant', 'lamp', 'bottle', 'sofa', 'book', 'towel',
           'umbrella')
#: One thread of a very busy machine writes two tokens a second.
_LONG_S = 1800.0
#: What a finished reply must pass at least, of one.
LEAST_SHARE = 0.9


@dataclass(frozen=True)
class Came:
    """What came of a look.

    Attributes:
        finished: the reply was not cut off.
        held: jsonschema finds nothing in it that the schema which was asked for forbids.
        refusal: of the gate; empty where it passed.
        wrong: it passed and should not have.
    """

    text: str
    tokens: int
    finished: bool
    held: bool
    refusal: str
    wrong: bool


def looks(server: LlamaCpp, count: int, seed: int = 0) -> Iterator[Came]:
    """Ask for so many hypotheses, each for another goal; every other one knows of a place."""
    config = HypothesisConfig(vlm_backend='openai', base_url=server.url, model='smollm2',
                              temperature=1.0, image_long_side_px=112, request_timeout_s=_LONG_S)
    model = make_provider(config)
    picture = prepare(np.full((480, 640, 3), 128, np.uint8), config)
    sent_px = (picture.sent_width_px, picture.sent_height_px)
    place = Candidate('memory-s-1', Pose2D(1.0, 2.0, 0.0), 0.5, 0.5, 0.5, 'a kitchen', (), ())
    goals = list(product(_THINGS, _COLOURS))
    for number in range(count):
        thing, colour = goals[number % len(goals)]
        known = (place,) if number % 2 else ()
        prompt = build(PromptContext(f'find the {colour} {thing}', Status.SEARCHING, known, None,
                                 sent_px), config.boxes, TokenBudget(config).now)
        reply = model.ask(question_of(AskModel('a', prompt, picture.jpeg, _LONG_S), config,
                                      seed + number), _LONG_S, threading.Event())
        finished = reply.finish_reason != 'length'
        result = gate(reply.text, GateContext(
            config.boxes, sent_px, frozenset(one.node_id for one in known)))
        refusal = str(result) if isinstance(result, GateRefusal) else ''
        held = finished and Draft202012Validator(prompt.schema).is_valid(loads_strict(reply.text))
        wrong = not refusal and not Draft202012Validator(
            canonical_schema()).is_valid(to_plain(result))
        yield Came(reply.text, reply.usage.reply_tokens, finished, held, refusal, wrong)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--show', action='store_true', help='print each reply')
    chosen = parser.parse_args()
    came = []
    with tempfile.TemporaryDirectory() as folder, llama_cpp(
            Path(folder), free_port(), slots=1) as server:
        for one in looks(server, chosen.count, chosen.seed):
            came.append(one)
            print(f'{len(came)}: {one.tokens} tokens, '
                  f'{"finished" if one.finished else "cut off"}, {one.refusal or "passed"}',
                  flush=True)
            if chosen.show:
                print(one.text, flush=True)
    finished = [one for one in came if one.finished]
    passed = sum(not one.refusal for one in finished)
    held, wrong = sum(one.held for one in finished), sum(one.wrong for one in came)
    print(f'{len(came)} looks, {len(finished)} finished, {held} of them within the schema, '
          f'{passed} pass the gate, {wrong} wrongly')
    return 0 if finished and passed >= LEAST_SHARE * len(finished) and not wrong else 1


if __name__ == '__main__':
    sys.exit(main())
