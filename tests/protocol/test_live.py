"""Text of what is running: gathered cheaply, bounded where a tool may print for ever."""

from __future__ import annotations

from turnwire.protocol.events import Delta
from turnwire.protocol.live import OUTPUT_TAIL, LiveText
from turnwire.protocol.rows import Port


def test_S1_pieces_are_joined_by_port_and_call() -> None:
    live = LiveText()
    for index, piece in [(0, "a"), (1, "x"), (0, "b")]:
        live.add(Delta(row="r", port=Port.ARGUMENTS, text=piece, call_index=index))
    live.add(Delta(row="r", port=Port.TEXT, text="t"))
    assert live.text("r", Port.ARGUMENTS, 0) == "ab"
    assert live.text("r", Port.ARGUMENTS, 1) == "x"
    assert live.text("r", Port.TEXT) == "t"
    assert live.text("r", Port.OUTPUT) == live.text("q", Port.TEXT) == ""


def test_progress_is_the_newest_word() -> None:
    live = LiveText()
    for words in ("10 %", "20 %"):
        live.add(Delta(row="c", port=Port.PROGRESS, text=words))
    assert live.text("c", Port.PROGRESS) == "20 %"


def test_B25_of_endless_output_the_end_is_kept() -> None:
    live = LiveText()
    for number in range(100_000):
        live.add(Delta(row="c", port=Port.OUTPUT, text=f"{number:06}\n"))
        if number % 10_000 == 0:
            assert len(live.text("c", Port.OUTPUT)) <= 2 * OUTPUT_TAIL
    kept = live.text("c", Port.OUTPUT)
    assert OUTPUT_TAIL <= len(kept) <= 2 * OUTPUT_TAIL
    assert kept.endswith("099998\n099999\n")


def test_what_is_dropped_or_cleared_is_gone() -> None:
    live = LiveText()
    for row in ("a", "b"):
        live.add(Delta(row=row, port=Port.TEXT, text="x"))
    live.drop("a")
    assert (live.text("a", Port.TEXT), live.text("b", Port.TEXT)) == ("", "x")
    live.clear()
    assert live.text("b", Port.TEXT) == ""
