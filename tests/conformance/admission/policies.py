"""Policies and bindings for one test's namespace, and waiting until they are in force.

kube-apiserver looks at what has changed once a second. A marker, which is written last and denies one name,
tells when everything that was written before it counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map
from tests.conformance.waiting import eventually

__all__ = ["MUTATING", "PATHS", "VALIDATING", "Policies", "Verdict", "await_policies", "new_policies", "rule"]

GROUP = "admissionregistration.k8s.io"
ROOT = f"/apis/{GROUP}/v1"
VALIDATING, MUTATING = "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"
PATHS = {
    VALIDATING: f"{ROOT}/validatingadmissionpolicies",
    MUTATING: f"{ROOT}/mutatingadmissionpolicies",
}
NAME_LABEL = "kubernetes.io/metadata.name"


def rule(resource: str, *operations: str, group: str = "", version: str = "v1") -> dict[str, Any]:
    """A rule for one resource, by default for creates and updates."""
    return {
        "apiGroups": [group],
        "apiVersions": [version],
        "operations": list(operations) or ["CREATE", "UPDATE"],
        "resources": [resource],
    }


@dataclass(frozen=True)
class Verdict:
    """What a write came to; the message without the names that tests make."""

    status: int
    reason: str = ""
    message: str = ""
    warnings: tuple[str, ...] = ()


class Policies:
    """Writes policies that are for one namespace alone, unless they say otherwise."""

    def __init__(self, client: Client, namespace: Namespace) -> None:
        self.client = client
        self.namespace = namespace
        self._names: dict[str, str] = {namespace.name: "NAMESPACE"}
        self._paths: list[str] = []

    def name(self, name: str) -> str:
        """A name that no other test uses, which verdicts show as `name`."""
        for made, shown in self._names.items():
            if shown == name:
                return made
        made = unique(name)
        self._names[made] = name
        return made

    def validating(self, name: str = "policy", binding: dict[str, Any] | None = None, **spec: Any) -> None:
        """A ValidatingAdmissionPolicy and its binding, which denies unless it says otherwise."""
        self.write(VALIDATING, name, spec)
        self.bind(VALIDATING, name, {"validationActions": ["Deny"], **(binding or {})})

    def mutating(self, name: str = "policy", binding: dict[str, Any] | None = None, **spec: Any) -> None:
        """A MutatingAdmissionPolicy and its binding."""
        self.write(MUTATING, name, {"reinvocationPolicy": "Never", **spec})
        self.bind(MUTATING, name, binding or {})

    def write(self, kind: str, name: str, spec: dict[str, Any]) -> Any:
        """A policy, of config maps of the namespace unless it says otherwise."""
        response = self.client.post(PATHS[kind], self.body(kind, name, spec))
        assert response.status == 201, response.text
        self._paths.append(f"{PATHS[kind]}/{self.name(name)}")
        return response.json()

    def body(self, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        """The policy as it is sent; `match` is laid over what it matches."""
        spec = dict(spec)
        match = {
            "resourceRules": [rule("configmaps")],
            "namespaceSelector": {"matchLabels": {NAME_LABEL: self.namespace.name}},
            **spec.pop("match", {}),
        }
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": kind,
            "metadata": {"name": self.name(name)},
            "spec": {"matchConstraints": match, **spec},
        }

    def bind(self, kind: str, policy: str, spec: dict[str, Any], name: str = "") -> None:
        """A binding."""
        body: dict[str, Any] = {
            "apiVersion": f"{GROUP}/v1",
            "kind": f"{kind}Binding",
            "metadata": {"name": self.name(name or f"{policy}-binding")},
            "spec": {"policyName": self.name(policy), **spec},
        }
        path = PATHS[kind].removesuffix("ies") + "ybindings"
        response = self.client.post(path, body)
        assert response.status == 201, response.text
        self._paths.append(f"{path}/{body['metadata']['name']}")

    def remove(self) -> None:
        """Delete all that was written, for other tests would be judged by it."""
        while self._paths:
            assert self.client.delete(self._paths.pop()).status in {200, 404}

    def await_all(self) -> None:
        """Wait until all that was written counts; the namespace must be one that no policy denies in."""
        marked = unique("marker")
        for kind, spec in (
            (VALIDATING, {"validations": [{"expression": f"object.metadata.name != '{marked}'"}]}),
            (
                MUTATING,
                {
                    "reinvocationPolicy": "Never",
                    "matchConditions": [
                        {"name": "marked", "expression": f"object.metadata.name == '{marked}-2'"}
                    ],
                    "mutations": [
                        {
                            "patchType": "ApplyConfiguration",
                            "applyConfiguration": {"expression": "Object{data: {'marked': 'yes'}}"},
                        }
                    ],
                },
            ),
        ):
            name = f"marker-{kind.lower()}"
            self._names = {made: shown for made, shown in self._names.items() if not shown.startswith(name)}
            self.write(kind, name, spec)
            self.bind(kind, name, {"validationActions": ["Deny"]} if kind == VALIDATING else {})
        path = self.namespace.config_maps

        def is_marked() -> bool:
            denied = self.client.post(path, config_map(marked), dryRun="All").status != 201
            changed = self.client.post(path, config_map(f"{marked}-2"), dryRun="All")
            return denied and "marked" in changed.text

        eventually(is_marked, "the policies should be in force")

    def verdict(self, response: Response) -> Verdict:
        """What a write came to."""
        warnings = tuple(map(self._shown, response.warnings))
        if response.status < 300:
            return Verdict(response.status, warnings=warnings)
        status = response.json()
        assert status["code"] == response.status
        return Verdict(response.status, status.get("reason", ""), self._shown(status["message"]), warnings)

    def _shown(self, text: str) -> str:
        for made, shown in self._names.items():
            text = text.replace(made, shown)
        return text


def new_policies(client: Client) -> Policies:
    """For a namespace of its own; remove them when they are done with."""
    return Policies(client, new_namespace(client))


def await_policies(client: Client) -> None:
    """Wait until all policies count that were written."""
    markers = new_policies(client)
    try:
        markers.await_all()
    finally:
        markers.remove()
