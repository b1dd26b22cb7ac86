"""Names of sessions sort as the sessions began, and are one folder's on any file system."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.runner.session.place import new_session_id, session_root

moments = st.integers(0, 4_102_444_800_000)
chances = st.binary(min_size=4, max_size=16)


def test_a_session_is_named_after_its_beginning() -> None:
    assert new_session_id(1_796_000_000_123, b"\x0a\xff\x00\x7f") == "20261130-005320-123-0aff007f"


@given(moments, moments, chances, chances)
def test_names_sort_as_their_sessions_began(first: int, second: int, a: bytes, b: bytes) -> None:
    if first != second:
        earlier = new_session_id(first, a) < new_session_id(second, b)
        assert earlier == (first < second)


@given(moments, chances)
def test_a_name_is_safe_on_any_file_system(at: int, entropy: bytes) -> None:
    assert re.fullmatch(r"[0-9a-f-]{28}", new_session_id(at, entropy))


def test_sessions_of_one_moment_have_different_names() -> None:
    assert len({new_session_id(0, os.urandom(4)) for _ in range(1000)}) == 1000


def test_a_name_without_chance_is_refused() -> None:
    with pytest.raises(ValueError, match="4 random bytes"):
        new_session_id(0, b"abc")


def test_a_chosen_folder_is_made_absolute() -> None:
    assert session_root("here") == os.path.join(os.getcwd(), "here")


def test_the_folder_of_all_sessions_is_the_users() -> None:
    root = session_root(None)
    assert os.path.isabs(root)
    assert root.endswith(os.path.join("turnwire", "sessions"))
