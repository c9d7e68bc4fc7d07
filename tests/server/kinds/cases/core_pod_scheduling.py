"""Cases of affinity, tolerations and topology spread."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.pod_objects import created, pod
from tests.server.kinds.harness import Case

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _node(*terms: dict[str, Any], preferred: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    affinity: dict[str, Any] = {_REQUIRED: {"nodeSelectorTerms": list(terms)}}
    if preferred is not None:
        affinity = {_PREFERRED: preferred}
    return {"affinity": {"nodeAffinity": affinity}}


def _expressions(*expressions: dict[str, Any]) -> dict[str, Any]:
    return {"matchExpressions": list(expressions)}


def _pods(kind: str, *terms: dict[str, Any], weight: int | None = None) -> dict[str, Any]:
    if weight is None:
        return {"affinity": {kind: {_REQUIRED: list(terms)}}}
    weighted = [{"weight": weight, "podAffinityTerm": term} for term in terms]
    return {"affinity": {kind: {_PREFERRED: weighted}}}


_SELECTOR = {"matchLabels": {"a": "b"}}
_ZONE = {"topologyKey": "zone", "labelSelector": _SELECTOR}

NODES = created(
    "node",
    good=_node(
        _expressions(
            {"key": "a", "operator": "In", "values": ["b"]},
            {"key": "a", "operator": "Exists"},
            {"key": "a", "operator": "Gt", "values": ["5"]},
        )
    ),
    no_terms=_node(),
    empty_term=_node({}),
    in_without_values=_node(_expressions({"key": "a", "operator": "In"})),
    exists_with_values=_node(_expressions({"key": "a", "operator": "Exists", "values": ["x"]})),
    greater_than_two=_node(_expressions({"key": "a", "operator": "Gt", "values": ["1", "2"]})),
    operator=_node(_expressions({"key": "a", "operator": "Near"})),
    key=_node(_expressions({"key": "a b", "operator": "Exists"}, {"key": "", "operator": "Exists"})),
    value=_node(_expressions({"key": "a", "operator": "In", "values": ["a b", "-"]})),
    fields=_node({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["x"]}]}),
    fields_bad=_node(
        {
            "matchFields": [
                {"key": "metadata.uid", "operator": "In", "values": ["x", "y"]},
                {"key": "metadata.name", "operator": "Exists"},
                {"key": "metadata.name", "operator": "NotIn", "values": ["_"]},
            ]
        }
    ),
    preferred=_node(
        preferred=[{"weight": 1, "preference": _expressions({"key": "a", "operator": "Exists"})}]
    ),
    preferred_weight=_node(
        preferred=[
            {"weight": 0, "preference": _expressions({"key": "a", "operator": "X"})},
            {"weight": 101, "preference": {}},
        ]
    ),
    preferred_value=_node(
        preferred=[
            {"weight": 1, "preference": _expressions({"key": "a", "operator": "In", "values": ["a b"]})}
        ]
    ),
)

PODS = created(
    "pods",
    affinity=_pods("podAffinity", _ZONE),
    anti_affinity=_pods("podAntiAffinity", {**_ZONE, "namespaces": ["x"]}, weight=5),
    no_key=_pods("podAffinity", {"topologyKey": "", "labelSelector": _SELECTOR}),
    bad_key=_pods("podAntiAffinity", {"topologyKey": "a b", "labelSelector": _SELECTOR}),
    bad_weight=_pods("podAffinity", _ZONE, weight=0),
    bad_selectors=_pods(
        "podAffinity",
        {
            "topologyKey": "zone",
            "labelSelector": {"matchLabels": {"-": "-"}},
            "namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]},
        },
        weight=1,
    ),
    bad_namespace=_pods("podAffinity", {**_ZONE, "namespaces": ["A"]}),
    no_selector=_pods("podAffinity", {"topologyKey": "zone"}),
    no_selector_weighted=_pods("podAntiAffinity", {"topologyKey": "zone"}, weight=1),
    keys_without_selector=_pods(
        "podAffinity", {"topologyKey": "zone", "matchLabelKeys": ["a"], "mismatchLabelKeys": ["b"]}
    ),
    keys_bad=_pods("podAffinity", {**_ZONE, "matchLabelKeys": ["a b"], "mismatchLabelKeys": ["-"]}),
    keys_both=_pods("podAffinity", {**_ZONE, "matchLabelKeys": ["x"], "mismatchLabelKeys": ["x"]}),
)
PODS += [
    Case(
        f"keys_{name}",
        pod({"labels": {"hash": "1", "tenant": "2"}}, **_pods(kind, term, weight=weight)),
    )
    for name, kind, term, weight in (
        ("merged", "podAffinity", {**_ZONE, "matchLabelKeys": ["hash", "other"]}, None),
        ("merged_mismatch", "podAntiAffinity", {**_ZONE, "mismatchLabelKeys": ["tenant"]}, 3),
        (
            "in_selector",
            "podAffinity",
            {
                "topologyKey": "zone",
                "labelSelector": {"matchLabels": {"hash": "9"}},
                "matchLabelKeys": ["hash"],
            },
            None,
        ),
        ("without_selector", "podAffinity", {"topologyKey": "zone"}, None),
    )
]

TOLERATIONS = [
    Case(f"toleration_{name}", pod(tolerations=[toleration]))
    for name, toleration in {
        "good": {"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"},
        "all": {"operator": "Exists"},
        "seconds": {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
        "no_operator": {"key": "a", "value": "b"},
        "key": {"key": "a b", "operator": "Exists"},
        "no_key": {"operator": "Equal", "value": "b"},
        "seconds_effect": {"key": "a", "operator": "Exists", "tolerationSeconds": 5},
        "value": {"key": "a", "value": "a b" * 30},
        "exists_value": {"key": "a", "operator": "Exists", "value": "b"},
        "less": {"key": "a", "operator": "Lt", "value": "5"},
        "operator": {"key": "a", "operator": "Near"},
        "effect": {"key": "a", "operator": "Exists", "effect": "Sleep"},
        "empty": {},
    }.items()
]


def _spread(**fields: Any) -> dict[str, Any]:
    made = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": _SELECTOR,
        **fields,
    }
    return {key: value for key, value in made.items() if value is not None}


SPREAD = [
    Case(
        f"spread_{name}",
        pod({"labels": {"hash": "1"}}, topologySpreadConstraints=constraints),
    )
    for name, constraints in {
        "good": [_spread(minDomains=2, nodeAffinityPolicy="Ignore", nodeTaintsPolicy="Honor")],
        "skew": [_spread(maxSkew=0)],
        "key": [_spread(topologyKey="")],
        "deprecated_key": [_spread(topologyKey="failure-domain.beta.kubernetes.io/zone")],
        "action": [_spread(whenUnsatisfiable="Cry")],
        "twice": [_spread(), _spread(), _spread(whenUnsatisfiable="ScheduleAnyway")],
        "domains": [_spread(minDomains=0)],
        "domains_anyway": [_spread(minDomains=1, whenUnsatisfiable="ScheduleAnyway")],
        "policies": [_spread(nodeAffinityPolicy="X", nodeTaintsPolicy="Y")],
        "no_selector": [_spread(labelSelector=None)],
        "selector": [_spread(labelSelector={"matchExpressions": [{"key": "a", "operator": "X"}]})],
        "keys": [_spread(matchLabelKeys=["hash", "other"])],
        "keys_without_selector": [_spread(matchLabelKeys=["a"], labelSelector=None)],
        "keys_in_selector": [_spread(matchLabelKeys=["hash"], labelSelector={"matchLabels": {"hash": "9"}})],
        "keys_in_expressions": [
            _spread(
                matchLabelKeys=["hash"],
                labelSelector={"matchExpressions": [{"key": "hash", "operator": "Exists"}]},
            )
        ],
        "keys_in_labels_other": [
            _spread(matchLabelKeys=["other"], labelSelector={"matchLabels": {"other": "9"}})
        ],
        "keys_bad": [_spread(matchLabelKeys=["a b"])],
    }.items()
]

DEPRECATED = created(
    "deprecated",
    node_selector={"nodeSelector": {"beta.kubernetes.io/os": "linux"}},
    node_affinity=_node(
        _expressions({"key": "node-role.kubernetes.io/master", "operator": "Exists"}),
    ),
    node_preference=_node(
        preferred=[
            {
                "weight": 1,
                "preference": _expressions({"key": "beta.kubernetes.io/arch", "operator": "Exists"}),
            }
        ]
    ),
)

CASES = [*NODES, *PODS, *TOLERATIONS, *SPREAD, *DEPRECATED]
