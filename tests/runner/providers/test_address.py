"""Where a conversation may travel, and through which proxy."""

from __future__ import annotations

import pytest

from turnwire.runner.providers.address import check_address, endpoint, origin, proxy_for
from turnwire.runner.providers.errors import BadAddress
from turnwire.runner.providers.network import Network, network_of


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1",
        "http://127.0.0.1:8080/v1",
        "http://127.8.0.1/v1",
        "http://localhost:1234",
        "http://[::1]:8080/v1",
        "https://gateway.example.com/openai?api-version=2026-01-01",
    ],
)
def test_https_and_this_machine_are_allowed(url: str) -> None:
    assert check_address(url, allow_insecure_http=False) == url


def test_slashes_at_the_end_are_taken_away() -> None:
    assert check_address("https://x/v1//", allow_insecure_http=False) == "https://x/v1"
    assert check_address("https://x/?a=b#c", allow_insecure_http=False) == "https://x?a=b"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/v1",
        "http://192.168.1.7:8080/v1",
        "http://0.0.0.0:8080",
        "http://127.0.0.1.example.com/",
        "http://localhost.example.com/",
        "http://127.0.0.1@example.com/",
    ],
)
def test_http_to_another_machine_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        check_address(url, allow_insecure_http=False)


def test_http_to_another_machine_can_be_allowed() -> None:
    assert check_address("http://10.0.0.7/v1/", allow_insecure_http=True) == "http://10.0.0.7/v1"


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "ftp://x", "https://", "https://x:99999", "https://[::1", "https://a b/",
     "https://user:pw@example.com/", "file:///etc/passwd", "https://x/\n"],
)  # fmt: skip
def test_what_is_no_address_is_refused_in_words(url: str) -> None:
    with pytest.raises(BadAddress) as refused:
        check_address(url, allow_insecure_http=True)
    assert refused.value.message.isprintable()
    assert "pw" not in refused.value.message


def test_the_path_goes_before_the_query() -> None:
    assert endpoint("https://x/v1", "/chat") == "https://x/v1/chat"
    assert endpoint("https://x/v1?a=b", "/chat") == "https://x/v1/chat?a=b"
    assert origin("https://x:8443/v1?a=b") == "https://x:8443"


PROXIES = {"https": "http://proxy:3128", "http": "plain:80", "no": "a.com, .b.com,10.0.0.0/8,c:444"}


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://example.com/", "http://proxy:3128"),
        ("http://example.com/", "http://plain:80"),
        ("https://a.com/", None),
        ("https://x.a.com/", None),
        ("https://aa.com/", "http://proxy:3128"),
        ("https://x.b.com/", None),
        ("https://10.1.2.3/", None),
        ("https://11.1.2.3/", "http://proxy:3128"),
        ("https://c:444/", None),
        ("https://c/", "http://proxy:3128"),
        ("http://127.0.0.1:8080/", None),
        ("http://localhost/", None),
    ],
)
def test_proxies_are_chosen_by_scheme_and_exception(url: str, proxy: str | None) -> None:
    assert proxy_for(url, PROXIES) == proxy


def test_a_star_excepts_everything_and_all_covers_the_rest() -> None:
    assert proxy_for("https://x/", {"all": "socks5://p:1"}) == "socks5://p:1"
    assert proxy_for("https://x/", {"all": "http://p", "no": "*"}) is None
    assert proxy_for("https://x/", {}) is None


def test_the_environment_names_proxies_and_certificates() -> None:
    said = {"https_proxy": "a", "HTTPS_PROXY": "b", "NO_PROXY": "c", "SSL_CERT_FILE": "d", "X": "e"}
    proxies = {"https": "a", "no": "c"}
    assert network_of(said) == Network(proxies=proxies, certificate_file="d")


def test_a_header_of_a_client_names_no_proxy() -> None:
    assert network_of({"HTTP_PROXY": "evil", "REQUEST_METHOD": "GET"}) == Network()
