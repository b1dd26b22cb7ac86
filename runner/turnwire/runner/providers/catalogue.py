"""Which model stands behind a name."""
from __future__ import annotations
from pathlib import Path
import msgspec
from turnwire.runner.core.ports import Model
from turnwire.runner.providers.address import check_address
from turnwire.runner.providers.errors import KeyMissing, UnknownModel
from turnwire.runner.providers.network import Network
class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    base_url: str | None = None
    api_key: str | None = None
    allow_insecure_http: bool = False
    cwd: str = "."
def open_model(spec: str, options: ModelOptions) -> Model:
    kind, _, rest = spec.partition(":")
    if kind == "scripted":
        from turnwire.runner.providers.scripted import ScriptedModel
        return ScriptedModel(Path(options.cwd) / rest)
    if kind == "openai":
        from turnwire.runner.providers.openai_chat import OpenAIChat
        if options.base_url is None and options.api_key is None:
            raise KeyMissing("OPENAI_API_KEY is not set.")
        url = check_address(options.base_url or "https://api.openai.com/v1", allow_insecure_http=options.allow_insecure_http)
        return OpenAIChat(spec, rest, base_url=url, key=options.api_key, network=Network())
    raise UnknownModel(f"There is no model {spec!r}.")
