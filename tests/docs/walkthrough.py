"""A page that is read as instructions: files to write, commands to type, and what these print.

The rules by which a page is read:

- A block of Python after a line that ends with a path in backquotes and a colon is a file.
- In a block `console`, `$` begins a command, and the lines below are what it prints; `...` stands for any.
- `kubewright run` and `kubewright server` stay, each in a terminal of its own, until a block that begins with
  `^C`; that stops the last one. A block without any command is what that terminal shows by then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Command", "Interrupt", "Listing", "Shown", "Step", "follows", "matches", "steps_of"]

ANYTHING = "..."
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([\w/.-]+\.\w+)`:\s*\Z")


@dataclass(frozen=True)
class Listing:
    """A file to write."""

    path: str
    text: str


@dataclass
class Command:
    """A command to type."""

    text: str
    printed: list[str] = field(default_factory=list)

    @property
    def stays(self) -> bool:
        """Whether it runs until Ctrl-C."""
        return re.match(r"kubewright (run|server)\b", self.text) is not None


@dataclass
class Interrupt:
    """Ctrl-C, in the terminal of what was started last."""

    printed: list[str] = field(default_factory=list)


@dataclass
class Shown:
    """What the terminal of what was started last shows by now."""

    printed: list[str] = field(default_factory=list)


Step = Listing | Command | Interrupt | Shown


def steps_of(page: str) -> list[Step]:
    """All that a page says to do, in order. Raises ValueError for a block that no rule tells how to read."""
    found: list[Step] = []
    for block in _BLOCK.finditer(page):
        language, text = block.groups()
        if language == "console":
            found += _typed(text)
        elif language == "python" and (named := _NAMED.search(page, 0, block.start())):
            found.append(Listing(named[1], text))
        else:
            raise ValueError(f"a block of {language} that is no file: {text.splitlines()[0]}")
    return found


def _typed(text: str) -> Iterator[Step]:
    step: Command | Interrupt | Shown | None = None
    for line in text.splitlines():
        if line.startswith("$ ") or line == "^C":
            if step is not None:
                yield step
            step = Interrupt() if line == "^C" else Command(line.removeprefix("$ "))
            continue
        if step is None:
            step = Shown()
        step.printed.append(line)
    if step is not None:
        yield step


def as_ever(line: str, home: Path) -> str:
    """A line without what differs from run to run: names, ids, times, ports, and where it ran."""
    line = line.replace(str(home), "/home/me")
    for pattern, stands_for in [
        (r"^kubewright \d[\w.]*$", "kubewright VERSION"),
        (r"\bcustompod-sample-[a-z0-9]{5}\b", "custompod-sample-NAME"),
        (r"https://127\.0\.0\.1:\d+", "https://127.0.0.1:PORT"),
        (r"^(\d{4}-\d\d-\d\dT)?\d\d:\d\d:[\d.]+Z? ", "TIME "),
        (r"\b[0-9a-f]{8,16}\b", "ID"),
        (r"\bin [\d.]+ ?(ms|s)\b", "in N s"),
        (r" (\d+[dhms])+$", " AGE"),
        (r"(?<= deleted) from \S+ namespace$", ""),  # which kubectl says since 1.34
        (r"\s+", " "),
    ]:
        line = re.sub(pattern, stands_for, line)
    return line.strip()


def matches(printed: list[str], real: str, home: Path) -> bool:
    """Whether a program printed what a page says, and at most what it waits for besides."""
    wanted = [line if line == ANYTHING else re.escape(as_ever(line, home)) for line in printed]
    pattern = "".join("(?:.*\n)*" if line == ANYTHING else f"{line}\n" for line in wanted)
    told = (as_ever(line, home) for line in real.splitlines())
    found = "".join(f"{line}\n" for line in told if not line.startswith("waiting: "))
    return re.fullmatch(pattern, found) is not None


def follows(printed: list[str], real: str, home: Path) -> bool:
    """Whether these lines are among those that were printed, in this order."""
    rest = iter([as_ever(line, home) for line in real.splitlines()])
    return all(as_ever(line, home) in rest for line in printed if line != ANYTHING)
