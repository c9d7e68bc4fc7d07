"""The plugins that ask whether a caller may: which there are, and which are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.errors import KubewrightError
from kubewright.server.admission.attributes import Admission
from kubewright.server.admission.certificates import CertificatePlugins
from kubewright.server.authorization import Authorizer
from kubewright.server.registry.registry import Registry

__all__ = ["UnknownPlugin", "check_plugin_names", "permission_plugins"]

_OWNER_REFERENCES: Final = "OwnerReferencesPermissionEnforcement"

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


def check_plugin_names(names: Sequence[str]) -> None:
    """Raises UnknownPlugin."""
    for name in names:
        if name != _OWNER_REFERENCES and name not in _ALWAYS_ON:
            raise UnknownPlugin(
                f"there is no admission plugin {name!r} that can be turned on; there is {_OWNER_REFERENCES}, "
                f"and always on are {', '.join(_ALWAYS_ON)}"
            )


def permission_plugins(authorizer: Authorizer, registry: Registry, names: Sequence[str]) -> list[Admission]:
    """The plugins, in upstream's order; `names` are those that are off by default and wanted."""
    plugins: list[Admission] = []
    if _OWNER_REFERENCES in names:
        from kubewright.server.admission import owner_references  # noqa: PLC0415 - rarely wanted

        plugins.append(owner_references.OwnerReferencesPermissionEnforcement(authorizer, registry))
    return [*plugins, CertificatePlugins(authorizer)]
