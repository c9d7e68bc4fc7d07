"""What upstream makes of a role or binding of its own that somebody has changed: it adds and never takes
away, but for an aggregation that should not be there."""

from __future__ import annotations

from typing import Final

import msgspec

from kubewright.server.authorization.coverage import uncovered
from kubewright.server.authorization.policy_rules import read_rules
from kubewright.server.kinds.kind import Object

__all__ = ["reconciled"]

_AUTOUPDATE: Final = "rbac.authorization.kubernetes.io/autoupdate"


def reconciled(live: Object, wanted: Object) -> Object | None:
    """The object with all that it should have; None when nothing is missing, or when it is not to be touched.

    A binding to another role is to be made anew, as `wanted` is.
    """
    metadata = live["metadata"]
    if (metadata.get("annotations") or {}).get(_AUTOUPDATE) == "false":
        return None
    if live.get("roleRef") != wanted.get("roleRef"):
        return wanted
    obj = {**live, "metadata": {**metadata}}
    for name in ("annotations", "labels"):
        obj["metadata"][name] = {**wanted["metadata"][name], **(metadata.get(name) or {})}
    if "roleRef" in wanted:
        subjects = live.get("subjects") or []
        missing = [each for each in wanted.get("subjects", ()) if each not in subjects]
        if missing:
            obj["subjects"] = [*subjects, *missing]
    else:
        _add_rules(obj, wanted)
        _add_selectors(obj, wanted)
    return None if obj == live else obj


def _add_rules(obj: Object, wanted: Object) -> None:
    if wanted.get("aggregationRule"):
        # Its rules are those of others, which the aggregation brings.
        return
    kept = obj.get("rules") or ()
    missing = uncovered(read_rules(kept), read_rules(wanted["rules"]))
    if missing:
        obj["rules"] = [*kept, *msgspec.json.decode(msgspec.json.encode(missing))]


def _add_selectors(obj: Object, wanted: Object) -> None:
    if not wanted.get("aggregationRule"):
        obj.pop("aggregationRule", None)
        return
    selectors = (obj.get("aggregationRule") or {}).get("clusterRoleSelectors") or []
    missing = [each for each in wanted["aggregationRule"]["clusterRoleSelectors"] if each not in selectors]
    if missing:
        obj["aggregationRule"] = {"clusterRoleSelectors": [*selectors, *missing]}
