"""Definitions of the code as `install` applies them: with what the deployed operator's have besides.

`install` does not know whether the operator is deployed, runs from the source tree, or does not run at all.
Requests in the version in which objects are stored need no conversion; all others ask the webhook. So a
definition with conversions is installed with its webhook even where nobody answers yet: such requests fail.
Without it the server would change the apiVersion of objects alone, and drop the fields that the stored
version does not have.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from kubewright.cli.deployment.applying import MANAGER
from kubewright.cli.deployment.definitions import present_definitions
from kubewright.cli.deployment.project_definitions import conversion_service
from kubewright.machinery.errors import ApiError, NotFound

if TYPE_CHECKING:
    from kubewright.cli.deployment.progress import Progress
    from kubewright.client.manifests import Manifest
    from kubewright.sync import Client

__all__ = ["as_installed"]


def as_installed(
    client: Client, manifests: Sequence[Manifest], folder: Path, *, progress: Progress
) -> list[Manifest]:
    """Definitions with the conversion webhooks, labels and annotations that those of the cluster have.

    Without a webhook in the cluster it is the one that the project has once it is deployed; a note tells when
    there is no such service. Labels and annotations stay that `deploy` put there, by the kustomization.
    """
    present = present_definitions(client, (each.name for each in manifests))
    return [
        _as_installed(
            client,
            each,
            present[each.name].to_dict() if each.name in present else {},
            folder,
            progress=progress,
        )
        for each in manifests
    ]


def _as_installed(
    client: Client, manifest: Manifest, present: Mapping[str, Any], folder: Path, *, progress: Progress
) -> Manifest:
    data = dict(manifest.data)
    kept = {
        part: {**values, **(data["metadata"].get(part) or {})}
        for part, values in _own_metadata(present).items()
    }
    data["metadata"] = {**data["metadata"], **kept}
    if _converts(data):
        config = _client_config(data, present, folder)
        webhook = (present if _converts(present) else data)["spec"]["conversion"]["webhook"]
        conversion = {"strategy": "Webhook", "webhook": {**webhook, "clientConfig": config}}
        data["spec"] = {**data["spec"], "conversion": conversion}
        _note_absent(client, manifest.name, config.get("service"), _storage(data), progress=progress)
    return structs.replace(manifest, data=data)


def _client_config(data: Mapping[str, Any], present: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Where a definition's webhook is: where the cluster has it, or else where it will be deployed."""
    if _converts(present):
        # Whoever put it there, the deployed operator or a local one, keeps it, and keeps its own CA bundle.
        config = present["spec"]["conversion"]["webhook"].get("clientConfig") or {}
        return {name: value for name, value in config.items() if name != "caBundle"}
    namespace, name = conversion_service(folder)
    service = data["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    return {"service": {**service, "namespace": namespace, "name": name}}


def _own_metadata(present: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Labels and annotations that were applied by `deploy`, which applying without them would take away."""
    metadata = present.get("metadata") or {}
    found: dict[str, dict[str, str]] = {}
    for entry in metadata.get("managedFields") or ():
        if (entry.get("manager"), entry.get("operation")) != (MANAGER, "Apply"):
            continue
        owned = (entry.get("fieldsV1") or {}).get("f:metadata") or {}
        for part in ("labels", "annotations"):
            names = {key.removeprefix("f:") for key in owned.get(f"f:{part}") or ()}
            kept = {name: value for name, value in (metadata.get(part) or {}).items() if name in names}
            if kept:
                found[part] = kept
    return found


def _converts(definition: Mapping[str, Any]) -> bool:
    conversion = (definition.get("spec") or {}).get("conversion") or {}
    return bool(conversion.get("strategy") == "Webhook" and conversion.get("webhook"))


def _storage(definition: Mapping[str, Any]) -> str:
    return next(str(each["name"]) for each in definition["spec"]["versions"] if each.get("storage"))


def _note_absent(
    client: Client, name: str, service: Mapping[str, str] | None, storage: str, *, progress: Progress
) -> None:
    if not service or os.environ.get("WEBHOOKS") == "local":  # `kubewright run` is about to serve them
        return
    try:
        client.dynamic("v1", "Service", service["namespace"]).get(service["name"])
    except NotFound:
        progress.note(
            f"the service {service['name']} in {service['namespace']}, which converts {name}, is not there: "
            f"requests in other versions than {storage} fail until the operator is deployed, or run with its "
            "webhooks"
        )
    except ApiError:
        return  # no right to look; nothing is known against it
