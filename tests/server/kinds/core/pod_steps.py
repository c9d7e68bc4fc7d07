"""Updates of pods that have been written to before, with the answers of a real kube-apiserver.

    python -m tests.server.kinds.core.pod_steps URL TOKEN

records the answers.
"""

from __future__ import annotations

import copy
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.server.kinds import Context, kind_of
from tests.server.kinds.cases.pod_objects import container, pod
from tests.server.kinds.harness import Json, _answer, _path, _send, _told

ANSWERS = Path(__file__).with_name("pod_steps_answers.json")
CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC))


class Steps(NamedTuple):
    """A pod that is created, then written by `earlier` writes, and at last by the one that is asked about."""

    name: str
    made: Json
    earlier: list[tuple[str, Json]]
    last: tuple[str, Json]


def _pod(spec: Json) -> Json:
    return pod(**spec)


def _state(name: str = "main", **state: Any) -> Json:
    return {
        "name": name,
        "ready": False,
        "restartCount": 0,
        "image": "",
        "imageID": "",
        "state": state,
        "lastState": {},
    }


def _ended(code: int) -> Json:
    return {"terminated": {"exitCode": code, "startedAt": None, "finishedAt": None}}


def _restarted(name: str, code: int, **spec: Any) -> Steps:
    """A container that has ended, of which a later status says that it does not."""
    ended = {"containerStatuses": [_state(**_ended(code))]}
    made = pod(**spec)
    return Steps(
        f"restarted_{name}",
        made,
        [("status", {**made, "status": ended})],
        ("status", {**made, "status": {"containerStatuses": [_state(waiting={})]}}),
    )


def _rules(action: str, operator: str, *codes: int) -> list[Json]:
    return [{"action": action, "exitCodes": {"operator": operator, "values": list(codes)}}]


def _init_restarted(name: str, **fields: Any) -> Steps:
    made = pod(restartPolicy="Never", initContainers=[container("first", **fields)])
    ended = {"initContainerStatuses": [_state("first", **_ended(0)), _state("gone", **_ended(0))]}
    running = {"initContainerStatuses": [_state("first"), _state("gone")]}
    return Steps(
        f"init_restarted_{name}",
        made,
        [("status", {**made, "status": ended})],
        ("status", {**made, "status": running}),
    )


RESTARTS = [
    _restarted("always", 1),
    _restarted("never", 1, restartPolicy="Never"),
    _restarted("on_failure", 1, restartPolicy="OnFailure"),
    _restarted("on_success", 0, restartPolicy="OnFailure"),
    _restarted("container_always", 0, restartPolicy="Never", containers=[container(restartPolicy="Always")]),
    _restarted("container_never", 1, containers=[container(restartPolicy="Never")]),
    _restarted(
        "by_rule",
        42,
        restartPolicy="Never",
        containers=[container(restartPolicy="Never", restartPolicyRules=_rules("Restart", "In", 42))],
    ),
    _restarted(
        "not_by_rule",
        41,
        restartPolicy="Never",
        containers=[container(restartPolicy="Never", restartPolicyRules=_rules("Restart", "In", 42))],
    ),
    _restarted(
        "by_negated_rule",
        41,
        restartPolicy="Never",
        containers=[container(restartPolicy="Never", restartPolicyRules=_rules("Restart", "NotIn", 42))],
    ),
    _restarted(
        "all_by_rule",
        0,
        restartPolicy="Never",
        containers=[
            container(restartPolicy="Never", restartPolicyRules=_rules("RestartAllContainers", "In", 42))
        ],
    ),
    _init_restarted("sidecar", restartPolicy="Always"),
    _init_restarted("other"),
    Steps(
        "ephemeral_restarted",
        pod(),
        [("status", pod(status={"ephemeralContainerStatuses": [_state("debug", **_ended(1))]}))],
        ("status", pod(status={"ephemeralContainerStatuses": [_state("debug")]})),
    ),
]

_READY: Json = {"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": None}
_OLD_STATUS = {
    "phase": "Running",
    "observedGeneration": 3,
    "podIP": "1.2.3.4",
    "podIPs": [{"ip": "1.2.3.4"}],
    "nominatedNodeName": "node",
    "conditions": [
        {**_READY, "observedGeneration": 1},
        {**_READY, "observedGeneration": 2},
        {**_READY, "type": "Other"},
    ],
}
_LATER: dict[str, Json] = {
    "generation_kept": {"conditions": [_READY, {**_READY, "observedGeneration": 9}, _READY]},
    "generation_of_new_type": {"conditions": [{**_READY, "type": "New"}, {**_READY, "type": "Other"}]},
    "nominated_kept": {"nominatedNodeName": "node"},
    "nominated_removed": {},
    "emptied": {"phase": "Failed"},
}
STATUS = [
    Steps(f"status_{name}", pod(), [("status", pod(status=_OLD_STATUS))], ("status", pod(status=status)))
    for name, status in _LATER.items()
]
STATUS.append(
    Steps(
        "update_keeps_status",
        pod(),
        [("status", pod(status=_OLD_STATUS))],
        ("", pod({"labels": {"a": "b"}}, status={"phase": "Failed"})),
    )
)

_DEBUG = container("debug", image="x:1")
EPHEMERAL = [
    Steps(
        f"debug_{name}",
        pod(),
        [("ephemeralcontainers", pod(ephemeralContainers=[_DEBUG]))],
        ("ephemeralcontainers", pod(ephemeralContainers=containers)),
    )
    for name, containers in {
        "same": [_DEBUG],
        "more": [_DEBUG, container("more")],
        "before": [container("more"), _DEBUG],
        "removed": None,
        "replaced": [container("other")],
        "changed": [{**_DEBUG, "image": "x:2", "tty": True}],
    }.items()
]
EPHEMERAL += [
    Steps(
        f"update_with_debug_{name}",
        pod(),
        [("ephemeralcontainers", pod(ephemeralContainers=[_DEBUG]))],
        ("", _pod(spec)),
    )
    for name, spec in {
        "kept": {"ephemeralContainers": [_DEBUG]},
        "removed": {},
        "changed": {"ephemeralContainers": [{**_DEBUG, "image": "y:1"}]},
    }.items()
]


def _sized(cpu: str) -> Json:
    return container(resources={"requests": {"cpu": cpu}})


_RUNNING = _state(running={"startedAt": None})
RESIZE = [
    Steps(
        f"resize_{name}",
        pod(containers=[_sized("1")]),
        [("status", pod(containers=[_sized("1")], status={"containerStatuses": [status]}))],
        ("resize", pod(containers=[_sized("2")])),
    )
    for name, status in {
        "on_old_node": _RUNNING,
        "on_new_node": {**_RUNNING, "resources": {}},
        "before_it_runs": _state(),
    }.items()
]

_GATES: Json = {"schedulingGates": [{"name": "a"}, {"name": "b"}]}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _node(*expressions: Json) -> Json:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}}}


_IN: Json = {"key": "a", "operator": "In", "values": ["x"]}
GATED = [
    Steps(f"gated_{name}", pod(**old), [], ("", pod(**new)))
    for name, old, new in (
        ("same", _GATES, _GATES),
        ("gate_removed", _GATES, {"schedulingGates": [{"name": "b"}]}),
        ("gates_removed", _GATES, {}),
        ("selector", _GATES, {**_GATES, "nodeSelector": {"a": "b"}}),
        ("affinity", _GATES, {**_GATES, "affinity": _node(_IN)}),
        (
            "affinity_more",
            {**_GATES, "affinity": _node(_IN)},
            {**_GATES, "affinity": _node(_IN, {"key": "b", "operator": "Exists"})},
        ),
        ("image", _GATES, {**_GATES, "containers": [container(image="x:9")]}),
    )
]

CASES = [*RESTARTS, *STATUS, *EPHEMERAL, *RESIZE, *GATED]


def embedded_answer(steps: Steps) -> Json:
    """What the rules make of the last write, in the form of the recorded answers."""
    kind = kind_of("", "pods")
    obj = copy.deepcopy(steps.made)
    kind.default(obj)
    kind.prepare_create(obj, CONTEXT)
    assert kind.validate(obj) == []
    for subresource, write in steps.earlier:
        old, obj = obj, copy.deepcopy(write)
        assert _written(subresource, obj, old) == []
    old, obj = obj, copy.deepcopy(steps.last[1])
    kept = copy.deepcopy(old)
    errors = _written(steps.last[0], obj, old)
    assert old == kept
    rules = kind.subresources[steps.last[0]] if steps.last[0] else kind
    return _timeless(_answer(obj, errors, rules.warnings(obj, old)))


def _written(subresource: str, obj: Json, old: Json) -> list[Any]:
    kind = kind_of("", "pods")
    kind.default(obj)
    if not subresource:
        kind.prepare_update(obj, old, CONTEXT)
        return kind.validate_update(obj, old)
    rules = kind.subresources[subresource]
    rules.prepare(obj, old, CONTEXT)
    return rules.validate(obj, old)


def _timeless(answer: Json) -> Json:
    """Without the time at which the server noticed the scheduling gates."""
    for condition in answer.get("object", {}).get("status", {}).get("conditions", []):
        if condition.get("reason") == "SchedulingGated":
            del condition["lastTransitionTime"]
    return answer


def real_answer(steps: Steps, server: str, token: str) -> Json:
    """What a real server says to the last write."""
    path = _path(steps.made, server)
    name = steps.made["metadata"]["name"]
    _send("DELETE", f"{path}/{name}?gracePeriodSeconds=0", token)
    code, _, _ = _send("POST", path, token, steps.made)
    assert code == 201, steps.name
    try:
        for subresource, write in steps.earlier:
            code, body, _ = _send("PUT", f"{path}/{name}/{subresource}".rstrip("/"), token, write)
            assert code == 200, (steps.name, body)
        subresource, write = steps.last
        return _timeless(
            _told(_send("PUT", f"{path}/{name}/{subresource}".rstrip("/") + "?dryRun=All", token, write))
        )
    finally:
        _send("DELETE", f"{path}/{name}?gracePeriodSeconds=0", token)


if __name__ == "__main__":
    found = {steps.name: real_answer(steps, *sys.argv[1:3]) for steps in CASES}
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
