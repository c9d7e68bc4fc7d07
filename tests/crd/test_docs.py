"""The program of docs/custom-resources.md that declares a kind works as written."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kubewright import Invalid
from kubewright.crd import validate

PAGE = (Path(__file__).parents[2] / "docs" / "custom-resources.md").read_text()
PROGRAM = next(each for each in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "class App(" in each)


def test_the_declaration(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    module = ModuleType("documented_kinds")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(PROGRAM, "docs/custom-resources.md", "exec"), vars(module))  # noqa: S102 - our own words
    printed = capsys.readouterr().out
    assert "name: apps.example.com" in printed
    assert "description: What is wanted." in printed
    app: Any = vars(module)["app"]
    app.spec.min_replicas = 11
    with pytest.raises(Invalid, match="minReplicas must not exceed maxReplicas"):
        validate(app)
