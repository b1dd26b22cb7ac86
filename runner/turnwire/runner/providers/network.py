"""What a model may need to know of the way out: proxies, certificates, and how long to wait.

Owns the shapes and their defaults. Reads no environment and opens nothing, so that it may be built
before anything slow is imported.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

__all__ = ["Network", "Patience", "network_of"]


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long a provider may take, in seconds: to be connected, until its first sign of progress,
    between two of them.

    Ten minutes is what OpenAI's own client waits; a model that thinks says nothing for minutes.
    """

    connect: float = 10.0
    first: float = 600.0
    idle: float = 300.0


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """What the environment says of the way out: proxies by scheme, ``all`` and ``no``, and a file
    or a folder of certificates to trust instead of the ones that come with ``certifi``.
    """

    proxies: Mapping[str, str] = {}
    certificate_file: str | None = None
    certificate_folder: str | None = None
    patience: Patience = Patience()


def network_of(environment: Mapping[str, str]) -> Network:
    """Read what ``environment`` says: ``http_proxy``, ``https_proxy``, ``all_proxy`` and
    ``no_proxy`` in small or capital letters, ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``.

    Inside a CGI program ``HTTP_PROXY`` is what a client said in a header ``Proxy``, and is not
    believed.
    """
    said = {name: value for name, value in environment.items() if value}
    if "REQUEST_METHOD" in said:
        said.pop("HTTP_PROXY", None)
    proxies: dict[str, str] = {}
    for kind in ("http", "https", "all", "no"):
        value = said.get(f"{kind}_proxy") or said.get(f"{kind}_proxy".upper())
        if value:
            proxies[kind] = value
    return Network(
        proxies=proxies,
        certificate_file=said.get("SSL_CERT_FILE"),
        certificate_folder=said.get("SSL_CERT_DIR"),
    )
