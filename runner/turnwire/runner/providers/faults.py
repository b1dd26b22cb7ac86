"""From what a provider says when it fails to one named condition of the wire. Pure.

Owns the tables: HTTP statuses, the words that providers use for conditions, and how their own words
are shown: on one line, bounded, never with the key in them. Decides whether trying again may help,
not whether anybody tries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.text import visible, well_formed
from turnwire.runner.providers.errors import ProviderFault, provider_error
from turnwire.runner.providers.foreign import as_list, as_object
from turnwire.runner.providers.retry_after import wait_in_body, wait_in_headers

__all__ = ["SHOWN_CHARACTERS", "fault_of_error", "fault_of_status", "own_words", "redact"]

SHOWN_CHARACTERS = 400
"""How much of a provider's own words is shown."""

_LEAST_SECRET = 4
"""Shorter keys are no secrets, and to hide each "x" would leave no word whole."""

_BY_STATUS: dict[int, tuple[ErrorCode, bool]] = {
    400: (ErrorCode.BAD_REQUEST, False),
    401: (ErrorCode.UNAUTHORIZED, False),
    402: (ErrorCode.QUOTA_EXHAUSTED, False),
    403: (ErrorCode.UNAUTHORIZED, False),
    404: (ErrorCode.MODEL_UNAVAILABLE, False),
    408: (ErrorCode.SERVER_ERROR, True),
    409: (ErrorCode.SERVER_ERROR, True),
    425: (ErrorCode.SERVER_ERROR, True),
    429: (ErrorCode.RATE_LIMITED, True),
    501: (ErrorCode.SERVER_ERROR, False),
    503: (ErrorCode.OVERLOADED, True),
    505: (ErrorCode.SERVER_ERROR, False),
    529: (ErrorCode.OVERLOADED, True),
}
"""A condition and whether trying again may help. 529 is what several providers answer when
overloaded.
"""

_BY_WORD: dict[str, tuple[ErrorCode, bool]] = {
    "authentication_error": (ErrorCode.UNAUTHORIZED, False),
    "context_length_exceeded": (ErrorCode.CONTEXT_LENGTH, False),
    "exceed_context_size_error": (ErrorCode.CONTEXT_LENGTH, False),
    "insufficient_quota": (ErrorCode.QUOTA_EXHAUSTED, False),
    "invalid_api_key": (ErrorCode.UNAUTHORIZED, False),
    "invalid_request_error": (ErrorCode.BAD_REQUEST, False),
    "model_not_found": (ErrorCode.MODEL_UNAVAILABLE, False),
    "overloaded_error": (ErrorCode.OVERLOADED, True),
    "rate_limit_error": (ErrorCode.RATE_LIMITED, True),
    "rate_limit_exceeded": (ErrorCode.RATE_LIMITED, True),
    "server_error": (ErrorCode.SERVER_ERROR, True),
}
"""Values of ``error.code`` and ``error.type``: OpenAI and what imitates it, llama.cpp's server."""

_TOO_LONG = re.compile(
    r"maximum context length|context (?:length|window|size)|prompt is too long|too many tokens",
    re.IGNORECASE,
)
_NOTHING_LEFT = re.compile(
    r"exceeded your current quota|insufficient (?:quota|funds|credits?|balance)|credit balance|"
    r"out of credits|^quota exceeded\b",
    re.IGNORECASE,
)
"""What waiting does not bring back, unless a provider names a wait beside such words, as Google
does.
"""
_DAILY = re.compile(r"\bper ?day\b", re.IGNORECASE)
_PAGE = re.compile(r"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


def fault_of_status(
    status: int, headers: Mapping[str, str], body: bytes, *, now: float, key: str | None = None
) -> ProviderFault:
    """Name what an answer with a ``status`` other than 200 means; ``headers`` have lower-case
    names.
    """
    error = _error_object(body)
    said = own_words(error if error is not None else body, key)
    code, retryable = _condition(status, error or {}, said)
    wait = wait_in_headers(headers, now)
    if wait is None:
        wait = wait_in_body(error or {})
    if 300 <= status < 400:
        target = redact(headers.get("location", "nowhere"), key)
        said = f"It redirects to {visible(target, SHOWN_CHARACTERS)}; give the address itself."
    message = f"The provider answered HTTP {status}: {said or 'no words'}"
    return ProviderFault(provider_error(code, _sentence(message, wait), retryable=retryable), wait)


def fault_of_error(error: object, *, key: str | None = None) -> ProviderFault:
    """Name what an error that came inside an answer means; it may be an object or a bare string."""
    fields = as_object(error)
    said = own_words(error, key)
    code, retryable = _condition(_number(fields.get("code")) or 0, fields, said)
    wait = wait_in_body(fields)
    message = f"The provider broke off with an error: {said or 'no words'}"
    return ProviderFault(provider_error(code, _sentence(message, wait), retryable=retryable), wait)


def own_words(error: object, key: str | None) -> str:
    """Give a provider's own words on one line, bounded and without ``key``.

    ``error`` is an error object, a bare string, or the bytes of a body: of a web page its title is
    shown.
    """
    if isinstance(error, bytes):
        text = error.decode(errors="replace")
        if _PAGE.match(text):
            title = _TITLE.search(text)
            text = f"a web page, {title[1].strip()}" if title else "a web page"
    else:
        fields = as_object(error)
        said = fields.get("message") or fields.get("code") or fields.get("type") or error
        text = said if isinstance(said, str) else _as_json(said)
    return visible(" ".join(redact(well_formed(text), key).split()), SHOWN_CHARACTERS)


def redact(text: str, key: str | None) -> str:
    """Take ``key`` out of ``text``, wherever it stands."""
    if key is None or len(key) < _LEAST_SECRET:
        return text
    return text.replace(key, "[key]")


def _condition(status: int, error: Mapping[str, Any], said: str) -> tuple[ErrorCode, bool]:
    """A provider's own code goes before its status, which gateways choose freely."""
    for field in ("code", "type", "status"):
        word = error.get(field)
        found = _BY_WORD.get(word) if isinstance(word, str) else None
        if found is not None and found[0] is not ErrorCode.BAD_REQUEST:
            return found
    if status in (0, 429) and _is_used_up(error, said):
        return ErrorCode.QUOTA_EXHAUSTED, False
    if status in (0, 400, 413, 500) and _TOO_LONG.search(said):
        return ErrorCode.CONTEXT_LENGTH, False
    if 300 <= status < 400:
        return ErrorCode.UNREACHABLE, False
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if error.get("type") == "invalid_request_error":
        return ErrorCode.BAD_REQUEST, False
    return (ErrorCode.BAD_REQUEST, False) if 400 <= status < 500 else (ErrorCode.SERVER_ERROR, True)


def _is_used_up(error: Mapping[str, Any], said: str) -> bool:
    """Google names the quota in its details, such as ``GenerateRequestsPerDayPerProject``."""
    if _DAILY.search(said) or "PerDay" in _as_json(error.get("details")):
        return True
    return wait_in_body(error) is None and _NOTHING_LEFT.search(said) is not None


def _error_object(body: bytes) -> dict[str, Any] | None:
    """Find the error object in a JSON body: ``{"error": …}``, a list with one such, or the object
    itself.
    """
    try:
        found: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    found = next(iter(as_list(found)), found)
    found = as_object(found).get("error", found)
    return {"message": found} if isinstance(found, str) else as_object(found) or None


def _number(code: object) -> int | None:
    """Read an HTTP status that stands as ``error.code``, as a number or as a string."""
    if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) == 3:
        code = int(code)
    return code if isinstance(code, int) and 300 <= code < 600 else None


def _as_json(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return ""


def _sentence(message: str, wait: float | None) -> str:
    end = "" if message.endswith((".", "!", "?")) else "."
    return f"{message}{end}" + (f" It asks us to wait {wait:g} s." if wait else "")
