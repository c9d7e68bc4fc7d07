"""The wire form of ownership."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from kubewright.machinery.apply import (
    ANCIENT_CHANGES,
    FieldSet,
    Manager,
    ManagerKey,
    decode_managed_fields,
    encode_managed_fields,
    keep_timestamps,
    make_path,
)
from kubewright.machinery.apply.managed_fields import cap_update_managers, is_reset
from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import format_time

FIELDS = FieldSet([make_path("spec", "a")])


def entry(**changes: Any) -> dict[str, Any]:
    made = {
        "manager": "m",
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2020-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:a": {}}},
        **changes,
    }
    return {name: value for name, value in made.items() if value is not None}


def test_entries_come_back_as_they_were() -> None:
    entries = [
        entry(operation="Apply", manager="z"),
        entry(time=None),
        entry(manager="a", subresource="status"),
        entry(manager="b", time="2021-01-01T00:00:00Z"),
    ]
    assert encode_managed_fields(decode_managed_fields(entries).values()) == entries


def test_entries_are_sorted_by_operation_time_and_name() -> None:
    managers = [
        Manager("b", "Update", "v1", FIELDS, time="2020-01-02T00:00:00Z"),
        Manager("a", "Update", "v1", FIELDS, time="2020-01-02T00:00:00Z"),
        Manager("c", "Update", "v1", FIELDS, time="2020-01-01T00:00:00Z"),
        Manager("d", "Update", "v1", FIELDS),
        Manager("e", "Apply", "v1", FIELDS, time="2030-01-01T00:00:00Z"),
    ]
    assert [entry["manager"] for entry in encode_managed_fields(managers)] == ["e", "d", "c", "a", "b"]


def test_an_applier_has_one_entry_whatever_its_version() -> None:
    managers = decode_managed_fields(
        [entry(operation="Apply"), entry(operation="Apply", apiVersion="v2"), entry(), entry(apiVersion="v2")]
    )
    assert [(key.operation, manager.api_version) for key, manager in managers.items()] == [
        ("Apply", "v2"),
        ("Update", "v1"),
        ("Update", "v2"),
    ]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00Z"),
        ("2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00Z"),
        (None, ""),
    ],
)
def test_times_are_brought_to_the_form_of_the_wire(sent: str | None, read: str) -> None:
    (manager,) = decode_managed_fields([entry(time=sent)]).values()
    assert manager.time == read


def test_times_are_written_in_utc() -> None:
    zone = timezone(timedelta(hours=2))
    assert format_time(datetime(2020, 1, 1, 1, 2, 3, 4, tzinfo=zone)) == "2019-12-31T23:02:03Z"
    assert format_time(datetime(20, 1, 1, tzinfo=UTC)) == "0020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ({}, "metadata.managedFields is {}, it must be a list"),
        ([5], "metadata.managedFields[0] is 5"),
        ([entry(), entry(operation="Patch")], '[1].operation is \'Patch\', it must be "Apply" or "Update"'),
        ([entry(apiVersion="")], "[0].apiVersion must not be empty"),
        ([entry(apiVersion=1)], "[0].apiVersion is 1"),
        ([entry(fieldsType=None)], "[0].fieldsType is None"),
        ([entry(fieldsType="FieldsV2")], "[0].fieldsType is 'FieldsV2'"),
        ([entry(fieldsV1={"spec": {}})], "[0].fieldsV1: field path element 'spec'"),
        ([entry(time="yesterday")], "[0].time is 'yesterday'"),
        ([entry(time="2020-01-01T00:00:00")], "[0].time is"),
        ([entry(time="2020-13-01T00:00:00Z")], "[0].time is"),
        ([entry(manager=[])], "[0].manager is []"),
    ],
)
def test_bad_entries_are_named(entries: object, complaint: str) -> None:
    with pytest.raises(ParseError) as refusal:
        decode_managed_fields(entries)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("entries", "reset"),
    [
        ([], True),
        ([{}], True),
        ([{"time": None}], True),
        (None, False),
        ([entry()], False),
        ([{}, {}], False),
    ],
)
def test_what_resets(entries: object, reset: bool) -> None:
    assert is_reset(entries) is reset


def test_the_oldest_updaters_are_merged_per_version() -> None:
    made = [
        Manager(
            f"m{day}",
            "Update",
            f"v{day % 2}",
            FieldSet([make_path(f"f{day}")]),
            time=f"2020-01-0{day}T00:00:00Z",
        )
        for day in range(1, 7)
    ]
    made.append(Manager("applier", "Apply", "v1", FIELDS, time="2019-01-01T00:00:00Z"))
    capped = cap_update_managers({manager.key: manager for manager in made}, 4)
    assert sorted((key.name, key.api_version) for key in capped) == [
        (ANCIENT_CHANGES, "v0"),
        (ANCIENT_CHANGES, "v1"),
        ("applier", ""),
        ("m5", "v1"),
        ("m6", "v0"),
    ]
    bucket = capped[ManagerKey(ANCIENT_CHANGES, "Update", "v1", "")]
    assert bucket.fields.to_json() == {"f:f1": {}, "f:f3": {}}
    assert bucket.time == "2020-01-03T00:00:00Z"


def test_labels_say_what_conflicts_say() -> None:
    assert ManagerKey("k", "Apply", "", "").label() == '"k"'
    assert ManagerKey("k", "Update", "apps/v1", "").label() == '"k" using apps/v1'
    assert ManagerKey("k", "Update", "v1", "status").label() == '"k" with subresource "status" using v1'


def stored(*entries: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"metadata": {"managedFields": list(entries)}, **fields}


def test_times_alone_are_no_change() -> None:
    old, new = stored(entry(), spec=1), stored(entry(time="2029-01-01T00:00:00Z"), spec=1)
    assert keep_timestamps(old, new) == old
    assert keep_timestamps(old, {**new, "spec": 2})["metadata"] == new["metadata"]
    other = stored(entry(time="2029-01-01T00:00:00Z", manager="x"), spec=1)
    assert keep_timestamps(old, other) is other
    more = stored(entry(time="2029-01-01T00:00:00Z"), entry(manager="x"), spec=1)
    assert keep_timestamps(old, more) is more
