"""What became of a picture: it was taken, and a hypothesis came of it."""

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
    """A picture was taken for the model, or could not be.

    The envelope's id is the look's id, its cause the step, its stamp and frame the picture's.

    Attributes:
        camera: name of the camera that took it, or that was asked to.
        fingerprint: the same for equal pictures, and for them alone; None where nobody can tell.
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
    """How a hypothesis came about, in the field's own names.

    What the server counts and times itself is that of all calls of the look together; 0 where it
    does not say.

    Attributes:
        vlm_answer: what came of asking the model.
        vlm_reply_count: replies of the model, those that call tools or were refused included.
        vlm_error: why there is no valid answer, for people; empty where there is one.
        memory_context_missing_nodes: candidates of which the model was told nothing but the id.
        memory_context_missing_node_ids: theirs.
        vlm_schema_path: which words of the schema the last reply that was refused broke, as a JSON
            pointer, though a repair may have passed; empty where none.
        vlm_reread_count: fields of the answer that were not written as asked for (95 for a share)
            and read as meant.
        vlm_load_ms: until the server had loaded the model.
        vlm_prompt_ms: for reading the prompt.
        vlm_reply_ms: for writing the reply.
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
