"""Pods get a service account, and a volume with its token: upstream's ServiceAccount plugin."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.names import generate_name
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.storage import Storage

__all__ = ["ServiceAccountPlugin"]

_DEFAULT: Final = "default"
_VOLUME: Final = "kube-api-access-"
_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_MIRROR: Final = "kubernetes.io/config.mirror"
_ENFORCE: Final = "kubernetes.io/enforce-mountable-secrets"

_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
"""What Go's ParseBool takes for true."""

_EXPIRES: Final = 3607
"""The seconds of the token's life that the volume asks for; upstream's, which tells such tokens by it."""

_ATTEMPTS: Final = 10
_PAUSE: Final = 0.1
"""How often, and after how many seconds, `default` is looked for, which a controller makes: upstream's."""


class ServiceAccountPlugin:
    """Gives pods the account `default`, pull secrets and a token; refuses accounts that are not there."""

    def __init__(self, storage: Storage, *, random: Random | None = None) -> None:
        self._storage: Final = storage
        self._random: Final = random or Random()  # noqa: S311 - for names

    async def admit(self, attributes: Attributes) -> None:
        """Complete a new pod. Raises Forbidden."""
        pod = _pod(attributes)
        if pod is None or attributes.operation != "CREATE" or _is_mirror(pod):
            return
        spec = pod["spec"]
        if not spec.get("serviceAccountName"):
            spec["serviceAccountName"] = _DEFAULT
            # The older name of the same field, which is kept equal to it.
            spec["serviceAccount"] = _DEFAULT
        account = await self._account(attributes, spec["serviceAccountName"])
        if _mounts(account, spec):
            self._mount(spec)
        if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
            spec["imagePullSecrets"] = [{"name": each["name"]} for each in account["imagePullSecrets"]]

    async def validate(self, attributes: Attributes) -> None:
        """Check what a pod refers to. Raises Forbidden."""
        pod = _pod(attributes)
        if pod is None:
            return
        ephemeral = attributes.operation == "UPDATE" and attributes.write.subresource == "ephemeralcontainers"
        if not ephemeral and attributes.operation != "CREATE":
            return
        spec, name = pod["spec"], pod["spec"].get("serviceAccountName", "")
        if not ephemeral and _is_mirror(pod):
            _check_mirror(attributes, spec)
            return
        if not name:
            named = f"{attributes.write.namespace}/{pod['metadata'].get('name', '')}"
            raise forbidden_by_plugin(attributes, f"no service account specified for pod {named}")
        account = await self._account(attributes, name)
        if ((account["metadata"].get("annotations") or {}).get(_ENFORCE)) in _TRUE:
            why = _ephemeral_secrets(account, spec) if ephemeral else _secrets(account, spec)
            if why:
                raise forbidden_by_plugin(attributes, why)

    async def _account(self, attributes: Attributes, name: str) -> Object:
        namespace = attributes.write.namespace
        attempts = _ATTEMPTS if name == _DEFAULT else 1
        for attempt in range(attempts):
            if attempt:
                await asyncio.sleep(_PAUSE)
            entry = self._storage.get(f"{REGISTRY_ROOT}serviceaccounts/{namespace}/{name}")
            if entry is not None:
                account: Object = msgspec.json.decode(entry.value)
                return account
        raise self._missing(attributes, namespace, name)

    @staticmethod
    def _missing(attributes: Attributes, namespace: str, name: str) -> ApiError:
        looked = f"error looking up service account {namespace}/{name}"
        return forbidden_by_plugin(attributes, f'{looked}: serviceaccount "{name}" not found')

    def _mount(self, spec: Object) -> None:
        """Mount the token where nothing else is mounted, by a volume that there may be already."""
        volumes = spec.get("volumes") or []
        there = next((each["name"] for each in volumes if each["name"].startswith(_VOLUME)), "")
        name = there or generate_name(_VOLUME, self._random)
        needed = False
        for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
            mounts = container.get("volumeMounts") or []
            if all(mount.get("mountPath") != _MOUNT_PATH for mount in mounts):
                mount = {"name": name, "readOnly": True, "mountPath": _MOUNT_PATH}
                container["volumeMounts"] = [*mounts, mount]
                needed = True
        if needed and not there:
            spec["volumes"] = [*volumes, {"name": name, "projected": _token_volume()}]


def _pod(attributes: Attributes) -> Object | None:
    """The pod that a write is about; None for all other writes."""
    served = attributes.type.served
    if served.resource != "pods" or served.group:
        return None
    return attributes.obj if attributes.write.subresource in {"", "ephemeralcontainers"} else None


def _is_mirror(pod: Object) -> bool:
    return _MIRROR in (pod["metadata"].get("annotations") or {})


def _mounts(account: Object, spec: Object) -> bool:
    """Whether the token is wanted: the pod says so, or else its account, or else it is."""
    wanted = spec.get("automountServiceAccountToken")
    if wanted is None:
        wanted = account.get("automountServiceAccountToken")
    return wanted is None or bool(wanted)


def _token_volume() -> Object:
    return {
        "defaultMode": 0o644,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": _EXPIRES, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {
                "downwardAPI": {
                    "items": [
                        {
                            "path": "namespace",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                        }
                    ]
                }
            },
        ],
    }


def _check_mirror(attributes: Attributes, spec: Object) -> None:
    """Pods that a kubelet shows and nobody else runs have no accounts and no secrets. Raises Forbidden."""
    if spec.get("serviceAccountName"):
        raise forbidden_by_plugin(attributes, "a mirror pod may not reference service accounts")
    if any(True for _ in _secret_names(spec)):
        raise forbidden_by_plugin(attributes, "a mirror pod may not reference secrets")
    for volume in spec.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            if source.get("serviceAccountToken"):
                why = "a mirror pod may not use ServiceAccountToken volume projections"
                raise forbidden_by_plugin(attributes, why)


def _secret_names(spec: Object) -> Iterator[str]:
    """The secrets that a pod names: those of its pulls, containers and volumes."""
    for pull in spec.get("imagePullSecrets") or ():
        yield pull.get("name", "")
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            yield from (name for _, name in _container_secrets(container))
    for volume in spec.get("volumes") or ():
        secret = volume.get("secret")
        if secret:
            yield secret.get("secretName", "")
        for source in (volume.get("projected") or {}).get("sources") or ():
            if source.get("secret"):
                yield source["secret"].get("name", "")


def _container_secrets(container: Object) -> Iterator[tuple[str, str]]:
    """How a container refers to secrets, in upstream's words, and to which."""
    for each in container.get("env") or ():
        key = (each.get("valueFrom") or {}).get("secretKeyRef")
        if key:
            yield f"envVar {each['name']}", key.get("name", "")
    for each in container.get("envFrom") or ():
        if each.get("secretRef"):
            yield "envFrom", each["secretRef"].get("name", "")


def _mountable(account: Object) -> set[str]:
    return {each.get("name", "") for each in account.get("secrets") or ()}


def _secrets(account: Object, spec: Object) -> str:
    """Which secret a pod refers to that its account does not; empty for none."""
    known, name = _mountable(account), account["metadata"]["name"]
    for volume in spec.get("volumes") or ():
        secret = (volume.get("secret") or {}).get("secretName", "")
        if volume.get("secret") and secret not in known:
            what = f'volume with secret.secretName="{secret}" is not allowed because service account {name}'
            return f"{what} does not reference that secret"
    for kind, word in (("initContainers", "init container"), ("containers", "container")):
        if why := _unknown(spec.get(kind) or (), word, known, name):
            return why
    pulls = {each.get("name", "") for each in account.get("imagePullSecrets") or ()}
    for index, each in enumerate(spec.get("imagePullSecrets") or ()):
        if each.get("name", "") not in pulls:
            return (
                f'imagePullSecrets[{index}].name="{each.get("name", "")}" is not allowed because service '
                f"account {name} does not reference that imagePullSecret"
            )
    return ""


def _ephemeral_secrets(account: Object, spec: Object) -> str:
    found = spec.get("ephemeralContainers") or ()
    return _unknown(found, "ephemeral container", _mountable(account), account["metadata"]["name"])


def _unknown(containers: list[Object] | tuple[()], word: str, known: set[str], account: str) -> str:
    for container in containers:
        for how, secret in _container_secrets(container):
            if secret not in known:
                return (
                    f'{word} {container["name"]} with {how} referencing secret.secretName="{secret}" is not '
                    f"allowed because service account {account} does not reference that secret"
                )
    return ""
