"""Documents of a look: the picture, and the hypothesis that it led to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import MaxLen

from semantic_nav.contracts.fields import (
    Count,
    Id,
    Label,
    Name,
    NotNegative,
    Sha256,
    Text,
    json_form,
)
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA, ModelAnswer, Source


@json_form(omit_none=True)
@dataclass(frozen=True)
class Look:
    """A picture taken for the model, or the reason why there is none.

    The envelope has the look's id, the step as its cause, and the picture's stamp and frame.

    Attributes:
        camera: name of the camera that took the picture, or was asked to.
        fingerprint: SHA-256 of the picture's pixels; None for an even picture, which another place
            may repeat.
    """

    taken: bool
    reason: Text = ''
    image_width_px: Count = 0
    image_height_px: Count = 0
    inform: bool = False
    camera: Label = DEFAULT_CAMERA
    fingerprint: Sha256 | None = None


@dataclass(frozen=True)
class ModelMeta:
    """Provenance of a hypothesis: model, calls, tokens and times, in the field's own names.

    Tokens and server times are sums over all calls of the look; 0 where the server gives none.

    Attributes:
        vlm_answer: outcome of asking the model.
        vlm_reply_count: replies of the model, with tool calls and refused ones.
        vlm_error: reason why there is no valid answer, for people; empty if there is one.
        memory_context_missing_nodes: number of candidates of which the prompt held only the id.
        memory_context_missing_node_ids: ids of these candidates.
        vlm_schema_path: JSON pointer to the schema keyword that the last refused reply broke, even
            if a repair passed later; empty if it broke none.
        vlm_reread_count: fields of the answer in another form than asked for (95 for a share),
            read as they were meant.
        vlm_load_ms: server time for loading the model.
        vlm_prompt_ms: server time for reading the prompt.
        vlm_reply_ms: server time for writing the reply.
    """

    vlm_answer: ModelAnswer
    vlm_backend: Label
    vlm_model: Name
    vlm_latency_ms: NotNegative
    vlm_parse_ok: bool
    vlm_schema_ok: bool
    vlm_retry_count: Count
    vlm_reply_count: Count
    vlm_error: Text
    image_sha256: Sha256
    prompt_sha256: Sha256
    memory_context_missing_nodes: Count = 0
    memory_context_missing_node_ids: Annotated[tuple[Id, ...], MaxLen(20)] = ()
    vlm_schema_path: Name = ''
    vlm_reread_count: Count = 0
    vlm_prompt_tokens: Count = 0
    vlm_reply_tokens: Count = 0
    vlm_load_ms: NotNegative = 0.0
    vlm_prompt_ms: NotNegative = 0.0
    vlm_reply_ms: NotNegative = 0.0


@dataclass(frozen=True)
class Hypothesis:
    """A gated hypothesis: the answer to one look. The cause is the look."""

    step_id: Id
    source: Source
    hypothesis: CanonicalHypothesis
    meta: ModelMeta
