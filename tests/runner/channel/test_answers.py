"""The lane of host lines: whatever shape they come in, each is delivered once, and the end too."""

from __future__ import annotations

import os
import pty
import socket
import tty
from collections.abc import Iterable
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from turnwire.protocol.commands import Answer, Shutdown, Steer
from turnwire.protocol.events import RefusalCode
from turnwire.protocol.people import Action
from turnwire.runner.channel.answers import AnswersLane
from turnwire.runner.core.inputs import ChannelEnded, HostLineRead, HostLineRefused

PATIENCE = 20
LIMIT = 4 << 20
ACCEPT = b'{"type":"answer","id":"h1","action":"accept"}'
SHUTDOWN = b'{"type":"shutdown"}'

Delivered = HostLineRead | HostLineRefused | ChannelEnded


def _write(fd: int, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(fd, rest) :]
    os.close(fd)


async def _deliveries(pipe: tuple[int, int], *pieces: bytes, limit: int = LIMIT) -> list[Delivered]:
    """Write the pieces and close, and give what the lane delivered by then."""
    delivered: list[Delivered] = []
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, _write, pipe[1], pieces)
            await AnswersLane(pipe[0], limit, delivered.append).run()
    return delivered


def _codes(delivered: list[Delivered]) -> list[tuple[int, RefusalCode]]:
    return [(d.line, d.code) for d in delivered if isinstance(d, HostLineRefused)]


def _read(delivered: list[Delivered]) -> list[int]:
    return [d.line for d in delivered if isinstance(d, HostLineRead)]


ENDED = ChannelEnded(reason="the host closed its end")


# --- shapes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pieces",
    [
        [ACCEPT + b"\n" + SHUTDOWN + b"\n"],
        [ACCEPT[:9], ACCEPT[9:30], ACCEPT[30:] + b"\n", SHUTDOWN + b"\n"],
        [ACCEPT + b"\r\n" + SHUTDOWN + b"\r\n"],
        [b"\xef\xbb\xbf" + ACCEPT + b"\n" + SHUTDOWN + b"\n"],
        [ACCEPT + b"\n" + SHUTDOWN],
        [bytes([byte]) for byte in ACCEPT + b"\n" + SHUTDOWN],
    ],
    ids=["two in one write", "one in three", "CRLF", "BOM", "no last LF", "byte by byte"],
)
async def test_B28_lines_of_any_shape_are_read(pipe: tuple[int, int], pieces: list[bytes]) -> None:
    assert await _deliveries(pipe, *pieces) == [
        HostLineRead(line=1, command=Answer(id="h1", action=Action.ACCEPT)),
        HostLineRead(line=2, command=Shutdown()),
        ENDED,
    ]


async def test_B28_blank_lines_are_counted_but_not_told(pipe: tuple[int, int]) -> None:
    delivered = await _deliveries(pipe, b"\n  \r\n" + SHUTDOWN + b"\n\n")
    assert delivered == [HostLineRead(line=3, command=Shutdown()), ENDED]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"type":"answer","id":"h1",', RefusalCode.MALFORMED),
        (b"[1,2]", RefusalCode.MALFORMED),
        (b'{"type":"answer","id":7,"action":"accept"}', RefusalCode.MALFORMED),
        (b'{"type":"answer","id":"h1","id":"h2","action":"accept"}', RefusalCode.MALFORMED),
        (b"\x00\xff\xfe", RefusalCode.MALFORMED),
        (b'{"x":' * 5000 + b"0" + b"}" * 5000, RefusalCode.MALFORMED),
        (b'{"type":"approve","id":"h1"}', RefusalCode.UNKNOWN_TYPE),
    ],
)
async def test_B28_a_bad_line_is_refused_by_number(
    pipe: tuple[int, int], line: bytes, code: RefusalCode
) -> None:
    delivered = await _deliveries(pipe, SHUTDOWN + b"\n" + line + b"\n" + SHUTDOWN + b"\n")
    assert _codes(delivered) == [(2, code)]
    assert _read(delivered) == [1, 3]


async def test_B28_a_refusal_names_the_id_of_its_line(pipe: tuple[int, int]) -> None:
    delivered = await _deliveries(pipe, b'{"type":"answer","id":"h7","action":"yes"}\n')
    refused = delivered[0]
    assert isinstance(refused, HostLineRefused)
    assert refused.id == "h7"


async def test_B28_a_line_of_five_megabytes_is_too_long(pipe: tuple[int, int]) -> None:
    long = b'{"type":"steer","text":"' + b"x" * (5 << 20) + b'"}\n'
    delivered = await _deliveries(pipe, long, SHUTDOWN + b"\n")
    assert _codes(delivered) == [(1, RefusalCode.TOO_LONG)]
    assert _read(delivered) == [2]


async def test_a_line_just_within_the_limit_is_read(pipe: tuple[int, int]) -> None:
    line = b'{"type":"steer","text":"%s"}\n' % (b"x" * 5000)
    delivered = await _deliveries(pipe, line + b" " + line, limit=len(line))
    assert _read(delivered) == [1]
    assert _codes(delivered) == [(2, RefusalCode.TOO_LONG)]


async def test_a_long_line_that_never_ends_is_refused_once(pipe: tuple[int, int]) -> None:
    delivered = await _deliveries(pipe, *([b"x" * 65_536] * 200))
    assert _codes(delivered) == [(1, RefusalCode.TOO_LONG)]
    assert delivered[-1] == ENDED


# --- ends -------------------------------------------------------------------------------------------------


async def test_B29_a_channel_closed_at_once_has_ended(pipe: tuple[int, int]) -> None:
    assert await _deliveries(pipe) == [ENDED]


async def test_a_socket_carries_host_lines_too(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    ends = (sockets[0].fileno(), sockets[1].detach())
    delivered = await _deliveries(ends, SHUTDOWN + b"\n")
    assert delivered == [HostLineRead(line=1, command=Shutdown()), ENDED]


async def test_a_connection_that_breaks_has_ended() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    host = socket.create_connection(listener.getsockname())
    child, _ = listener.accept()
    host.send(SHUTDOWN + b"\n")
    host.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    host.close()
    delivered: list[Delivered] = []
    with anyio.fail_after(PATIENCE):
        await AnswersLane(child.fileno(), LIMIT, delivered.append).run()
    assert isinstance(delivered[-1], ChannelEnded)
    assert sum(isinstance(d, ChannelEnded) for d in delivered) == 1
    child.close()
    listener.close()


async def test_a_file_of_answers_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_bytes((ACCEPT + b"\n") * 3000 + SHUTDOWN)
    delivered = await _from(os.open(path, os.O_RDONLY))
    assert _read(delivered) == list(range(1, 3002))
    assert delivered[-1] == ENDED


async def test_the_null_device_has_ended_at_once() -> None:
    assert await _from(os.open(os.devnull, os.O_RDONLY)) == [ENDED]


async def test_a_closed_descriptor_has_ended(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    delivered: list[Delivered] = []
    await AnswersLane(pipe[0], LIMIT, delivered.append).run()
    assert delivered == [ChannelEnded(reason="answers cannot be read: Bad file descriptor")]


async def test_a_terminal_is_awaited_like_a_pipe() -> None:
    host, terminal = pty.openpty()
    tty.setraw(terminal)
    delivered: list[Delivered] = []
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(AnswersLane(terminal, LIMIT, delivered.append).run)
            await anyio.wait_all_tasks_blocked()
            os.write(host, SHUTDOWN + b"\n")
            while not delivered:
                await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    os.close(host)
    os.close(terminal)
    assert delivered == [HostLineRead(line=1, command=Shutdown())]


async def _from(fd: int) -> list[Delivered]:
    delivered: list[Delivered] = []
    with anyio.fail_after(PATIENCE):
        await AnswersLane(fd, LIMIT, delivered.append).run()
    os.close(fd)
    return delivered


# --- floods -----------------------------------------------------------------------------------------------


async def test_a_flood_of_bad_lines_is_told_line_by_line(pipe: tuple[int, int]) -> None:
    delivered = await _deliveries(pipe, b"x\n" * 20_000)
    assert _codes(delivered) == [(n, RefusalCode.MALFORMED) for n in range(1, 20_001)]


async def test_a_flood_leaves_the_loop_its_turns(pipe: tuple[int, int]) -> None:
    delivered: list[Delivered] = []
    most, seen = 0, 0
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, _write, pipe[1], [b"x\n" * 20_000])
            tasks.start_soon(AnswersLane(pipe[0], LIMIT, delivered.append).run)
            while not delivered or delivered[-1] != ENDED:
                await anyio.lowlevel.checkpoint()
                most, seen = max(most, len(delivered) - seen), len(delivered)
    assert most <= 130


@pytest.mark.parametrize("kind", ["pipe", "socket", "terminal"])
async def test_a_stopped_lane_takes_nothing_more(kind: str) -> None:
    child, host = _ends(kind)
    delivered: list[Delivered] = []
    with anyio.move_on_after(0.05):
        await AnswersLane(child, LIMIT, delivered.append).run()
    os.write(host, b"later\n")
    with anyio.fail_after(PATIENCE):
        await anyio.wait_readable(child)
    assert os.read(child, 100) == b"later\n"
    assert delivered == []
    os.close(child)
    os.close(host)


def _ends(kind: str) -> tuple[int, int]:
    """The child's end and the host's."""
    if kind == "pipe":
        return os.pipe()
    if kind == "socket":
        child, host = socket.socketpair()
        return child.detach(), host.detach()
    host_side, terminal = pty.openpty()
    tty.setraw(terminal)
    return terminal, host_side


async def test_a_steer_of_four_megabytes_is_one_line(pipe: tuple[int, int]) -> None:
    text = "x" * (LIMIT - 100)
    delivered = await _deliveries(pipe, b'{"type":"steer","text":"%s"}\n' % text.encode())
    assert delivered == [HostLineRead(line=1, command=Steer(text=text)), ENDED]
