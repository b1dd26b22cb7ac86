"""How long a provider wants us to wait, in every form in which they say it. Pure: the caller brings
the time.

Owns the reading alone; whether anybody waits that long is the core's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from turnwire.runner.providers.foreign import as_list, as_object, as_text

__all__ = ["wait_in_body", "wait_in_headers"]

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?", re.ASCII)
"""No sign, no exponent, nothing that would be infinite."""
_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


def wait_in_headers(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait from ``now`` (seconds since the epoch), or None where nothing usable is said.

    ``retry-after-ms`` (OpenAI, Azure) is finer and goes before ``retry-after``, which is a number
    of seconds or a date (RFC 9110, 10.2.3); a date that has passed means at once.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    return seconds if seconds is not None or said is None else _until(said, now)


def wait_in_body(error: Mapping[str, Any]) -> float | None:
    """Seconds that an error object asks for in Google's ``RetryInfo``, such as ``"retryDelay":
    "1.5s"``.
    """
    for detail in map(as_object, as_list(error.get("details"))):
        if detail.get("@type") == _RETRY_INFO:
            return _number(as_text(detail.get("retryDelay")).removesuffix("s"))
    return None


def _number(text: str | None) -> float | None:
    text = "" if text is None else text.strip()
    return float(text) if _NUMBER.fullmatch(text) else None


def _until(date: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
        # A date in "-0000" comes without a zone; HTTP dates are GMT.
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.fromtimestamp(now, UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, seconds)
