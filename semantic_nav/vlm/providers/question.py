"""The question of an effect of the core, in the form of all providers."""

import hashlib

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Image, Message, Question, Role, Text
from semantic_nav.vlm.events import AskModel
from semantic_nav.vlm.picture import check_jpeg
from semantic_nav.vlm.prompt import template
from semantic_nav.vlm.prompt.prompt import Prompt


def messages_of(prompt: Prompt, jpeg: bytes) -> tuple[Message, ...]:
    """The messages to the model, with the picture in its place.

    Raises:
        BadPicture: the picture is damaged.
    """
    check_jpeg(jpeg)
    name = hashlib.sha256(jpeg).hexdigest()[:template.NAME_DIGITS]
    named = template.PICTURE_NAME.format(name=name)
    messages = [Message(Role.SYSTEM, (Text(prompt.system), Text(named))),
                Message(Role.USER, (Text(prompt.user), Image(jpeg)))]
    for turn in prompt.turns:
        said = (Text(turn.said),) if turn.said else ()
        messages += [Message(Role.ASSISTANT, (*turn.thoughts, *said, *turn.calls)),
                     Message(Role.TOOL, turn.results)]
    for repair in prompt.repairs:
        messages += [Message(Role.ASSISTANT, (Text(repair.reply),)),
                     Message(Role.USER, (Text(repair.complaint),))]
    return tuple(messages)


def question_of(request: AskModel, config: HypothesisConfig, seed: int) -> Question:
    """The question of a request of the core.

    Args:
        request: prompt and picture.
        config: length and temperature, and the window if the prompt names none.
        seed: seed of the model's sampling.

    Raises:
        BadPicture: the picture is damaged.
    """
    prompt = request.prompt
    return Question(messages_of(prompt, request.jpeg), prompt.schema, config.num_predict,
                    prompt.window_tokens or config.num_ctx, config.temperature, seed,
                    prompt.tools, prompt.schema_in_words, prompt.unheld)
