"""The event stream against readers that are slow, stalled, gone, or read one byte at a time."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from turnwire.runner.channel.events import EventStream
from turnwire.runner.channel.readiness import ready_to_read

PATIENCE = 20
MIB = 1 << 20


class KeptLog:
    """A log in memory."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def append(self, line: bytes) -> int:
        self.bytes += line
        return len(self.bytes)

    def read(self, start: int, end: int) -> bytes:
        return bytes(self.bytes[start:end])


def _line(seq: int, size: int = 200) -> bytes:
    start = b'{"type":"notice","seq":%d,"pad":"' % seq
    return start + b"x" * (size - len(start) - 3) + b'"}\n'


def _stream(fd: int | None, *, stall: float = 0, log: KeptLog | None = None) -> EventStream:
    return EventStream(fd, line_limit=0, stall_seconds=stall, log=log)


class Told:
    """What the stream said of its reader being gone."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self._news = anyio.Event()

    def __call__(self, reason: str) -> None:
        self.reasons.append(reason)
        self._news.set()

    async def reason(self) -> str:
        await self._news.wait()
        return self.reasons[0]


@asynccontextmanager
async def _running(stream: EventStream) -> AsyncGenerator[Told, None]:
    told = Told()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stream.run, told)
            yield told
            tasks.cancel_scope.cancel()


async def _read(fd: int, size: int, *, at_once: int = 65_536) -> bytes:
    """Read ``size`` bytes as a host would that takes so many at once."""
    read = bytearray()
    while len(read) < size:
        await anyio.wait_readable(fd)
        read += os.read(fd, min(at_once, size - len(read)))
    return bytes(read)


# --- writing ----------------------------------------------------------------------------------------------


def test_a_line_is_written_at_the_flush_and_not_before(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[0], False)
    stream = _stream(pipe[1])
    stream.settled(_line(1), 1, None)
    with pytest.raises(BlockingIOError):
        os.read(pipe[0], 1)
    stream.flush()
    assert os.read(pipe[0], 1000) == _line(1)
    assert stream.unread == 0


@pytest.mark.parametrize("at_once", [1, 7, 65_536])
async def test_lines_arrive_whole_and_in_order(pipe: tuple[int, int], at_once: int) -> None:
    stream = _stream(pipe[1])
    lines = min(at_once * 50, 500)
    told = b"".join(_line(seq) for seq in range(1, lines + 1))
    async with _running(stream):
        for seq in range(1, lines + 1):
            stream.settled(_line(seq), seq, None)
            stream.flush()
        assert await _read(pipe[0], len(told), at_once=at_once) == told
        await stream.drained()
    assert stream.unread == 0


async def test_B01_a_line_of_ten_megabytes_arrives_whole(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    long = _line(1, 10 * MIB)
    async with _running(stream) as gone:
        stream.settled(long, 1, None)
        stream.flush()
        assert stream.unread == 1
        assert await _read(pipe[0], len(long)) == long
        assert not gone.reasons


async def test_a_socket_carries_the_same_lines(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    stream = _stream(sockets[0].detach())
    told = b"".join(_line(seq, 5000) for seq in range(1, 301))
    async with _running(stream):
        for seq in range(1, 301):
            stream.settled(_line(seq, 5000), seq, None)
            stream.flush()
        assert await _read(sockets[1].fileno(), len(told)) == told
    stream.close()


async def test_a_file_takes_more_than_one_flush(tmp_path: Path) -> None:
    path = tmp_path / "events"
    stream = _stream(os.open(path, os.O_WRONLY | os.O_CREAT))
    told = b"".join(_line(seq, MIB) for seq in range(1, 9))
    async with _running(stream):
        for seq in range(1, 9):
            stream.settled(_line(seq, MIB), seq, None)
        await stream.drained()
    stream.close()
    assert path.read_bytes() == told


async def test_a_closed_stream_ends_for_its_reader(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    async with _running(stream) as gone:
        stream.settled(_line(1), 1, None)
        await stream.drained()
        await anyio.wait_all_tasks_blocked()
        stream.close()
        assert os.read(pipe[0], 1000) == _line(1)
        assert os.read(pipe[0], 1) == b""
        await anyio.wait_all_tasks_blocked()
        assert not gone.reasons


# --- slow readers -----------------------------------------------------------------------------------------


async def test_a_slow_reader_is_served_from_the_log(pipe: tuple[int, int]) -> None:
    log = KeptLog()
    stream = _stream(pipe[1], log=log)
    async with _running(stream):
        for seq in range(1, 9001):
            line = _line(seq, 1000)
            stream.settled(line, seq, log.append(line))
            stream.flush()
            await stream.room()
        assert await _read(pipe[0], len(log.bytes)) == log.bytes
        await stream.drained()


async def test_a_reader_that_catches_up_gets_deltas_again(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    delta = b'{"type":"delta","row":"r1","port":"text","text":"%s"}\n'
    async with _running(stream):
        for _ in range(30_000):
            stream.delta(delta % b"lost or merged")
            stream.flush()
        lost = stream.take_dropped()
        read = await _read(pipe[0], 200_000)
        await _drain(stream, pipe[0])
        stream.delta(delta % b"live")
        stream.flush()
        assert await _read(pipe[0], len(delta % b"live")) == delta % b"live"
    assert lost > 10_000
    assert stream.take_dropped() == 0
    assert read.startswith(delta % b"lost or merged")


async def _drain(stream: EventStream, fd: int) -> None:
    """Read all that is told so far."""
    while stream.unread or ready_to_read(fd):
        await anyio.wait_readable(fd)
        os.read(fd, MIB)


async def test_the_loop_waits_for_room_without_a_log(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    async with _running(stream):
        for seq in range(1, 66):
            await stream.room()
            stream.settled(_line(seq, MIB), seq, None)
        with anyio.move_on_after(0.05) as waited:
            await stream.room()
        assert waited.cancelled_caught
        await _read(pipe[0], 2 * MIB)
        await stream.room()


async def test_nobody_waits_for_room_with_a_log(pipe: tuple[int, int]) -> None:
    log = KeptLog()
    stream = _stream(pipe[1], log=log)
    async with _running(stream):
        for seq in range(1, 101):
            line = _line(seq, MIB)
            stream.settled(line, seq, log.append(line))
            stream.flush()
            await stream.room()
    assert stream.unread == 100


def test_one_flush_writes_a_bounded_piece(tmp_path: Path) -> None:
    stream = _stream(os.open(tmp_path / "events", os.O_WRONLY | os.O_CREAT))
    for seq in range(1, 101):
        stream.settled(_line(seq, 100_000), seq, None)
    flushes = 0
    while stream.unread:
        stream.flush()
        flushes += 1
    assert flushes == 10
    stream.close()


# --- readers that are gone --------------------------------------------------------------------------------


async def test_B16_a_hang_up_is_seen_while_nothing_is_written(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    async with _running(stream) as gone:
        await anyio.wait_all_tasks_blocked()
        os.close(pipe[0])
        assert await gone.reason() == "the reader of stdout hung up"
    assert stream.gone == gone.reasons[0]
    assert len(gone.reasons) == 1


async def test_B16_a_hang_up_ends_every_wait(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    async with _running(stream) as gone:
        for seq in range(1, 101):
            stream.settled(_line(seq, MIB), seq, None)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stream.drained)
            tasks.start_soon(stream.room)
            await anyio.wait_all_tasks_blocked()
            os.close(pipe[0])
        assert await gone.reason()
    assert stream.unread == 0


def test_B16_a_write_to_a_gone_reader_raises_nothing(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    os.close(pipe[0])
    for seq in range(1, 4):
        stream.settled(_line(seq), seq, None)
        stream.delta(b"delta")
        stream.flush()
    assert stream.gone == "the reader of stdout hung up"
    assert stream.unread == 0


async def test_B16_a_reader_gone_before_the_run_is_told_once(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1])
    os.close(pipe[0])
    stream.settled(_line(1), 1, None)
    stream.flush()
    async with _running(stream) as gone:
        await gone.reason()
    assert gone.reasons == ["the reader of stdout hung up"]


async def test_a_closed_stdout_is_gone_from_the_start() -> None:
    stream = _stream(None)
    stream.settled(_line(1), 1, None)
    stream.flush()
    async with _running(stream) as gone:
        await stream.drained()
        await gone.reason()
    assert gone.reasons == ["stdout was closed"]


async def test_B16_a_socket_whose_peer_closes_is_gone(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    stream = _stream(sockets[0].detach())
    async with _running(stream) as gone:
        await anyio.wait_all_tasks_blocked()
        sockets[1].close()
        assert await gone.reason() == "the reader of stdout hung up"
    stream.close()


async def test_what_is_sent_into_stdout_is_no_hang_up(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    stream = _stream(sockets[0].detach())
    async with _running(stream) as gone:
        sockets[1].send(b"noise")
        sockets[1].shutdown(socket.SHUT_WR)
        stream.settled(_line(1), 1, None)
        stream.flush()
        assert await _read(sockets[1].fileno(), len(_line(1))) == _line(1)
        with anyio.move_on_after(0.1):
            await gone.reason()
        assert not gone.reasons
    stream.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
async def test_a_full_disk_behind_stdout_ends_the_stream() -> None:
    stream = _stream(os.open("/dev/full", os.O_WRONLY))
    stream.settled(_line(1), 1, None)
    stream.flush()
    assert stream.gone == "stdout cannot be written to: No space left on device"
    stream.close()


# --- readers that stall -----------------------------------------------------------------------------------


async def test_a_reader_that_takes_nothing_has_stalled(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1], stall=0.05)
    async with _running(stream) as gone:
        stream.settled(_line(1, MIB), 1, None)
        stream.flush()
        assert await gone.reason() == "the reader of stdout took no byte for 0.05 seconds"


async def test_a_reader_that_takes_a_little_has_not_stalled(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1], stall=0.2)
    async with _running(stream) as gone:
        stream.settled(_line(1, 40 * MIB), 1, None)
        stream.flush()
        started = anyio.current_time()
        while anyio.current_time() - started < 0.6:
            await _read(pipe[0], 512)
        assert stream.unread
        assert not gone.reasons


async def test_a_reader_of_nothing_never_stalls(pipe: tuple[int, int]) -> None:
    stream = _stream(pipe[1], stall=0.01)
    async with _running(stream) as gone:
        stream.settled(_line(1), 1, None)
        stream.flush()
        with anyio.move_on_after(0.1):
            await anyio.sleep_forever()
        stream.settled(_line(2), 2, None)
        stream.flush()
        await stream.drained()
        assert not gone.reasons


async def test_a_log_that_cannot_be_read_ends_the_stream(pipe: tuple[int, int]) -> None:
    log = KeptLog()
    stream = _stream(pipe[1], log=log)
    for seq in range(1, 3001):
        line = _line(seq, 1000)
        stream.settled(line, seq, log.append(line))
    log.bytes.clear()
    async with _running(stream) as gone:
        while not gone.reasons:
            await _read(pipe[0], 1000)
    assert gone.reasons == ["the session's log is shorter than what was written to it"]
