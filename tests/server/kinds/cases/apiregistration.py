"""APIServices. Those that are local are told when they became available, so only refusals are of them."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

SERVICE: Json = {"namespace": "default", "name": "api"}
LOCAL: Json = {
    "group": "case.example.com",
    "version": "v1",
    "groupPriorityMinimum": 1000,
    "versionPriority": 15,
}
SPEC: Json = {**LOCAL, "service": SERVICE}


def made(spec: Json, /, name: str = "v1.case.example.com", status: Json | None = None, **fields: Any) -> Json:
    obj: Json = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": name},
        "spec": {**spec, **fields},
    }
    return obj if status is None else {**obj, "status": status}


BAD: dict[str, Json] = {
    "no group": {"group": ""},
    "bad group": {"group": "A!"},
    "no version": {"version": ""},
    "bad version": {"version": "1"},
    "no priorities": {"groupPriorityMinimum": 0, "versionPriority": 0},
    "high priorities": {"groupPriorityMinimum": 20001, "versionPriority": 1001},
    "negative priorities": {"groupPriorityMinimum": -1, "versionPriority": -2},
    "nothing": {"group": "", "version": "", "groupPriorityMinimum": 0, "versionPriority": 0},
}
SERVED: dict[str, Json] = {
    "minimal": {},
    "full": {"caBundle": "YWJj", "service": {**SERVICE, "port": 8443}},
    "insecure": {"insecureSkipTLSVerify": True},
    "insecure with bundle": {"insecureSkipTLSVerify": True, "caBundle": "YWJj"},
    "no service name": {"service": {}},
    "bad port": {"service": {**SERVICE, "port": 70000}},
    "no port": {"service": {**SERVICE, "port": 0}},
    "highest priorities": {"groupPriorityMinimum": 20000, "versionPriority": 1000},
}
STATUS: Json = {"conditions": [{"type": "Available", "status": "Maybe"}, {"type": "Other", "status": ""}]}
CASES = [
    *[Case(name, made(SPEC, **part)) for name, part in {**SERVED, **BAD}.items()],
    Case("other name", made(SPEC, "v2.case.example.com")),
    Case("legacy", made(SPEC, "v1beta1.", group="", version="v1beta1")),
    Case("status is dropped", made(SPEC, status=STATUS)),
    Case("local with bundle", made(LOCAL, caBundle="YWJj", insecureSkipTLSVerify=True)),
    *[Case(f"update: {name}", made(LOCAL, **part), made(LOCAL)) for name, part in BAD.items()],
    Case("update: bundle", made(LOCAL, caBundle="YWJj"), made(LOCAL)),
    Case("update: bad service", made(SPEC, service={}), made(LOCAL)),
    Case("status: unknown", made(LOCAL, status=STATUS), made(LOCAL), "status"),
]
