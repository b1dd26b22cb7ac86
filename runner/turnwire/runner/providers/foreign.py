"""JSON that a provider wrote, looked at without trust: each look gives the kind that is wanted, or
nothing.

Owns no format. Pure.
"""

from __future__ import annotations

from typing import Any, TypeGuard

__all__ = ["as_list", "as_object", "as_text", "is_object"]


def as_object(value: object) -> dict[str, Any]:
    """Give ``value`` if it is an object, else an empty one."""
    return value if is_object(value) else {}


def as_list(value: object) -> list[Any]:
    """Give ``value`` if it is a list, else an empty one."""
    return value if _is_list(value) else []


def as_text(value: object) -> str:
    """Give ``value`` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Say whether ``value`` is a JSON object."""
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
