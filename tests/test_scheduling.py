"""What is said of files of tests is said of files that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scheduling import LONGEST, TOGETHER, unit_of

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("unit", sorted({*LONGEST, *TOGETHER} - {*TOGETHER.values()}))
def test_the_file_is_there(unit: str) -> None:
    assert (ROOT / unit).is_file(), f"{unit} is gone: take it out of tests/scheduling.py"


def test_files_with_the_real_controllers_stay_together() -> None:
    here = ROOT / "tests" / "cluster"
    users = {
        str(file.relative_to(ROOT))
        for file in here.rglob("test_*.py")
        if any(f"{name}:" in file.read_text() for name in ("real_cluster", "both"))
    }
    assert users == {*TOGETHER}
    assert len({unit_of(f"{file}::test") for file in users}) == 1
    assert unit_of("tests/test_scheduling.py::test") == "tests/test_scheduling.py"
