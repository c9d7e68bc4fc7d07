"""The impersonation headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from kubewright.machinery.errors import BadRequest
from kubewright.server.authentication import wanted_user
from kubewright.server.registry.write import User


def headers(*pairs: tuple[str, str]) -> CIMultiDict[str]:
    return CIMultiDict([("Accept", "*/*"), ("If-Match", "x"), *pairs])


def test_none() -> None:
    assert wanted_user(headers()) is None
    assert wanted_user(headers(("Impersonate-User", ""))) is None
    assert wanted_user(headers(("X-Impersonate-User", "a"))) is None


def test_names_in_any_case() -> None:
    found = wanted_user(
        headers(("impersonate-USER", "a"), ("IMPERSONATE-group", "g"), ("iMPERSONATE-uid", "u"))
    )
    assert found == User(name="a", groups=("g",), uid="u")


def test_what_is_no_utf8_can_be_written_again() -> None:
    found = wanted_user(headers(("Impersonate-User", "a\udcff"), ("Impersonate-Extra-X", "é\udce9")))
    assert found == User(name="a\ufffd", extra={"x": ["é\ufffd"]})


@pytest.mark.parametrize("name", ["Group", "Uid", "Extra-A", "Extra-"])
def test_nobody_without_a_name(name: str) -> None:
    with pytest.raises(BadRequest, match="without impersonating a user name"):
        wanted_user(headers((f"Impersonate-{name}", "x")))


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), max_size=5))
def test_extras_are_all_there(pairs: list[tuple[str, str]]) -> None:
    found = wanted_user(
        headers(("Impersonate-User", "a"), *((f"Impersonate-Extra-{key}", value) for key, value in pairs))
    )
    assert found is not None
    assert sum(map(len, found.extra.values())) == len(pairs)
