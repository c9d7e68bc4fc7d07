"""The annotations and finalizers by which claims, volumes and those who look after them know each other."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BETA_STORAGE_PROVISIONER",
    "BIND_COMPLETED",
    "BOUND_BY_CONTROLLER",
    "CLAIM_PROTECTION",
    "NO_PROVISIONER",
    "PROVISIONED_BY",
    "PROVISIONER",
    "SELECTED_NODE",
    "STORAGE_PROVISIONER",
    "VOLUME_PROTECTION",
]

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
"""Of claims: that they were bound once, so that a volume that is not there has been lost."""

BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
"""Of claims and volumes: that the binding was not made by a user beforehand, and may be undone."""

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
"""Of claims that wait for a consumer: the node that the scheduler has in mind for it."""

STORAGE_PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
BETA_STORAGE_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"
"""Of claims: who is to make a volume for them."""

PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
"""Of volumes: who made them."""

NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
"""The provisioner of classes whose volumes are made by people."""

PROVISIONER: Final = "pretended.kubewright.dev"
"""The provisioner, and the driver, of the volumes that are made here."""

CLAIM_PROTECTION: Final = "kubernetes.io/pvc-protection"
VOLUME_PROTECTION: Final = "kubernetes.io/pv-protection"
