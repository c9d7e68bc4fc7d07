"""Sequences of steps, each made of a seed and of nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from tests.conformance.fuzz.core_kinds import CORE
from tests.conformance.fuzz.custom_kinds import CUSTOM
from tests.conformance.fuzz.group_kinds import GROUPS
from tests.conformance.fuzz.kinds import METADATA, METADATA_REFUSED, Fields, Kind
from tests.conformance.fuzz.paths import REMOVED, Edit, edited, nested
from tests.conformance.fuzz.steps import Changed, Operations, Step

__all__ = ["FAMILIES", "sequence"]

_BY_RESOURCE: dict[str, list[Kind]] = {}
for _kind in (*CORE, *GROUPS, *CUSTOM):
    _BY_RESOURCE.setdefault(_kind.resource, []).append(_kind)
FAMILIES = _BY_RESOURCE
"""The versions of each resource: they share what is stored."""

MERGE, STRATEGIC, JSON_PATCH, APPLY = (
    f"application/{kind}"
    for kind in ("merge-patch+json", "strategic-merge-patch+json", "json-patch+json", "apply-patch+yaml")
)
JSON = "application/json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

_NAMES = ("a", "a", "a", "b", "c")
_REFUSED = 0.06
"""How many changes are to be refused: most requests have two, and most should succeed."""


def sequence(seed: int, length: int) -> list[Step]:
    """The steps of a seed; the last ones list all that the others have left."""
    made = _Sequence(random.Random(seed))  # noqa: S311 (repeatable on purpose)
    steps = [made.step() for _ in range(length)]
    return steps + [Step("GET", kind) for kind in made.kinds]


class _Sequence:
    """The choices of one sequence."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        chosen = rng.sample(sorted(FAMILIES), k=rng.choice((1, 1, 2)))
        self.kinds = [kind for resource in chosen for kind in FAMILIES[resource]]
        self.names = list(_NAMES)
        # Some managers are the same in both ways of writing, which upstream tells apart.
        self.managers = ("alice", "bob", "carol")
        self.weights: list[tuple[int, Callable[[Kind], Step]]] = [
            (14, self.create),
            (12, self.update),
            (7, self.merge),
            (7, self.strategic),
            (8, self.operations),
            (16, self.apply),
            (10, self.status),
            (5, self.scale),
            (8, self.delete),
            (1, self.delete_all),
            (6, self.get),
            (7, self.list),
        ]
        self.begun = False
        # See "scale ownership" in docs/server-differences.md.
        self.scales = self.maybe(0.3) and any(kind.scaled for kind in self.kinds)

    def step(self) -> Step:
        """The next step."""
        kind = self.rng.choice(self.kinds)
        if not self.begun:
            self.begun = True
            return self.rng.choice((self.create, self.apply))(kind)
        (make,) = self.rng.choices(
            [make for _, make in self.weights], weights=[weight for weight, _ in self.weights]
        )
        return make(kind)

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def name(self) -> str:
        return self.rng.choice(self.names)

    # Changes

    def edits(self, kind: Kind, fields: Fields, *, most: int = 3) -> tuple[Edit, ...]:
        made = []
        for _ in range(self.rng.randint(1, most)):
            refused = self.maybe(_REFUSED)
            common = self.maybe(0.25)
            if refused:
                values = METADATA_REFUSED if common else (kind.refused or METADATA_REFUSED)
            else:
                values = METADATA if common else fields
            made.append(self.edit(values))
        return tuple(made)

    def edit(self, fields: Fields) -> Edit:
        path = self.rng.choice(list(fields))
        value = REMOVED if self.maybe(0.15) else self.rng.choice(fields[path])
        operation = self.rng.choice(("add",) * 6 + ("replace",) * 4 + ("test", "copy", "move"))
        if operation == "test" and any(each in json.dumps(value) for each in ("\\", "<", ">", "&", ".0")):
            # Upstream compares the texts of the values: see "patch tests" in docs/server-differences.md.
            operation = "add"
        return Edit(path, value, operation)

    def query(self, **more: str) -> dict[str, str]:
        made = dict(more)
        if self.maybe(0.6):
            made.setdefault("fieldManager", self.rng.choice(self.managers))
        if self.maybe(0.3):
            made["fieldValidation"] = self.rng.choice(("Strict", "Strict", "Warn", "Ignore"))
        if self.maybe(0.07):
            made["dryRun"] = "All"
        return made

    # Writes

    def whole(self, kind: Kind, name: str) -> dict[str, Any]:
        base = {**kind.head(name), **kind.base}
        return edited(base, self.edits(kind, kind.fields, most=4)) if self.maybe(0.8) else edited(base, ())

    def create(self, kind: Kind) -> Step:
        name = self.name()
        body = self.whole(kind, "$name" if name.endswith("*") else name)
        if self.maybe(0.1):
            start = f"gen{len(self.names)}-"
            self.names.append(f"{start}*")
            if isinstance(body.get("metadata"), dict):
                body["metadata"].pop("name", None)
                body["metadata"]["generateName"] = start
        return Step("POST", kind, query=self.query(), content_type=JSON, body=body)

    def update(self, kind: Kind) -> Step:
        name = self.name()
        body: Any
        if self.maybe(0.2):
            body = self.whole(kind, "$name")
        else:
            body = Changed(self.edits(kind, kind.fields), {**kind.head("$name"), **kind.base})
        return Step("PUT", kind, name, query=self.query(), content_type=JSON, body=body)

    def merge(self, kind: Kind) -> Step:
        body: Any = nested(self.edits(kind, kind.fields), directives=False)
        if self.maybe(0.03):
            body = self.rng.choice(("x", 5, [], [1], {"metadata": None}, {"metadata": []}))
        return self.patch(kind, MERGE, body)

    def strategic(self, kind: Kind) -> Step:
        body: Any = nested(self.edits(kind, kind.fields), directives=True)
        if self.maybe(0.1):
            body.update(
                self.rng.choice(
                    (
                        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/f"]}},
                        {"metadata": {"labels": {"$patch": "replace", "only": "this"}}},
                        {"metadata": {"annotations": {"$patch": "delete"}}},
                        {"metadata": {"finalizers": ["example.com/h"]}},
                        {"metadata": {"$setElementOrder/finalizers": ["example.com/g", "example.com/f"]}},
                        {"spec": {"$patch": "replace"}},
                        {"spec": {"$retainKeys": ["replicas"]}},
                        {"$patch": "nonsense"},
                    )
                )
            )
        return self.patch(kind, STRATEGIC, body)

    def operations(self, kind: Kind) -> Step:
        body: Any = Operations(self.edits(kind, kind.fields))
        if self.maybe(0.05):
            body = self.rng.choice(
                (
                    [],
                    {},
                    [1],
                    [{"op": "test", "path": "/metadata/name", "value": "a"}],
                    [{"op": "remove", "path": "/metadata/labels/none"}],
                    [{"op": "replace", "path": "/nothing/here", "value": 1}],
                    [{"op": "jump", "path": "/metadata"}],
                    [{"op": "add", "path": "metadata", "value": 1}],
                    [{"op": "replace", "path": "", "value": {}}],
                )
            )
        return self.patch(kind, JSON_PATCH, body)

    def patch(self, kind: Kind, content_type: str, body: Any) -> Step:
        query = self.query(force="true") if self.maybe(0.02) else self.query()
        return Step("PATCH", kind, self.name(), query=query, content_type=content_type, body=body)

    def apply(self, kind: Kind) -> Step:
        if self.scales or not kind.applied:
            return self.create(kind)
        edits = tuple(
            each
            for each in self.edits(kind, kind.fields, most=4)
            if each.value != REMOVED or self.maybe(0.05)
        )
        start: dict[str, Any] = kind.head("$name")
        if self.maybe(0.6):
            start = {**start, **kind.base}
        query = self.query(force="true") if self.maybe(0.4) else self.query()
        if self.maybe(0.98):
            query["fieldManager"] = self.rng.choice(self.managers)
        body = edited(start, edits)
        if self.maybe(0.03):
            body["metadata"]["resourceVersion"] = self.rng.choice(("$revision", "1"))
        if self.maybe(0.03):
            body["metadata"]["uid"] = "$uid"
        return Step("PATCH", kind, self.name(), query=query, content_type=APPLY, body=body)

    def status(self, kind: Kind) -> Step:
        if not kind.status:
            return self.update(kind)
        name = self.name()
        edits = self.edits(kind, kind.status)
        head = kind.head("$name")
        content_type = self.rng.choice(
            (JSON, MERGE, STRATEGIC, JSON_PATCH, APPLY)[: 4 if self.scales or not kind.applied else 5]
        )
        if content_type == JSON:
            body: Any = Changed(edits, {**head, **kind.base})
        elif content_type == JSON_PATCH:
            body = Operations((Edit("status", {}), *edits) if self.maybe(0.5) else edits)
        elif content_type == APPLY:
            body = edited(head, tuple(each for each in edits if each.value != REMOVED))
        else:
            body = nested(edits, directives=content_type == STRATEGIC)
        query = self.query(force="true") if content_type == APPLY and self.maybe(0.5) else self.query()
        if content_type == APPLY:
            query.setdefault("fieldManager", "alice")
        method = "PUT" if content_type == JSON else "PATCH"
        return Step(method, kind, name, "status", query, content_type, body=body)

    def scale(self, kind: Kind) -> Step:
        if not kind.scaled:
            return self.get(kind)
        replicas = self.rng.choice((0, 1, 2, 5, 5, -1, "x", None))
        name = self.name()
        spec = {"spec": {"replicas": replicas}}
        whole = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "$name"}, **spec}
        # See "scales of custom resources" in docs/server-differences.md.
        choice = self.rng.choice(("GET", JSON, MERGE, JSON_PATCH, "GET" if kind.custom else APPLY))
        if choice == "GET" or not self.scales:
            return Step("GET", kind, name, "scale")
        if choice == JSON:
            if self.maybe(0.3):
                whole["metadata"] = {"name": "$name", "resourceVersion": self.rng.choice(("$revision", "1"))}
            body: Any = Changed((Edit("spec.replicas", replicas),), whole) if self.maybe(0.6) else whole
            return Step("PUT", kind, name, "scale", self.query(), JSON, body=body)
        if choice == APPLY:
            # Who owns the number may differ, so that without force a conflict may: "scale ownership".
            query = {**self.query(force="true"), "fieldManager": self.rng.choice(self.managers)}
            whole["spec"] = {"replicas": 3 if replicas is None else replicas}
            return Step("PATCH", kind, name, "scale", query, APPLY, body=whole)
        bodies: dict[str, Any] = {
            MERGE: spec,
            JSON_PATCH: [{"op": "replace", "path": "/spec/replicas", "value": replicas}],
        }
        return Step("PATCH", kind, name, "scale", self.query(), choice, body=bodies[choice])

    # Deletes

    def delete_options(self) -> tuple[dict[str, str], dict[str, Any] | None]:
        query: dict[str, str] = {}
        body: dict[str, Any] = {}
        for name, values in (
            ("propagationPolicy", ("Background", "Foreground", "Orphan", "Orphan", "Never")),
            ("gracePeriodSeconds", (0, 0, 1, 30, -1)),
            ("orphanDependents", (True, False)),
        ):
            if self.maybe(0.25):
                value = self.rng.choice(values)
                if self.maybe(0.3):
                    query[name] = str(value).lower() if isinstance(value, bool) else str(value)
                else:
                    body[name] = value
        if self.maybe(0.2):
            body["preconditions"] = self.rng.choice(
                (
                    {"uid": "$uid"},
                    {"uid": "wrong"},
                    {"resourceVersion": "$revision"},
                    {"resourceVersion": "1"},
                    {"uid": "$uid", "resourceVersion": "$revision"},
                    {},
                )
            )
        if self.maybe(0.08):
            query["dryRun"] = "All"
        if not body and self.maybe(0.6):
            return query, None
        head = {"apiVersion": "v1", "kind": "DeleteOptions"} if self.maybe(0.7) else {}
        return query, {**head, **body}

    def delete(self, kind: Kind) -> Step:
        query, body = self.delete_options()
        return Step(
            "DELETE", kind, self.name(), query=query, content_type=JSON if body is not None else "", body=body
        )

    def delete_all(self, kind: Kind) -> Step:
        query, body = self.delete_options()
        if body is not None:
            body.pop("preconditions", None)
        if self.maybe(0.5):
            query["labelSelector"] = self.rng.choice(("app=x", "app", "!app"))
        return Step("DELETE", kind, query=query, content_type=JSON if body is not None else "", body=body)

    # Reads

    def get(self, kind: Kind) -> Step:
        accept, query = self.form(PARTIAL)
        return Step("GET", kind, self.name(), query=query, accept=accept)

    def form(self, partial: str) -> tuple[str, dict[str, str]]:
        accept = self.rng.choice((JSON, JSON, TABLE, partial))
        if accept == TABLE and self.maybe(0.6):
            return accept, {"includeObject": self.rng.choice(("None", "Metadata", "Object", "All"))}
        return accept, {}

    def list(self, kind: Kind) -> Step:
        accept, query = self.form(PARTIAL_LIST)
        if self.maybe(0.4):
            query["limit"] = self.rng.choice(("1", "1", "2", "0"))
            if self.maybe(0.5):
                query["continue"] = "$continue"
        if self.maybe(0.25):
            query["labelSelector"] = self.rng.choice(_LABELS)
        if self.maybe(0.25):
            query["fieldSelector"] = self.rng.choice((*kind.selectable, *_FIELDS))
        return Step("GET", kind, query=query, accept=accept)


_LABELS: Sequence[str] = (
    "app=x",
    "app!=x",
    "app in (x, y)",
    "app notin (x),example.com/tier",
    "!app",
    "app=x,example.com/tier=front",
    "app==y",
    "a=b=c",
    "app in x",
)
_FIELDS: Sequence[str] = (
    "metadata.name=a",
    "metadata.name!=a",
    "metadata.name=a,metadata.name=b",
    "spec.nothing=1",
    "metadata.labels=x",
    "metadata.name",
)
