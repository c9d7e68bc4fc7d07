"""AdmissionRequests without what differs from run to run, to be compared whole."""

from __future__ import annotations

from typing import Any

__all__ = ["expected", "request_of"]

_VARYING = {
    "uid": "uid",
    "resourceVersion": "revision",
    "creationTimestamp": "time",
    "deletionTimestamp": "time",
}


def request_of(request: dict[str, Any]) -> dict[str, Any]:
    """A request that a webhook got, with fixed uids, times and revisions, and without managed fields."""
    user = dict(request["userInfo"])
    assert user.pop("username") == "admin"
    assert "system:masters" in user.pop("groups")
    user.pop("uid", None)
    assert user == {}
    made = {name: value for name, value in request.items() if name not in {"uid", "userInfo"}}
    for name in ("object", "oldObject"):
        if made[name] is not None and "metadata" in made[name]:
            metadata = {
                key: _VARYING.get(key, value)
                for key, value in made[name]["metadata"].items()
                if key != "managedFields"
            }
            made[name] = {**made[name], "metadata": metadata}
    options = made.get("options") or {}
    if "uid" in options.get("preconditions", {}):
        options["preconditions"]["uid"] = "uid"
    return made


def expected(
    operation: str,
    resource: str,
    kind: str,
    *,
    namespace: str,
    name: str = "",
    obj: Any = None,
    old: Any = None,
    options: dict[str, Any] | None = None,
    dry_run: bool = False,
) -> dict[str, Any]:
    """The request about a resource such as `v1/pods/binding`, of a kind such as `v1/Binding`."""
    group_version, _, rest = resource.partition(":")
    plural, _, subresource = rest.partition("/")
    resources = {**_group_version(group_version), "resource": plural}
    kinds = {**_group_version(kind.rpartition("/")[0]), "kind": kind.rpartition("/")[2]}
    options_kind = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}.get(
        operation
    )
    made: dict[str, Any] = {
        "kind": kinds,
        "resource": resources,
        "requestKind": kinds,
        "requestResource": resources,
        "namespace": namespace,
        "operation": operation,
        "object": obj,
        "oldObject": old,
        "dryRun": dry_run,
        "options": None
        if options_kind is None
        else {"kind": options_kind, "apiVersion": "meta.k8s.io/v1", **(options or {})},
    }
    if subresource:
        made |= {"subResource": subresource, "requestSubResource": subresource}
    if name:
        made["name"] = name
    return made


def _group_version(text: str) -> dict[str, str]:
    group, _, version = text.rpartition("/")
    return {"group": group, "version": version}
