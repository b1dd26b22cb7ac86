"""How long a provider wants us to wait, in every form in which it is said."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from turnwire.runner.providers.retry_after import wait_in_body, wait_in_headers

NOW = 1_793_000_000.0
RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1"}, 1.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "86400"}, 86400.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "abc"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "9" * 5000}, None),
        ({"retry-after": formatdate(NOW + 1, usegmt=True)}, 1.0),
        ({"retry-after": formatdate(NOW + 3600, localtime=True)}, 3600.0),
        ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0.0),
        ({"retry-after": "Fri, 31 Feb 2026 25:61:00 GMT"}, None),
        ({"retry-after": "Sun, 06 Nov 99999 08:49:37 GMT"}, None),
        ({"retry-after-ms": "20"}, 0.02),
        ({"retry-after-ms": "20", "retry-after": "5"}, 0.02),
        ({"retry-after-ms": "soon", "retry-after": "5"}, 5.0),
        ({}, None),
    ],
)
def test_A61_each_form_is_read_or_passed_over(headers: dict[str, str], seconds: object) -> None:
    assert wait_in_headers(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"details": [{"@type": "other"}, {"@type": RETRY_INFO, "retryDelay": "1s"}]}, 1.0),
        ({"details": [{"@type": RETRY_INFO, "retryDelay": "1.5s"}]}, 1.5),
        ({"details": [{"@type": RETRY_INFO, "retryDelay": 3}]}, None),
        ({"details": [{"@type": RETRY_INFO}]}, None),
        ({"details": {"@type": RETRY_INFO}}, None),
        ({"details": [None, "x"]}, None),
        ({}, None),
    ],
)
def test_A62_a_delay_in_the_body_is_read(error: dict[str, object], seconds: object) -> None:
    assert wait_in_body(error) == seconds
