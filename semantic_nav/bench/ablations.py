"""Robots that lack a part of the product, to measure what the part is worth."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

#: Nothing is left out.
WHOLE = 'nothing'
#: No answer of a model takes so long, in s.
_NEVER_SLOW_S = 3600.0

Configs = dict[str, Any]


def _no_looks_while_driving(configs: Configs) -> Configs:
    return {**configs, 'belief': replace(configs['belief'], slow_answer_s=_NEVER_SLOW_S)}


def _no_second_view(configs: Configs) -> Configs:
    return {**configs, 'belief': replace(configs['belief'], confirm_views=1)}


def _no_second_looks(configs: Configs) -> Configs:
    return {**configs, 'belief': replace(configs['belief'], second_looks_share=0.0)}


#: What is left out, by name: each changes the parameters of the nodes.
ABLATIONS: Mapping[str, Callable[[Configs], Configs]] = {
    WHOLE: lambda configs: configs,
    'looks_while_driving': _no_looks_while_driving,
    'second_view': _no_second_view,
    'second_looks': _no_second_looks,
}
