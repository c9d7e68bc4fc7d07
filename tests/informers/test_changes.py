"""What a change says, and which two changes can be one."""

from __future__ import annotations

import pytest

from kubewright.informers.changes import Change, then
from kubewright.models.core_v1 import ConfigMap
from tests.informers.objects import kept, state_of

S1, S2, S3 = kept("a", 1), kept("a", 2), kept("a", 3)


def change(old: ConfigMap | None, new: ConfigMap | None, **marks: bool) -> Change[ConfigMap]:
    return Change("default/a", old, new, **marks)


def told(made: Change[ConfigMap] | None) -> tuple[object, ...] | None:
    return (made.type, state_of(made._old), state_of(made._new)) if made is not None else None


def test_it_says_what_happened_to_which_state() -> None:
    added, modified, deleted = change(None, S1), change(S1, S2), change(S2, None)
    assert [each.type for each in (added, modified, deleted)] == ["ADDED", "MODIFIED", "DELETED"]
    assert added.old is None
    assert deleted.new is None
    assert added.object == added.new == modified.old == S1
    assert modified.object == modified.new == deleted.old == deleted.object == S2
    assert repr(modified) == "Change(MODIFIED default/a)"
    assert not any((added.initial, added.resync))
    assert change(None, S1, initial=True).initial
    assert change(S1, S1, resync=True).resync


def test_each_read_gives_an_object_of_ones_own() -> None:
    both = change(S1, S2)
    for read in ("old", "new", "object"):
        one = getattr(both, read)
        one.metadata.labels["mine"] = "yes"
        assert getattr(both, read) is not one
        assert getattr(both, read).metadata.labels == {}


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (change(None, S1), change(S1, S2), change(None, S2)),
        (change(S1, S2), change(S2, S3), change(S1, S3)),
        (change(S1, S2), change(S3, None), None),
        (change(S1, S1, resync=True), change(S1, S2), change(S1, S2)),
        (change(S1, S1, resync=True), change(S1, None), change(S1, None)),
        (change(None, S1), change(S1, None), None),
        (change(S1, None), change(None, S2), None),
    ],
    ids=[
        "add+update",
        "updates",
        "update+delete",
        "resync+update",
        "resync+delete",
        "add+delete",
        "recreate",
    ],
)
def test_two_are_one_unless_a_deletion_or_a_state_that_was_told_would_be_lost(
    first: Change[ConfigMap], second: Change[ConfigMap], wanted: Change[ConfigMap] | None
) -> None:
    assert told(then(first, second)) == told(wanted)


def test_what_was_there_first_stays_so_when_it_changes_before_it_is_told() -> None:
    both = then(change(None, S1, initial=True), change(S1, S2))
    assert both is not None
    assert both.initial
    resynced = then(change(S1, S1, resync=True), change(S1, S2))
    assert resynced is not None
    assert not resynced.resync, "something did happen"
