"""The clientset: the built-in kinds by group and version, each module imported when it is used.

Generated; see CONTRIBUTING.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubewright.sync.has_api import HasApi

if TYPE_CHECKING:
    from kubewright.sync.clientset.admissionregistration_v1 import AdmissionregistrationV1
    from kubewright.sync.clientset.apiextensions_v1 import ApiextensionsV1
    from kubewright.sync.clientset.apiregistration_v1 import ApiregistrationV1
    from kubewright.sync.clientset.apps_v1 import AppsV1
    from kubewright.sync.clientset.authentication_v1 import AuthenticationV1
    from kubewright.sync.clientset.authorization_v1 import AuthorizationV1
    from kubewright.sync.clientset.autoscaling_v1 import AutoscalingV1
    from kubewright.sync.clientset.autoscaling_v2 import AutoscalingV2
    from kubewright.sync.clientset.batch_v1 import BatchV1
    from kubewright.sync.clientset.certificates_v1 import CertificatesV1
    from kubewright.sync.clientset.coordination_v1 import CoordinationV1
    from kubewright.sync.clientset.core_v1 import CoreV1
    from kubewright.sync.clientset.discovery_v1 import DiscoveryV1
    from kubewright.sync.clientset.events_v1 import EventsV1
    from kubewright.sync.clientset.flowcontrol_v1 import FlowcontrolV1
    from kubewright.sync.clientset.networking_v1 import NetworkingV1
    from kubewright.sync.clientset.node_v1 import NodeV1
    from kubewright.sync.clientset.policy_v1 import PolicyV1
    from kubewright.sync.clientset.rbac_v1 import RbacV1
    from kubewright.sync.clientset.resource_v1 import ResourceV1
    from kubewright.sync.clientset.scheduling_v1 import SchedulingV1
    from kubewright.sync.clientset.storage_v1 import StorageV1

__all__ = ["Clientset"]


class Clientset(HasApi):
    """`client.core_v1.pods("default")` and its like; a base of `Client`."""

    @property
    def admissionregistration_v1(self) -> AdmissionregistrationV1:
        """The kinds of admissionregistration.k8s.io/v1."""
        from kubewright.sync.clientset.admissionregistration_v1 import AdmissionregistrationV1  # noqa: PLC0415 - when used

        return AdmissionregistrationV1(self)

    @property
    def apiextensions_v1(self) -> ApiextensionsV1:
        """The kinds of apiextensions.k8s.io/v1."""
        from kubewright.sync.clientset.apiextensions_v1 import ApiextensionsV1  # noqa: PLC0415 - when used

        return ApiextensionsV1(self)

    @property
    def apiregistration_v1(self) -> ApiregistrationV1:
        """The kinds of apiregistration.k8s.io/v1."""
        from kubewright.sync.clientset.apiregistration_v1 import ApiregistrationV1  # noqa: PLC0415 - when used

        return ApiregistrationV1(self)

    @property
    def apps_v1(self) -> AppsV1:
        """The kinds of apps/v1."""
        from kubewright.sync.clientset.apps_v1 import AppsV1  # noqa: PLC0415 - when used

        return AppsV1(self)

    @property
    def authentication_v1(self) -> AuthenticationV1:
        """The kinds of authentication.k8s.io/v1."""
        from kubewright.sync.clientset.authentication_v1 import AuthenticationV1  # noqa: PLC0415 - when used

        return AuthenticationV1(self)

    @property
    def authorization_v1(self) -> AuthorizationV1:
        """The kinds of authorization.k8s.io/v1."""
        from kubewright.sync.clientset.authorization_v1 import AuthorizationV1  # noqa: PLC0415 - when used

        return AuthorizationV1(self)

    @property
    def autoscaling_v1(self) -> AutoscalingV1:
        """The kinds of autoscaling/v1."""
        from kubewright.sync.clientset.autoscaling_v1 import AutoscalingV1  # noqa: PLC0415 - when used

        return AutoscalingV1(self)

    @property
    def autoscaling_v2(self) -> AutoscalingV2:
        """The kinds of autoscaling/v2."""
        from kubewright.sync.clientset.autoscaling_v2 import AutoscalingV2  # noqa: PLC0415 - when used

        return AutoscalingV2(self)

    @property
    def batch_v1(self) -> BatchV1:
        """The kinds of batch/v1."""
        from kubewright.sync.clientset.batch_v1 import BatchV1  # noqa: PLC0415 - when used

        return BatchV1(self)

    @property
    def certificates_v1(self) -> CertificatesV1:
        """The kinds of certificates.k8s.io/v1."""
        from kubewright.sync.clientset.certificates_v1 import CertificatesV1  # noqa: PLC0415 - when used

        return CertificatesV1(self)

    @property
    def coordination_v1(self) -> CoordinationV1:
        """The kinds of coordination.k8s.io/v1."""
        from kubewright.sync.clientset.coordination_v1 import CoordinationV1  # noqa: PLC0415 - when used

        return CoordinationV1(self)

    @property
    def core_v1(self) -> CoreV1:
        """The kinds of v1."""
        from kubewright.sync.clientset.core_v1 import CoreV1  # noqa: PLC0415 - when used

        return CoreV1(self)

    @property
    def discovery_v1(self) -> DiscoveryV1:
        """The kinds of discovery.k8s.io/v1."""
        from kubewright.sync.clientset.discovery_v1 import DiscoveryV1  # noqa: PLC0415 - when used

        return DiscoveryV1(self)

    @property
    def events_v1(self) -> EventsV1:
        """The kinds of events.k8s.io/v1."""
        from kubewright.sync.clientset.events_v1 import EventsV1  # noqa: PLC0415 - when used

        return EventsV1(self)

    @property
    def flowcontrol_v1(self) -> FlowcontrolV1:
        """The kinds of flowcontrol.apiserver.k8s.io/v1."""
        from kubewright.sync.clientset.flowcontrol_v1 import FlowcontrolV1  # noqa: PLC0415 - when used

        return FlowcontrolV1(self)

    @property
    def networking_v1(self) -> NetworkingV1:
        """The kinds of networking.k8s.io/v1."""
        from kubewright.sync.clientset.networking_v1 import NetworkingV1  # noqa: PLC0415 - when used

        return NetworkingV1(self)

    @property
    def node_v1(self) -> NodeV1:
        """The kinds of node.k8s.io/v1."""
        from kubewright.sync.clientset.node_v1 import NodeV1  # noqa: PLC0415 - when used

        return NodeV1(self)

    @property
    def policy_v1(self) -> PolicyV1:
        """The kinds of policy/v1."""
        from kubewright.sync.clientset.policy_v1 import PolicyV1  # noqa: PLC0415 - when used

        return PolicyV1(self)

    @property
    def rbac_v1(self) -> RbacV1:
        """The kinds of rbac.authorization.k8s.io/v1."""
        from kubewright.sync.clientset.rbac_v1 import RbacV1  # noqa: PLC0415 - when used

        return RbacV1(self)

    @property
    def resource_v1(self) -> ResourceV1:
        """The kinds of resource.k8s.io/v1."""
        from kubewright.sync.clientset.resource_v1 import ResourceV1  # noqa: PLC0415 - when used

        return ResourceV1(self)

    @property
    def scheduling_v1(self) -> SchedulingV1:
        """The kinds of scheduling.k8s.io/v1."""
        from kubewright.sync.clientset.scheduling_v1 import SchedulingV1  # noqa: PLC0415 - when used

        return SchedulingV1(self)

    @property
    def storage_v1(self) -> StorageV1:
        """The kinds of storage.k8s.io/v1."""
        from kubewright.sync.clientset.storage_v1 import StorageV1  # noqa: PLC0415 - when used

        return StorageV1(self)
