"""Which model stands behind a name: ``openai:NAME``, ``scripted:FILE``, ``local``.

Owns the prefixes and what each of them needs before its first request. Whatever is slow to import
is imported for the model that is asked for and for no other: each import inside a function here is
there for start-up time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from turnwire.protocol.text import visible
from turnwire.runner.core.ports import Model
from turnwire.runner.providers.address import check_address
from turnwire.runner.providers.errors import BadAddress, KeyMissing, UnknownModel
from turnwire.runner.providers.network import Network

__all__ = ["ModelOptions", "open_model"]

_OPENAI = "https://api.openai.com/v1"


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a model may need beside its name.

    ``base_url`` is the address that the person gave, if any; ``api_key`` goes there, or without it
    to the provider's own address, and nowhere else. ``cwd`` is the folder that a relative FILE is
    sought in. ``environment`` is what the embedded model's process sees of ours: the caller leaves
    keys out.
    """

    base_url: str | None = None
    api_key: str | None = None
    allow_insecure_http: bool = False
    cwd: str = "."
    network: Network = Network()
    environment: Mapping[str, str] = {}


def open_model(spec: str, options: ModelOptions) -> Model:
    """Give the model behind ``spec``; nothing is connected yet.

    CannotOpen in one of its kinds: no such prefix, no key, a bad address, a bad script, no local
    model.
    """
    prefix, _, rest = spec.partition(":")
    opening = _OPENINGS.get(prefix)
    if opening is None:
        known = ", ".join(_FORMS.values())
        raise UnknownModel(f"There is no model {visible(spec, 80)!r}; a model is one of {known}.")
    if bool(rest.strip()) != (prefix in _WITH_NAME):
        raise UnknownModel(f"{visible(spec, 80)!r} is no model; it should be {_FORMS[prefix]}.")
    return opening(rest, options)


def _open_openai(name: str, options: ModelOptions) -> Model:
    base_url, key = options.base_url, options.api_key
    if base_url is None and not key:
        raise KeyMissing(
            "The variable OPENAI_API_KEY is not set; name another with --api-key-env, or a server that "
            "needs no key with --base-url."
        )
    checked = check_address(base_url or _OPENAI, allow_insecure_http=options.allow_insecure_http)
    from turnwire.runner.providers.openai_chat import OpenAIChat  # noqa: PLC0415 - brings httpx

    network = options.network
    return OpenAIChat(f"openai:{name}", name, base_url=checked, key=key or None, network=network)


def _open_scripted(file: str, options: ModelOptions) -> Model:
    from turnwire.runner.providers.scripted import ScriptedModel  # noqa: PLC0415 - seldom wanted

    return ScriptedModel(f"scripted:{file}", Path(options.cwd) / file)


def _open_local(_: str, options: ModelOptions) -> Model:
    # They bring platformdirs and httpx.
    from turnwire.runner.providers.local.model import LocalModel  # noqa: PLC0415
    from turnwire.runner.providers.local.model_file import models_folder  # noqa: PLC0415

    if options.base_url is not None:
        raise BadAddress("The local model has no --base-url: it is started by this run.")
    return LocalModel(models_folder(), environment=options.environment)


_OPENINGS: dict[str, Callable[[str, ModelOptions], Model]] = {
    "openai": _open_openai,
    "scripted": _open_scripted,
    "local": _open_local,
}
_FORMS = {"openai": "openai:NAME", "scripted": "scripted:FILE", "local": "local"}
_WITH_NAME = frozenset({"openai", "scripted"})
