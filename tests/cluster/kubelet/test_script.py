"""What annotations say that containers pretend."""

from __future__ import annotations

import time

import pytest

from kubewright.cluster.kubelet.script import PREFIX, ContainerScript, Role, script_of

MAIN = Role(initializes=False, restarts=True)
TASK = Role(initializes=False, restarts=False)
INIT = Role(initializes=True, restarts=False)


def read(role: Role = MAIN, **annotations: str) -> ContainerScript:
    named = {PREFIX + name.replace("__", ".").replace("_", "-"): text for name, text in annotations.items()}
    script, problems = script_of(named, "main", role)
    assert problems == []
    return script


def test_nothing_is_said() -> None:
    assert read(MAIN) == ContainerScript()
    assert read(TASK) == ContainerScript(run_for=0)
    assert read(INIT) == ContainerScript(run_for=0)


@pytest.mark.parametrize(
    ("text", "seconds"), [("2s", 2), ("500ms", 0.5), ("1m30s", 90), ("1.5h", 5400), ("7", 7), ("0.25", 0.25)]
)
def test_durations(text: str, seconds: float) -> None:
    assert read(start_after=text).start_after == seconds


def test_never() -> None:
    assert read(ready_after="never").ready_after == float("inf")
    assert read(TASK, run_for="never").run_for is None


def test_an_exit_code_ends_what_would_run_for_ever() -> None:
    assert read(exit_code="3") == ContainerScript(run_for=0, exit_code=3)
    assert read(exit_code="3", run_for="5s") == ContainerScript(run_for=5, exit_code=3)
    assert read(crash_loop="true") == ContainerScript(run_for=0, exit_code=1)
    assert read(crash_loop="true", exit_code="7") == ContainerScript(run_for=0, exit_code=7)


def test_one_container_by_its_name() -> None:
    assert read(exit_code__main="4", exit_code="1").exit_code == 4
    assert read(exit_code__other="4").exit_code == 0


def test_what_is_said_of_the_pod_does_not_concern_its_initialization() -> None:
    assert read(INIT, exit_code="1", start_after="3s") == ContainerScript(run_for=0)
    assert read(INIT, exit_code__main="1").exit_code == 1


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("start-after", "soon", "no duration; write it as 500ms, 2s or 1m30s"),
        ("start-after", "-1s", "no duration; write it as 500ms, 2s or 1m30s"),
        ("start-after", "never", "no duration; write it as 500ms, 2s or 1m30s"),
        ("ready-after", "1 s", "no duration; write it as 500ms, 2s or 1m30s"),
        ("exit-code", "256", "no exit code; write a number from 0 to 255"),
        ("exit-code", "one", "no exit code; write a number from 0 to 255"),
        ("crash-loop", "maybe", "no true or false"),
    ],
)
def test_what_cannot_be_read_is_told_and_passed_over(name: str, text: str, problem: str) -> None:
    script, problems = script_of({PREFIX + name: text}, "main", MAIN)
    assert script == ContainerScript()
    assert problems == [f"the annotation {PREFIX}{name} is {text!r}, which is {problem}"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("start-after", "1000000000000000000", "no duration of 87600h or less"),
        ("start-after", "9" * 64, "no duration of 87600h or less"),
        ("run-for", "99999999999999h", "no duration of 87600h or less"),
        ("log-every", "1000000000000000000s", "no duration of 87600h or less"),
        ("start-after", "1" * 400, "no duration of 87600h or less"),
        # Looking for a unit at each of them took ten seconds.
        ("start-after", "1" * 20_000 + "x", "no duration; write it as 500ms, 2s or 1m30s"),
        ("exit-code", "1" * 5000, "no exit code; write a number from 0 to 255"),
        ("exit-code", "\u0663", "no exit code; write a number from 0 to 255"),
    ],
    ids=["int", "digits", "hours", "interval", "infinite", "slow", "beyond-int", "other-digits"],
)
def test_absurd_numbers_are_told_and_passed_over(name: str, text: str, problem: str) -> None:
    began = time.monotonic()
    script, problems = script_of({PREFIX + name: text}, "main", MAIN)
    assert time.monotonic() - began < 5
    assert script == ContainerScript()
    assert problems == [f"the annotation {PREFIX}{name} is {text!r:.200}, which is {problem}"]
