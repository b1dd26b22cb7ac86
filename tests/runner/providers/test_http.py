"""The way to a provider: kept connections, refused ones, certificates and proxies."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest
from support.model_server import ModelServer
from support.model_steps import DONE, Reply, fin, txt
from support.talk import ask, fault_of, openai, text_of

from turnwire.protocol.faults import ErrorCode
from turnwire.runner.core.ports import ModelOutcome
from turnwire.runner.providers.errors import BadAddress
from turnwire.runner.providers.network import Network, Patience
from turnwire.runner.providers.openai_chat import OpenAIChat

SILENT = Reply(silent=True)
OK = Reply((txt("ok"), fin("stop"), DONE))
needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="makes certificates")


async def ask_through(base_url: str, network: Network) -> ModelOutcome:
    model = OpenAIChat("openai:x", "x", base_url=base_url, key=None, network=network)
    try:
        return await ask(model)
    finally:
        await model.aclose()


async def test_a_kept_connection_that_was_closed_costs_no_fault() -> None:
    with ModelServer([OK, SILENT]) as server:
        model = openai(server.base_url)
        assert text_of(await ask(model)) == "ok"
        assert text_of(await ask(model)) == "ok"
        await model.aclose()
    assert [request.connection for request in server.requests] == [1, 1, 2]
    assert server.requests[1].body == server.requests[2].body


async def test_a_connection_closed_between_requests_is_replaced() -> None:
    with ModelServer([Reply(OK.steps, close=True)]) as server:
        model = openai(server.base_url)
        for _ in range(2):
            assert text_of(await ask(model)) == "ok"
        await model.aclose()
    assert server.requests[-1].connection == 2


async def test_a_new_connection_is_never_tried_twice_in_silence() -> None:
    with ModelServer([SILENT]) as server:
        model = openai(server.base_url)
        fault = fault_of(await ask(model))
        await model.aclose()
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, True)
    assert len(server.requests) == 1


async def test_a_kept_connection_is_tried_again_only_once() -> None:
    with ModelServer([OK, SILENT, SILENT]) as server:
        model = openai(server.base_url)
        await ask(model)
        assert fault_of(await ask(model)).error.code == ErrorCode.BAD_STREAM
        await model.aclose()
    assert len(server.requests) == 3


async def test_an_answer_that_is_no_http_is_not_asked_for_again() -> None:
    with ModelServer([OK, Reply(headers={"no header": "x"})]) as server:
        model = openai(server.base_url)
        await ask(model)
        assert fault_of(await ask(model)).error.code == ErrorCode.BAD_STREAM
        await model.aclose()
    assert len(server.requests) == 2


async def test_a_refused_connection_may_be_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
    fault = fault_of(await ask_through(address, Network()))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.UNREACHABLE, True)
    assert fault.error.message == f"{address} refused the connection."


async def test_a_name_without_a_machine_is_unreachable() -> None:
    fault = fault_of(await ask_through("https://name..invalid", Network()))
    assert fault.error.code == ErrorCode.UNREACHABLE


async def test_a_name_that_cannot_be_one_is_unreachable() -> None:
    fault = fault_of(await ask_through(f"https://{'x' * 64}.example", Network()))
    assert fault.error.code == ErrorCode.UNREACHABLE


@pytest.mark.parametrize("address", ["https://a\x00b", "https://x:port"])
def test_an_address_that_httpx_refuses_is_refused(address: str) -> None:
    with pytest.raises(BadAddress):
        openai(address)


async def test_a_server_that_takes_no_connection_is_unreachable() -> None:
    with socket.socket() as server, socket.socket() as first, socket.socket() as second:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        network = Network(patience=Patience(connect=0.2))
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        fault = fault_of(await ask_through(address, network))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.UNREACHABLE, True)
    assert "in time" in fault.error.message


async def test_closing_is_possible_before_any_request() -> None:
    await openai("https://example.com").aclose()


async def test_proxies_are_used_for_other_machines_alone() -> None:
    with ModelServer() as proxy, ModelServer() as server:
        network = Network(proxies={"http": f"http://127.0.0.1:{proxy.port}"})
        assert text_of(await ask_through("http://model.example/v1", network)) == "ok"
        assert text_of(await ask_through(server.base_url, network)) == "ok"
    [through] = proxy.requests
    assert through.path == "http://model.example/v1/chat/completions"
    assert len(server.requests) == 1


@pytest.mark.parametrize("proxy", ["gopher://x", "http://[::1", "socks5://127.0.0.1:1"])
async def test_a_proxy_that_cannot_be_used_is_named(proxy: str) -> None:
    network = Network(proxies={"http": proxy})
    fault = fault_of(await ask_through("http://model.example", network))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.UNREACHABLE, False)
    assert "proxy" in fault.error.message


async def test_https_to_a_server_without_tls_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=speak_plainly, args=(server,))
        thread.start()
        fault = fault_of(
            await ask_through(f"https://127.0.0.1:{server.getsockname()[1]}", Network())
        )
        thread.join(5)
    assert fault.error.code == ErrorCode.UNREACHABLE


def speak_plainly(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.recv(1)


async def test_a_missing_certificate_file_is_named(tmp_path: Path) -> None:
    network = Network(certificate_file=str(tmp_path / "none.pem"))
    fault = fault_of(await ask_through("https://127.0.0.1:1", network))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.UNREACHABLE, False)
    assert "none.pem" in fault.error.message


@needs_openssl
async def test_a_certificate_is_trusted_only_if_it_is_named(tmp_path: Path) -> None:
    certificate, context = make_certificate(tmp_path)
    with ModelServer(tls=context) as server:
        fault = fault_of(await ask_through(server.base_url, Network()))
        assert (fault.error.code, fault.error.retryable) == (ErrorCode.UNREACHABLE, False)
        assert "certificate" in fault.error.message
        trusting = Network(certificate_file=str(certificate))
        assert text_of(await ask_through(server.base_url, trusting)) == "ok"


def make_certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *names, *files], check=True, capture_output=True, timeout=30)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context
