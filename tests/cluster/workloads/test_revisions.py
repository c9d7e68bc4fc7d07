"""Templates, their hashes, and the annotations of revisions."""

from __future__ import annotations

import pytest

from kubewright.cluster.workloads.revisions import (
    DESIRED_REPLICAS,
    HISTORY,
    REVISION,
    annotate_new,
    annotate_sizes,
    highest_revision,
    revision_of,
    size_annotation,
)
from kubewright.cluster.workloads.templates import (
    HASH_LABEL,
    replica_set_name,
    same_template,
    template_hash,
)
from kubewright.models.core_v1 import PodTemplateSpec
from tests.cluster.workloads.objects import deployment, replica_set, template


def test_templates_are_the_same_whatever_their_hash() -> None:
    plain = PodTemplateSpec.from_dict(template(app="web"))
    labelled = PodTemplateSpec.from_dict(template(app="web", **{HASH_LABEL: "abc"}))
    assert same_template(plain, labelled)
    assert labelled.metadata.labels[HASH_LABEL] == "abc"
    assert not same_template(plain, PodTemplateSpec.from_dict(template(app="other")))


def test_templates_are_compared_by_what_they_mean() -> None:
    one, other = template(), template()
    one["spec"]["containers"][0]["resources"] = {"limits": {"memory": "1Gi"}}
    other["spec"]["containers"][0]["resources"] = {"limits": {"memory": "1024Mi"}}
    other["metadata"]["creationTimestamp"] = None
    assert same_template(PodTemplateSpec.from_dict(one), PodTemplateSpec.from_dict(other))


def test_hashes_look_as_upstreams_do() -> None:
    spec = PodTemplateSpec.from_dict(template())
    hashed = template_hash(spec, None)
    assert hashed == template_hash(PodTemplateSpec.from_dict(template()), None)
    assert set(hashed) <= set("bcdfghjklmnpqrstvwxz2456789")
    assert 1 <= len(hashed) <= 10
    assert len({hashed, *(template_hash(spec, count) for count in range(5))}) == 6
    assert template_hash(PodTemplateSpec.from_dict(template(a="b")), None) != hashed


def test_a_hash_does_not_change_from_one_release_to_the_next() -> None:
    spec = PodTemplateSpec.from_dict({"metadata": {"labels": {"a": "b", "c": "d"}}})
    turned = PodTemplateSpec.from_dict({"metadata": {"labels": {"c": "d", "a": "b"}}})
    assert template_hash(spec, None) == template_hash(turned, None) == "7cc6d5845b"


def test_long_names_are_cut() -> None:
    assert replica_set_name("web", "abc") == "web-abc"
    name = replica_set_name("w" * 253, "abc")
    assert len(name) == 253
    assert name.endswith("w-abc")


def test_a_new_one_gets_the_annotations_of_its_deployment() -> None:
    owner = deployment()
    owner.metadata.annotations = {
        "kubernetes.io/change-cause": "first",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        REVISION: "7",
        DESIRED_REPLICAS: "9",
    }
    made = replica_set()
    assert annotate_new(owner, made, 1)
    assert made.metadata.annotations == {"kubernetes.io/change-cause": "first", REVISION: "1"}
    assert not annotate_new(owner, made, 1)
    assert annotate_sizes(made, 3, 4)
    assert not annotate_sizes(made, 3, 4)


def test_a_revision_that_is_rolled_back_to_becomes_history() -> None:
    rolled = replica_set(annotations={REVISION: "1"})
    assert annotate_new(deployment(), rolled, 3)
    assert rolled.metadata.annotations == {REVISION: "3", HISTORY: "1"}
    assert annotate_new(deployment(), rolled, 5)
    assert rolled.metadata.annotations == {REVISION: "5", HISTORY: "1,3"}
    # Never back.
    assert not annotate_new(deployment(), rolled, 4)


def test_the_history_has_an_end() -> None:
    long = ",".join(str(number) for number in range(1000, 1400))
    rolled = replica_set(annotations={REVISION: "1400", HISTORY: long})
    annotate_new(deployment(), rolled, 1500)
    history = rolled.metadata.annotations[HISTORY]
    assert len(history) <= 2000
    assert history.startswith("1001,")
    assert history.endswith(",1399,1400")


def test_what_is_no_revision_is_left_alone() -> None:
    odd = replica_set(annotations={REVISION: "odd"})
    assert not annotate_new(deployment(), odd, 3)
    assert odd.metadata.annotations == {REVISION: "odd"}
    assert revision_of(odd) is None
    assert highest_revision([odd, replica_set(annotations={REVISION: "4"}), replica_set()]) == 4


@pytest.mark.parametrize(
    ("said", "size"), [("3", 3), ("", None), ("-1", None), ("x", None), ("9" * 11, None)]
)
def test_sizes_are_read_from_annotations(said: str, size: int | None) -> None:
    assert size_annotation(replica_set(annotations={DESIRED_REPLICAS: said}), DESIRED_REPLICAS) == size
    assert size_annotation(replica_set(), DESIRED_REPLICAS) is None
