"""Questions to providers that several tests share."""

import hashlib
import io
import threading
from dataclasses import replace
from typing import Any

from PIL import Image as PilImage

from semantic_nav.vlm.conversation import (
    Image,
    Message,
    Question,
    Reply,
    Role,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.wire import request_schema
from semantic_nav.vlm.prompt.prompt import Prompt
from semantic_nav.vlm.prompt.template import PICTURE_NAME
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.providers.question import messages_of

#: Long enough for a busy machine; no test waits so long unless it fails.
PATIENCE_S = 20.0
SCHEMA = request_schema(BoxConvention.PIXELS)
PROMPT = Prompt('v', 'rules', 'what now?', SCHEMA)


def picture(fmt: str = 'JPEG', size: tuple[int, int] = (64, 48), shade: int = 90) -> bytes:
    out = io.BytesIO()
    PilImage.new('RGB', size, (shade, 120, 30)).save(out, fmt)
    return out.getvalue()


JPEG = picture()
#: Ends what the system says where JPEG is sent.
NAME = PICTURE_NAME.format(name=hashlib.sha256(JPEG).hexdigest()[:8])

TOOL = Tool('recall', 'Recalls places.', {
    'type': 'object', 'properties': {'query': {'type': 'string'}}, 'required': ['query'],
    'additionalProperties': False})
#: The model called it, and this came of it.
TOOL_TURNS = (
    Message(Role.ASSISTANT, (Thinking('where?', 'signed'),
                             ToolCall('id-1', 'recall', {'query': 'mugs'}))),
    Message(Role.TOOL, (ToolResult('id-1', 'recall', (Text('the kitchen'), Image(JPEG))),)))


def question(prompt: Prompt = PROMPT, jpeg: bytes = JPEG, **fields: Any) -> Question:
    plain = Question(messages_of(prompt, jpeg), prompt.schema, 512, 8192, 0.2, 7)
    return replace(plain, **fields)


def ask(provider: Provider, deadline_s: float = PATIENCE_S, **fields: Any) -> Reply:
    return provider.ask(question(**fields), deadline_s, threading.Event())


def said(text: str, finish_reason: str = '', prompt_tokens: int = 0, reply_tokens: int = 0,
         model: str = '') -> Reply:
    """Return a reply of words alone."""
    return Reply((Text(text),), finish_reason, Usage(prompt_tokens, reply_tokens), model)
