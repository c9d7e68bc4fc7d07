from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CalledProcessError
from types import ModuleType
from typing import Any

import pytest

from bench.__main__ import main, measure
from bench.report import Report
from bench.row import Row
from bench.scale import TINY, is_tiny, scaled

GOOD = Row("a good one", "peer", "s", 1, 4, 2)
MISSED = Row("a slow one", "peer", "s", 2, 1, 2)


def _read(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text())
    return report


def _subject(monkeypatch: pytest.MonkeyPatch, name: str, *rows: Row, then: Exception | None = None) -> None:
    def measured() -> Iterator[Row]:
        yield from rows
        if then is not None:
            raise then

    module = ModuleType(f"bench.{name}")
    module.rows = measured  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"bench.{name}", module)


def test_a_row_is_printed_and_written_as_soon_as_it_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results" / "latest.json"
    report = Report(path)
    report.add(GOOD)
    assert "a good one" in capsys.readouterr().out
    assert [row["subject"] for row in _read(path)["rows"]] == ["a good one"]
    report.add(MISSED)
    assert [row["reached"] for row in _read(path)["rows"]] == [True, False]


def test_a_subject_that_breaks_loses_neither_its_rows_nor_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _subject(monkeypatch, "breaks", GOOD, then=RuntimeError("no server"))
    _subject(monkeypatch, "works", GOOD)
    report = Report(tmp_path / "latest.json")
    for name in ("breaks", "is_not_there", "works"):
        measure(name, report)
    assert len(report.rows) == 2
    assert report.exit_code == 1
    failures = _read(tmp_path / "latest.json")["failures"]
    assert failures["breaks"] == "RuntimeError: no server"
    assert list(failures) == ["breaks", "is_not_there"]
    assert "breaks failed: RuntimeError: no server" in report.text()
    assert "bench/breaks FAILED" in capsys.readouterr().err


def test_what_a_failed_process_printed_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Report(tmp_path / "latest.json").fail("client", CalledProcessError(1, "go", stderr=b"no module"))
    assert "no module" in capsys.readouterr().err


@pytest.mark.parametrize(("row", "judged", "code"), [(GOOD, True, 0), (MISSED, True, 1), (MISSED, False, 0)])
def test_missed_ratios_fail_a_run_that_is_judged(tmp_path: Path, row: Row, judged: bool, code: int) -> None:
    report = Report(tmp_path / "latest.json", judged=judged)
    report.add(row)
    assert report.exit_code == code
    assert ("MISSED" in report.text()) == bool(code)


def test_tiny_runs_use_the_small_counts_and_judge_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(TINY, raising=False)
    assert scaled(10, tiny=1) == 10
    # Set here so that the environment is restored after the test, whatever `main` does to it.
    monkeypatch.setenv(TINY, "")
    _subject(monkeypatch, "workqueue", MISSED)
    arguments = ["--results", str(tmp_path / "latest.json"), "workqueue"]
    assert main(arguments) == 1
    assert main(["--tiny", *arguments]) == 0
    assert is_tiny()
    assert scaled(10, tiny=1) == 1


def test_an_unknown_subject_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["workqueues"])
    assert "no such subject: workqueues" in capsys.readouterr().err
