"""The table that a benchmark run prints."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One figure; ``floor`` is what ``ratio`` compares it with."""

    what: str
    figure: float
    unit: str
    floor: str = ""
    ratio: float | None = None
    target: str = ""


def show(rows: list[Row], machine: str) -> None:
    """Print ``rows`` as a table in Markdown."""
    print(f"Measured on {machine}. Medians; ratios against a floor of the same run.\n")
    print("| what | figure | unit | floor | ratio | target |")
    print("|---|--:|---|---|--:|---|")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        figure = f"{row.figure:,.2f}" if row.figure < 1000 else f"{row.figure:,.0f}"
        print(f"| {row.what} | {figure} | {row.unit} | {row.floor} | {ratio} | {row.target} |")
