"""What a process prints: bounded, decoded, kept and told (B23, B25, B26)."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ground import Ground

from turnwire.runner.tools.executors.output import Output
from turnwire.runner.tools.spills import SPILL_BYTES


def peak_kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def test_B23_a_flood_on_stderr_does_not_block(ground: Ground) -> None:
    command = "head -c 300000 /dev/zero | tr '\\0' e >&2; echo done"
    text = await ground.text("bash", command=command)
    assert text.startswith("eee")
    assert text.endswith("done\n")
    assert "300,005 characters in all" in text


@pytest.mark.parametrize(
    ("command", "chars"),
    [
        ("yes | head -c 200000000", 200_000_000),
        ("head -c 50000000 /dev/zero | tr '\\0' x", 50_000_000),
    ],
)
async def test_B25_huge_output_takes_little_memory(
    ground: Ground, command: str, chars: int
) -> None:
    before, began = peak_kilobytes(), time.monotonic()
    outcome = await ground.run("bash", command=command)
    assert outcome.chars == chars
    assert len(outcome.content) <= 20_000
    assert outcome.spill is not None
    assert Path(outcome.spill).stat().st_size == SPILL_BYTES
    assert f"The beginning is in {outcome.spill}" in str(outcome.content)
    assert peak_kilobytes() - before < 20_000
    assert time.monotonic() - began < 15


async def test_B25_endless_output_ends_with_the_timeout(ground: Ground) -> None:
    text = await ground.error("bash", command="yes", timeout_seconds=0.3)
    assert text.startswith("y\ny\n")
    assert text.endswith("y\n[stopped: it took longer than 0.3 seconds]")
    assert len(text) <= 20_000


async def test_B25_many_tiny_writes_are_told_in_few_pieces(ground: Ground) -> None:
    script = "import sys\\nfor _ in range(10000): sys.stdout.write('.'); sys.stdout.flush()"
    text = await ground.text("bash", command=f'python3 -c "$(printf "{script}")"')
    assert text == "." * 10_000
    assert len(ground.live) < 200


async def test_B1_long_output_is_kept_whole_on_disk(ground: Ground) -> None:
    outcome = await ground.run("bash", command="seq 100000")
    assert outcome.spill is not None
    assert Path(outcome.spill).read_text() == "".join(f"{n}\n" for n in range(1, 100_001))
    result = ground.bounded(outcome)
    assert (result.chars, result.truncated, result.spill) == (588_895, True, outcome.spill)
    assert len(list(ground.spills.iterdir())) == 1


@pytest.mark.parametrize(
    ("command", "begins", "note"),
    [
        ("printf 'a long word and caf\\351'", "a long word and caf\ufffd", "not all UTF-8"),
        ("printf '\\226\\377'", "\ufffd\ufffd", "binary"),
        ("printf 'h\\000i\\000'", "h\0i\0", "binary"),
        ("printf 'x\\342\\202'", "x\ufffd", "binary"),
    ],
)
async def test_B26_what_is_no_text_is_flagged(
    ground: Ground, command: str, begins: str, note: str
) -> None:
    """B07: the bytes 0x96 0xFF are replaced once."""
    text = await ground.text("bash", command=command)
    assert text == f"{begins}\n[the output is {note}; what could not be decoded is shown as U+FFFD]"


async def test_B26_random_bytes_are_survived(ground: Ground) -> None:
    text = await ground.text("bash", command="head -c 4096 /dev/urandom")
    assert "[the output is binary" in text


# --- the keeper alone -----------------------------------------------------------------------------


def output(keep: int, tell: Callable[[str], None], folder: Path | None = None) -> Output:
    return Output(keep, folder=folder and str(folder), call="call-1", tell=tell)


@given(
    data=st.binary(max_size=400), pieces=st.lists(st.integers(1, 50)), keep=st.integers(100, 500)
)
def test_B26_pieces_do_not_change_the_text(data: bytes, pieces: list[int], keep: int) -> None:
    whole, pieced = output(keep, lambda _: None), output(keep, lambda _: None)
    whole.take(data)
    for size in pieces:
        pieced.take(data[:size])
        data = data[size:]
    pieced.take(data)
    whole.close()
    pieced.close()
    assert pieced.text() == whole.text()
    assert pieced.chars == whole.chars
    assert len(whole.text()) <= keep


def test_B25_tiny_pieces_cost_linear_time() -> None:
    kept = output(1_000, lambda _: None)
    began = time.process_time()
    for _ in range(200_000):
        kept.take(b"x")
    kept.close()
    assert kept.chars == 200_000
    assert time.process_time() - began < 5


def test_S1_live_pieces_are_merged_and_bounded() -> None:
    told: list[str] = []
    kept = output(1_000, told.append)
    kept.take(b"first")
    for _ in range(1_000):
        kept.take(b"y" * 100)
    assert told == ["first"]
    assert kept.live_is_due is not None
    kept.close()
    assert len(told) == 2
    assert told[1].startswith("[… 96,000 characters passed over …]\n")
    assert len(told[1]) < 4_100


def test_B1_a_spill_ends_with_a_whole_character(tmp_path: Path) -> None:
    kept = output(1_000, lambda _: None, tmp_path)
    for _ in range(SPILL_BYTES // 99_999 + 2):
        kept.take("€".encode() * 33_333)
    kept.close()
    assert kept.spill is not None
    size = Path(kept.spill).stat().st_size
    assert SPILL_BYTES - 3 < size <= SPILL_BYTES
    Path(kept.spill).read_text(encoding="utf-8", errors="strict")
