"""The settled logs of the spec: valid to the last line, and the view that follows is the one beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.spec_vectors import VECTORS
from support.spec_views import shown

from turnwire.protocol.codec import Unknown, decode_event, encode_event
from turnwire.protocol.events import Delta, Event, Part
from turnwire.protocol.jsontext import compact_json
from turnwire.protocol.view import View
from turnwire.runner.core.evolve import fold
from turnwire.runner.core.state import Run

LOGS = sorted((VECTORS / "logs").glob("*.jsonl"))


def _events(log: Path) -> list[Any]:
    lines = [line for line in log.read_bytes().split(b"\n") if line]
    return [decode_event(line) for line in lines]


def _view(events: list[Event | Unknown]) -> dict[str, Any]:
    view = View()
    for event in events:
        view.apply(event)
    told: dict[str, Any] = json.loads(compact_json(json.loads(json.dumps(shown(view)))))
    return told


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_log_holds_settled_events_without_a_gap(log: Path) -> None:
    events = _events(log)

    assert not any(isinstance(event, Unknown | Delta | Part) for event in events)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    lines = log.read_bytes().split(b"\n")[:-1]
    assert [json.loads(encode_event(event)) for event in events] == [*map(json.loads, lines)]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_S5_view_of_a_log_is_the_one_beside_it(log: Path) -> None:
    assert _view(_events(log)) == json.loads(log.with_suffix(".view.json").read_text())


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_S7_doubled_and_unknown_lines_change_no_view(log: Path) -> None:
    events = _events(log)
    strange = decode_event(b'{"type":"weather","seq":1,"at":0,"sky":"clear"}')
    again = [copy for event in events for copy in (event, strange, event)]

    assert _view(again + events) == _view(events)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_state_of_the_rules_follows_from_a_log(log: Path) -> None:
    told = json.loads(log.with_suffix(".view.json").read_text())
    run = fold(Run(), _events(log))

    assert len(run.messages) == len(told["messages"])
    assert [request.id for request in run.requests] == told["open_requests"]
    assert run.ended == (told["end"] is not None)
