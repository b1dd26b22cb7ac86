"""Whatever a child writes, the rest of it is read, and what was wrong has a name."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from turnwire.hosts.client import Bounds, Ending, FaultCode, Options, connect
from turnwire.protocol.codec import Unknown
from turnwire.protocol.endings import Status
from turnwire.protocol.events import Delta, Event, Notice

Fake = Callable[..., Options]


async def run(options: Options) -> tuple[list[Event | Unknown], Ending]:
    with anyio.fail_after(20):
        async with connect(options) as child:
            events = [event async for event in child.events()]
            return events, await child.wait()


def codes(ending: Ending) -> list[FaultCode]:
    return [fault.code for fault in ending.faults]


async def messages(options: Options) -> list[str]:
    events, _ = await run(options)
    return [event.message for event in events if isinstance(event, Notice)]


@pytest.mark.parametrize(
    "garbage",
    [
        "garbage",
        "[1,2]",
        "null",
        '{"type":7}',
        '{"no":"type"}',
        '{"type":"row","seq":"one"}',
        '{"type":"row","seq":"one"',
        '{"type":"notice"',
        '{"a":' * 5000,
        "\x00\x01",
        r'"\ud83d"',
        r'{"type":"notice","seq":1,"at":0,"level":"info","code":"c","message":"\ud83d"}',
    ],
)
async def test_B10_garbage_lines_are_faults_and_the_rest_is_read(fake: Fake, garbage: str) -> None:
    events, ending = await run(fake(f"write({garbage!r} + '\\n'); notice('after'); end()"))
    assert [type(event).__name__ for event in events] == ["Notice", "End"]
    assert codes(ending) == [FaultCode.NOT_AN_EVENT]
    assert ending.faults[0].line == 1


async def test_bytes_that_are_no_text_are_a_fault(fake: Fake) -> None:
    script = r"""write(b'\xff\xfe\n{"type":"notice","message":"\xff"}\n'); notice("after"); end()"""
    events, ending = await run(fake(script))
    assert len(events) == 2
    assert codes(ending) == [FaultCode.NOT_AN_EVENT] * 2


async def test_faults_beyond_the_bound_are_only_counted(fake: Fake) -> None:
    options = fake("write('x\\n' * 100_000); end()", bounds=Bounds(faults=3))
    _, ending = await run(options)
    assert (len(ending.faults), ending.fault_count) == (3, 100_000)


async def test_B04_raw_line_separators_do_not_split_an_event(fake: Fake) -> None:
    text = "a\u2028b\u2029c\u0085d\x7fe"
    line = f'{{"type":"notice","seq":1,"at":0,"level":"info","code":"c","message":"{text}"}}\r\n'
    said = await messages(fake(f"write({line!r}.encode()); end()"))
    assert said == [text]


PARTS = """
import itertools
notice("x" * 3000)
def parts(text, seq, drop=None):
    pieces = [text[i:i + 100] for i in range(0, len(text), 100)]
    for index, piece in enumerate(pieces):
        if index != drop:
            write(json.dumps({"type": "part", "part_of": seq, "index": index,
                              "last": index == len(pieces) - 1, "data": piece}) + "\\n")
def whole(message):
    return json.dumps({"type": "notice", "seq": 5, "at": 0, "level": "info", "code": "c",
                       "message": message})
"""


async def test_B02_parts_are_joined_to_their_event(fake: Fake) -> None:
    said = await messages(fake(PARTS + "parts(whole('é' * 1000 + '\\u2028'), 5); end()"))
    assert said == ["x" * 3000, "é" * 1000 + "\u2028"]


async def test_a_lost_part_does_not_take_the_next_event_with_it(fake: Fake) -> None:
    script = PARTS + "parts(whole('a' * 300), 5, drop=1); parts(whole('b' * 300), 6); end()"
    events, ending = await run(fake(script))
    assert [event.message for event in events if isinstance(event, Notice)][1:] == ["b" * 300]
    assert set(codes(ending)) == {FaultCode.BROKEN_PARTS}


async def test_parts_that_stop_do_not_take_the_next_event_with_them(fake: Fake) -> None:
    script = PARTS + "parts(whole('a' * 300), 5, drop=3); parts(whole('b' * 300), 6); end()"
    events, ending = await run(fake(script))
    assert [event.message for event in events if isinstance(event, Notice)][1:] == ["b" * 300]
    assert FaultCode.BROKEN_PARTS in codes(ending)


async def test_an_endless_event_in_parts_is_refused(fake: Fake) -> None:
    options = fake(PARTS + "parts(whole('a' * 9000), 5); end()", bounds=Bounds(event_bytes=5000))
    events, ending = await run(options)
    assert len(events) == 2
    assert FaultCode.BROKEN_PARTS in codes(ending)


async def test_parts_that_make_a_part_are_refused(fake: Fake) -> None:
    inner = '{"type":"part","part_of":1,"index":0,"last":true,"data":""}'
    events, ending = await run(fake(PARTS + f"parts({inner!r}, 5); end()"))
    assert len(events) == 2
    assert codes(ending) == [FaultCode.BROKEN_PARTS]


async def test_B01_a_line_over_the_bound_is_skipped(fake: Fake) -> None:
    script = "notice('x' * 3_000_000); notice('after'); end()"
    events, ending = await run(fake(script, bounds=Bounds(line_bytes=1_000_000)))
    assert [type(event).__name__ for event in events] == ["Notice", "End"]
    assert codes(ending) == [FaultCode.TOO_LONG]


async def test_events_of_a_later_protocol_come_as_unknown(fake: Fake) -> None:
    events, ending = await run(fake("""write('{"type":"hologram","seq":4,"new":1}\\n'); end()"""))
    assert isinstance(events[0], Unknown)
    assert (events[0].type, events[0].seq) == ("hologram", 4)
    assert ending.fault_count == 0


async def test_a_child_that_writes_single_bytes_is_read(fake: Fake) -> None:
    script = """
    line = json.dumps({"type": "delta", "row": "r", "port": "text", "text": "é\\u2028"})
    for byte in line.encode() + b"\\n":
        os.write(1, bytes([byte]))
    end()
    """
    events, ending = await run(fake(script))
    assert events[0] == Delta(row="r", port=events[0].port, text="é\u2028")  # type: ignore[union-attr]
    assert ending.fault_count == 0


async def test_B11_a_missing_end_is_a_fault_and_an_error(fake: Fake) -> None:
    events, ending = await run(fake("notice('bye')"))
    assert len(events) == 1
    assert (ending.status, ending.exit_code, ending.end) == (Status.ERROR, 0, None)
    assert codes(ending) == [FaultCode.NO_END]


async def test_a_stream_cut_inside_a_line_says_so(fake: Fake) -> None:
    _, ending = await run(fake("""notice('a'); write('{"type":"notice","seq":1,"at')"""))
    assert codes(ending) == [FaultCode.CUT_OFF, FaultCode.NO_END]


async def test_a_stream_cut_inside_an_event_in_parts_says_so(fake: Fake) -> None:
    script = """write('{"type":"part","part_of":3,"index":0,"last":false,"data":"{"}\\n')"""
    _, ending = await run(fake(script))
    assert codes(ending) == [FaultCode.CUT_OFF, FaultCode.NO_END]


async def test_an_end_without_its_newline_counts(fake: Fake) -> None:
    script = "write_, write = write, lambda text: write_(text.rstrip()); end()"
    events, ending = await run(fake(script))
    assert len(events) == 1
    assert (ending.status, ending.fault_count) == (Status.DONE, 0)


async def test_what_stands_after_the_end_is_passed_over(fake: Fake) -> None:
    events, ending = await run(fake("end(); notice('ghost'); end(5)"))
    assert len(events) == 1
    assert codes(ending) == [FaultCode.AFTER_END] * 2
    assert ending.end is not None
    assert ending.end.exit_code == 0


async def test_death_by_signal_is_told_as_a_shell_would(fake: Fake) -> None:
    events, ending = await run(fake("notice('a'); os.kill(os.getpid(), signal.SIGKILL)"))
    assert len(events) == 1
    assert (ending.status, ending.exit_code) == (Status.ERROR, 137)


async def test_B13_an_exit_code_unlike_the_end_line_is_a_fault(fake: Fake) -> None:
    _, ending = await run(fake("end(0); os._exit(5)"))
    assert ending.exit_code == 5
    assert codes(ending) == [FaultCode.OTHER_EXIT]


async def test_B23_a_flood_on_stderr_is_drained_and_its_end_kept(fake: Fake) -> None:
    script = "os.write(2, b'x' * 300_000 + b'the reason'); notice('a'); end()"
    events, ending = await run(fake(script, bounds=Bounds(stderr_bytes=1000)))
    assert len(events) == 2
    assert ending.stderr == "x" * 990 + "the reason"


async def test_stderr_is_passed_on_as_text(fake: Fake) -> None:
    heard: list[str] = []
    options = fake(r"os.write(2, b'caf\xc3'); notice('a'); os.write(2, b'\xa9\xff'); end()")
    async with connect(options, on_stderr=heard.append) as child:
        ending = await child.wait()
    assert "".join(heard) == ending.stderr == "café\ufffd"


async def test_a_child_that_says_nothing_at_all_has_ended(fake: Fake) -> None:
    events, ending = await run(fake("os._exit(0)"))
    assert events == []
    assert codes(ending) == [FaultCode.NO_END]


async def test_a_command_that_does_not_exist_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        async with connect(Options(command=("/nowhere/turnwire",))):
            pass
