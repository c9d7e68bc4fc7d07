"""How pages are read that are done as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.walkthrough import Command, Interrupt, Listing, Shown, follows, matches, steps_of

HOME = Path("/tmp/somewhere")  # noqa: S108 - a name, and no folder


def test_what_a_page_says_to_do() -> None:
    page = """
Replace `src/it.py`:

```python
x = 1
```

```console
$ kubewright run --embedded
cluster: ...
```
```console
a line
$ ls
src
$ cd src
```
```console
^C
stopping
```
"""
    run = Command("kubewright run --embedded", ["cluster: ..."])
    listing, *rest = steps_of(page)
    assert listing == Listing("src/it.py", "x = 1\n")
    assert rest == [
        run,
        Shown(["a line"]),
        Command("ls", ["src"]),
        Command("cd src"),
        Interrupt(["stopping"]),
    ]
    assert run.stays
    assert not Command("kubewright runs").stays


@pytest.mark.parametrize("block", ["```python\nx = 1\n```\n", "in `a.py`.\n```python\nx = 1\n```\n"])
def test_a_block_that_nothing_is_said_of(block: str) -> None:
    with pytest.raises(ValueError, match="that is no file: x = 1"):
        steps_of(block)


@pytest.mark.parametrize(
    ("printed", "real", "is_same"),
    [
        ([], "", True),
        ([], "something\n", False),
        (["a"], "", False),
        (["a", "b"], "a\nb\n", True),
        (["a"], "a\nb\n", False),
        (["a", "..."], "a\nb\nc\n", True),
        (["...", "c"], "a\nb\nc\n", True),
        (["...", "b"], "a\nb\nc\n", False),
        (["a.c"], "abc\n", False),
        (["pod/custompod-sample-aaaaa 1/1 2s"], "pod/custompod-sample-b2c3d   1/1   10s\n", True),
        (["pod/custompod-sample-aaaaa 1/1 2s"], "pod/custompod-sample-b2c3d   0/1   10s\n", False),
        (["pod/custompod-sample-aaaaa 1/1 2s"], "pod/custompod-sample-b2c3d   1/1   2m5s\n", True),
        (["a", "b"], "a\nwaiting: the pod x runs, but is not ready\nb\n", True),
        (["2 passed in 1.02s"], "2 passed in 0.5s\n", True),
        (["2 passed in 1.02s"], "1 failed, 1 passed in 0.5s\n", False),
        (["in /home/me/it"], f"in {HOME}/it\n", True),
    ],
)
def test_whether_a_program_printed_what_a_page_says(printed: list[str], real: str, is_same: bool) -> None:
    assert matches(printed, real, HOME) == is_same


def test_whether_a_terminal_shows_what_a_page_says() -> None:
    real = "12:00:00.1 INFO ready in 2 s\nmore\n^C\nstopping\n"
    assert follows(["14:00:00.7 INFO ready in 1 s", "...", "stopping"], real, HOME)
    assert not follows(["stopping", "more"], real, HOME)
    assert not follows(["ready"], real, HOME)
