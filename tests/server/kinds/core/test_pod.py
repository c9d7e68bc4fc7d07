"""What the recorded answers do not show of pods: deletion, selectors, leniency, and laws."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kubewright.machinery.names import is_dns1123_label, is_dns1123_subdomain, is_qualified_name
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds import Context, Kind, kind_of
from kubewright.server.kinds.core.container_image import is_latest_image
from kubewright.server.kinds.core.name_checks import (
    check_dns_label,
    check_dns_subdomain,
    check_qualified_name,
)
from kubewright.server.kinds.core.pod import POD, grace_period
from kubewright.server.kinds.core.pod_internal import diff_internal
from kubewright.server.kinds.core.pod_resources import compare_amounts, is_positive, qos_class
from kubewright.server.kinds.core.pod_semantics import same_spec
from kubewright.server.kinds.core.pod_template import (
    POD_TEMPLATE,
    default_pod_template,
    normalize_pod_template,
    pod_spec_warnings,
    validate_pod_template,
)
from kubewright.server.kinds.kind import Errors
from tests.server.kinds.cases.pod_objects import container, pod, template
from tests.server.kinds.harness import Json, cases

CONTEXT = Context(now=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
GROUPS = ("core_volumes", "core_containers", "core_pods", "core_pod_scheduling", "core_pod_security")
ALL = [case.obj for group in GROUPS for case in cases(group)]


def created(**spec: Any) -> Json:
    obj = pod(**spec)
    POD.default(obj)
    POD.prepare_create(obj, CONTEXT)
    return obj


def test_the_group_has_both_kinds() -> None:
    assert kind_of("", "pods") is POD
    assert kind_of("", "podtemplates") is POD_TEMPLATE


@pytest.mark.parametrize(
    ("spec", "phase", "requested", "seconds"),
    [
        ({"nodeName": "n", "terminationGracePeriodSeconds": 30}, "Running", None, 30),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 30}, "Running", 5, 5),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 30}, "Running", 0, 0),
        ({"nodeName": "n"}, "Running", None, 0),
        ({"nodeName": "n"}, "Running", -3, 1),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 30}, "Failed", None, 0),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 30}, "Succeeded", 7, 0),
        ({"terminationGracePeriodSeconds": 30}, "Pending", None, 0),
        ({"terminationGracePeriodSeconds": 30}, "Pending", -1, 0),
    ],
)
def test_grace_period(spec: Json, phase: str, requested: int | None, seconds: int) -> None:
    assert grace_period({"spec": spec, "status": {"phase": phase}}, requested) == seconds


def test_fields_that_selectors_may_name() -> None:
    assert POD.fields is not None
    obj = created(nodeName="n", hostNetwork=True, serviceAccount="robot")
    obj["status"] = {"phase": "Running", "podIPs": [{"ip": "1.2.3.4"}], "nominatedNodeName": "m"}
    assert POD.fields(obj) == {
        "spec.nodeName": "n",
        "spec.restartPolicy": "Always",
        "spec.schedulerName": "default-scheduler",
        "spec.serviceAccountName": "robot",
        "spec.hostNetwork": "true",
        "status.phase": "Running",
        "status.podIP": "1.2.3.4",
        "status.nominatedNodeName": "m",
    }
    assert set(POD.fields({}).values()) == {"", "false"}


def test_a_gated_pod_says_since_when() -> None:
    assert created(schedulingGates=[{"name": "a"}])["status"]["conditions"] == [
        {
            "type": "PodScheduled",
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": "2026-01-02T03:04:05Z",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }
    ]


def test_generation_counts_what_means_something_else() -> None:
    assert POD.generation is not None
    old = created(containers=[container(resources={"requests": {"cpu": "1"}})])
    same = created(containers=[container(resources={"requests": {"cpu": "1000m"}})])
    assert not POD.generation(same, old)
    assert POD.generation(created(containers=[container(resources={"requests": {"cpu": "2"}})]), old)
    assert same_spec({"a": []}, {})
    assert not same_spec({"a": {}}, {})


@pytest.mark.parametrize(
    "spec",
    [
        {
            "containers": [
                container(
                    resources={"limits": {"cpu": "1", "hugepages-2Mi": "3Mi"}, "requests": {"cpu": "1"}}
                )
            ]
        },
        {"hostNetwork": True, "securityContext": {"sysctls": [{"name": "net.x", "value": "1"}]}},
        {"securityContext": {"seLinuxChangePolicy": "MountOption"}},
        {"tolerations": [{"key": "a", "operator": "Gt", "value": "5"}]},
        {"hostUsers": False, "hostNetwork": True},
        {
            "initContainers": [
                container("i", resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}])
            ]
        },
        {
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "a", "operator": "In", "values": ["a b"]}]}
                        ]
                    }
                }
            }
        },
        {
            "serviceAccountName": "x",
            "volumes": [
                {"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "/x"}}]}},
            ],
        },
        {
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "z",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"a": "b c"}},
                }
            ]
        },
    ],
)
def test_what_is_stored_may_stay_although_a_new_pod_could_not_have_it(spec: Json) -> None:
    stored = template(**spec)
    POD_TEMPLATE.default(stored)
    assert POD_TEMPLATE.validate(stored), "a new one is refused"
    again = copy.deepcopy(stored)
    assert POD_TEMPLATE.validate_update(again, stored) == []
    harmless = template()
    POD_TEMPLATE.default(harmless)
    assert POD_TEMPLATE.validate_update(stored, harmless), "nor may it be introduced"


def test_fields_of_disabled_features_stay_only_where_they_are_stored() -> None:
    spec: Json = {
        "schedulingGroup": {"podGroupName": "x"},
        "containers": [container(lifecycle={"stopSignal": "SIGTERM"})],
        "volumes": [
            {"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"name": "x", "path": "p"}}]}}
        ],
    }
    with_all = {"spec": pod(**spec)["spec"]}
    default_pod_template(with_all)
    dropped, kept = copy.deepcopy(with_all), copy.deepcopy(with_all)
    normalize_pod_template(dropped, None)
    normalize_pod_template(kept, with_all)
    assert kept == with_all
    assert "schedulingGroup" not in dropped["spec"]
    assert "lifecycle" not in dropped["spec"]["containers"][0]
    assert dropped["spec"]["volumes"][0]["projected"]["sources"] == [{}]


def test_paths_of_templates_are_those_of_their_owners() -> None:
    obj = template({"labels": {"-": "b"}}, nodeSelector={"beta.kubernetes.io/os": "x"}, restartPolicy="X")
    inner = obj["template"]
    default_pod_template(inner)
    fields = [error.field for error in validate_pod_template(inner, "spec.template")]
    assert fields == ["spec.template.labels", "spec.template.spec.restartPolicy"]
    told = pod_spec_warnings(inner["spec"], inner["metadata"], "spec.template")
    assert [each.partition(":")[0] for each in told] == [
        "spec.template.spec.nodeSelector[beta.kubernetes.io/os]"
    ]


@pytest.mark.parametrize(
    ("image", "latest"),
    [
        ("nginx", True),
        ("nginx:latest", True),
        ("nginx:1.2", False),
        ("a.b:5000/nginx", True),
        ("a.b:5000/nginx:1", False),
        ("nginx@sha256:" + "a" * 64, False),
        ("nginx:latest@sha256:" + "a" * 64, True),
        ("Nginx", False),
        ("nginx:", False),
        ("", False),
        ("a//b", False),
        ("a" * 64, False),
        ("a" * 65, True),
        ("[::1]:80/x", True),
    ],
)
def test_latest_images(image: str, latest: bool) -> None:
    assert is_latest_image(image) is latest


def test_a_diff_of_very_long_specs_is_not_told() -> None:
    many = {"containers": [container(f"c{index}") for index in range(200)]}
    assert diff_internal("PodSpec", many, {**many, "hostname": "x"}) == ""


_NAMES = st.text(alphabet="aZ0-_./", max_size=70) | st.from_regex(
    r"[a-z0-9.-]{1,260}/[A-Za-z0-9._-]{1,70}", fullmatch=True
)


@example("a" * 254 + "/x")
@example("a" * 253 + "/x")
@example("a" * 64)
@example("a" * 63)
@given(_NAMES)
def test_the_quick_look_at_names_agrees_with_the_full_one(name: str) -> None:
    for check, messages in (
        (check_dns_label, is_dns1123_label),
        (check_dns_subdomain, is_dns1123_subdomain),
        (check_qualified_name, is_qualified_name),
    ):
        errors: Errors = []
        check(errors, name, "path")
        assert len(errors) == len(messages(name))


_AMOUNTS = st.sampled_from(
    [
        "0",
        "1",
        "1000m",
        "999m",
        "2",
        "100m",
        "1Gi",
        "1Mi",
        "1024Mi",
        "1e3",
        "1k",
        "-1",
        "1n",
        "999999999999999999",
    ]
)


@given(_AMOUNTS, _AMOUNTS)
def test_amounts_compare_as_quantities(one: str, other: str) -> None:
    order = compare_amounts(one, other)
    assert (order > 0) == (Quantity(one) > Quantity(other))
    assert (order == 0) == (Quantity(one) == Quantity(other))
    assert is_positive(one) == (Quantity(one) > 0)


_REQUIREMENTS = st.fixed_dictionaries(
    {},
    optional={
        which: st.dictionaries(st.sampled_from(["cpu", "memory", "storage"]), _AMOUNTS, max_size=2)
        for which in ("limits", "requests")
    },
)


@given(st.lists(_REQUIREMENTS, min_size=1, max_size=3))
def test_the_quality_of_service_is_that_of_the_sums(requirements: list[Json]) -> None:
    totals: dict[str, dict[str, Quantity]] = {"limits": {}, "requests": {}}
    limited = True
    for each in requirements:
        found = {
            which: {
                name: Quantity(text)
                for name, text in each.get(which, {}).items()
                if name in {"cpu", "memory"} and Quantity(text) > 0
            }
            for which in totals
        }
        limited = limited and len(found["limits"]) == 2
        for which, amounts in found.items():
            for name, amount in amounts.items():
                totals[which][name] = totals[which].get(name, Quantity(0)) + amount
    if not totals["limits"] and not totals["requests"]:
        expected = "BestEffort"
    else:
        expected = "Guaranteed" if limited and totals["limits"] == totals["requests"] else "Burstable"
    if any(
        Quantity(text) < 0
        or (which == "requests" and Quantity(text) > Quantity(each.get("limits", {}).get(name, text)))
        for each in requirements
        for which in totals
        for name, text in each.get(which, {}).items()
    ):
        # Such a pod is refused; its class does not matter.
        return
    assert qos_class({"containers": [{"resources": each} for each in requirements]}) == expected


def _of(obj: Json) -> Kind:
    return POD if obj["kind"] == "Pod" else POD_TEMPLATE


def test_defaults_are_filled_in_once() -> None:
    for obj in ALL:
        once = copy.deepcopy(obj)
        _of(obj).default(once)
        twice = copy.deepcopy(once)
        _of(obj).default(twice)
        assert twice == once


def _leaves(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in items:
        found.append((value, key))
        found += _leaves(member)
    return found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_whatever_a_client_sends_the_rules_do_not_raise(data: st.DataObject) -> None:
    obj = copy.deepcopy(data.draw(st.sampled_from(ALL)))
    old = copy.deepcopy(obj)
    body = obj["spec"] if obj["kind"] == "Pod" else obj["template"]
    for _ in range(data.draw(st.integers(1, 4))):
        places = _leaves(body)
        if not places:
            break
        owner, key = data.draw(st.sampled_from(places))
        value = owner[key]
        if isinstance(value, bool):
            owner[key] = not value
        elif isinstance(value, int):
            owner[key] = data.draw(st.integers(-(2**31), 2**31 - 1))
        elif isinstance(value, str):
            owner[key] = data.draw(
                st.text(max_size=20) | st.sampled_from(["", "x" * 1000, "..", "1Gi", "-1"])
            )
        elif data.draw(st.booleans()):
            del owner[key]
        elif value and isinstance(value, list):
            value.append(copy.deepcopy(value[0]))
    kind = _of(obj)
    for each in (obj, old):
        kind.default(each)
    kind.prepare_create(obj, CONTEXT)
    kind.prepare_create(old, CONTEXT)
    kind.validate(obj)
    kind.warnings(obj, None)
    kept = copy.deepcopy(old)
    for rules in kind.subresources.values():
        new = copy.deepcopy(obj)
        rules.prepare(new, old, CONTEXT)
        rules.validate(new, old)
        rules.warnings(new, old)
    kind.prepare_update(obj, old, CONTEXT)
    kind.validate_update(obj, old)
    assert old == kept
