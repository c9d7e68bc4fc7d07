"""Plain data as Go prints it."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.machinery.go_format import go_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, "x", None], "a": {"c": True}}, "map[a:map[c:true] b:[1 x <nil>]]"),
        ({}, "map[]"),
        ([], "[]"),
        (1.0, "1"),
        (1.5, "1.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-7, "1e-07"),
        (0.0001, "0.0001"),
        (False, "false"),
    ],
)
def test_as_fmt_prints_it(value: Any, text: str) -> None:
    assert go_text(value) == text
