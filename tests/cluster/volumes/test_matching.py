"""Which volume is for which claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.cluster.volumes.matching import best_volume, is_bound_to, size_of, unsatisfied, wanted_by
from kubewright.models.core_v1 import PersistentVolume
from tests.cluster.volumes.objects import claim, volume

RWO, RWX = ("ReadWriteOnce",), ("ReadWriteMany",)


def chosen(wanted: Any, *volumes: PersistentVolume, delayed: bool = False) -> str:
    found = best_volume(wanted, volumes, delayed=delayed)
    return found.metadata.name if found is not None else ""


def test_the_smallest_that_is_large_enough() -> None:
    volumes = [volume("c", "5Gi"), volume("b", "2Gi"), volume("d", "2Gi"), volume("a", "999Mi")]
    assert chosen(claim(), *volumes) == "b"
    assert chosen(claim(size="3Gi"), *volumes) == "c"
    assert chosen(claim(size="6Gi"), *volumes) == ""


def test_fewer_access_modes_come_before_size() -> None:
    both, many = volume("both", "1Gi", modes=RWO + RWX), volume("many", "9Gi", modes=RWX)
    assert chosen(claim(modes=RWX), both, many, volume("once")) == "many"
    assert chosen(claim(modes=RWO + RWX), both, many) == "both"


@pytest.mark.parametrize(
    "unfit",
    [
        volume(phase="Released"),
        volume(phase="Pending"),
        volume(storageClassName="fast"),
        volume(volumeMode="Block"),
        volume(volumeAttributesClassName="gold"),
        volume(modes=RWX),
        volume(claimed_by="other"),
        volume(claimed_by="data/another-uid"),
    ],
)
def test_volumes_that_are_not_for_a_claim(unfit: PersistentVolume) -> None:
    assert chosen(claim(), unfit) == ""
    assert chosen(claim(), unfit, volume("fits", "2Gi")) == "fits"


def test_a_volume_that_is_deleted_is_not_for_anybody() -> None:
    deleted = volume(claimed_by="data")
    deleted.metadata.deletion_timestamp = deleted.metadata.creation_timestamp = _now()
    assert chosen(claim(), deleted) == ""


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def test_one_that_is_meant_for_a_claim_comes_first_whatever_its_class() -> None:
    meant = volume("meant", "9Gi", claimed_by="data", phase="Pending", storageClassName="other")
    assert chosen(claim(), volume("small"), meant) == "meant"
    assert chosen(claim(), volume("small"), volume("meant", "9Gi", claimed_by="data/uid-of-data")) == "meant"
    assert chosen(claim(size="10Gi"), meant) == ""


def test_a_claim_that_waits_for_a_consumer_gets_only_what_is_meant_for_it() -> None:
    assert chosen(claim(), volume("free"), delayed=True) == ""
    assert chosen(claim(), volume("free"), volume("meant", claimed_by="data"), delayed=True) == "meant"


def test_selectors() -> None:
    gold, iron = volume("gold", "2Gi", labels={"tier": "gold"}), volume("iron", labels={"tier": "iron"})
    assert chosen(claim(selector={"matchLabels": {"tier": "gold"}}), gold, iron) == "gold"
    expression = {"key": "tier", "operator": "NotIn", "values": ["iron", "gold"]}
    assert chosen(claim(selector={"matchExpressions": [expression]}), gold, iron) == ""


def test_an_older_annotation_is_the_class() -> None:
    annotations = {"volume.beta.kubernetes.io/storage-class": "slow"}
    assert chosen(claim(annotations=annotations, storageClassName="fast"), volume("fast")) == ""
    assert chosen(claim(annotations=annotations), volume("slow", storageClassName="slow")) == "slow"


@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        (volume(size="1Mi"), "requested PV is too small"),
        (volume(storageClassName="fast"), "storageClassName does not match"),
        (volume(volumeAttributesClassName="gold"), "volumeAttributesClassName does not match"),
        (volume(volumeMode="Block"), "incompatible volumeMode"),
        (volume(modes=RWX), "incompatible accessMode"),
        (volume(), ""),
    ],
)
def test_why_a_named_volume_is_not_for_a_claim(unfit: PersistentVolume, why: str) -> None:
    assert unsatisfied(unfit, claim()) == why
    assert wanted_by(claim(), unfit) == (not why)
    assert wanted_by(claim(volumeName="volume"), unfit)


SIZES = st.sampled_from(["1Mi", "1Gi", "1024Mi", "2Gi", "2G", "3Gi"])
MODES = st.lists(st.sampled_from([*RWO, *RWX, "ReadOnlyMany"]), min_size=1, unique=True).map(tuple)
VOLUMES = st.lists(
    st.builds(
        volume,
        name=st.uuids().map(str),
        size=SIZES,
        modes=MODES,
        phase=st.sampled_from(["Available", "Bound", "Released"]),
        claimed_by=st.sampled_from(["", "", "data", "data/uid-of-data", "data/other", "other"]),
    ),
    max_size=8,
)


@given(VOLUMES, SIZES, MODES)
def test_what_is_chosen_fits_and_does_not_depend_on_the_order(
    volumes: Sequence[PersistentVolume], size: str, modes: tuple[str, ...]
) -> None:
    wanted = claim(size=size, modes=modes)
    found = best_volume(wanted, volumes, delayed=False)
    assert chosen(wanted, *reversed(volumes)) == (found.metadata.name if found is not None else "")
    usable = [each for each in volumes if not unsatisfied(each, wanted)]
    usable = [
        each
        for each in usable
        if is_bound_to(each, wanted) or (each.spec.claim_ref is None and each.status.phase == "Available")
    ]
    assert (found is None) == (not usable)
    if found is not None:
        assert found in usable
        fewest = min(len(each.spec.access_modes) for each in usable)
        assert len(found.spec.access_modes) == fewest
        rivals = [each for each in usable if len(each.spec.access_modes) == fewest]
        if any(is_bound_to(each, wanted) for each in rivals):
            assert is_bound_to(found, wanted)
        else:
            assert size_of(found) == min(map(size_of, rivals))
