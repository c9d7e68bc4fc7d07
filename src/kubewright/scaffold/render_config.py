"""What is deployed, in kubebuilder's layout, so that `kubectl apply -k config/default` deploys it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.render_kinds import Kind, Names
from kubewright.scaffold.render_tests import sample_file, sample_name
from kubewright.scaffold.render_text import fill, lines

__all__ = ["render_config"]

_EDITOR = ("create", "delete", "get", "list", "patch", "update", "watch")
_VIEWER = ("get", "list", "watch")


def render_config(names: Names, kinds: Sequence[Kind]) -> dict[str, ScaffoldFile]:
    """All but what `kubewright manifests` writes, which the kustomizations name."""
    files = {
        **_definitions(kinds),
        **_rights(names, kinds),
        **_manager(names, kinds),
        **_webhook(names, kinds),
        **_samples(names, kinds),
        "prometheus/kustomization.yaml": fill("config/prometheus_kustomization.yaml", {}),
        "prometheus/monitor.yaml": fill("config/monitor.yaml", {"name": names.project}),
    }
    return {
        f"config/{path}": ScaffoldFile(
            text=text, additions="both" if path.endswith("kustomization.yaml") else "conflict"
        )
        for path, text in files.items()
    }


def _has_webhooks(kinds: Sequence[Kind]) -> bool:
    return any(kind.asked or kind.converts for kind in kinds)


def _resources(paths: Iterable[str]) -> str:
    found = [f"- {path}" for path in paths]
    return lines(["resources:", *found] if found else ["resources: []"])


def _definitions(kinds: Sequence[Kind]) -> dict[str, str]:
    converts = any(kind.converts for kind in kinds)
    values = {
        "resources": _resources(f"bases/{kind.group}_{kind.plural}.yaml" for kind in kinds),
        "configurations": "configurations:\n- kustomizeconfig.yaml\n" if converts else "",
    }
    files = {"crd/kustomization.yaml": fill("config/crd_kustomization.yaml", values)}
    if converts:
        files["crd/kustomizeconfig.yaml"] = fill("config/crd_kustomizeconfig.yaml", {})
    return files


def _rights(names: Names, kinds: Sequence[Kind]) -> dict[str, str]:
    named = {"name": names.project}
    files = {"rbac/service_account.yaml": fill("config/service_account.yaml", named)}
    generated: list[str] = []
    if any(kind.has_controller for kind in kinds):
        generated += ["- leader_election_role.yaml", "- leader_election_role_binding.yaml"]
        files["rbac/leader_election_role_binding.yaml"] = fill(
            "config/leader_election_role_binding.yaml", named
        )
    if generated or _has_webhooks(kinds):
        generated += ["- role.yaml", "- role_binding.yaml"]
        files["rbac/role_binding.yaml"] = fill("config/role_binding.yaml", named)
    if _has_webhooks(kinds):
        generated.append("- namespace_role_binding.yaml")
        files["rbac/namespace_role_binding.yaml"] = fill(
            "config/namespace_role_binding.yaml", {**named, "namespace": names.namespace}
        )
    people: list[str] = []
    for kind in kinds:
        for role, who, verbs in (
            ("editor", f"edits objects of {kind.name}", _EDITOR),
            ("viewer", f"looks at objects of {kind.name}", _VIEWER),
        ):
            path = f"{kind.module}_{role}_role.yaml"
            people.append(f"- {path}")
            values = {
                **named,
                "group": kind.group,
                "label": kind.label,
                "plural": kind.plural,
                "role": role,
                "verbs": lines(f"- {verb}" for verb in verbs),
                "who": who,
            }
            files[f"rbac/{path}"] = fill("config/kind_role.yaml", values)
    listed = {"generated": lines(generated), "kinds": lines(people)}
    files["rbac/kustomization.yaml"] = fill("config/rbac_kustomization.yaml", listed)
    return files


def _manager(names: Names, kinds: Sequence[Kind]) -> dict[str, str]:
    named = {"name": names.project}
    has_webhooks = _has_webhooks(kinds)
    probe = "config/readiness_webhooks.yaml" if has_webhooks else "config/readiness.yaml"
    manager = {
        **named,
        "readiness": fill(probe, {}),
        "webhook_port": fill("config/webhook_port.yaml", {}) if has_webhooks else "",
    }
    default = {
        **named,
        "namespace": names.namespace,
        "package": names.package,
        "webhook": "- ../webhook" if has_webhooks else "",
    }
    return {
        "manager/kustomization.yaml": fill("config/manager_kustomization.yaml", {}),
        "manager/manager.yaml": fill("config/manager.yaml", manager),
        "default/kustomization.yaml": fill("config/default_kustomization.yaml", default),
        "default/metrics_service.yaml": fill("config/metrics_service.yaml", named),
    }


def _webhook(names: Names, kinds: Sequence[Kind]) -> dict[str, str]:
    if not _has_webhooks(kinds):
        return {}
    asked = any(kind.asked for kind in kinds)
    manifests = {"manifests": "- manifests.yaml" if asked else ""}
    return {
        "webhook/kustomization.yaml": fill("config/webhook_kustomization.yaml", manifests),
        "webhook/kustomizeconfig.yaml": fill("config/webhook_kustomizeconfig.yaml", {}),
        "webhook/service.yaml": fill("config/webhook_service.yaml", {"name": names.project}),
    }


def _samples(names: Names, kinds: Sequence[Kind]) -> dict[str, str]:
    files: dict[str, str] = {}
    for kind in kinds:
        for each in kind.versions:
            values = {
                "group": kind.group,
                "kind": kind.name,
                "name": names.project,
                "sample": sample_name(kind, each),
                "version": each.version,
            }
            files[f"samples/{sample_file(kind, each)}"] = fill("config/sample.yaml", values)
    resources = {"resources": _resources(path.removeprefix("samples/") for path in files)}
    files["samples/kustomization.yaml"] = fill("config/samples_kustomization.yaml", resources)
    return files
