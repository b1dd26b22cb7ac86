"""What providers say when they fail becomes one named condition each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnwire.protocol.faults import Blame, ErrorCode
from turnwire.runner.providers.errors import ProviderFault
from turnwire.runner.providers.faults import SHOWN_CHARACTERS, fault_of_error, fault_of_status

KEY = "sk-test-0123456789abcdef"
NOW = 1_793_000_000.0
GOOGLE = "type.googleapis.com/google.rpc."
DELAY = {"@type": f"{GOOGLE}RetryInfo", "retryDelay": "1s"}
DAILY = {
    "@type": f"{GOOGLE}QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}],
}
USED_UP = "You exceeded your current quota, please check your plan."


def failed(status: int, error: Any = None, **headers: str) -> ProviderFault:
    body = error if isinstance(error, bytes) else json.dumps({"error": error}).encode()
    return fault_of_status(status, headers, body, now=NOW, key=KEY)


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (302, ErrorCode.UNREACHABLE, False),
        (400, ErrorCode.BAD_REQUEST, False),
        (401, ErrorCode.UNAUTHORIZED, False),
        (402, ErrorCode.QUOTA_EXHAUSTED, False),
        (403, ErrorCode.UNAUTHORIZED, False),
        (404, ErrorCode.MODEL_UNAVAILABLE, False),
        (405, ErrorCode.BAD_REQUEST, False),
        (408, ErrorCode.SERVER_ERROR, True),
        (418, ErrorCode.BAD_REQUEST, False),
        (422, ErrorCode.BAD_REQUEST, False),
        (429, ErrorCode.RATE_LIMITED, True),
        (500, ErrorCode.SERVER_ERROR, True),
        (501, ErrorCode.SERVER_ERROR, False),
        (502, ErrorCode.SERVER_ERROR, True),
        (503, ErrorCode.OVERLOADED, True),
        (504, ErrorCode.SERVER_ERROR, True),
        (529, ErrorCode.OVERLOADED, True),
        (599, ErrorCode.SERVER_ERROR, True),
    ],
)
def test_each_status_has_one_condition(status: int, code: ErrorCode, retryable: bool) -> None:
    error = failed(status, {"message": "words"}).error
    assert (error.code, error.retryable, error.fault) == (code, retryable, Blame.PROVIDER)
    assert f"HTTP {status}" in error.message


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (400, {"code": "context_length_exceeded"}, ErrorCode.CONTEXT_LENGTH),
        (400, {"type": "exceed_context_size_error"}, ErrorCode.CONTEXT_LENGTH),
        (400, {"message": "This model's maximum context length is 8"}, ErrorCode.CONTEXT_LENGTH),
        (400, {"code": "model_not_found"}, ErrorCode.MODEL_UNAVAILABLE),
        (400, {"type": "invalid_request_error"}, ErrorCode.BAD_REQUEST),
        (404, {"type": "invalid_request_error"}, ErrorCode.MODEL_UNAVAILABLE),
        (400, {"code": "invalid_api_key"}, ErrorCode.UNAUTHORIZED),
        (503, {"type": "overloaded_error"}, ErrorCode.OVERLOADED),
        (500, {"code": 7, "type": None}, ErrorCode.SERVER_ERROR),
    ],
)
def test_a_providers_own_code_goes_before_its_status(
    status: int, error: dict[str, Any], code: ErrorCode
) -> None:
    assert failed(status, error).error.code == code


@pytest.mark.parametrize(
    "error",
    [
        {"code": "insufficient_quota"},
        {"message": USED_UP},
        {"status": "RESOURCE_EXHAUSTED", "message": USED_UP, "details": [DAILY, DELAY]},
        {"message": "Quota exceeded for requests per day", "details": [DELAY]},
        "Insufficient credits",
    ],
)
def test_A62_what_waiting_does_not_bring_back_is_final(error: object) -> None:
    fault = failed(429, error)
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.QUOTA_EXHAUSTED, False)


def test_A62_a_delay_in_the_body_is_waited_for() -> None:
    fault = failed(429, {"message": USED_UP, "details": [DELAY]})
    assert (fault.error.code, fault.wait_seconds) == (ErrorCode.RATE_LIMITED, 1.0)
    wrapped = json.dumps([{"error": {"message": USED_UP, "details": [DELAY]}}]).encode()
    assert failed(429, wrapped).wait_seconds == 1.0


def test_A61_a_long_wait_is_named() -> None:
    fault = failed(429, {"message": "slow down"}, **{"retry-after": "86400"})
    assert fault.wait_seconds == 86400
    assert "86400 s" in fault.error.message


def test_a_web_page_is_shown_by_its_title() -> None:
    page = b"<!DOCTYPE html><html><title> 502 Bad\nGateway </title><body>...</body></html>"
    message = failed(502, page).error.message
    assert message == "The provider answered HTTP 502: a web page, 502 Bad Gateway."


@pytest.mark.parametrize("body", [b"", b"\xff\x00{", b'{"error":', b"[]", b"null", b"[" * 9999])
def test_any_body_makes_one_sentence(body: bytes) -> None:
    message = failed(500, body).error.message
    assert message.startswith("The provider answered HTTP 500: ")
    assert message.endswith(".")
    assert message.isprintable()


def test_words_of_a_provider_stay_short_and_on_one_line() -> None:
    message = failed(500, {"message": "a\r\n\x1b[2K\u202e" + "x" * 10_000}).error.message
    assert len(message) < SHOWN_CHARACTERS + 150
    assert message.isprintable()


@pytest.mark.parametrize("where", [f"Bad key {KEY}!", "x" * (SHOWN_CHARACTERS - 5) + KEY])
def test_E20_the_key_is_never_in_an_error(where: str) -> None:
    for fault in (
        failed(401, {"message": where}),
        failed(401, {"code": where}),
        failed(401, {"else": where}),
        failed(401, where.encode()),
        failed(302, "moved", location=f"http://x/?{where}"),
        fault_of_error(where, key=KEY),
        fault_of_error({"message": where}, key=KEY),
    ):
        assert "0123" not in fault.error.message


def test_a_key_that_is_no_secret_spoils_no_words() -> None:
    assert "exact" in fault_of_error("exact words", key="x").error.message


@pytest.mark.parametrize("error", ["words", {"message": "words"}, {"type": "words"}, ["words"]])
def test_A31_an_error_of_any_shape_keeps_its_words(error: object) -> None:
    fault = fault_of_error(error)
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.SERVER_ERROR, True)
    assert "words" in fault.error.message


def test_a_request_refused_inside_an_answer_is_not_tried_again() -> None:
    error = fault_of_error({"type": "invalid_request_error", "message": "no"}).error
    assert (error.code, error.retryable) == (ErrorCode.BAD_REQUEST, False)
