"""Versions by PEP 440, as the package `packaging` orders them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from kubewright.scaffold.versions import is_newer

numbers = st.integers(0, 3).map(str)
versions = st.builds(
    lambda release, pre, post, dev: ".".join(release) + pre + post + dev,
    st.lists(numbers, min_size=1, max_size=3),
    st.sampled_from(["", "", "a1", "b0", "rc2"]),
    st.sampled_from(["", "", ".post0", ".post2"]),
    st.sampled_from(["", "", ".dev0", ".dev3"]),
)


@given(one=versions, two=versions)
def test_versions_are_ordered(one: str, two: str) -> None:
    assert is_newer(one, two) == (Version(one) > Version(two))


@pytest.mark.parametrize("unknown", ["", "later", "1.0-final", "1" * 5000, "1.0\n"])
def test_a_version_that_cannot_be_read_is_newer(unknown: str) -> None:
    assert is_newer(unknown, "1.0")
