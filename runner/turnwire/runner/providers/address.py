"""Addresses of providers: what may be asked over which scheme, and through which proxy. Pure.

Owns the rule that a conversation travels in the clear only to this machine. Opens nothing and reads
no environment: proxies come in as ``urllib.request.getproxies`` names them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from turnwire.protocol.text import visible
from turnwire.runner.providers.errors import BadAddress

__all__ = ["check_address", "endpoint", "is_loopback", "origin", "proxy_for"]

_SCHEMES = frozenset({"http", "https"})


def check_address(base_url: str, *, allow_insecure_http: bool) -> str:
    """Give ``base_url`` without its trailing slashes.

    BadAddress: not an ``http`` or ``https`` URL with a host, one that holds a user or a password,
    or ``http`` to another machine without ``allow_insecure_http``.
    """
    shown = visible(base_url, 200)
    parts = _split(base_url)
    if parts is None or parts.scheme not in _SCHEMES or not parts.hostname:
        raise BadAddress(f"The base URL {shown} is not an http or https address.")
    if "@" in parts.netloc:
        raise BadAddress("The base URL holds a user or a password; a key belongs in a variable.")
    if parts.scheme == "http" and not allow_insecure_http and not is_loopback(parts.hostname):
        raise BadAddress(
            f"The base URL {shown} is http to another machine, where anybody on the way could read key and "
            "conversation; use https or --allow-insecure-http."
        )
    return urlunsplit(parts._replace(path=parts.path.rstrip("/"), fragment=""))


def endpoint(base_url: str, path: str) -> str:
    """Put ``path`` behind the path of ``base_url``, before its query."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def origin(url: str) -> str:
    """Give scheme, host and port of ``url``: what an error may show of an address."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))


def is_loopback(host: str) -> bool:
    """Say whether ``host`` is this machine by its name alone; nothing is looked up."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def proxy_for(url: str, proxies: Mapping[str, str]) -> str | None:
    """Choose the proxy for ``url``, if any, from entries by scheme, ``all`` and ``no``.

    This machine is never asked through a proxy, whatever the entries say: nobody else should see
    what goes there.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if is_loopback(host) or _is_excepted(host, parts.port, proxies.get("no", "")):
        return None
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_excepted(host: str, port: int | None, exceptions: str) -> bool:
    for entry in exceptions.lower().split(","):
        name = entry.strip()
        if name == "*" or (name and _matches(name, host, port)):
            return True
    return False


def _matches(name: str, host: str, port: int | None) -> bool:
    """A name covers itself and what is below it; an address or a network covers addresses."""
    try:
        network = ipaddress.ip_network(name.strip("[]"), strict=False)
        return ipaddress.ip_address(host) in network
    except ValueError:
        pass
    bare, _, wanted = name.rpartition(":") if name.count(":") == 1 else (name, "", "")
    if wanted and wanted != str(port):
        return False
    domain = bare.lstrip("*").lstrip(".")
    return host == domain or host.endswith(f".{domain}")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return None
    return None if any(mark.isspace() for mark in url) else parts
