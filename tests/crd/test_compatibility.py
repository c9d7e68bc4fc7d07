"""Every breaking change that is told breaks an object, and what is harmless is not told."""

from __future__ import annotations

import pytest

from tests.crd.compatibility_cases import BREAKING, Breaking
from tests.crd.harmless_cases import HARMLESS, Harmless
from tests.crd.schema_pairs import accepted
from tests.crd.stored_objects import changes_of, errors, keeps, read, written


@pytest.mark.parametrize("case", BREAKING, ids=lambda case: case.name)
def test_a_breaking_change_is_told_and_breaks_an_object(case: Breaking) -> None:
    [told] = changes_of(case.old, case.new)
    assert (told.version, told.path, told.kind) == ("v1", case.path, case.kind)
    assert case.message in told.message
    assert accepted(case.old)
    assert accepted(case.new)
    stored = written(case.spec, case.old)
    assert not errors(read(stored, case.old), case.old)
    seen = read(stored, case.new)
    if case.kind == "invalid":
        assert errors(seen, case.new)
    else:
        assert not keeps(seen, stored)


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case.name)
def test_a_harmless_change_is_not_told_and_breaks_nothing(case: Harmless) -> None:
    assert changes_of(case.old, case.new) == []
    assert accepted(case.old)
    assert accepted(case.new)
    stored = written(case.spec, case.old)
    assert not errors(read(stored, case.old), case.old)
    seen = read(stored, case.new)
    assert not errors(seen, case.new)
    assert keeps(seen, stored)
