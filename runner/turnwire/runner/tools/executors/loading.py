"""Finding a Python function by the name that a person wrote: ``module:function``.

Owns the import and its sentences. Must not look at what the function does.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["NotLoadable", "load_function"]


class NotLoadable(Exception):
    """There is no such function, or its module failed to load; the message is one sentence."""


def load_function(target: str, cwd: str) -> Callable[..., Any]:
    """Import ``module:function`` (dots reach into classes), looking in ``cwd`` after everything
    installed.

    ``cwd`` comes last on the module path, so that a file in it never stands in for the standard
    library. NotLoadable: the reason in words.
    """
    module_name, colon, path = target.partition(":")
    if not (module_name and colon and path):
        raise NotLoadable(f"{target!r} does not have the form module:function")
    if cwd not in sys.path:
        sys.path.append(cwd)
        importlib.invalidate_caches()
    found: Any = _import(module_name)
    for name in path.split("."):
        if not hasattr(found, name):
            raise NotLoadable(f"{module_name!r} has no {path!r}; {_functions(found)}")
        found = getattr(found, name)
    if not callable(found):
        raise NotLoadable(f"{target!r} is no function but {type(found).__name__}")
    target_function: Callable[..., Any] = found
    return target_function


def _import(name: str) -> object:
    try:
        return importlib.import_module(name)
    # A foreign module may raise anything, SystemExit too.
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise NotLoadable(f"{name!r} could not be imported: {reason[:500]}") from error


def _functions(module: object) -> str:
    here = getattr(module, "__name__", None)
    names = [
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == here
    ]
    return f"it has {', '.join(sorted(names)[:40])}" if names else "it has no functions of its own"
