"""Single writes to every kind of stdout that a host may give: none of them waits."""

from __future__ import annotations

import fcntl
import os
import pty
import socket
import tty
from pathlib import Path

import pytest

from turnwire.runner.channel.sinks import FileSink, PipeSink, Sink, SocketSink, open_sink

MUCH = memoryview(b"0123456789abcdef" * (1 << 16))


def _fill(sink: Sink) -> int:
    """Write until nothing more is taken; a sink that waits hangs here, and the test with it."""
    taken = 0
    while size := sink.write(MUCH[taken:]):
        taken += size
    return taken


def test_a_full_pipe_takes_nothing_and_does_not_wait(pipe: tuple[int, int]) -> None:
    sink = open_sink(pipe[1])
    taken = _fill(sink)
    assert isinstance(sink, PipeSink)
    assert 16_384 <= taken < len(MUCH)
    assert sink.write(MUCH) == 0


def test_what_a_pipe_took_arrives_whole(pipe: tuple[int, int]) -> None:
    sink = open_sink(pipe[1])
    taken, read = 0, b""
    while taken < len(MUCH):
        taken += _fill_from(sink, taken)
        read += os.read(pipe[0], 1000)
    while len(read) < len(MUCH):
        read += os.read(pipe[0], 65_536)
    assert read == MUCH


def _fill_from(sink: Sink, start: int) -> int:
    return sink.write(MUCH[start:])


def test_a_full_socket_takes_nothing_and_does_not_wait(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    sink = open_sink(sockets[0].detach())
    assert isinstance(sink, SocketSink)
    assert 4096 <= _fill(sink) < len(MUCH)
    sink.close()


def test_a_stopped_terminal_takes_nothing_and_does_not_wait() -> None:
    host, terminal = pty.openpty()
    tty.setraw(terminal)
    sink = open_sink(terminal)
    assert isinstance(sink, PipeSink)
    assert (sink.awaited, sink.watched) == (True, False)
    assert 256 <= _fill(sink) < len(MUCH)
    os.close(host)
    os.close(terminal)


def test_a_file_takes_everything(tmp_path: Path) -> None:
    sink = open_sink(os.open(tmp_path / "events", os.O_WRONLY | os.O_CREAT))
    assert isinstance(sink, FileSink)
    assert _fill(sink) == len(MUCH)
    sink.close()
    assert (tmp_path / "events").read_bytes() == MUCH


def test_the_null_device_takes_everything() -> None:
    sink = open_sink(os.open(os.devnull, os.O_WRONLY))
    assert (_fill(sink), sink.awaited, sink.hung_up()) == (len(MUCH), False, False)
    sink.close()


def test_B16_a_pipe_without_reader_has_hung_up(pipe: tuple[int, int]) -> None:
    sink = open_sink(pipe[1])
    assert not sink.hung_up()
    os.close(pipe[0])
    assert sink.hung_up()
    with pytest.raises(BrokenPipeError):
        sink.write(MUCH)


def test_B16_a_socket_hangs_up_when_its_peer_closes(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    sink = open_sink(sockets[0].detach())
    sockets[1].shutdown(socket.SHUT_WR)
    assert not sink.hung_up()
    sockets[1].close()
    assert sink.hung_up()
    with pytest.raises(BrokenPipeError):
        sink.write(MUCH)
    sink.close()


@pytest.mark.parametrize("flags", [0, os.O_NONBLOCK])
def test_the_flags_of_the_host_stay_as_they_are(pipe: tuple[int, int], flags: int) -> None:
    mode = fcntl.fcntl(pipe[1], fcntl.F_GETFL)
    fcntl.fcntl(pipe[1], fcntl.F_SETFL, mode | flags)
    _fill(open_sink(pipe[1]))
    assert fcntl.fcntl(pipe[1], fcntl.F_GETFL) == mode | flags


def test_a_closed_descriptor_is_an_error(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    with pytest.raises(OSError, match="Bad file descriptor"):
        open_sink(pipe[1])
