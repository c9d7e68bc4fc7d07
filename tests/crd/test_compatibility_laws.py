"""If no breaking change is told, objects stay valid and lose nothing; what is only wider is not told."""

from __future__ import annotations

import copy

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.crd.schema_pairs import Json, changed, fitting, schemas, widened
from tests.crd.stored_objects import changes_of, errors, keeps, read, written

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_without_a_breaking_change_objects_stay_valid_and_whole(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    stored = written(data.draw(fitting(old)), old)
    assume(not errors(read(stored, old), old))
    found = [change for change in changes_of(old, new) if change.kind != "updates"]
    event(f"told: {bool(found)}")
    if found:
        return
    for obj in (stored, read(stored, old)):
        seen = read(obj, new)
        assert errors(seen, new) == []
        assert keeps(seen, obj)


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW)
@given(schemas())
def test_the_same_schema_has_no_breaking_change(schema: Json) -> None:
    assert changes_of(schema, copy.deepcopy(schema)) == []


@settings(max_examples=200, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_a_wider_schema_has_no_breaking_change(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(widened(old))
    event(f"changed: {old != new}")
    assert changes_of(old, new) == []
