"""What the model is given of a result: one function, through which every path into a result goes.

Owns the bound, the mark of a cut and the words for nothing. Must not know where a result came from.
"""

from __future__ import annotations

import msgspec

from turnwire.protocol.content import Image, Text
from turnwire.protocol.text import well_formed
from turnwire.runner.core.ports import ToolOutcome
from turnwire.runner.tools.spills import spill_text

__all__ = ["IMAGE_CHARS", "NOTHING", "PREVIEW_CHARS", "BoundedResult", "bound_result", "cut"]

NOTHING = "(no output)"
"""What stands for an empty result: providers refuse empty content, and a call must not go
unanswered.
"""

PREVIEW_CHARS = 400
"""The longest preview of a result on its row."""

IMAGE_CHARS = 5_000_000
"""Base64 characters of all images of one result; a little below what the large providers take in
one image. An image is given whole or left out, never cut.
"""


class BoundedResult(msgspec.Struct, frozen=True):
    """A result as it enters the transcript and its row. ``chars`` is the true length of the text
    before any cut, ``spill`` the file that holds the whole of a cut one.
    """

    content: tuple[Text | Image, ...]
    chars: int
    truncated: bool
    preview: str
    spill: str | None = None


def bound_result(
    outcome: ToolOutcome, *, call: str, limit: int, spill_folder: str | None
) -> BoundedResult:
    """Make ``outcome`` fit for the transcript: at most ``limit`` characters of text, never empty,
    well-formed.

    A longer text keeps its beginning and its end; the mark between them states the true length and
    where the whole is kept. Text blocks that are too long together are joined into one, before the
    images.
    """
    blocks = _blocks(outcome)
    text = "\n".join(block.text for block in blocks if isinstance(block, Text))
    chars, spill = len(text) if outcome.chars is None else outcome.chars, outcome.spill
    truncated = outcome.chars is not None or len(text) > limit
    if len(text) > limit:
        spill = spill or spill_text(spill_folder, call, text)
        text = cut(text, text, limit, chars=chars, kept=spill and f"The whole is in {spill}")
        blocks = [Text(text=text), *(block for block in blocks if isinstance(block, Image))]
    content = tuple(blocks) or (Text(text=NOTHING),)
    return BoundedResult(content, chars, truncated, _preview(content), spill)


def cut(head: str, tail: str, limit: int, *, chars: int, kept: str | None) -> str:
    """Join the beginning of ``head`` and the end of ``tail``, of a text of ``chars`` characters.

    The mark between them states that length and, with ``kept``, where more can be found. Never
    longer than ``limit``; both pieces must be at least half as long as that.
    """
    more = f" {kept}." if kept else ""
    mark = f"\n[… cut here: {chars:,} characters in all.{more} …]\n"
    room = limit - len(mark)
    if room < 2:
        return mark.strip()[:limit]
    return f"{head[: room - room // 2]}{mark}{tail[-(room // 2) :]}"


def _blocks(outcome: ToolOutcome) -> list[Text | Image]:
    """The blocks that say something, each valid for the wire."""
    if isinstance(outcome.content, str):
        return [Text(text=well_formed(outcome.content))] if outcome.content else []
    blocks: list[Text | Image] = []
    room = IMAGE_CHARS
    for block in outcome.content:
        if isinstance(block, Text):
            blocks += [Text(text=well_formed(block.text))] if block.text else []
            continue
        fits = len(block.data) <= room
        room -= len(block.data) if fits else 0
        blocks.append(block if fits else _left_out(block))
    return blocks


def _left_out(image: Image) -> Text:
    size = len(image.data) * 3 // 4
    return Text(
        text=f"[an image of {size:,} bytes ({well_formed(image.media_type)}) was left out: too large]"
    )


def _preview(content: tuple[Text | Image, ...]) -> str:
    first = content[0]
    text = first.text if isinstance(first, Text) else f"[{first.media_type}]"
    return text if len(text) <= PREVIEW_CHARS else f"{text[: PREVIEW_CHARS - 1]}…"
