"""Content blocks: what a message of the transcript is made of.

Owns the shapes. What a provider makes of them is the business of its adapter.
"""

from __future__ import annotations

import msgspec

from turnwire.protocol.base import UNSET, UnsetType, Word

__all__ = ["ContentBlock", "Image", "Reasoning", "Text", "ToolResult", "ToolUse"]


class Text(Word, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """Plain text. ``text`` is never empty in a recorded message."""

    text: str


class Image(Word, frozen=True, kw_only=True, tag_field="type", tag="image"):
    """An image: ``data`` is base64, ``media_type`` a MIME type such as ``image/png``."""

    media_type: str
    data: str


class Reasoning(Word, frozen=True, kw_only=True, tag_field="type", tag="reasoning"):
    """What a model thought. Replayed exactly, in order, to the provider that it came from, or dropped whole.

    ``provider`` names the wire format that ``opaque`` belongs to; ``opaque`` is that provider's own block
    (signature, encrypted or redacted data) and is never edited.
    """

    text: str
    provider: str | UnsetType = UNSET
    opaque: msgspec.Raw | UnsetType = UNSET


class ToolUse(Word, frozen=True, kw_only=True, tag_field="type", tag="tool_use"):
    """A call that the model proposed.

    ``id`` is the child's own and unique in the session; ``provider_call_id`` is the provider's.
    ``arguments`` is the child's compact encoding of a JSON object. Where the model's words were no JSON
    object, ``arguments`` is ``{}`` and ``invalid`` says in words what was wrong; such a call never runs.
    ``opaque`` is a provider's own data that must come back with the call, such as a signature.
    """

    id: str
    name: str
    arguments: msgspec.Raw
    invalid: str | UnsetType = UNSET
    provider_call_id: str | UnsetType = UNSET
    provider: str | UnsetType = UNSET
    opaque: msgspec.Raw | UnsetType = UNSET


class ToolResult(Word, frozen=True, kw_only=True, tag_field="type", tag="tool_result"):
    """The one result of one call: ``tool_use_id`` is the :class:`ToolUse` id. ``content`` is never empty."""

    tool_use_id: str
    content: tuple[Text | Image, ...]
    is_error: bool = False


ContentBlock = Text | Image | Reasoning | ToolUse | ToolResult
"""Every kind of block, told apart by ``type``."""
