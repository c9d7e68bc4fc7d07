"""One measurement of the table: ours, theirs, and what the ratio must be."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["Row", "line", "table"]


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured; `ratio` is how many times better ours is (theirs / ours)."""

    subject: str
    peer: str
    unit: str
    ours: float
    theirs: float
    least: float | None = None
    """The ratio that must be reached; None for a row that is only for information."""

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours if self.ours else float("inf")

    @property
    def reached(self) -> bool:
        return self.least is None or self.ratio >= self.least

    def to_dict(self) -> dict[str, object]:
        """The row as JSON has it."""
        return {**asdict(self), "ratio": self.ratio, "reached": self.reached}


_SUBJECT_WIDTH = 72
_PEER_WIDTH = 24
"""The columns of a row that is printed alone; wider texts move the rest of their line."""


def line(row: Row) -> str:
    """The row as one line of text, for people who wait for the table."""
    subject, peer, unit, *figures = _cells(row)
    cells = [subject.ljust(_SUBJECT_WIDTH), peer.ljust(_PEER_WIDTH), unit.ljust(2)]
    return "  ".join([*cells, *(figure.rjust(9) for figure in figures)]).rstrip()


def table(rows: list[Row]) -> str:
    """The rows as text, for people."""
    head = ("measured", "against", "unit", "ours", "theirs", "ratio", "must be", "")
    lines = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = []
    for line in lines:
        cells = [
            cell.ljust(width) if column < 3 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def _cells(row: Row) -> tuple[str, ...]:
    least = f"≥ {row.least:g}" if row.least is not None else ""
    verdict = "" if row.least is None else "ok" if row.reached else "MISSED"
    return (
        row.subject,
        row.peer,
        row.unit,
        f"{row.ours:,.1f}",
        f"{row.theirs:,.1f}",
        f"{row.ratio:.2f}",
        least,
        verdict,
    )
