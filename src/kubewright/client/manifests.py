"""Manifests: the objects in YAML texts, files and folders, in an order in which they can be applied."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.machinery import codec, yaml
from kubewright.machinery.errors import DecodeError, ParseError, quoted
from kubewright.machinery.gvk import GroupKind, GroupVersionKind

__all__ = ["Manifest", "in_install_order", "read_manifests"]

_SUFFIXES: Final = (".json", ".yaml", ".yml")
"""Of the files in a folder that are read: kubectl's."""

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

_INSTALL_ORDER: Final = """
Namespace CustomResourceDefinition.apiextensions.k8s.io
PriorityClass.scheduling.k8s.io RuntimeClass.node.k8s.io
NetworkPolicy.networking.k8s.io ResourceQuota LimitRange PodDisruptionBudget.policy
ServiceAccount Secret ConfigMap StorageClass.storage.k8s.io PersistentVolume PersistentVolumeClaim
ClusterRole.rbac.authorization.k8s.io ClusterRoleBinding.rbac.authorization.k8s.io
Role.rbac.authorization.k8s.io RoleBinding.rbac.authorization.k8s.io
Service DaemonSet.apps Pod ReplicationController ReplicaSet.apps Deployment.apps
HorizontalPodAutoscaler.autoscaling StatefulSet.apps Job.batch CronJob.batch
IngressClass.networking.k8s.io Ingress.networking.k8s.io APIService.apiregistration.k8s.io
MutatingWebhookConfiguration.admissionregistration.k8s.io
ValidatingWebhookConfiguration.admissionregistration.k8s.io
"""
"""Helm's order, all other kinds last, but for three things: definitions come right after namespaces, runtime
classes before the pods that are refused without them, and a kind counts with its group, so that a custom
resource that happens to be called Service is not taken for one."""

_RANKS: Final = {GroupKind.parse(text): rank for rank, text in enumerate(_INSTALL_ORDER.split())}


class Manifest(msgspec.Struct, frozen=True):
    """One object, and where it was found."""

    data: dict[str, Any]
    gvk: GroupVersionKind
    name: str
    namespace: str
    """Empty where it does not say it."""
    where: str
    """Such as `web.yaml, document 2`; documents count from 1, and those that are empty do not count."""

    def __str__(self) -> str:
        return f"{self.gvk.kind} {self.name!r} ({self.where})"


def in_install_order(manifests: Iterable[Manifest]) -> list[Manifest]:
    """Kinds before those that need them, and objects of one kind as they stand; unknown kinds are last."""
    return sorted(manifests, key=lambda each: _RANKS.get(each.gvk.group_kind, len(_RANKS)))


def read_manifests(source: str | bytes | os.PathLike[str]) -> list[Manifest]:
    """All objects of a text, of a file, or of the files of a folder, in the order of names; blocks.

    A text that names a file or a folder stands for it. Lists are taken apart. Raises ParseError, which says
    in which file and document, and when there is no such file.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and not _names_path(source)):
        return list(_manifests(source, ""))
    return [manifest for file in _files(Path(source)) for manifest in _read(file)]


def _names_path(text: str) -> bool:
    """Whether a text is a path and no YAML. Raises ParseError for one that is neither."""
    if "\n" in text:
        return False
    # Unlike that of Path, this one says no to what is too long for a path, or cannot be one.
    if os.path.exists(text):
        return True
    if _URL.match(text):
        raise ParseError(f"{quoted(text)} is a URL; download it, and pass the text or the file")
    if text.endswith(_SUFFIXES) and not re.search(r"[{\s]", text):
        raise ParseError(f"there is no file or folder {quoted(text)}")
    if ":" not in text:
        raise ParseError(f"{quoted(text)} is neither YAML nor the name of a file or folder that is there")
    return False


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise ParseError(f"there is no file or folder {quoted(str(path))}")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise ParseError(f"the folder {quoted(str(path))} has no file that ends in .yaml, .yml or .json")
    return files


def _read(file: Path) -> Iterator[Manifest]:
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ParseError(f"{file} cannot be read: {error.strerror or error}") from None
    yield from _manifests(text, f"{file}, ")


def _manifests(text: str | bytes, prefix: str) -> Iterator[Manifest]:
    try:
        documents = _documents(text)
    except DecodeError as error:
        raise DecodeError(f"{prefix}{error}") from None
    for number, document in enumerate(documents, 1):
        yield from _objects(document, f"{prefix}document {number}")


def _documents(text: str | bytes) -> list[Any]:
    data = codec.as_bytes(text)
    if data.lstrip().startswith(b"{"):
        # JSON may be indented by tabs, which YAML forbids; what starts like it may still be YAML.
        try:
            return [codec.decode_plain(data)]
        except DecodeError:
            pass
    return list(yaml.load_all(text))


def _objects(data: Any, where: str) -> Iterator[Manifest]:
    """The object, or those in the list."""
    if not isinstance(data, dict):
        raise ParseError(
            f"{where} is no object but a {_called(data)}; every object says its apiVersion and kind"
        )
    for member in ("apiVersion", "kind"):
        if not (isinstance(data.get(member), str) and data[member]):
            raise ParseError(f"{where} has no {member}; every object says its apiVersion and kind")
    try:
        gvk = GroupVersionKind.from_api_version(data["apiVersion"], data["kind"])
    except ParseError as error:
        raise ParseError(f"{where}: {error}") from None
    items = data.get("items")
    if gvk.kind.endswith("List") and "items" in data and isinstance(items, list | None):
        for number, item in enumerate(items or (), 1):
            yield from _objects(_item(item, gvk), f"{where}, item {number}")
    else:
        yield _manifest(data, gvk, where)


def _item(item: Any, gvk: GroupVersionKind) -> Any:
    """An item of a list: in a list of one kind, it need not say its own."""
    kind = gvk.kind.removesuffix("List")
    if isinstance(item, dict) and kind:
        return {"apiVersion": gvk.api_version, "kind": kind, **item}
    return item


def _manifest(data: dict[str, Any], gvk: GroupVersionKind, where: str) -> Manifest:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if not (isinstance(name, str) and name):
        because = (
            "; generateName is for creating, and cannot be applied" if "generateName" in metadata else ""
        )
        raise ParseError(f"{gvk.kind} ({where}) has no metadata.name{because}")
    if namespace is not None and not isinstance(namespace, str):
        raise ParseError(f"{gvk.kind} {name!r} ({where}): metadata.namespace is no text but {namespace!r}")
    return Manifest(data, gvk, name, namespace or "", where)


def _called(data: Any) -> str:
    return {list: "list", str: "text", bool: "boolean"}.get(type(data), "number")
