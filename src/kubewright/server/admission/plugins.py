"""Which admission plugins there are, which of them are on, and in which order they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from kubewright.machinery.errors import KubewrightError
from kubewright.server.admission.attributes import Admission
from kubewright.server.admission.certificates import CertificatePlugins
from kubewright.server.authorization import Authorizer
from kubewright.server.registry.registry import Registry

__all__ = ["CLUSTER_PLUGINS", "UnknownPlugin", "check_plugin_names", "chosen_plugins"]

_ALWAYS_ON: Final = (
    "NamespaceLifecycle",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
)
"""Those of upstream's that this server has and that cannot be turned off; naming them changes nothing."""


class UnknownPlugin(KubewrightError):
    """There is no such admission plugin."""


# Each is loaded when it is wanted: most servers of tests want none.


def _service_account(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting.service_account import ServiceAccountPlugin  # noqa: PLC0415

    return ServiceAccountPlugin(registry.storage)


def _node_taints(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting.node_taints import TaintNodesByCondition  # noqa: PLC0415

    return TaintNodesByCondition()


def _priority(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting.priority import PriorityPlugin  # noqa: PLC0415

    return PriorityPlugin(registry.storage)


def _tolerations(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting.tolerations import DefaultTolerationSeconds  # noqa: PLC0415

    return DefaultTolerationSeconds()


def _default_class(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting.storage_classes import DefaultStorageClass  # noqa: PLC0415

    return DefaultStorageClass(registry.storage)


def _storage_protection(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting import storage_protection  # noqa: PLC0415

    return storage_protection.StorageObjectInUseProtection()


def _claim_resize(_: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission.defaulting.claim_resize import PersistentVolumeClaimResize  # noqa: PLC0415

    return PersistentVolumeClaimResize(registry.storage)


def _owner_references(authorizer: Authorizer, registry: Registry) -> Admission:
    from kubewright.server.admission import owner_references  # noqa: PLC0415

    return owner_references.OwnerReferencesPermissionEnforcement(authorizer, registry)


_Make: TypeAlias = Callable[[Authorizer, Registry], Admission]

_CHOSEN: Final[Mapping[str, _Make]] = {
    "ServiceAccount": _service_account,
    "TaintNodesByCondition": _node_taints,
    "Priority": _priority,
    "DefaultTolerationSeconds": _tolerations,
    "DefaultStorageClass": _default_class,
    "StorageObjectInUseProtection": _storage_protection,
    "OwnerReferencesPermissionEnforcement": _owner_references,
    "PersistentVolumeClaimResize": _claim_resize,
}
"""Those that are on when they are named, in upstream's order."""

CLUSTER_PLUGINS: Final = (
    "ServiceAccount",
    "TaintNodesByCondition",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PersistentVolumeClaimResize",
)
"""Those of them that upstream has on by default: they need the controllers of a cluster, or its nodes do."""


def check_plugin_names(names: Sequence[str]) -> None:
    """Raises UnknownPlugin."""
    for name in names:
        if name not in _CHOSEN and name not in _ALWAYS_ON:
            raise UnknownPlugin(
                f"there is no admission plugin {name!r} that can be turned on; there are "
                f"{', '.join(_CHOSEN)}, and always on are {', '.join(_ALWAYS_ON)}"
            )


def chosen_plugins(authorizer: Authorizer, registry: Registry, names: Sequence[str]) -> list[Admission]:
    """The plugins that are named, and those of certificates, in upstream's order."""
    chosen = [make(authorizer, registry) for name, make in _CHOSEN.items() if name in names]
    return [*chosen, CertificatePlugins(authorizer)]
