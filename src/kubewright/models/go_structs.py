"""Go's structs of the built-in kinds: what each field is called in JSON, its type, and omitempty.

Generated; see `kubewright.codegen.go_structs`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["KINDS", "NAMED", "STRUCTS"]

KINDS: Final[dict[str, dict[str, str]]] = {
    "": {
        "CreateOptions": "meta.v1.CreateOptions",
        "DeleteOptions": "meta.v1.DeleteOptions",
        "GetOptions": "meta.v1.GetOptions",
        "ListOptions": "meta.v1.ListOptions",
        "PatchOptions": "meta.v1.PatchOptions",
        "UpdateOptions": "meta.v1.UpdateOptions",
        "WatchEvent": "meta.v1.WatchEvent",
    },
    "admissionregistration.k8s.io/v1": {
        "MutatingAdmissionPolicy": "admissionregistration.v1.MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding": "admissionregistration.v1.MutatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicyBindingList": "admissionregistration.v1.MutatingAdmissionPolicyBindingList",
        "MutatingAdmissionPolicyList": "admissionregistration.v1.MutatingAdmissionPolicyList",
        "MutatingWebhookConfiguration": "admissionregistration.v1.MutatingWebhookConfiguration",
        "MutatingWebhookConfigurationList": "admissionregistration.v1.MutatingWebhookConfigurationList",
        "ValidatingAdmissionPolicy": "admissionregistration.v1.ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding": "admissionregistration.v1.ValidatingAdmissionPolicyBinding",
        "ValidatingAdmissionPolicyBindingList": "admissionregistration.v1.ValidatingAdmissionPolicyBindingList",
        "ValidatingAdmissionPolicyList": "admissionregistration.v1.ValidatingAdmissionPolicyList",
        "ValidatingWebhookConfiguration": "admissionregistration.v1.ValidatingWebhookConfiguration",
        "ValidatingWebhookConfigurationList": "admissionregistration.v1.ValidatingWebhookConfigurationList",
    },
    "apidiscovery.k8s.io/v2": {
        "APIGroupDiscovery": "apidiscovery.v2.APIGroupDiscovery",
        "APIGroupDiscoveryList": "apidiscovery.v2.APIGroupDiscoveryList",
    },
    "apiextensions.k8s.io/v1": {
        "CustomResourceDefinition": "apiextensions.v1.CustomResourceDefinition",
        "CustomResourceDefinitionList": "apiextensions.v1.CustomResourceDefinitionList",
    },
    "apiregistration.k8s.io/v1": {
        "APIService": "apiregistration.v1.APIService",
        "APIServiceList": "apiregistration.v1.APIServiceList",
    },
    "apps/v1": {
        "ControllerRevision": "apps.v1.ControllerRevision",
        "ControllerRevisionList": "apps.v1.ControllerRevisionList",
        "DaemonSet": "apps.v1.DaemonSet",
        "DaemonSetList": "apps.v1.DaemonSetList",
        "Deployment": "apps.v1.Deployment",
        "DeploymentList": "apps.v1.DeploymentList",
        "ReplicaSet": "apps.v1.ReplicaSet",
        "ReplicaSetList": "apps.v1.ReplicaSetList",
        "StatefulSet": "apps.v1.StatefulSet",
        "StatefulSetList": "apps.v1.StatefulSetList",
    },
    "authentication.k8s.io/v1": {
        "SelfSubjectReview": "authentication.v1.SelfSubjectReview",
        "TokenRequest": "authentication.v1.TokenRequest",
        "TokenReview": "authentication.v1.TokenReview",
    },
    "authorization.k8s.io/v1": {
        "LocalSubjectAccessReview": "authorization.v1.LocalSubjectAccessReview",
        "SelfSubjectAccessReview": "authorization.v1.SelfSubjectAccessReview",
        "SelfSubjectRulesReview": "authorization.v1.SelfSubjectRulesReview",
        "SubjectAccessReview": "authorization.v1.SubjectAccessReview",
    },
    "autoscaling/v1": {
        "HorizontalPodAutoscaler": "autoscaling.v1.HorizontalPodAutoscaler",
        "HorizontalPodAutoscalerList": "autoscaling.v1.HorizontalPodAutoscalerList",
        "Scale": "autoscaling.v1.Scale",
    },
    "autoscaling/v2": {
        "HorizontalPodAutoscaler": "autoscaling.v2.HorizontalPodAutoscaler",
        "HorizontalPodAutoscalerList": "autoscaling.v2.HorizontalPodAutoscalerList",
    },
    "batch/v1": {
        "CronJob": "batch.v1.CronJob",
        "CronJobList": "batch.v1.CronJobList",
        "Job": "batch.v1.Job",
        "JobList": "batch.v1.JobList",
    },
    "certificates.k8s.io/v1": {
        "CertificateSigningRequest": "certificates.v1.CertificateSigningRequest",
        "CertificateSigningRequestList": "certificates.v1.CertificateSigningRequestList",
    },
    "coordination.k8s.io/v1": {
        "Lease": "coordination.v1.Lease",
        "LeaseList": "coordination.v1.LeaseList",
    },
    "discovery.k8s.io/v1": {
        "EndpointSlice": "discovery.v1.EndpointSlice",
        "EndpointSliceList": "discovery.v1.EndpointSliceList",
    },
    "events.k8s.io/v1": {
        "Event": "events.v1.Event",
        "EventList": "events.v1.EventList",
    },
    "flowcontrol.apiserver.k8s.io/v1": {
        "FlowSchema": "flowcontrol.v1.FlowSchema",
        "FlowSchemaList": "flowcontrol.v1.FlowSchemaList",
        "PriorityLevelConfiguration": "flowcontrol.v1.PriorityLevelConfiguration",
        "PriorityLevelConfigurationList": "flowcontrol.v1.PriorityLevelConfigurationList",
    },
    "meta.k8s.io/v1": {
        "PartialObjectMetadata": "meta.v1.PartialObjectMetadata",
        "PartialObjectMetadataList": "meta.v1.PartialObjectMetadataList",
    },
    "networking.k8s.io/v1": {
        "IPAddress": "networking.v1.IPAddress",
        "IPAddressList": "networking.v1.IPAddressList",
        "Ingress": "networking.v1.Ingress",
        "IngressClass": "networking.v1.IngressClass",
        "IngressClassList": "networking.v1.IngressClassList",
        "IngressList": "networking.v1.IngressList",
        "NetworkPolicy": "networking.v1.NetworkPolicy",
        "NetworkPolicyList": "networking.v1.NetworkPolicyList",
        "ServiceCIDR": "networking.v1.ServiceCIDR",
        "ServiceCIDRList": "networking.v1.ServiceCIDRList",
    },
    "node.k8s.io/v1": {
        "RuntimeClass": "node.v1.RuntimeClass",
        "RuntimeClassList": "node.v1.RuntimeClassList",
    },
    "policy/v1": {
        "Eviction": "policy.v1.Eviction",
        "PodDisruptionBudget": "policy.v1.PodDisruptionBudget",
        "PodDisruptionBudgetList": "policy.v1.PodDisruptionBudgetList",
    },
    "rbac.authorization.k8s.io/v1": {
        "ClusterRole": "rbac.v1.ClusterRole",
        "ClusterRoleBinding": "rbac.v1.ClusterRoleBinding",
        "ClusterRoleBindingList": "rbac.v1.ClusterRoleBindingList",
        "ClusterRoleList": "rbac.v1.ClusterRoleList",
        "Role": "rbac.v1.Role",
        "RoleBinding": "rbac.v1.RoleBinding",
        "RoleBindingList": "rbac.v1.RoleBindingList",
        "RoleList": "rbac.v1.RoleList",
    },
    "resource.k8s.io/v1": {
        "DeviceClass": "resource.v1.DeviceClass",
        "DeviceClassList": "resource.v1.DeviceClassList",
        "ResourceClaim": "resource.v1.ResourceClaim",
        "ResourceClaimList": "resource.v1.ResourceClaimList",
        "ResourceClaimTemplate": "resource.v1.ResourceClaimTemplate",
        "ResourceClaimTemplateList": "resource.v1.ResourceClaimTemplateList",
        "ResourceSlice": "resource.v1.ResourceSlice",
        "ResourceSliceList": "resource.v1.ResourceSliceList",
    },
    "scheduling.k8s.io/v1": {
        "PriorityClass": "scheduling.v1.PriorityClass",
        "PriorityClassList": "scheduling.v1.PriorityClassList",
    },
    "storage.k8s.io/v1": {
        "CSIDriver": "storage.v1.CSIDriver",
        "CSIDriverList": "storage.v1.CSIDriverList",
        "CSINode": "storage.v1.CSINode",
        "CSINodeList": "storage.v1.CSINodeList",
        "CSIStorageCapacity": "storage.v1.CSIStorageCapacity",
        "CSIStorageCapacityList": "storage.v1.CSIStorageCapacityList",
        "StorageClass": "storage.v1.StorageClass",
        "StorageClassList": "storage.v1.StorageClassList",
        "VolumeAttachment": "storage.v1.VolumeAttachment",
        "VolumeAttachmentList": "storage.v1.VolumeAttachmentList",
        "VolumeAttributesClass": "storage.v1.VolumeAttributesClass",
        "VolumeAttributesClassList": "storage.v1.VolumeAttributesClassList",
    },
    "v1": {
        "APIResourceList": "meta.v1.APIResourceList",
        "Binding": "core.v1.Binding",
        "ComponentStatus": "core.v1.ComponentStatus",
        "ComponentStatusList": "core.v1.ComponentStatusList",
        "ConfigMap": "core.v1.ConfigMap",
        "ConfigMapList": "core.v1.ConfigMapList",
        "Endpoints": "core.v1.Endpoints",
        "EndpointsList": "core.v1.EndpointsList",
        "Event": "core.v1.Event",
        "EventList": "core.v1.EventList",
        "LimitRange": "core.v1.LimitRange",
        "LimitRangeList": "core.v1.LimitRangeList",
        "List": "core.v1.List",
        "Namespace": "core.v1.Namespace",
        "NamespaceList": "core.v1.NamespaceList",
        "Node": "core.v1.Node",
        "NodeList": "core.v1.NodeList",
        "PersistentVolume": "core.v1.PersistentVolume",
        "PersistentVolumeClaim": "core.v1.PersistentVolumeClaim",
        "PersistentVolumeClaimList": "core.v1.PersistentVolumeClaimList",
        "PersistentVolumeList": "core.v1.PersistentVolumeList",
        "Pod": "core.v1.Pod",
        "PodList": "core.v1.PodList",
        "PodTemplate": "core.v1.PodTemplate",
        "PodTemplateList": "core.v1.PodTemplateList",
        "ReplicationController": "core.v1.ReplicationController",
        "ReplicationControllerList": "core.v1.ReplicationControllerList",
        "ResourceQuota": "core.v1.ResourceQuota",
        "ResourceQuotaList": "core.v1.ResourceQuotaList",
        "Secret": "core.v1.Secret",
        "SecretList": "core.v1.SecretList",
        "Service": "core.v1.Service",
        "ServiceAccount": "core.v1.ServiceAccount",
        "ServiceAccountList": "core.v1.ServiceAccountList",
        "ServiceList": "core.v1.ServiceList",
        "Status": "meta.v1.Status",
    },
}
"""apiVersion → kind → struct; an empty apiVersion stands for every one."""

NAMED: Final[dict[str, str]] = {
    "admissionregistration.v1.FailurePolicyType": "string",
    "admissionregistration.v1.MatchPolicyType": "string",
    "admissionregistration.v1.OperationType": "string",
    "admissionregistration.v1.ParameterNotFoundActionType": "string",
    "admissionregistration.v1.PatchType": "string",
    "admissionregistration.v1.ReinvocationPolicyType": "string",
    "admissionregistration.v1.ScopeType": "string",
    "admissionregistration.v1.SideEffectClass": "string",
    "admissionregistration.v1.ValidationAction": "string",
    "apidiscovery.v2.DiscoveryFreshness": "string",
    "apidiscovery.v2.ResourceScope": "string",
    "apiextensions.v1.ConditionStatus": "string",
    "apiextensions.v1.ConversionStrategyType": "string",
    "apiextensions.v1.CustomResourceDefinitionConditionType": "string",
    "apiextensions.v1.FieldValueErrorReason": "string",
    "apiextensions.v1.JSONSchemaDefinitions": "map[string]apiextensions.v1.JSONSchemaProps",
    "apiextensions.v1.JSONSchemaDependencies": "map[string]apiextensions.v1.JSONSchemaPropsOrStringArray",
    "apiextensions.v1.JSONSchemaURL": "string",
    "apiextensions.v1.ResourceScope": "string",
    "apiextensions.v1.ValidationRules": "[]apiextensions.v1.ValidationRule",
    "apiregistration.v1.APIServiceConditionType": "string",
    "apiregistration.v1.ConditionStatus": "string",
    "apps.v1.DaemonSetConditionType": "string",
    "apps.v1.DaemonSetUpdateStrategyType": "string",
    "apps.v1.DeploymentConditionType": "string",
    "apps.v1.DeploymentStrategyType": "string",
    "apps.v1.PersistentVolumeClaimRetentionPolicyType": "string",
    "apps.v1.PodManagementPolicyType": "string",
    "apps.v1.ReplicaSetConditionType": "string",
    "apps.v1.StatefulSetConditionType": "string",
    "apps.v1.StatefulSetUpdateStrategyType": "string",
    "authentication.v1.ExtraValue": "[]string",
    "authorization.v1.ExtraValue": "[]string",
    "autoscaling.v2.HPAScalingPolicyType": "string",
    "autoscaling.v2.HorizontalPodAutoscalerConditionType": "string",
    "autoscaling.v2.MetricSourceType": "string",
    "autoscaling.v2.MetricTargetType": "string",
    "autoscaling.v2.ScalingPolicySelect": "string",
    "batch.v1.CompletionMode": "string",
    "batch.v1.ConcurrencyPolicy": "string",
    "batch.v1.JobConditionType": "string",
    "batch.v1.PodFailurePolicyAction": "string",
    "batch.v1.PodFailurePolicyOnExitCodesOperator": "string",
    "batch.v1.PodReplacementPolicy": "string",
    "certificates.v1.ExtraValue": "[]string",
    "certificates.v1.KeyUsage": "string",
    "certificates.v1.RequestConditionType": "string",
    "coordination.v1.CoordinatedLeaseStrategy": "string",
    "core.v1.AppArmorProfileType": "string",
    "core.v1.AzureDataDiskCachingMode": "string",
    "core.v1.AzureDataDiskKind": "string",
    "core.v1.Capability": "string",
    "core.v1.ClaimResourceStatus": "string",
    "core.v1.ComponentConditionType": "string",
    "core.v1.ConditionStatus": "string",
    "core.v1.ContainerRestartPolicy": "string",
    "core.v1.ContainerRestartRuleAction": "string",
    "core.v1.ContainerRestartRuleOnExitCodesOperator": "string",
    "core.v1.DNSPolicy": "string",
    "core.v1.FinalizerName": "string",
    "core.v1.HostPathType": "string",
    "core.v1.IPFamily": "string",
    "core.v1.IPFamilyPolicy": "string",
    "core.v1.LimitType": "string",
    "core.v1.LoadBalancerIPMode": "string",
    "core.v1.MountPropagationMode": "string",
    "core.v1.NamespaceConditionType": "string",
    "core.v1.NamespacePhase": "string",
    "core.v1.NodeAddressType": "string",
    "core.v1.NodeConditionType": "string",
    "core.v1.NodeInclusionPolicy": "string",
    "core.v1.NodePhase": "string",
    "core.v1.NodeSelectorOperator": "string",
    "core.v1.OSName": "string",
    "core.v1.PersistentVolumeAccessMode": "string",
    "core.v1.PersistentVolumeClaimConditionType": "string",
    "core.v1.PersistentVolumeClaimModifyVolumeStatus": "string",
    "core.v1.PersistentVolumeClaimPhase": "string",
    "core.v1.PersistentVolumeMode": "string",
    "core.v1.PersistentVolumePhase": "string",
    "core.v1.PersistentVolumeReclaimPolicy": "string",
    "core.v1.PodConditionType": "string",
    "core.v1.PodFSGroupChangePolicy": "string",
    "core.v1.PodPhase": "string",
    "core.v1.PodQOSClass": "string",
    "core.v1.PodResizeStatus": "string",
    "core.v1.PodSELinuxChangePolicy": "string",
    "core.v1.PreemptionPolicy": "string",
    "core.v1.ProcMountType": "string",
    "core.v1.Protocol": "string",
    "core.v1.PullPolicy": "string",
    "core.v1.RecursiveReadOnlyMode": "string",
    "core.v1.ReplicationControllerConditionType": "string",
    "core.v1.ResourceHealthStatus": "string",
    "core.v1.ResourceID": "string",
    "core.v1.ResourceList": "map[core.v1.ResourceName]resource.Quantity",
    "core.v1.ResourceName": "string",
    "core.v1.ResourceQuotaScope": "string",
    "core.v1.ResourceResizeRestartPolicy": "string",
    "core.v1.RestartPolicy": "string",
    "core.v1.ScopeSelectorOperator": "string",
    "core.v1.SeccompProfileType": "string",
    "core.v1.SecretType": "string",
    "core.v1.ServiceAffinity": "string",
    "core.v1.ServiceExternalTrafficPolicy": "string",
    "core.v1.ServiceInternalTrafficPolicy": "string",
    "core.v1.ServiceType": "string",
    "core.v1.Signal": "string",
    "core.v1.StorageMedium": "string",
    "core.v1.SupplementalGroupsPolicy": "string",
    "core.v1.TaintEffect": "string",
    "core.v1.TerminationMessagePolicy": "string",
    "core.v1.TolerationOperator": "string",
    "core.v1.URIScheme": "string",
    "core.v1.UniqueVolumeName": "string",
    "core.v1.UnsatisfiableConstraintAction": "string",
    "discovery.v1.AddressType": "string",
    "flowcontrol.v1.ConditionStatus": "string",
    "flowcontrol.v1.FlowDistinguisherMethodType": "string",
    "flowcontrol.v1.FlowSchemaConditionType": "string",
    "flowcontrol.v1.LimitResponseType": "string",
    "flowcontrol.v1.PriorityLevelConfigurationConditionType": "string",
    "flowcontrol.v1.PriorityLevelEnablement": "string",
    "flowcontrol.v1.SubjectKind": "string",
    "meta.v1.CauseType": "string",
    "meta.v1.ConditionStatus": "string",
    "meta.v1.DeletionPropagation": "string",
    "meta.v1.FieldSelectorOperator": "string",
    "meta.v1.LabelSelectorOperator": "string",
    "meta.v1.ManagedFieldsOperationType": "string",
    "meta.v1.ResourceVersionMatch": "string",
    "meta.v1.StatusReason": "string",
    "meta.v1.Verbs": "[]string",
    "networking.v1.PathType": "string",
    "networking.v1.PolicyType": "string",
    "policy.v1.UnhealthyPodEvictionPolicyType": "string",
    "resource.v1.AllocationConfigSource": "string",
    "resource.v1.DeviceAllocationMode": "string",
    "resource.v1.DeviceTaintEffect": "string",
    "resource.v1.DeviceTolerationOperator": "string",
    "resource.v1.FullyQualifiedName": "string",
    "resource.v1.QualifiedName": "string",
    "storage.v1.FSGroupPolicy": "string",
    "storage.v1.VolumeBindingMode": "string",
    "storage.v1.VolumeLifecycleMode": "string",
    "types.UID": "string",
}
"""Types with a name that are no structs, and what they are."""

STRUCTS: Final[dict[str, str]] = {
    "admissionregistration.v1.ApplyConfiguration": """
expression string omitempty
""",
    "admissionregistration.v1.AuditAnnotation": """
key string
valueExpression string
""",
    "admissionregistration.v1.ExpressionWarning": """
fieldRef string
warning string
""",
    "admissionregistration.v1.JSONPatch": """
expression string omitempty
""",
    "admissionregistration.v1.MatchCondition": """
name string
expression string
""",
    "admissionregistration.v1.MatchResources": """
namespaceSelector *meta.v1.LabelSelector omitempty
objectSelector *meta.v1.LabelSelector omitempty
resourceRules []admissionregistration.v1.NamedRuleWithOperations omitempty
excludeResourceRules []admissionregistration.v1.NamedRuleWithOperations omitempty
matchPolicy *admissionregistration.v1.MatchPolicyType omitempty
""",
    "admissionregistration.v1.MutatingAdmissionPolicy": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec admissionregistration.v1.MutatingAdmissionPolicySpec omitempty
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBinding": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec admissionregistration.v1.MutatingAdmissionPolicyBindingSpec omitempty
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBindingList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []admissionregistration.v1.MutatingAdmissionPolicyBinding
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBindingSpec": """
policyName string omitempty
paramRef *admissionregistration.v1.ParamRef omitempty
matchResources *admissionregistration.v1.MatchResources omitempty
""",
    "admissionregistration.v1.MutatingAdmissionPolicyList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []admissionregistration.v1.MutatingAdmissionPolicy
""",
    "admissionregistration.v1.MutatingAdmissionPolicySpec": """
paramKind *admissionregistration.v1.ParamKind omitempty
matchConstraints *admissionregistration.v1.MatchResources omitempty
variables []admissionregistration.v1.Variable omitempty
mutations []admissionregistration.v1.Mutation omitempty
failurePolicy *admissionregistration.v1.FailurePolicyType omitempty
matchConditions []admissionregistration.v1.MatchCondition omitempty
reinvocationPolicy admissionregistration.v1.ReinvocationPolicyType omitempty
""",
    "admissionregistration.v1.MutatingWebhook": """
name string
clientConfig admissionregistration.v1.WebhookClientConfig
rules []admissionregistration.v1.RuleWithOperations omitempty
failurePolicy *admissionregistration.v1.FailurePolicyType omitempty
matchPolicy *admissionregistration.v1.MatchPolicyType omitempty
namespaceSelector *meta.v1.LabelSelector omitempty
objectSelector *meta.v1.LabelSelector omitempty
sideEffects *admissionregistration.v1.SideEffectClass
timeoutSeconds *int32 omitempty
admissionReviewVersions []string
reinvocationPolicy *admissionregistration.v1.ReinvocationPolicyType omitempty
matchConditions []admissionregistration.v1.MatchCondition omitempty
""",
    "admissionregistration.v1.MutatingWebhookConfiguration": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
webhooks []admissionregistration.v1.MutatingWebhook omitempty
""",
    "admissionregistration.v1.MutatingWebhookConfigurationList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []admissionregistration.v1.MutatingWebhookConfiguration
""",
    "admissionregistration.v1.Mutation": """
patchType admissionregistration.v1.PatchType
applyConfiguration *admissionregistration.v1.ApplyConfiguration omitempty
jsonPatch *admissionregistration.v1.JSONPatch omitempty
""",
    "admissionregistration.v1.NamedRuleWithOperations": """
resourceNames []string omitempty
>RuleWithOperations admissionregistration.v1.RuleWithOperations
""",
    "admissionregistration.v1.ParamKind": """
apiVersion string omitempty
kind string omitempty
""",
    "admissionregistration.v1.ParamRef": """
name string omitempty
namespace string omitempty
selector *meta.v1.LabelSelector omitempty
parameterNotFoundAction *admissionregistration.v1.ParameterNotFoundActionType omitempty
""",
    "admissionregistration.v1.Rule": """
apiGroups []string omitempty
apiVersions []string omitempty
resources []string omitempty
scope *admissionregistration.v1.ScopeType omitempty
""",
    "admissionregistration.v1.RuleWithOperations": """
operations []admissionregistration.v1.OperationType omitempty
>Rule admissionregistration.v1.Rule
""",
    "admissionregistration.v1.ServiceReference": """
namespace string
name string
path *string omitempty
port *int32 omitempty
""",
    "admissionregistration.v1.TypeChecking": """
expressionWarnings []admissionregistration.v1.ExpressionWarning omitempty
""",
    "admissionregistration.v1.ValidatingAdmissionPolicy": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec admissionregistration.v1.ValidatingAdmissionPolicySpec omitempty
status admissionregistration.v1.ValidatingAdmissionPolicyStatus omitempty
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBinding": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec omitempty
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []admissionregistration.v1.ValidatingAdmissionPolicyBinding
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": """
policyName string omitempty
paramRef *admissionregistration.v1.ParamRef omitempty
matchResources *admissionregistration.v1.MatchResources omitempty
validationActions []admissionregistration.v1.ValidationAction omitempty
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []admissionregistration.v1.ValidatingAdmissionPolicy
""",
    "admissionregistration.v1.ValidatingAdmissionPolicySpec": """
paramKind *admissionregistration.v1.ParamKind omitempty
matchConstraints *admissionregistration.v1.MatchResources omitempty
validations []admissionregistration.v1.Validation omitempty
failurePolicy *admissionregistration.v1.FailurePolicyType omitempty
auditAnnotations []admissionregistration.v1.AuditAnnotation omitempty
matchConditions []admissionregistration.v1.MatchCondition omitempty
variables []admissionregistration.v1.Variable omitempty
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyStatus": """
observedGeneration int64 omitempty
typeChecking *admissionregistration.v1.TypeChecking omitempty
conditions []meta.v1.Condition omitempty
""",
    "admissionregistration.v1.ValidatingWebhook": """
name string
clientConfig admissionregistration.v1.WebhookClientConfig
rules []admissionregistration.v1.RuleWithOperations omitempty
failurePolicy *admissionregistration.v1.FailurePolicyType omitempty
matchPolicy *admissionregistration.v1.MatchPolicyType omitempty
namespaceSelector *meta.v1.LabelSelector omitempty
objectSelector *meta.v1.LabelSelector omitempty
sideEffects *admissionregistration.v1.SideEffectClass
timeoutSeconds *int32 omitempty
admissionReviewVersions []string
matchConditions []admissionregistration.v1.MatchCondition omitempty
""",
    "admissionregistration.v1.ValidatingWebhookConfiguration": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
webhooks []admissionregistration.v1.ValidatingWebhook omitempty
""",
    "admissionregistration.v1.ValidatingWebhookConfigurationList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []admissionregistration.v1.ValidatingWebhookConfiguration
""",
    "admissionregistration.v1.Validation": """
expression string
message string omitempty
reason *meta.v1.StatusReason omitempty
messageExpression string omitempty
""",
    "admissionregistration.v1.Variable": """
name string
expression string
""",
    "admissionregistration.v1.WebhookClientConfig": """
url *string omitempty
service *admissionregistration.v1.ServiceReference omitempty
caBundle []uint8 omitempty
""",
    "apidiscovery.v2.APIGroupDiscovery": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
versions []apidiscovery.v2.APIVersionDiscovery omitempty
""",
    "apidiscovery.v2.APIGroupDiscoveryList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apidiscovery.v2.APIGroupDiscovery
""",
    "apidiscovery.v2.APIResourceDiscovery": """
resource string
responseKind *meta.v1.GroupVersionKind omitempty
scope apidiscovery.v2.ResourceScope
singularResource string
verbs []string
shortNames []string omitempty
categories []string omitempty
subresources []apidiscovery.v2.APISubresourceDiscovery omitempty
""",
    "apidiscovery.v2.APISubresourceDiscovery": """
subresource string
responseKind *meta.v1.GroupVersionKind omitempty
acceptedTypes []meta.v1.GroupVersionKind omitempty
verbs []string
""",
    "apidiscovery.v2.APIVersionDiscovery": """
version string
resources []apidiscovery.v2.APIResourceDiscovery omitempty
freshness apidiscovery.v2.DiscoveryFreshness omitempty
""",
    "apiextensions.v1.CustomResourceColumnDefinition": """
name string
type string
format string omitempty
description string omitempty
priority int32 omitempty
jsonPath string
""",
    "apiextensions.v1.CustomResourceConversion": """
strategy apiextensions.v1.ConversionStrategyType
webhook *apiextensions.v1.WebhookConversion omitempty
""",
    "apiextensions.v1.CustomResourceDefinition": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec apiextensions.v1.CustomResourceDefinitionSpec
status apiextensions.v1.CustomResourceDefinitionStatus omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionCondition": """
type apiextensions.v1.CustomResourceDefinitionConditionType
status apiextensions.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
observedGeneration int64 omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apiextensions.v1.CustomResourceDefinition
""",
    "apiextensions.v1.CustomResourceDefinitionNames": """
plural string
singular string omitempty
shortNames []string omitempty
kind string
listKind string omitempty
categories []string omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionSpec": """
group string
names apiextensions.v1.CustomResourceDefinitionNames
scope apiextensions.v1.ResourceScope
versions []apiextensions.v1.CustomResourceDefinitionVersion
conversion *apiextensions.v1.CustomResourceConversion omitempty
preserveUnknownFields bool omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionStatus": """
conditions []apiextensions.v1.CustomResourceDefinitionCondition
acceptedNames apiextensions.v1.CustomResourceDefinitionNames
storedVersions []string
observedGeneration int64 omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionVersion": """
name string
served bool
storage bool
deprecated bool omitempty
deprecationWarning *string omitempty
schema *apiextensions.v1.CustomResourceValidation omitempty
subresources *apiextensions.v1.CustomResourceSubresources omitempty
additionalPrinterColumns []apiextensions.v1.CustomResourceColumnDefinition omitempty
selectableFields []apiextensions.v1.SelectableField omitempty
""",
    "apiextensions.v1.CustomResourceSubresourceScale": """
specReplicasPath string
statusReplicasPath string
labelSelectorPath *string omitempty
""",
    "apiextensions.v1.CustomResourceSubresourceStatus": """
""",
    "apiextensions.v1.CustomResourceSubresources": """
status *apiextensions.v1.CustomResourceSubresourceStatus omitempty
scale *apiextensions.v1.CustomResourceSubresourceScale omitempty
""",
    "apiextensions.v1.CustomResourceValidation": """
openAPIV3Schema *apiextensions.v1.JSONSchemaProps omitempty
""",
    "apiextensions.v1.ExternalDocumentation": """
description string omitempty
url string omitempty
""",
    "apiextensions.v1.JSONSchemaProps": """
id string omitempty
$schema apiextensions.v1.JSONSchemaURL omitempty
$ref *string omitempty
description string omitempty
type string omitempty
format string omitempty
title string omitempty
default *apiextensions.v1.JSON omitempty
maximum *float64 omitempty
exclusiveMaximum bool omitempty
minimum *float64 omitempty
exclusiveMinimum bool omitempty
maxLength *int64 omitempty
minLength *int64 omitempty
pattern string omitempty
maxItems *int64 omitempty
minItems *int64 omitempty
uniqueItems bool omitempty
multipleOf *float64 omitempty
enum []apiextensions.v1.JSON omitempty
maxProperties *int64 omitempty
minProperties *int64 omitempty
required []string omitempty
items *apiextensions.v1.JSONSchemaPropsOrArray omitempty
allOf []apiextensions.v1.JSONSchemaProps omitempty
oneOf []apiextensions.v1.JSONSchemaProps omitempty
anyOf []apiextensions.v1.JSONSchemaProps omitempty
not *apiextensions.v1.JSONSchemaProps omitempty
properties map[string]apiextensions.v1.JSONSchemaProps omitempty
additionalProperties *apiextensions.v1.JSONSchemaPropsOrBool omitempty
patternProperties map[string]apiextensions.v1.JSONSchemaProps omitempty
dependencies apiextensions.v1.JSONSchemaDependencies omitempty
additionalItems *apiextensions.v1.JSONSchemaPropsOrBool omitempty
definitions apiextensions.v1.JSONSchemaDefinitions omitempty
externalDocs *apiextensions.v1.ExternalDocumentation omitempty
example *apiextensions.v1.JSON omitempty
nullable bool omitempty
x-kubernetes-preserve-unknown-fields *bool omitempty
x-kubernetes-embedded-resource bool omitempty
x-kubernetes-int-or-string bool omitempty
x-kubernetes-list-map-keys []string omitempty
x-kubernetes-list-type *string omitempty
x-kubernetes-map-type *string omitempty
x-kubernetes-validations apiextensions.v1.ValidationRules omitempty
""",
    "apiextensions.v1.SelectableField": """
jsonPath string
""",
    "apiextensions.v1.ServiceReference": """
namespace string
name string
path *string omitempty
port *int32 omitempty
""",
    "apiextensions.v1.ValidationRule": """
rule string
message string omitempty
messageExpression string omitempty
reason *apiextensions.v1.FieldValueErrorReason omitempty
fieldPath string omitempty
optionalOldSelf *bool omitempty
""",
    "apiextensions.v1.WebhookClientConfig": """
url *string omitempty
service *apiextensions.v1.ServiceReference omitempty
caBundle []uint8 omitempty
""",
    "apiextensions.v1.WebhookConversion": """
clientConfig *apiextensions.v1.WebhookClientConfig omitempty
conversionReviewVersions []string
""",
    "apiregistration.v1.APIService": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec apiregistration.v1.APIServiceSpec omitempty
status apiregistration.v1.APIServiceStatus omitempty
""",
    "apiregistration.v1.APIServiceCondition": """
type apiregistration.v1.APIServiceConditionType
status apiregistration.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "apiregistration.v1.APIServiceList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apiregistration.v1.APIService
""",
    "apiregistration.v1.APIServiceSpec": """
service *apiregistration.v1.ServiceReference omitempty
group string omitempty
version string omitempty
insecureSkipTLSVerify bool omitempty
caBundle []uint8 omitempty
groupPriorityMinimum int32
versionPriority int32
""",
    "apiregistration.v1.APIServiceStatus": """
conditions []apiregistration.v1.APIServiceCondition omitempty
""",
    "apiregistration.v1.ServiceReference": """
namespace string omitempty
name string omitempty
port *int32 omitempty
""",
    "apps.v1.ControllerRevision": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
data runtime.RawExtension omitempty
revision int64
""",
    "apps.v1.ControllerRevisionList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apps.v1.ControllerRevision
""",
    "apps.v1.DaemonSet": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec apps.v1.DaemonSetSpec omitempty
status apps.v1.DaemonSetStatus omitempty
""",
    "apps.v1.DaemonSetCondition": """
type apps.v1.DaemonSetConditionType
status core.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "apps.v1.DaemonSetList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apps.v1.DaemonSet
""",
    "apps.v1.DaemonSetSpec": """
selector *meta.v1.LabelSelector
template core.v1.PodTemplateSpec
updateStrategy apps.v1.DaemonSetUpdateStrategy omitempty
minReadySeconds int32 omitempty
revisionHistoryLimit *int32 omitempty
""",
    "apps.v1.DaemonSetStatus": """
currentNumberScheduled int32
numberMisscheduled int32
desiredNumberScheduled int32
numberReady int32
observedGeneration int64 omitempty
updatedNumberScheduled int32 omitempty
numberAvailable int32 omitempty
numberUnavailable int32 omitempty
collisionCount *int32 omitempty
conditions []apps.v1.DaemonSetCondition omitempty
""",
    "apps.v1.DaemonSetUpdateStrategy": """
type apps.v1.DaemonSetUpdateStrategyType omitempty
rollingUpdate *apps.v1.RollingUpdateDaemonSet omitempty
""",
    "apps.v1.Deployment": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec apps.v1.DeploymentSpec omitempty
status apps.v1.DeploymentStatus omitempty
""",
    "apps.v1.DeploymentCondition": """
type apps.v1.DeploymentConditionType
status core.v1.ConditionStatus
lastUpdateTime meta.v1.Time omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "apps.v1.DeploymentList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apps.v1.Deployment
""",
    "apps.v1.DeploymentSpec": """
replicas *int32 omitempty
selector *meta.v1.LabelSelector
template core.v1.PodTemplateSpec
strategy apps.v1.DeploymentStrategy omitempty
minReadySeconds int32 omitempty
revisionHistoryLimit *int32 omitempty
paused bool omitempty
progressDeadlineSeconds *int32 omitempty
""",
    "apps.v1.DeploymentStatus": """
observedGeneration int64 omitempty
replicas int32 omitempty
updatedReplicas int32 omitempty
readyReplicas int32 omitempty
availableReplicas int32 omitempty
unavailableReplicas int32 omitempty
terminatingReplicas *int32 omitempty
conditions []apps.v1.DeploymentCondition omitempty
collisionCount *int32 omitempty
""",
    "apps.v1.DeploymentStrategy": """
type apps.v1.DeploymentStrategyType omitempty
rollingUpdate *apps.v1.RollingUpdateDeployment omitempty
""",
    "apps.v1.ReplicaSet": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec apps.v1.ReplicaSetSpec omitempty
status apps.v1.ReplicaSetStatus omitempty
""",
    "apps.v1.ReplicaSetCondition": """
type apps.v1.ReplicaSetConditionType
status core.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "apps.v1.ReplicaSetList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apps.v1.ReplicaSet
""",
    "apps.v1.ReplicaSetSpec": """
replicas *int32 omitempty
minReadySeconds int32 omitempty
selector *meta.v1.LabelSelector
template core.v1.PodTemplateSpec omitempty
""",
    "apps.v1.ReplicaSetStatus": """
replicas int32
fullyLabeledReplicas int32 omitempty
readyReplicas int32 omitempty
availableReplicas int32 omitempty
terminatingReplicas *int32 omitempty
observedGeneration int64 omitempty
conditions []apps.v1.ReplicaSetCondition omitempty
""",
    "apps.v1.RollingUpdateDaemonSet": """
maxUnavailable *intstr.IntOrString omitempty
maxSurge *intstr.IntOrString omitempty
""",
    "apps.v1.RollingUpdateDeployment": """
maxUnavailable *intstr.IntOrString omitempty
maxSurge *intstr.IntOrString omitempty
""",
    "apps.v1.RollingUpdateStatefulSetStrategy": """
partition *int32 omitempty
maxUnavailable *intstr.IntOrString omitempty
""",
    "apps.v1.StatefulSet": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec apps.v1.StatefulSetSpec omitempty
status apps.v1.StatefulSetStatus omitempty
""",
    "apps.v1.StatefulSetCondition": """
type apps.v1.StatefulSetConditionType
status core.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "apps.v1.StatefulSetList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []apps.v1.StatefulSet
""",
    "apps.v1.StatefulSetOrdinals": """
start int32
""",
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": """
whenDeleted apps.v1.PersistentVolumeClaimRetentionPolicyType omitempty
whenScaled apps.v1.PersistentVolumeClaimRetentionPolicyType omitempty
""",
    "apps.v1.StatefulSetSpec": """
replicas *int32 omitempty
selector *meta.v1.LabelSelector
template core.v1.PodTemplateSpec
volumeClaimTemplates []core.v1.PersistentVolumeClaim omitempty
serviceName string
podManagementPolicy apps.v1.PodManagementPolicyType omitempty
updateStrategy apps.v1.StatefulSetUpdateStrategy omitempty
revisionHistoryLimit *int32 omitempty
minReadySeconds int32 omitempty
persistentVolumeClaimRetentionPolicy *apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy omitempty
ordinals *apps.v1.StatefulSetOrdinals omitempty
""",
    "apps.v1.StatefulSetStatus": """
observedGeneration int64 omitempty
replicas int32
readyReplicas int32 omitempty
currentReplicas int32 omitempty
updatedReplicas int32 omitempty
currentRevision string omitempty
updateRevision string omitempty
collisionCount *int32 omitempty
conditions []apps.v1.StatefulSetCondition omitempty
availableReplicas int32
""",
    "apps.v1.StatefulSetUpdateStrategy": """
type apps.v1.StatefulSetUpdateStrategyType omitempty
rollingUpdate *apps.v1.RollingUpdateStatefulSetStrategy omitempty
""",
    "authentication.v1.BoundObjectReference": """
kind string omitempty
apiVersion string omitempty
name string omitempty
uid types.UID omitempty
""",
    "authentication.v1.SelfSubjectReview": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
status authentication.v1.SelfSubjectReviewStatus omitempty
""",
    "authentication.v1.SelfSubjectReviewStatus": """
userInfo authentication.v1.UserInfo omitempty
""",
    "authentication.v1.TokenRequest": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec authentication.v1.TokenRequestSpec
status authentication.v1.TokenRequestStatus omitempty
""",
    "authentication.v1.TokenRequestSpec": """
audiences []string
expirationSeconds *int64
boundObjectRef *authentication.v1.BoundObjectReference
""",
    "authentication.v1.TokenRequestStatus": """
token string
expirationTimestamp meta.v1.Time
""",
    "authentication.v1.TokenReview": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec authentication.v1.TokenReviewSpec
status authentication.v1.TokenReviewStatus omitempty
""",
    "authentication.v1.TokenReviewSpec": """
token string omitempty
audiences []string omitempty
""",
    "authentication.v1.TokenReviewStatus": """
authenticated bool omitempty
user authentication.v1.UserInfo omitempty
audiences []string omitempty
error string omitempty
""",
    "authentication.v1.UserInfo": """
username string omitempty
uid string omitempty
groups []string omitempty
extra map[string]authentication.v1.ExtraValue omitempty
""",
    "authorization.v1.FieldSelectorAttributes": """
rawSelector string omitempty
requirements []meta.v1.FieldSelectorRequirement omitempty
""",
    "authorization.v1.LabelSelectorAttributes": """
rawSelector string omitempty
requirements []meta.v1.LabelSelectorRequirement omitempty
""",
    "authorization.v1.LocalSubjectAccessReview": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec authorization.v1.SubjectAccessReviewSpec
status authorization.v1.SubjectAccessReviewStatus omitempty
""",
    "authorization.v1.NonResourceAttributes": """
path string omitempty
verb string omitempty
""",
    "authorization.v1.NonResourceRule": """
verbs []string
nonResourceURLs []string omitempty
""",
    "authorization.v1.ResourceAttributes": """
namespace string omitempty
verb string omitempty
group string omitempty
version string omitempty
resource string omitempty
subresource string omitempty
name string omitempty
fieldSelector *authorization.v1.FieldSelectorAttributes omitempty
labelSelector *authorization.v1.LabelSelectorAttributes omitempty
""",
    "authorization.v1.ResourceRule": """
verbs []string
apiGroups []string omitempty
resources []string omitempty
resourceNames []string omitempty
""",
    "authorization.v1.SelfSubjectAccessReview": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec authorization.v1.SelfSubjectAccessReviewSpec
status authorization.v1.SubjectAccessReviewStatus omitempty
""",
    "authorization.v1.SelfSubjectAccessReviewSpec": """
resourceAttributes *authorization.v1.ResourceAttributes omitempty
nonResourceAttributes *authorization.v1.NonResourceAttributes omitempty
""",
    "authorization.v1.SelfSubjectRulesReview": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec authorization.v1.SelfSubjectRulesReviewSpec
status authorization.v1.SubjectRulesReviewStatus omitempty
""",
    "authorization.v1.SelfSubjectRulesReviewSpec": """
namespace string omitempty
""",
    "authorization.v1.SubjectAccessReview": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec authorization.v1.SubjectAccessReviewSpec
status authorization.v1.SubjectAccessReviewStatus omitempty
""",
    "authorization.v1.SubjectAccessReviewSpec": """
resourceAttributes *authorization.v1.ResourceAttributes omitempty
nonResourceAttributes *authorization.v1.NonResourceAttributes omitempty
user string omitempty
groups []string omitempty
extra map[string]authorization.v1.ExtraValue omitempty
uid string omitempty
""",
    "authorization.v1.SubjectAccessReviewStatus": """
allowed bool
denied bool omitempty
reason string omitempty
evaluationError string omitempty
""",
    "authorization.v1.SubjectRulesReviewStatus": """
resourceRules []authorization.v1.ResourceRule
nonResourceRules []authorization.v1.NonResourceRule
incomplete bool
evaluationError string omitempty
""",
    "autoscaling.v1.CrossVersionObjectReference": """
kind string
name string
apiVersion string omitempty
""",
    "autoscaling.v1.HorizontalPodAutoscaler": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec autoscaling.v1.HorizontalPodAutoscalerSpec omitempty
status autoscaling.v1.HorizontalPodAutoscalerStatus omitempty
""",
    "autoscaling.v1.HorizontalPodAutoscalerList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []autoscaling.v1.HorizontalPodAutoscaler
""",
    "autoscaling.v1.HorizontalPodAutoscalerSpec": """
scaleTargetRef autoscaling.v1.CrossVersionObjectReference
minReplicas *int32 omitempty
maxReplicas int32
targetCPUUtilizationPercentage *int32 omitempty
""",
    "autoscaling.v1.HorizontalPodAutoscalerStatus": """
observedGeneration *int64 omitempty
lastScaleTime *meta.v1.Time omitempty
currentReplicas int32
desiredReplicas int32
currentCPUUtilizationPercentage *int32 omitempty
""",
    "autoscaling.v1.Scale": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec autoscaling.v1.ScaleSpec omitempty
status autoscaling.v1.ScaleStatus omitempty
""",
    "autoscaling.v1.ScaleSpec": """
replicas int32 omitempty
""",
    "autoscaling.v1.ScaleStatus": """
replicas int32
selector string omitempty
""",
    "autoscaling.v2.ContainerResourceMetricSource": """
name core.v1.ResourceName
target autoscaling.v2.MetricTarget
container string
""",
    "autoscaling.v2.ContainerResourceMetricStatus": """
name core.v1.ResourceName
current autoscaling.v2.MetricValueStatus
container string
""",
    "autoscaling.v2.CrossVersionObjectReference": """
kind string
name string
apiVersion string omitempty
""",
    "autoscaling.v2.ExternalMetricSource": """
metric autoscaling.v2.MetricIdentifier
target autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ExternalMetricStatus": """
metric autoscaling.v2.MetricIdentifier
current autoscaling.v2.MetricValueStatus
""",
    "autoscaling.v2.HPAScalingPolicy": """
type autoscaling.v2.HPAScalingPolicyType
value int32
periodSeconds int32
""",
    "autoscaling.v2.HPAScalingRules": """
stabilizationWindowSeconds *int32 omitempty
selectPolicy *autoscaling.v2.ScalingPolicySelect omitempty
policies []autoscaling.v2.HPAScalingPolicy omitempty
tolerance *resource.Quantity omitempty
""",
    "autoscaling.v2.HorizontalPodAutoscaler": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec autoscaling.v2.HorizontalPodAutoscalerSpec omitempty
status autoscaling.v2.HorizontalPodAutoscalerStatus omitempty
""",
    "autoscaling.v2.HorizontalPodAutoscalerBehavior": """
scaleUp *autoscaling.v2.HPAScalingRules omitempty
scaleDown *autoscaling.v2.HPAScalingRules omitempty
""",
    "autoscaling.v2.HorizontalPodAutoscalerCondition": """
type autoscaling.v2.HorizontalPodAutoscalerConditionType
status core.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "autoscaling.v2.HorizontalPodAutoscalerList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []autoscaling.v2.HorizontalPodAutoscaler
""",
    "autoscaling.v2.HorizontalPodAutoscalerSpec": """
scaleTargetRef autoscaling.v2.CrossVersionObjectReference
minReplicas *int32 omitempty
maxReplicas int32
metrics []autoscaling.v2.MetricSpec omitempty
behavior *autoscaling.v2.HorizontalPodAutoscalerBehavior omitempty
""",
    "autoscaling.v2.HorizontalPodAutoscalerStatus": """
observedGeneration *int64 omitempty
lastScaleTime *meta.v1.Time omitempty
currentReplicas int32 omitempty
desiredReplicas int32
currentMetrics []autoscaling.v2.MetricStatus
conditions []autoscaling.v2.HorizontalPodAutoscalerCondition omitempty
""",
    "autoscaling.v2.MetricIdentifier": """
name string
selector *meta.v1.LabelSelector omitempty
""",
    "autoscaling.v2.MetricSpec": """
type autoscaling.v2.MetricSourceType
object *autoscaling.v2.ObjectMetricSource omitempty
pods *autoscaling.v2.PodsMetricSource omitempty
resource *autoscaling.v2.ResourceMetricSource omitempty
containerResource *autoscaling.v2.ContainerResourceMetricSource omitempty
external *autoscaling.v2.ExternalMetricSource omitempty
""",
    "autoscaling.v2.MetricStatus": """
type autoscaling.v2.MetricSourceType
object *autoscaling.v2.ObjectMetricStatus omitempty
pods *autoscaling.v2.PodsMetricStatus omitempty
resource *autoscaling.v2.ResourceMetricStatus omitempty
containerResource *autoscaling.v2.ContainerResourceMetricStatus omitempty
external *autoscaling.v2.ExternalMetricStatus omitempty
""",
    "autoscaling.v2.MetricTarget": """
type autoscaling.v2.MetricTargetType
value *resource.Quantity omitempty
averageValue *resource.Quantity omitempty
averageUtilization *int32 omitempty
""",
    "autoscaling.v2.MetricValueStatus": """
value *resource.Quantity omitempty
averageValue *resource.Quantity omitempty
averageUtilization *int32 omitempty
""",
    "autoscaling.v2.ObjectMetricSource": """
describedObject autoscaling.v2.CrossVersionObjectReference
target autoscaling.v2.MetricTarget
metric autoscaling.v2.MetricIdentifier
""",
    "autoscaling.v2.ObjectMetricStatus": """
metric autoscaling.v2.MetricIdentifier
current autoscaling.v2.MetricValueStatus
describedObject autoscaling.v2.CrossVersionObjectReference
""",
    "autoscaling.v2.PodsMetricSource": """
metric autoscaling.v2.MetricIdentifier
target autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.PodsMetricStatus": """
metric autoscaling.v2.MetricIdentifier
current autoscaling.v2.MetricValueStatus
""",
    "autoscaling.v2.ResourceMetricSource": """
name core.v1.ResourceName
target autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ResourceMetricStatus": """
name core.v1.ResourceName
current autoscaling.v2.MetricValueStatus
""",
    "batch.v1.CronJob": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec batch.v1.CronJobSpec omitempty
status batch.v1.CronJobStatus omitempty
""",
    "batch.v1.CronJobList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []batch.v1.CronJob
""",
    "batch.v1.CronJobSpec": """
schedule string
timeZone *string omitempty
startingDeadlineSeconds *int64 omitempty
concurrencyPolicy batch.v1.ConcurrencyPolicy omitempty
suspend *bool omitempty
jobTemplate batch.v1.JobTemplateSpec
successfulJobsHistoryLimit *int32 omitempty
failedJobsHistoryLimit *int32 omitempty
""",
    "batch.v1.CronJobStatus": """
active []core.v1.ObjectReference omitempty
lastScheduleTime *meta.v1.Time omitempty
lastSuccessfulTime *meta.v1.Time omitempty
""",
    "batch.v1.Job": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec batch.v1.JobSpec omitempty
status batch.v1.JobStatus omitempty
""",
    "batch.v1.JobCondition": """
type batch.v1.JobConditionType
status core.v1.ConditionStatus
lastProbeTime meta.v1.Time omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "batch.v1.JobList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []batch.v1.Job
""",
    "batch.v1.JobSpec": """
parallelism *int32 omitempty
completions *int32 omitempty
activeDeadlineSeconds *int64 omitempty
podFailurePolicy *batch.v1.PodFailurePolicy omitempty
successPolicy *batch.v1.SuccessPolicy omitempty
backoffLimit *int32 omitempty
backoffLimitPerIndex *int32 omitempty
maxFailedIndexes *int32 omitempty
selector *meta.v1.LabelSelector omitempty
manualSelector *bool omitempty
template core.v1.PodTemplateSpec
ttlSecondsAfterFinished *int32 omitempty
completionMode *batch.v1.CompletionMode omitempty
suspend *bool omitempty
podReplacementPolicy *batch.v1.PodReplacementPolicy omitempty
managedBy *string omitempty
""",
    "batch.v1.JobStatus": """
conditions []batch.v1.JobCondition omitempty
startTime *meta.v1.Time omitempty
completionTime *meta.v1.Time omitempty
active int32 omitempty
succeeded int32 omitempty
failed int32 omitempty
terminating *int32 omitempty
completedIndexes string omitempty
failedIndexes *string omitempty
uncountedTerminatedPods *batch.v1.UncountedTerminatedPods omitempty
ready *int32 omitempty
""",
    "batch.v1.JobTemplateSpec": """
metadata meta.v1.ObjectMeta omitempty
spec batch.v1.JobSpec omitempty
""",
    "batch.v1.PodFailurePolicy": """
rules []batch.v1.PodFailurePolicyRule
""",
    "batch.v1.PodFailurePolicyOnExitCodesRequirement": """
containerName *string omitempty
operator batch.v1.PodFailurePolicyOnExitCodesOperator
values []int32
""",
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": """
type core.v1.PodConditionType
status core.v1.ConditionStatus
""",
    "batch.v1.PodFailurePolicyRule": """
action batch.v1.PodFailurePolicyAction
onExitCodes *batch.v1.PodFailurePolicyOnExitCodesRequirement omitempty
onPodConditions []batch.v1.PodFailurePolicyOnPodConditionsPattern omitempty
""",
    "batch.v1.SuccessPolicy": """
rules []batch.v1.SuccessPolicyRule
""",
    "batch.v1.SuccessPolicyRule": """
succeededIndexes *string omitempty
succeededCount *int32 omitempty
""",
    "batch.v1.UncountedTerminatedPods": """
succeeded []types.UID omitempty
failed []types.UID omitempty
""",
    "certificates.v1.CertificateSigningRequest": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec certificates.v1.CertificateSigningRequestSpec
status certificates.v1.CertificateSigningRequestStatus omitempty
""",
    "certificates.v1.CertificateSigningRequestCondition": """
type certificates.v1.RequestConditionType
status core.v1.ConditionStatus
reason string omitempty
message string omitempty
lastUpdateTime meta.v1.Time omitempty
lastTransitionTime meta.v1.Time omitempty
""",
    "certificates.v1.CertificateSigningRequestList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []certificates.v1.CertificateSigningRequest
""",
    "certificates.v1.CertificateSigningRequestSpec": """
request []uint8
signerName string
expirationSeconds *int32 omitempty
usages []certificates.v1.KeyUsage omitempty
username string omitempty
uid string omitempty
groups []string omitempty
extra map[string]certificates.v1.ExtraValue omitempty
""",
    "certificates.v1.CertificateSigningRequestStatus": """
conditions []certificates.v1.CertificateSigningRequestCondition omitempty
certificate []uint8 omitempty
""",
    "coordination.v1.Lease": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec coordination.v1.LeaseSpec omitempty
""",
    "coordination.v1.LeaseList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []coordination.v1.Lease
""",
    "coordination.v1.LeaseSpec": """
holderIdentity *string omitempty
leaseDurationSeconds *int32 omitempty
acquireTime *meta.v1.MicroTime omitempty
renewTime *meta.v1.MicroTime omitempty
leaseTransitions *int32 omitempty
strategy *coordination.v1.CoordinatedLeaseStrategy omitempty
preferredHolder *string omitempty
""",
    "core.v1.AWSElasticBlockStoreVolumeSource": """
volumeID string
fsType string omitempty
partition int32 omitempty
readOnly bool omitempty
""",
    "core.v1.Affinity": """
nodeAffinity *core.v1.NodeAffinity omitempty
podAffinity *core.v1.PodAffinity omitempty
podAntiAffinity *core.v1.PodAntiAffinity omitempty
""",
    "core.v1.AppArmorProfile": """
type core.v1.AppArmorProfileType
localhostProfile *string omitempty
""",
    "core.v1.AttachedVolume": """
name core.v1.UniqueVolumeName
devicePath string
""",
    "core.v1.AzureDiskVolumeSource": """
diskName string
diskURI string
cachingMode *core.v1.AzureDataDiskCachingMode omitempty
fsType *string omitempty
readOnly *bool omitempty
kind *core.v1.AzureDataDiskKind omitempty
""",
    "core.v1.AzureFilePersistentVolumeSource": """
secretName string
shareName string
readOnly bool omitempty
secretNamespace *string
""",
    "core.v1.AzureFileVolumeSource": """
secretName string
shareName string
readOnly bool omitempty
""",
    "core.v1.Binding": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
target core.v1.ObjectReference
""",
    "core.v1.CSIPersistentVolumeSource": """
driver string
volumeHandle string
readOnly bool omitempty
fsType string omitempty
volumeAttributes map[string]string omitempty
controllerPublishSecretRef *core.v1.SecretReference omitempty
nodeStageSecretRef *core.v1.SecretReference omitempty
nodePublishSecretRef *core.v1.SecretReference omitempty
controllerExpandSecretRef *core.v1.SecretReference omitempty
nodeExpandSecretRef *core.v1.SecretReference omitempty
""",
    "core.v1.CSIVolumeSource": """
driver string
readOnly *bool omitempty
fsType *string omitempty
volumeAttributes map[string]string omitempty
nodePublishSecretRef *core.v1.LocalObjectReference omitempty
""",
    "core.v1.Capabilities": """
add []core.v1.Capability omitempty
drop []core.v1.Capability omitempty
""",
    "core.v1.CephFSPersistentVolumeSource": """
monitors []string
path string omitempty
user string omitempty
secretFile string omitempty
secretRef *core.v1.SecretReference omitempty
readOnly bool omitempty
""",
    "core.v1.CephFSVolumeSource": """
monitors []string
path string omitempty
user string omitempty
secretFile string omitempty
secretRef *core.v1.LocalObjectReference omitempty
readOnly bool omitempty
""",
    "core.v1.CinderPersistentVolumeSource": """
volumeID string
fsType string omitempty
readOnly bool omitempty
secretRef *core.v1.SecretReference omitempty
""",
    "core.v1.CinderVolumeSource": """
volumeID string
fsType string omitempty
readOnly bool omitempty
secretRef *core.v1.LocalObjectReference omitempty
""",
    "core.v1.ClientIPConfig": """
timeoutSeconds *int32 omitempty
""",
    "core.v1.ClusterTrustBundleProjection": """
name *string omitempty
signerName *string omitempty
labelSelector *meta.v1.LabelSelector omitempty
optional *bool omitempty
path string
""",
    "core.v1.ComponentCondition": """
type core.v1.ComponentConditionType
status core.v1.ConditionStatus
message string omitempty
error string omitempty
""",
    "core.v1.ComponentStatus": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
conditions []core.v1.ComponentCondition omitempty
""",
    "core.v1.ComponentStatusList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.ComponentStatus
""",
    "core.v1.ConfigMap": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
immutable *bool omitempty
data map[string]string omitempty
binaryData map[string][]uint8 omitempty
""",
    "core.v1.ConfigMapEnvSource": """
>LocalObjectReference core.v1.LocalObjectReference
optional *bool omitempty
""",
    "core.v1.ConfigMapKeySelector": """
>LocalObjectReference core.v1.LocalObjectReference
key string
optional *bool omitempty
""",
    "core.v1.ConfigMapList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.ConfigMap
""",
    "core.v1.ConfigMapNodeConfigSource": """
namespace string
name string
uid types.UID omitempty
resourceVersion string omitempty
kubeletConfigKey string
""",
    "core.v1.ConfigMapProjection": """
>LocalObjectReference core.v1.LocalObjectReference
items []core.v1.KeyToPath omitempty
optional *bool omitempty
""",
    "core.v1.ConfigMapVolumeSource": """
>LocalObjectReference core.v1.LocalObjectReference
items []core.v1.KeyToPath omitempty
defaultMode *int32 omitempty
optional *bool omitempty
""",
    "core.v1.Container": """
name string
image string omitempty
command []string omitempty
args []string omitempty
workingDir string omitempty
ports []core.v1.ContainerPort omitempty
envFrom []core.v1.EnvFromSource omitempty
env []core.v1.EnvVar omitempty
resources core.v1.ResourceRequirements omitempty
resizePolicy []core.v1.ContainerResizePolicy omitempty
restartPolicy *core.v1.ContainerRestartPolicy omitempty
restartPolicyRules []core.v1.ContainerRestartRule omitempty
volumeMounts []core.v1.VolumeMount omitempty
volumeDevices []core.v1.VolumeDevice omitempty
livenessProbe *core.v1.Probe omitempty
readinessProbe *core.v1.Probe omitempty
startupProbe *core.v1.Probe omitempty
lifecycle *core.v1.Lifecycle omitempty
terminationMessagePath string omitempty
terminationMessagePolicy core.v1.TerminationMessagePolicy omitempty
imagePullPolicy core.v1.PullPolicy omitempty
securityContext *core.v1.SecurityContext omitempty
stdin bool omitempty
stdinOnce bool omitempty
tty bool omitempty
""",
    "core.v1.ContainerExtendedResourceRequest": """
containerName string
resourceName string
requestName string
""",
    "core.v1.ContainerImage": """
names []string
sizeBytes int64 omitempty
""",
    "core.v1.ContainerPort": """
name string omitempty
hostPort int32 omitempty
containerPort int32
protocol core.v1.Protocol omitempty
hostIP string omitempty
""",
    "core.v1.ContainerResizePolicy": """
resourceName core.v1.ResourceName
restartPolicy core.v1.ResourceResizeRestartPolicy
""",
    "core.v1.ContainerRestartRule": """
action core.v1.ContainerRestartRuleAction omitempty
exitCodes *core.v1.ContainerRestartRuleOnExitCodes omitempty
""",
    "core.v1.ContainerRestartRuleOnExitCodes": """
operator core.v1.ContainerRestartRuleOnExitCodesOperator omitempty
values []int32 omitempty
""",
    "core.v1.ContainerState": """
waiting *core.v1.ContainerStateWaiting omitempty
running *core.v1.ContainerStateRunning omitempty
terminated *core.v1.ContainerStateTerminated omitempty
""",
    "core.v1.ContainerStateRunning": """
startedAt meta.v1.Time omitempty
""",
    "core.v1.ContainerStateTerminated": """
exitCode int32
signal int32 omitempty
reason string omitempty
message string omitempty
startedAt meta.v1.Time omitempty
finishedAt meta.v1.Time omitempty
containerID string omitempty
""",
    "core.v1.ContainerStateWaiting": """
reason string omitempty
message string omitempty
""",
    "core.v1.ContainerStatus": """
name string
state core.v1.ContainerState omitempty
lastState core.v1.ContainerState omitempty
ready bool
restartCount int32
image string
imageID string
containerID string omitempty
started *bool omitempty
allocatedResources core.v1.ResourceList omitempty
resources *core.v1.ResourceRequirements omitempty
volumeMounts []core.v1.VolumeMountStatus omitempty
user *core.v1.ContainerUser omitempty
allocatedResourcesStatus []core.v1.ResourceStatus omitempty
stopSignal *core.v1.Signal omitempty
""",
    "core.v1.ContainerUser": """
linux *core.v1.LinuxContainerUser omitempty
""",
    "core.v1.DaemonEndpoint": """
Port int32
""",
    "core.v1.DownwardAPIProjection": """
items []core.v1.DownwardAPIVolumeFile omitempty
""",
    "core.v1.DownwardAPIVolumeFile": """
path string
fieldRef *core.v1.ObjectFieldSelector omitempty
resourceFieldRef *core.v1.ResourceFieldSelector omitempty
mode *int32 omitempty
""",
    "core.v1.DownwardAPIVolumeSource": """
items []core.v1.DownwardAPIVolumeFile omitempty
defaultMode *int32 omitempty
""",
    "core.v1.EmptyDirVolumeSource": """
medium core.v1.StorageMedium omitempty
sizeLimit *resource.Quantity omitempty
""",
    "core.v1.EndpointAddress": """
ip string
hostname string omitempty
nodeName *string omitempty
targetRef *core.v1.ObjectReference omitempty
""",
    "core.v1.EndpointPort": """
name string omitempty
port int32
protocol core.v1.Protocol omitempty
appProtocol *string omitempty
""",
    "core.v1.EndpointSubset": """
addresses []core.v1.EndpointAddress omitempty
notReadyAddresses []core.v1.EndpointAddress omitempty
ports []core.v1.EndpointPort omitempty
""",
    "core.v1.Endpoints": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
subsets []core.v1.EndpointSubset omitempty
""",
    "core.v1.EndpointsList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Endpoints
""",
    "core.v1.EnvFromSource": """
prefix string omitempty
configMapRef *core.v1.ConfigMapEnvSource omitempty
secretRef *core.v1.SecretEnvSource omitempty
""",
    "core.v1.EnvVar": """
name string
value string omitempty
valueFrom *core.v1.EnvVarSource omitempty
""",
    "core.v1.EnvVarSource": """
fieldRef *core.v1.ObjectFieldSelector omitempty
resourceFieldRef *core.v1.ResourceFieldSelector omitempty
configMapKeyRef *core.v1.ConfigMapKeySelector omitempty
secretKeyRef *core.v1.SecretKeySelector omitempty
fileKeyRef *core.v1.FileKeySelector omitempty
""",
    "core.v1.EphemeralContainer": """
>EphemeralContainerCommon core.v1.EphemeralContainerCommon
targetContainerName string omitempty
""",
    "core.v1.EphemeralContainerCommon": """
name string
image string omitempty
command []string omitempty
args []string omitempty
workingDir string omitempty
ports []core.v1.ContainerPort omitempty
envFrom []core.v1.EnvFromSource omitempty
env []core.v1.EnvVar omitempty
resources core.v1.ResourceRequirements omitempty
resizePolicy []core.v1.ContainerResizePolicy omitempty
restartPolicy *core.v1.ContainerRestartPolicy omitempty
restartPolicyRules []core.v1.ContainerRestartRule omitempty
volumeMounts []core.v1.VolumeMount omitempty
volumeDevices []core.v1.VolumeDevice omitempty
livenessProbe *core.v1.Probe omitempty
readinessProbe *core.v1.Probe omitempty
startupProbe *core.v1.Probe omitempty
lifecycle *core.v1.Lifecycle omitempty
terminationMessagePath string omitempty
terminationMessagePolicy core.v1.TerminationMessagePolicy omitempty
imagePullPolicy core.v1.PullPolicy omitempty
securityContext *core.v1.SecurityContext omitempty
stdin bool omitempty
stdinOnce bool omitempty
tty bool omitempty
""",
    "core.v1.EphemeralVolumeSource": """
volumeClaimTemplate *core.v1.PersistentVolumeClaimTemplate omitempty
""",
    "core.v1.Event": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta
involvedObject core.v1.ObjectReference
reason string omitempty
message string omitempty
source core.v1.EventSource omitempty
firstTimestamp meta.v1.Time omitempty
lastTimestamp meta.v1.Time omitempty
count int32 omitempty
type string omitempty
eventTime meta.v1.MicroTime omitempty
series *core.v1.EventSeries omitempty
action string omitempty
related *core.v1.ObjectReference omitempty
reportingComponent string
reportingInstance string
""",
    "core.v1.EventList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Event
""",
    "core.v1.EventSeries": """
count int32 omitempty
lastObservedTime meta.v1.MicroTime omitempty
""",
    "core.v1.EventSource": """
component string omitempty
host string omitempty
""",
    "core.v1.ExecAction": """
command []string omitempty
""",
    "core.v1.FCVolumeSource": """
targetWWNs []string omitempty
lun *int32 omitempty
fsType string omitempty
readOnly bool omitempty
wwids []string omitempty
""",
    "core.v1.FileKeySelector": """
volumeName string
path string
key string
optional *bool omitempty
""",
    "core.v1.FlexPersistentVolumeSource": """
driver string
fsType string omitempty
secretRef *core.v1.SecretReference omitempty
readOnly bool omitempty
options map[string]string omitempty
""",
    "core.v1.FlexVolumeSource": """
driver string
fsType string omitempty
secretRef *core.v1.LocalObjectReference omitempty
readOnly bool omitempty
options map[string]string omitempty
""",
    "core.v1.FlockerVolumeSource": """
datasetName string omitempty
datasetUUID string omitempty
""",
    "core.v1.GCEPersistentDiskVolumeSource": """
pdName string
fsType string omitempty
partition int32 omitempty
readOnly bool omitempty
""",
    "core.v1.GRPCAction": """
port int32
service *string
""",
    "core.v1.GitRepoVolumeSource": """
repository string
revision string omitempty
directory string omitempty
""",
    "core.v1.GlusterfsPersistentVolumeSource": """
endpoints string
path string
readOnly bool omitempty
endpointsNamespace *string omitempty
""",
    "core.v1.GlusterfsVolumeSource": """
endpoints string
path string
readOnly bool omitempty
""",
    "core.v1.HTTPGetAction": """
path string omitempty
port intstr.IntOrString
host string omitempty
scheme core.v1.URIScheme omitempty
httpHeaders []core.v1.HTTPHeader omitempty
""",
    "core.v1.HTTPHeader": """
name string
value string
""",
    "core.v1.HostAlias": """
ip string
hostnames []string omitempty
""",
    "core.v1.HostIP": """
ip string
""",
    "core.v1.HostPathVolumeSource": """
path string
type *core.v1.HostPathType omitempty
""",
    "core.v1.ISCSIPersistentVolumeSource": """
targetPortal string
iqn string
lun int32
iscsiInterface string omitempty
fsType string omitempty
readOnly bool omitempty
portals []string omitempty
chapAuthDiscovery bool omitempty
chapAuthSession bool omitempty
secretRef *core.v1.SecretReference omitempty
initiatorName *string omitempty
""",
    "core.v1.ISCSIVolumeSource": """
targetPortal string
iqn string
lun int32
iscsiInterface string omitempty
fsType string omitempty
readOnly bool omitempty
portals []string omitempty
chapAuthDiscovery bool omitempty
chapAuthSession bool omitempty
secretRef *core.v1.LocalObjectReference omitempty
initiatorName *string omitempty
""",
    "core.v1.ImageVolumeSource": """
reference string omitempty
pullPolicy core.v1.PullPolicy omitempty
""",
    "core.v1.ImageVolumeStatus": """
imageRef string omitempty
""",
    "core.v1.KeyToPath": """
key string
path string
mode *int32 omitempty
""",
    "core.v1.Lifecycle": """
postStart *core.v1.LifecycleHandler omitempty
preStop *core.v1.LifecycleHandler omitempty
stopSignal *core.v1.Signal omitempty
""",
    "core.v1.LifecycleHandler": """
exec *core.v1.ExecAction omitempty
httpGet *core.v1.HTTPGetAction omitempty
tcpSocket *core.v1.TCPSocketAction omitempty
sleep *core.v1.SleepAction omitempty
""",
    "core.v1.LimitRange": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.LimitRangeSpec omitempty
""",
    "core.v1.LimitRangeItem": """
type core.v1.LimitType
max core.v1.ResourceList omitempty
min core.v1.ResourceList omitempty
default core.v1.ResourceList omitempty
defaultRequest core.v1.ResourceList omitempty
maxLimitRequestRatio core.v1.ResourceList omitempty
""",
    "core.v1.LimitRangeList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.LimitRange
""",
    "core.v1.LimitRangeSpec": """
limits []core.v1.LimitRangeItem
""",
    "core.v1.LinuxContainerUser": """
uid int64
gid int64
supplementalGroups []int64 omitempty
""",
    "core.v1.List": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []runtime.RawExtension
""",
    "core.v1.LoadBalancerIngress": """
ip string omitempty
hostname string omitempty
ipMode *core.v1.LoadBalancerIPMode omitempty
ports []core.v1.PortStatus omitempty
""",
    "core.v1.LoadBalancerStatus": """
ingress []core.v1.LoadBalancerIngress omitempty
""",
    "core.v1.LocalObjectReference": """
name string omitempty
""",
    "core.v1.LocalVolumeSource": """
path string
fsType *string omitempty
""",
    "core.v1.ModifyVolumeStatus": """
targetVolumeAttributesClassName string omitempty
status core.v1.PersistentVolumeClaimModifyVolumeStatus
""",
    "core.v1.NFSVolumeSource": """
server string
path string
readOnly bool omitempty
""",
    "core.v1.Namespace": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.NamespaceSpec omitempty
status core.v1.NamespaceStatus omitempty
""",
    "core.v1.NamespaceCondition": """
type core.v1.NamespaceConditionType
status core.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "core.v1.NamespaceList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Namespace
""",
    "core.v1.NamespaceSpec": """
finalizers []core.v1.FinalizerName omitempty
""",
    "core.v1.NamespaceStatus": """
phase core.v1.NamespacePhase omitempty
conditions []core.v1.NamespaceCondition omitempty
""",
    "core.v1.Node": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.NodeSpec omitempty
status core.v1.NodeStatus omitempty
""",
    "core.v1.NodeAddress": """
type core.v1.NodeAddressType
address string
""",
    "core.v1.NodeAffinity": """
requiredDuringSchedulingIgnoredDuringExecution *core.v1.NodeSelector omitempty
preferredDuringSchedulingIgnoredDuringExecution []core.v1.PreferredSchedulingTerm omitempty
""",
    "core.v1.NodeAllocatableResourceClaimStatus": """
resourceClaimName string
containers []string omitempty
resources map[core.v1.ResourceName]resource.Quantity
""",
    "core.v1.NodeCondition": """
type core.v1.NodeConditionType
status core.v1.ConditionStatus
lastHeartbeatTime meta.v1.Time omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "core.v1.NodeConfigSource": """
configMap *core.v1.ConfigMapNodeConfigSource omitempty
""",
    "core.v1.NodeConfigStatus": """
assigned *core.v1.NodeConfigSource omitempty
active *core.v1.NodeConfigSource omitempty
lastKnownGood *core.v1.NodeConfigSource omitempty
error string omitempty
""",
    "core.v1.NodeDaemonEndpoints": """
kubeletEndpoint core.v1.DaemonEndpoint omitempty
""",
    "core.v1.NodeFeatures": """
supplementalGroupsPolicy *bool omitempty
""",
    "core.v1.NodeList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Node
""",
    "core.v1.NodeRuntimeHandler": """
name string
features *core.v1.NodeRuntimeHandlerFeatures omitempty
""",
    "core.v1.NodeRuntimeHandlerFeatures": """
recursiveReadOnlyMounts *bool omitempty
userNamespaces *bool omitempty
""",
    "core.v1.NodeSelector": """
nodeSelectorTerms []core.v1.NodeSelectorTerm
""",
    "core.v1.NodeSelectorRequirement": """
key string
operator core.v1.NodeSelectorOperator
values []string omitempty
""",
    "core.v1.NodeSelectorTerm": """
matchExpressions []core.v1.NodeSelectorRequirement omitempty
matchFields []core.v1.NodeSelectorRequirement omitempty
""",
    "core.v1.NodeSpec": """
podCIDR string omitempty
podCIDRs []string omitempty
providerID string omitempty
unschedulable bool omitempty
taints []core.v1.Taint omitempty
configSource *core.v1.NodeConfigSource omitempty
externalID string omitempty
""",
    "core.v1.NodeStatus": """
capacity core.v1.ResourceList omitempty
allocatable core.v1.ResourceList omitempty
phase core.v1.NodePhase omitempty
conditions []core.v1.NodeCondition omitempty
addresses []core.v1.NodeAddress omitempty
daemonEndpoints core.v1.NodeDaemonEndpoints omitempty
nodeInfo core.v1.NodeSystemInfo omitempty
images []core.v1.ContainerImage omitempty
volumesInUse []core.v1.UniqueVolumeName omitempty
volumesAttached []core.v1.AttachedVolume omitempty
config *core.v1.NodeConfigStatus omitempty
runtimeHandlers []core.v1.NodeRuntimeHandler omitempty
features *core.v1.NodeFeatures omitempty
declaredFeatures []string omitempty
""",
    "core.v1.NodeSwapStatus": """
capacity *int64 omitempty
""",
    "core.v1.NodeSystemInfo": """
machineID string
systemUUID string
bootID string
kernelVersion string
osImage string
containerRuntimeVersion string
kubeletVersion string
kubeProxyVersion string
operatingSystem string
architecture string
swap *core.v1.NodeSwapStatus omitempty
""",
    "core.v1.ObjectFieldSelector": """
apiVersion string omitempty
fieldPath string
""",
    "core.v1.ObjectReference": """
kind string omitempty
namespace string omitempty
name string omitempty
uid types.UID omitempty
apiVersion string omitempty
resourceVersion string omitempty
fieldPath string omitempty
""",
    "core.v1.PersistentVolume": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.PersistentVolumeSpec omitempty
status core.v1.PersistentVolumeStatus omitempty
""",
    "core.v1.PersistentVolumeClaim": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.PersistentVolumeClaimSpec omitempty
status core.v1.PersistentVolumeClaimStatus omitempty
""",
    "core.v1.PersistentVolumeClaimCondition": """
type core.v1.PersistentVolumeClaimConditionType
status core.v1.ConditionStatus
lastProbeTime meta.v1.Time omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "core.v1.PersistentVolumeClaimList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.PersistentVolumeClaim
""",
    "core.v1.PersistentVolumeClaimSpec": """
accessModes []core.v1.PersistentVolumeAccessMode omitempty
selector *meta.v1.LabelSelector omitempty
resources core.v1.VolumeResourceRequirements omitempty
volumeName string omitempty
storageClassName *string omitempty
volumeMode *core.v1.PersistentVolumeMode omitempty
dataSource *core.v1.TypedLocalObjectReference omitempty
dataSourceRef *core.v1.TypedObjectReference omitempty
volumeAttributesClassName *string omitempty
""",
    "core.v1.PersistentVolumeClaimStatus": """
phase core.v1.PersistentVolumeClaimPhase omitempty
accessModes []core.v1.PersistentVolumeAccessMode omitempty
capacity core.v1.ResourceList omitempty
conditions []core.v1.PersistentVolumeClaimCondition omitempty
allocatedResources core.v1.ResourceList omitempty
allocatedResourceStatuses map[core.v1.ResourceName]core.v1.ClaimResourceStatus omitempty
currentVolumeAttributesClassName *string omitempty
modifyVolumeStatus *core.v1.ModifyVolumeStatus omitempty
""",
    "core.v1.PersistentVolumeClaimTemplate": """
metadata meta.v1.ObjectMeta omitempty
spec core.v1.PersistentVolumeClaimSpec
""",
    "core.v1.PersistentVolumeClaimVolumeSource": """
claimName string
readOnly bool omitempty
""",
    "core.v1.PersistentVolumeList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.PersistentVolume
""",
    "core.v1.PersistentVolumeSource": """
gcePersistentDisk *core.v1.GCEPersistentDiskVolumeSource omitempty
awsElasticBlockStore *core.v1.AWSElasticBlockStoreVolumeSource omitempty
hostPath *core.v1.HostPathVolumeSource omitempty
glusterfs *core.v1.GlusterfsPersistentVolumeSource omitempty
nfs *core.v1.NFSVolumeSource omitempty
rbd *core.v1.RBDPersistentVolumeSource omitempty
iscsi *core.v1.ISCSIPersistentVolumeSource omitempty
cinder *core.v1.CinderPersistentVolumeSource omitempty
cephfs *core.v1.CephFSPersistentVolumeSource omitempty
fc *core.v1.FCVolumeSource omitempty
flocker *core.v1.FlockerVolumeSource omitempty
flexVolume *core.v1.FlexPersistentVolumeSource omitempty
azureFile *core.v1.AzureFilePersistentVolumeSource omitempty
vsphereVolume *core.v1.VsphereVirtualDiskVolumeSource omitempty
quobyte *core.v1.QuobyteVolumeSource omitempty
azureDisk *core.v1.AzureDiskVolumeSource omitempty
photonPersistentDisk *core.v1.PhotonPersistentDiskVolumeSource omitempty
portworxVolume *core.v1.PortworxVolumeSource omitempty
scaleIO *core.v1.ScaleIOPersistentVolumeSource omitempty
local *core.v1.LocalVolumeSource omitempty
storageos *core.v1.StorageOSPersistentVolumeSource omitempty
csi *core.v1.CSIPersistentVolumeSource omitempty
""",
    "core.v1.PersistentVolumeSpec": """
capacity core.v1.ResourceList omitempty
>PersistentVolumeSource core.v1.PersistentVolumeSource
accessModes []core.v1.PersistentVolumeAccessMode omitempty
claimRef *core.v1.ObjectReference omitempty
persistentVolumeReclaimPolicy core.v1.PersistentVolumeReclaimPolicy omitempty
storageClassName string omitempty
mountOptions []string omitempty
volumeMode *core.v1.PersistentVolumeMode omitempty
nodeAffinity *core.v1.VolumeNodeAffinity omitempty
volumeAttributesClassName *string omitempty
""",
    "core.v1.PersistentVolumeStatus": """
phase core.v1.PersistentVolumePhase omitempty
message string omitempty
reason string omitempty
lastPhaseTransitionTime *meta.v1.Time omitempty
""",
    "core.v1.PhotonPersistentDiskVolumeSource": """
pdID string
fsType string omitempty
""",
    "core.v1.Pod": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.PodSpec omitempty
status core.v1.PodStatus omitempty
""",
    "core.v1.PodAffinity": """
requiredDuringSchedulingIgnoredDuringExecution []core.v1.PodAffinityTerm omitempty
preferredDuringSchedulingIgnoredDuringExecution []core.v1.WeightedPodAffinityTerm omitempty
""",
    "core.v1.PodAffinityTerm": """
labelSelector *meta.v1.LabelSelector omitempty
namespaces []string omitempty
topologyKey string
namespaceSelector *meta.v1.LabelSelector omitempty
matchLabelKeys []string omitempty
mismatchLabelKeys []string omitempty
""",
    "core.v1.PodAntiAffinity": """
requiredDuringSchedulingIgnoredDuringExecution []core.v1.PodAffinityTerm omitempty
preferredDuringSchedulingIgnoredDuringExecution []core.v1.WeightedPodAffinityTerm omitempty
""",
    "core.v1.PodCertificateProjection": """
signerName string omitempty
keyType string omitempty
maxExpirationSeconds *int32 omitempty
credentialBundlePath string omitempty
keyPath string omitempty
certificateChainPath string omitempty
userAnnotations map[string]string omitempty
""",
    "core.v1.PodCondition": """
type core.v1.PodConditionType
observedGeneration int64 omitempty
status core.v1.ConditionStatus
lastProbeTime meta.v1.Time omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "core.v1.PodDNSConfig": """
nameservers []string omitempty
searches []string omitempty
options []core.v1.PodDNSConfigOption omitempty
""",
    "core.v1.PodDNSConfigOption": """
name string omitempty
value *string omitempty
""",
    "core.v1.PodExtendedResourceClaimStatus": """
requestMappings []core.v1.ContainerExtendedResourceRequest
resourceClaimName string
""",
    "core.v1.PodIP": """
ip string
""",
    "core.v1.PodList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Pod
""",
    "core.v1.PodOS": """
name core.v1.OSName
""",
    "core.v1.PodReadinessGate": """
conditionType core.v1.PodConditionType
""",
    "core.v1.PodResourceClaim": """
name string
resourceClaimName *string omitempty
resourceClaimTemplateName *string omitempty
""",
    "core.v1.PodResourceClaimStatus": """
name string
resourceClaimName *string omitempty
""",
    "core.v1.PodSchedulingGate": """
name string
""",
    "core.v1.PodSchedulingGroup": """
podGroupName *string omitempty
""",
    "core.v1.PodSecurityContext": """
seLinuxOptions *core.v1.SELinuxOptions omitempty
windowsOptions *core.v1.WindowsSecurityContextOptions omitempty
runAsUser *int64 omitempty
runAsGroup *int64 omitempty
runAsNonRoot *bool omitempty
supplementalGroups []int64 omitempty
supplementalGroupsPolicy *core.v1.SupplementalGroupsPolicy omitempty
fsGroup *int64 omitempty
sysctls []core.v1.Sysctl omitempty
fsGroupChangePolicy *core.v1.PodFSGroupChangePolicy omitempty
seccompProfile *core.v1.SeccompProfile omitempty
appArmorProfile *core.v1.AppArmorProfile omitempty
seLinuxChangePolicy *core.v1.PodSELinuxChangePolicy omitempty
""",
    "core.v1.PodSpec": """
volumes []core.v1.Volume omitempty
initContainers []core.v1.Container omitempty
containers []core.v1.Container
ephemeralContainers []core.v1.EphemeralContainer omitempty
restartPolicy core.v1.RestartPolicy omitempty
terminationGracePeriodSeconds *int64 omitempty
activeDeadlineSeconds *int64 omitempty
dnsPolicy core.v1.DNSPolicy omitempty
nodeSelector map[string]string omitempty
serviceAccountName string omitempty
serviceAccount string omitempty
automountServiceAccountToken *bool omitempty
nodeName string omitempty
hostNetwork bool omitempty
hostPID bool omitempty
hostIPC bool omitempty
shareProcessNamespace *bool omitempty
securityContext *core.v1.PodSecurityContext omitempty
imagePullSecrets []core.v1.LocalObjectReference omitempty
hostname string omitempty
subdomain string omitempty
affinity *core.v1.Affinity omitempty
schedulerName string omitempty
tolerations []core.v1.Toleration omitempty
hostAliases []core.v1.HostAlias omitempty
priorityClassName string omitempty
priority *int32 omitempty
dnsConfig *core.v1.PodDNSConfig omitempty
readinessGates []core.v1.PodReadinessGate omitempty
runtimeClassName *string omitempty
enableServiceLinks *bool omitempty
preemptionPolicy *core.v1.PreemptionPolicy omitempty
overhead core.v1.ResourceList omitempty
topologySpreadConstraints []core.v1.TopologySpreadConstraint omitempty
setHostnameAsFQDN *bool omitempty
os *core.v1.PodOS omitempty
hostUsers *bool omitempty
schedulingGates []core.v1.PodSchedulingGate omitempty
resourceClaims []core.v1.PodResourceClaim omitempty
resources *core.v1.ResourceRequirements omitempty
hostnameOverride *string omitempty
schedulingGroup *core.v1.PodSchedulingGroup omitempty
""",
    "core.v1.PodStatus": """
observedGeneration int64 omitempty
phase core.v1.PodPhase omitempty
conditions []core.v1.PodCondition omitempty
message string omitempty
reason string omitempty
nominatedNodeName string omitempty
hostIP string omitempty
hostIPs []core.v1.HostIP omitempty
podIP string omitempty
podIPs []core.v1.PodIP omitempty
startTime *meta.v1.Time omitempty
initContainerStatuses []core.v1.ContainerStatus omitempty
containerStatuses []core.v1.ContainerStatus omitempty
qosClass core.v1.PodQOSClass omitempty
ephemeralContainerStatuses []core.v1.ContainerStatus omitempty
resize core.v1.PodResizeStatus omitempty
resourceClaimStatuses []core.v1.PodResourceClaimStatus omitempty
extendedResourceClaimStatus *core.v1.PodExtendedResourceClaimStatus omitempty
allocatedResources core.v1.ResourceList omitempty
resources *core.v1.ResourceRequirements omitempty
nodeAllocatableResourceClaimStatuses []core.v1.NodeAllocatableResourceClaimStatus omitempty
""",
    "core.v1.PodTemplate": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
template core.v1.PodTemplateSpec omitempty
""",
    "core.v1.PodTemplateList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.PodTemplate
""",
    "core.v1.PodTemplateSpec": """
metadata meta.v1.ObjectMeta omitempty
spec core.v1.PodSpec omitempty
""",
    "core.v1.PortStatus": """
port int32
protocol core.v1.Protocol
error *string omitempty
""",
    "core.v1.PortworxVolumeSource": """
volumeID string
fsType string omitempty
readOnly bool omitempty
""",
    "core.v1.PreferredSchedulingTerm": """
weight int32
preference core.v1.NodeSelectorTerm
""",
    "core.v1.Probe": """
>ProbeHandler core.v1.ProbeHandler
initialDelaySeconds int32 omitempty
timeoutSeconds int32 omitempty
periodSeconds int32 omitempty
successThreshold int32 omitempty
failureThreshold int32 omitempty
terminationGracePeriodSeconds *int64 omitempty
""",
    "core.v1.ProbeHandler": """
exec *core.v1.ExecAction omitempty
httpGet *core.v1.HTTPGetAction omitempty
tcpSocket *core.v1.TCPSocketAction omitempty
grpc *core.v1.GRPCAction omitempty
""",
    "core.v1.ProjectedVolumeSource": """
sources []core.v1.VolumeProjection
defaultMode *int32 omitempty
""",
    "core.v1.QuobyteVolumeSource": """
registry string
volume string
readOnly bool omitempty
user string omitempty
group string omitempty
tenant string omitempty
""",
    "core.v1.RBDPersistentVolumeSource": """
monitors []string
image string
fsType string omitempty
pool string omitempty
user string omitempty
keyring string omitempty
secretRef *core.v1.SecretReference omitempty
readOnly bool omitempty
""",
    "core.v1.RBDVolumeSource": """
monitors []string
image string
fsType string omitempty
pool string omitempty
user string omitempty
keyring string omitempty
secretRef *core.v1.LocalObjectReference omitempty
readOnly bool omitempty
""",
    "core.v1.ReplicationController": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.ReplicationControllerSpec omitempty
status core.v1.ReplicationControllerStatus omitempty
""",
    "core.v1.ReplicationControllerCondition": """
type core.v1.ReplicationControllerConditionType
status core.v1.ConditionStatus
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "core.v1.ReplicationControllerList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.ReplicationController
""",
    "core.v1.ReplicationControllerSpec": """
replicas *int32 omitempty
minReadySeconds int32 omitempty
selector map[string]string omitempty
template *core.v1.PodTemplateSpec omitempty
""",
    "core.v1.ReplicationControllerStatus": """
replicas int32
fullyLabeledReplicas int32 omitempty
readyReplicas int32 omitempty
availableReplicas int32 omitempty
observedGeneration int64 omitempty
conditions []core.v1.ReplicationControllerCondition omitempty
""",
    "core.v1.ResourceClaim": """
name string
request string omitempty
""",
    "core.v1.ResourceFieldSelector": """
containerName string omitempty
resource string
divisor resource.Quantity omitempty
""",
    "core.v1.ResourceHealth": """
resourceID core.v1.ResourceID
health core.v1.ResourceHealthStatus omitempty
message *string omitempty
""",
    "core.v1.ResourceQuota": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.ResourceQuotaSpec omitempty
status core.v1.ResourceQuotaStatus omitempty
""",
    "core.v1.ResourceQuotaList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.ResourceQuota
""",
    "core.v1.ResourceQuotaSpec": """
hard core.v1.ResourceList omitempty
scopes []core.v1.ResourceQuotaScope omitempty
scopeSelector *core.v1.ScopeSelector omitempty
""",
    "core.v1.ResourceQuotaStatus": """
hard core.v1.ResourceList omitempty
used core.v1.ResourceList omitempty
""",
    "core.v1.ResourceRequirements": """
limits core.v1.ResourceList omitempty
requests core.v1.ResourceList omitempty
claims []core.v1.ResourceClaim omitempty
""",
    "core.v1.ResourceStatus": """
name core.v1.ResourceName
resources []core.v1.ResourceHealth omitempty
""",
    "core.v1.SELinuxOptions": """
user string omitempty
role string omitempty
type string omitempty
level string omitempty
""",
    "core.v1.ScaleIOPersistentVolumeSource": """
gateway string
system string
secretRef *core.v1.SecretReference
sslEnabled bool omitempty
protectionDomain string omitempty
storagePool string omitempty
storageMode string omitempty
volumeName string omitempty
fsType string omitempty
readOnly bool omitempty
""",
    "core.v1.ScaleIOVolumeSource": """
gateway string
system string
secretRef *core.v1.LocalObjectReference
sslEnabled bool omitempty
protectionDomain string omitempty
storagePool string omitempty
storageMode string omitempty
volumeName string omitempty
fsType string omitempty
readOnly bool omitempty
""",
    "core.v1.ScopeSelector": """
matchExpressions []core.v1.ScopedResourceSelectorRequirement omitempty
""",
    "core.v1.ScopedResourceSelectorRequirement": """
scopeName core.v1.ResourceQuotaScope
operator core.v1.ScopeSelectorOperator
values []string omitempty
""",
    "core.v1.SeccompProfile": """
type core.v1.SeccompProfileType
localhostProfile *string omitempty
""",
    "core.v1.Secret": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
immutable *bool omitempty
data map[string][]uint8 omitempty
stringData map[string]string omitempty
type core.v1.SecretType omitempty
""",
    "core.v1.SecretEnvSource": """
>LocalObjectReference core.v1.LocalObjectReference
optional *bool omitempty
""",
    "core.v1.SecretKeySelector": """
>LocalObjectReference core.v1.LocalObjectReference
key string
optional *bool omitempty
""",
    "core.v1.SecretList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Secret
""",
    "core.v1.SecretProjection": """
>LocalObjectReference core.v1.LocalObjectReference
items []core.v1.KeyToPath omitempty
optional *bool omitempty
""",
    "core.v1.SecretReference": """
name string omitempty
namespace string omitempty
""",
    "core.v1.SecretVolumeSource": """
secretName string omitempty
items []core.v1.KeyToPath omitempty
defaultMode *int32 omitempty
optional *bool omitempty
""",
    "core.v1.SecurityContext": """
capabilities *core.v1.Capabilities omitempty
privileged *bool omitempty
seLinuxOptions *core.v1.SELinuxOptions omitempty
windowsOptions *core.v1.WindowsSecurityContextOptions omitempty
runAsUser *int64 omitempty
runAsGroup *int64 omitempty
runAsNonRoot *bool omitempty
readOnlyRootFilesystem *bool omitempty
allowPrivilegeEscalation *bool omitempty
procMount *core.v1.ProcMountType omitempty
seccompProfile *core.v1.SeccompProfile omitempty
appArmorProfile *core.v1.AppArmorProfile omitempty
""",
    "core.v1.Service": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec core.v1.ServiceSpec omitempty
status core.v1.ServiceStatus omitempty
""",
    "core.v1.ServiceAccount": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
secrets []core.v1.ObjectReference omitempty
imagePullSecrets []core.v1.LocalObjectReference omitempty
automountServiceAccountToken *bool omitempty
""",
    "core.v1.ServiceAccountList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.ServiceAccount
""",
    "core.v1.ServiceAccountTokenProjection": """
audience string omitempty
expirationSeconds *int64 omitempty
path string
""",
    "core.v1.ServiceList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []core.v1.Service
""",
    "core.v1.ServicePort": """
name string omitempty
protocol core.v1.Protocol omitempty
appProtocol *string omitempty
port int32
targetPort intstr.IntOrString omitempty
nodePort int32 omitempty
""",
    "core.v1.ServiceSpec": """
ports []core.v1.ServicePort omitempty
selector map[string]string omitempty
clusterIP string omitempty
clusterIPs []string omitempty
type core.v1.ServiceType omitempty
externalIPs []string omitempty
sessionAffinity core.v1.ServiceAffinity omitempty
loadBalancerIP string omitempty
loadBalancerSourceRanges []string omitempty
externalName string omitempty
externalTrafficPolicy core.v1.ServiceExternalTrafficPolicy omitempty
healthCheckNodePort int32 omitempty
publishNotReadyAddresses bool omitempty
sessionAffinityConfig *core.v1.SessionAffinityConfig omitempty
ipFamilies []core.v1.IPFamily omitempty
ipFamilyPolicy *core.v1.IPFamilyPolicy omitempty
allocateLoadBalancerNodePorts *bool omitempty
loadBalancerClass *string omitempty
internalTrafficPolicy *core.v1.ServiceInternalTrafficPolicy omitempty
trafficDistribution *string omitempty
""",
    "core.v1.ServiceStatus": """
loadBalancer core.v1.LoadBalancerStatus omitempty
conditions []meta.v1.Condition omitempty
""",
    "core.v1.SessionAffinityConfig": """
clientIP *core.v1.ClientIPConfig omitempty
""",
    "core.v1.SleepAction": """
seconds int64
""",
    "core.v1.StorageOSPersistentVolumeSource": """
volumeName string omitempty
volumeNamespace string omitempty
fsType string omitempty
readOnly bool omitempty
secretRef *core.v1.ObjectReference omitempty
""",
    "core.v1.StorageOSVolumeSource": """
volumeName string omitempty
volumeNamespace string omitempty
fsType string omitempty
readOnly bool omitempty
secretRef *core.v1.LocalObjectReference omitempty
""",
    "core.v1.Sysctl": """
name string
value string
""",
    "core.v1.TCPSocketAction": """
port intstr.IntOrString
host string omitempty
""",
    "core.v1.Taint": """
key string
value string omitempty
effect core.v1.TaintEffect
timeAdded *meta.v1.Time omitempty
""",
    "core.v1.Toleration": """
key string omitempty
operator core.v1.TolerationOperator omitempty
value string omitempty
effect core.v1.TaintEffect omitempty
tolerationSeconds *int64 omitempty
""",
    "core.v1.TopologySelectorLabelRequirement": """
key string
values []string
""",
    "core.v1.TopologySelectorTerm": """
matchLabelExpressions []core.v1.TopologySelectorLabelRequirement omitempty
""",
    "core.v1.TopologySpreadConstraint": """
maxSkew int32
topologyKey string
whenUnsatisfiable core.v1.UnsatisfiableConstraintAction
labelSelector *meta.v1.LabelSelector omitempty
minDomains *int32 omitempty
nodeAffinityPolicy *core.v1.NodeInclusionPolicy omitempty
nodeTaintsPolicy *core.v1.NodeInclusionPolicy omitempty
matchLabelKeys []string omitempty
""",
    "core.v1.TypedLocalObjectReference": """
apiGroup *string
kind string
name string
""",
    "core.v1.TypedObjectReference": """
apiGroup *string
kind string
name string
namespace *string omitempty
""",
    "core.v1.Volume": """
name string
>VolumeSource core.v1.VolumeSource
""",
    "core.v1.VolumeDevice": """
name string
devicePath string
""",
    "core.v1.VolumeMount": """
name string
readOnly bool omitempty
recursiveReadOnly *core.v1.RecursiveReadOnlyMode omitempty
mountPath string
subPath string omitempty
mountPropagation *core.v1.MountPropagationMode omitempty
subPathExpr string omitempty
""",
    "core.v1.VolumeMountStatus": """
name string
mountPath string
readOnly bool omitempty
recursiveReadOnly *core.v1.RecursiveReadOnlyMode omitempty
volumeStatus *core.v1.VolumeStatus omitempty
""",
    "core.v1.VolumeNodeAffinity": """
required *core.v1.NodeSelector omitempty
""",
    "core.v1.VolumeProjection": """
secret *core.v1.SecretProjection omitempty
downwardAPI *core.v1.DownwardAPIProjection omitempty
configMap *core.v1.ConfigMapProjection omitempty
serviceAccountToken *core.v1.ServiceAccountTokenProjection omitempty
clusterTrustBundle *core.v1.ClusterTrustBundleProjection omitempty
podCertificate *core.v1.PodCertificateProjection omitempty
""",
    "core.v1.VolumeResourceRequirements": """
limits core.v1.ResourceList omitempty
requests core.v1.ResourceList omitempty
""",
    "core.v1.VolumeSource": """
hostPath *core.v1.HostPathVolumeSource omitempty
emptyDir *core.v1.EmptyDirVolumeSource omitempty
gcePersistentDisk *core.v1.GCEPersistentDiskVolumeSource omitempty
awsElasticBlockStore *core.v1.AWSElasticBlockStoreVolumeSource omitempty
gitRepo *core.v1.GitRepoVolumeSource omitempty
secret *core.v1.SecretVolumeSource omitempty
nfs *core.v1.NFSVolumeSource omitempty
iscsi *core.v1.ISCSIVolumeSource omitempty
glusterfs *core.v1.GlusterfsVolumeSource omitempty
persistentVolumeClaim *core.v1.PersistentVolumeClaimVolumeSource omitempty
rbd *core.v1.RBDVolumeSource omitempty
flexVolume *core.v1.FlexVolumeSource omitempty
cinder *core.v1.CinderVolumeSource omitempty
cephfs *core.v1.CephFSVolumeSource omitempty
flocker *core.v1.FlockerVolumeSource omitempty
downwardAPI *core.v1.DownwardAPIVolumeSource omitempty
fc *core.v1.FCVolumeSource omitempty
azureFile *core.v1.AzureFileVolumeSource omitempty
configMap *core.v1.ConfigMapVolumeSource omitempty
vsphereVolume *core.v1.VsphereVirtualDiskVolumeSource omitempty
quobyte *core.v1.QuobyteVolumeSource omitempty
azureDisk *core.v1.AzureDiskVolumeSource omitempty
photonPersistentDisk *core.v1.PhotonPersistentDiskVolumeSource omitempty
projected *core.v1.ProjectedVolumeSource omitempty
portworxVolume *core.v1.PortworxVolumeSource omitempty
scaleIO *core.v1.ScaleIOVolumeSource omitempty
storageos *core.v1.StorageOSVolumeSource omitempty
csi *core.v1.CSIVolumeSource omitempty
ephemeral *core.v1.EphemeralVolumeSource omitempty
image *core.v1.ImageVolumeSource omitempty
""",
    "core.v1.VolumeStatus": """
image *core.v1.ImageVolumeStatus omitempty
""",
    "core.v1.VsphereVirtualDiskVolumeSource": """
volumePath string
fsType string omitempty
storagePolicyName string omitempty
storagePolicyID string omitempty
""",
    "core.v1.WeightedPodAffinityTerm": """
weight int32
podAffinityTerm core.v1.PodAffinityTerm
""",
    "core.v1.WindowsSecurityContextOptions": """
gmsaCredentialSpecName *string omitempty
gmsaCredentialSpec *string omitempty
runAsUserName *string omitempty
hostProcess *bool omitempty
""",
    "discovery.v1.Endpoint": """
addresses []string
conditions discovery.v1.EndpointConditions omitempty
hostname *string omitempty
targetRef *core.v1.ObjectReference omitempty
deprecatedTopology map[string]string omitempty
nodeName *string omitempty
zone *string omitempty
hints *discovery.v1.EndpointHints omitempty
""",
    "discovery.v1.EndpointConditions": """
ready *bool omitempty
serving *bool omitempty
terminating *bool omitempty
""",
    "discovery.v1.EndpointHints": """
forZones []discovery.v1.ForZone omitempty
forNodes []discovery.v1.ForNode omitempty
""",
    "discovery.v1.EndpointPort": """
name *string omitempty
protocol *core.v1.Protocol omitempty
port *int32 omitempty
appProtocol *string omitempty
""",
    "discovery.v1.EndpointSlice": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
addressType discovery.v1.AddressType
endpoints []discovery.v1.Endpoint
ports []discovery.v1.EndpointPort
""",
    "discovery.v1.EndpointSliceList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []discovery.v1.EndpointSlice
""",
    "discovery.v1.ForNode": """
name string
""",
    "discovery.v1.ForZone": """
name string
""",
    "events.v1.Event": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta
eventTime meta.v1.MicroTime
series *events.v1.EventSeries omitempty
reportingController string omitempty
reportingInstance string omitempty
action string omitempty
reason string omitempty
regarding core.v1.ObjectReference omitempty
related *core.v1.ObjectReference omitempty
note string omitempty
type string omitempty
deprecatedSource core.v1.EventSource omitempty
deprecatedFirstTimestamp meta.v1.Time omitempty
deprecatedLastTimestamp meta.v1.Time omitempty
deprecatedCount int32 omitempty
""",
    "events.v1.EventList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []events.v1.Event
""",
    "events.v1.EventSeries": """
count int32
lastObservedTime meta.v1.MicroTime
""",
    "flowcontrol.v1.ExemptPriorityLevelConfiguration": """
nominalConcurrencyShares *int32 omitempty
lendablePercent *int32 omitempty
""",
    "flowcontrol.v1.FlowDistinguisherMethod": """
type flowcontrol.v1.FlowDistinguisherMethodType
""",
    "flowcontrol.v1.FlowSchema": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec flowcontrol.v1.FlowSchemaSpec omitempty
status flowcontrol.v1.FlowSchemaStatus omitempty
""",
    "flowcontrol.v1.FlowSchemaCondition": """
type flowcontrol.v1.FlowSchemaConditionType omitempty
status flowcontrol.v1.ConditionStatus omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "flowcontrol.v1.FlowSchemaList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []flowcontrol.v1.FlowSchema
""",
    "flowcontrol.v1.FlowSchemaSpec": """
priorityLevelConfiguration flowcontrol.v1.PriorityLevelConfigurationReference
matchingPrecedence int32
distinguisherMethod *flowcontrol.v1.FlowDistinguisherMethod omitempty
rules []flowcontrol.v1.PolicyRulesWithSubjects omitempty
""",
    "flowcontrol.v1.FlowSchemaStatus": """
conditions []flowcontrol.v1.FlowSchemaCondition omitempty
""",
    "flowcontrol.v1.GroupSubject": """
name string
""",
    "flowcontrol.v1.LimitResponse": """
type flowcontrol.v1.LimitResponseType
queuing *flowcontrol.v1.QueuingConfiguration omitempty
""",
    "flowcontrol.v1.LimitedPriorityLevelConfiguration": """
nominalConcurrencyShares *int32
limitResponse flowcontrol.v1.LimitResponse omitempty
lendablePercent *int32 omitempty
borrowingLimitPercent *int32 omitempty
""",
    "flowcontrol.v1.NonResourcePolicyRule": """
verbs []string
nonResourceURLs []string
""",
    "flowcontrol.v1.PolicyRulesWithSubjects": """
subjects []flowcontrol.v1.Subject
resourceRules []flowcontrol.v1.ResourcePolicyRule omitempty
nonResourceRules []flowcontrol.v1.NonResourcePolicyRule omitempty
""",
    "flowcontrol.v1.PriorityLevelConfiguration": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec flowcontrol.v1.PriorityLevelConfigurationSpec omitempty
status flowcontrol.v1.PriorityLevelConfigurationStatus omitempty
""",
    "flowcontrol.v1.PriorityLevelConfigurationCondition": """
type flowcontrol.v1.PriorityLevelConfigurationConditionType omitempty
status flowcontrol.v1.ConditionStatus omitempty
lastTransitionTime meta.v1.Time omitempty
reason string omitempty
message string omitempty
""",
    "flowcontrol.v1.PriorityLevelConfigurationList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []flowcontrol.v1.PriorityLevelConfiguration
""",
    "flowcontrol.v1.PriorityLevelConfigurationReference": """
name string
""",
    "flowcontrol.v1.PriorityLevelConfigurationSpec": """
type flowcontrol.v1.PriorityLevelEnablement
limited *flowcontrol.v1.LimitedPriorityLevelConfiguration omitempty
exempt *flowcontrol.v1.ExemptPriorityLevelConfiguration omitempty
""",
    "flowcontrol.v1.PriorityLevelConfigurationStatus": """
conditions []flowcontrol.v1.PriorityLevelConfigurationCondition omitempty
""",
    "flowcontrol.v1.QueuingConfiguration": """
queues int32
handSize int32
queueLengthLimit int32
""",
    "flowcontrol.v1.ResourcePolicyRule": """
verbs []string
apiGroups []string
resources []string
clusterScope bool omitempty
namespaces []string
""",
    "flowcontrol.v1.ServiceAccountSubject": """
namespace string
name string
""",
    "flowcontrol.v1.Subject": """
kind flowcontrol.v1.SubjectKind
user *flowcontrol.v1.UserSubject omitempty
group *flowcontrol.v1.GroupSubject omitempty
serviceAccount *flowcontrol.v1.ServiceAccountSubject omitempty
""",
    "flowcontrol.v1.UserSubject": """
name string
""",
    "meta.v1.APIResource": """
name string
singularName string
namespaced bool
group string omitempty
version string omitempty
kind string
verbs meta.v1.Verbs
shortNames []string omitempty
categories []string omitempty
storageVersionHash string omitempty
""",
    "meta.v1.APIResourceList": """
>TypeMeta meta.v1.TypeMeta
groupVersion string
resources []meta.v1.APIResource
""",
    "meta.v1.Condition": """
type string
status meta.v1.ConditionStatus
observedGeneration int64 omitempty
lastTransitionTime meta.v1.Time
reason string
message string
""",
    "meta.v1.CreateOptions": """
>TypeMeta meta.v1.TypeMeta
dryRun []string omitempty
fieldManager string omitempty
fieldValidation string omitempty
""",
    "meta.v1.DeleteOptions": """
>TypeMeta meta.v1.TypeMeta
gracePeriodSeconds *int64 omitempty
preconditions *meta.v1.Preconditions omitempty
orphanDependents *bool omitempty
propagationPolicy *meta.v1.DeletionPropagation omitempty
dryRun []string omitempty
ignoreStoreReadErrorWithClusterBreakingPotential *bool omitempty
""",
    "meta.v1.FieldSelectorRequirement": """
key string
operator meta.v1.FieldSelectorOperator
values []string omitempty
""",
    "meta.v1.GetOptions": """
>TypeMeta meta.v1.TypeMeta
resourceVersion string omitempty
""",
    "meta.v1.GroupVersionKind": """
group string
version string
kind string
""",
    "meta.v1.LabelSelector": """
matchLabels map[string]string omitempty
matchExpressions []meta.v1.LabelSelectorRequirement omitempty
""",
    "meta.v1.LabelSelectorRequirement": """
key string
operator meta.v1.LabelSelectorOperator
values []string omitempty
""",
    "meta.v1.ListMeta": """
selfLink string omitempty
resourceVersion string omitempty
continue string omitempty
remainingItemCount *int64 omitempty
shardInfo *meta.v1.ShardInfo omitempty
""",
    "meta.v1.ListOptions": """
>TypeMeta meta.v1.TypeMeta
labelSelector string omitempty
fieldSelector string omitempty
watch bool omitempty
allowWatchBookmarks bool omitempty
resourceVersion string omitempty
resourceVersionMatch meta.v1.ResourceVersionMatch omitempty
timeoutSeconds *int64 omitempty
limit int64 omitempty
continue string omitempty
sendInitialEvents *bool omitempty
shardSelector string omitempty
""",
    "meta.v1.ManagedFieldsEntry": """
manager string omitempty
operation meta.v1.ManagedFieldsOperationType omitempty
apiVersion string omitempty
time *meta.v1.Time omitempty
fieldsType string omitempty
fieldsV1 *meta.v1.FieldsV1 omitempty
subresource string omitempty
""",
    "meta.v1.ObjectMeta": """
name string omitempty
generateName string omitempty
namespace string omitempty
selfLink string omitempty
uid types.UID omitempty
resourceVersion string omitempty
generation int64 omitempty
creationTimestamp meta.v1.Time omitzero
deletionTimestamp *meta.v1.Time omitempty
deletionGracePeriodSeconds *int64 omitempty
labels map[string]string omitempty
annotations map[string]string omitempty
ownerReferences []meta.v1.OwnerReference omitempty
finalizers []string omitempty
managedFields []meta.v1.ManagedFieldsEntry omitempty
""",
    "meta.v1.OwnerReference": """
apiVersion string
kind string
name string
uid types.UID
controller *bool omitempty
blockOwnerDeletion *bool omitempty
""",
    "meta.v1.PartialObjectMetadata": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
""",
    "meta.v1.PartialObjectMetadataList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []meta.v1.PartialObjectMetadata
""",
    "meta.v1.PatchOptions": """
>TypeMeta meta.v1.TypeMeta
dryRun []string omitempty
force *bool omitempty
fieldManager string omitempty
fieldValidation string omitempty
""",
    "meta.v1.Preconditions": """
uid *types.UID omitempty
resourceVersion *string omitempty
""",
    "meta.v1.ShardInfo": """
selector string
""",
    "meta.v1.Status": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
status string omitempty
message string omitempty
reason meta.v1.StatusReason omitempty
details *meta.v1.StatusDetails omitempty
code int32 omitempty
""",
    "meta.v1.StatusCause": """
reason meta.v1.CauseType omitempty
message string omitempty
field string omitempty
""",
    "meta.v1.StatusDetails": """
name string omitempty
group string omitempty
kind string omitempty
uid types.UID omitempty
causes []meta.v1.StatusCause omitempty
retryAfterSeconds int32 omitempty
""",
    "meta.v1.TypeMeta": """
kind string omitempty
apiVersion string omitempty
""",
    "meta.v1.UpdateOptions": """
>TypeMeta meta.v1.TypeMeta
dryRun []string omitempty
fieldManager string omitempty
fieldValidation string omitempty
""",
    "meta.v1.WatchEvent": """
type string
object runtime.RawExtension
""",
    "networking.v1.HTTPIngressPath": """
path string omitempty
pathType *networking.v1.PathType
backend networking.v1.IngressBackend
""",
    "networking.v1.HTTPIngressRuleValue": """
paths []networking.v1.HTTPIngressPath
""",
    "networking.v1.IPAddress": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec networking.v1.IPAddressSpec omitempty
""",
    "networking.v1.IPAddressList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []networking.v1.IPAddress
""",
    "networking.v1.IPAddressSpec": """
parentRef *networking.v1.ParentReference omitempty
""",
    "networking.v1.IPBlock": """
cidr string
except []string omitempty
""",
    "networking.v1.Ingress": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec networking.v1.IngressSpec omitempty
status networking.v1.IngressStatus omitempty
""",
    "networking.v1.IngressBackend": """
service *networking.v1.IngressServiceBackend omitempty
resource *core.v1.TypedLocalObjectReference omitempty
""",
    "networking.v1.IngressClass": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec networking.v1.IngressClassSpec omitempty
""",
    "networking.v1.IngressClassList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []networking.v1.IngressClass
""",
    "networking.v1.IngressClassParametersReference": """
apiGroup *string omitempty
kind string
name string
scope *string
namespace *string omitempty
""",
    "networking.v1.IngressClassSpec": """
controller string omitempty
parameters *networking.v1.IngressClassParametersReference omitempty
""",
    "networking.v1.IngressList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []networking.v1.Ingress
""",
    "networking.v1.IngressLoadBalancerIngress": """
ip string omitempty
hostname string omitempty
ports []networking.v1.IngressPortStatus omitempty
""",
    "networking.v1.IngressLoadBalancerStatus": """
ingress []networking.v1.IngressLoadBalancerIngress omitempty
""",
    "networking.v1.IngressPortStatus": """
port int32
protocol core.v1.Protocol
error *string omitempty
""",
    "networking.v1.IngressRule": """
host string omitempty
>IngressRuleValue networking.v1.IngressRuleValue
""",
    "networking.v1.IngressRuleValue": """
http *networking.v1.HTTPIngressRuleValue omitempty
""",
    "networking.v1.IngressServiceBackend": """
name string
port networking.v1.ServiceBackendPort omitempty
""",
    "networking.v1.IngressSpec": """
ingressClassName *string omitempty
defaultBackend *networking.v1.IngressBackend omitempty
tls []networking.v1.IngressTLS omitempty
rules []networking.v1.IngressRule omitempty
""",
    "networking.v1.IngressStatus": """
loadBalancer networking.v1.IngressLoadBalancerStatus omitempty
""",
    "networking.v1.IngressTLS": """
hosts []string omitempty
secretName string omitempty
""",
    "networking.v1.NetworkPolicy": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec networking.v1.NetworkPolicySpec omitempty
""",
    "networking.v1.NetworkPolicyEgressRule": """
ports []networking.v1.NetworkPolicyPort omitempty
to []networking.v1.NetworkPolicyPeer omitempty
""",
    "networking.v1.NetworkPolicyIngressRule": """
ports []networking.v1.NetworkPolicyPort omitempty
from []networking.v1.NetworkPolicyPeer omitempty
""",
    "networking.v1.NetworkPolicyList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []networking.v1.NetworkPolicy
""",
    "networking.v1.NetworkPolicyPeer": """
podSelector *meta.v1.LabelSelector omitempty
namespaceSelector *meta.v1.LabelSelector omitempty
ipBlock *networking.v1.IPBlock omitempty
""",
    "networking.v1.NetworkPolicyPort": """
protocol *core.v1.Protocol omitempty
port *intstr.IntOrString omitempty
endPort *int32 omitempty
""",
    "networking.v1.NetworkPolicySpec": """
podSelector meta.v1.LabelSelector
ingress []networking.v1.NetworkPolicyIngressRule omitempty
egress []networking.v1.NetworkPolicyEgressRule omitempty
policyTypes []networking.v1.PolicyType omitempty
""",
    "networking.v1.ParentReference": """
group string omitempty
resource string omitempty
namespace string omitempty
name string omitempty
""",
    "networking.v1.ServiceBackendPort": """
name string omitempty
number int32 omitempty
""",
    "networking.v1.ServiceCIDR": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec networking.v1.ServiceCIDRSpec omitempty
status networking.v1.ServiceCIDRStatus omitempty
""",
    "networking.v1.ServiceCIDRList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []networking.v1.ServiceCIDR
""",
    "networking.v1.ServiceCIDRSpec": """
cidrs []string omitempty
""",
    "networking.v1.ServiceCIDRStatus": """
conditions []meta.v1.Condition omitempty
""",
    "node.v1.Overhead": """
podFixed core.v1.ResourceList omitempty
""",
    "node.v1.RuntimeClass": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
handler string
overhead *node.v1.Overhead omitempty
scheduling *node.v1.Scheduling omitempty
""",
    "node.v1.RuntimeClassList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []node.v1.RuntimeClass
""",
    "node.v1.Scheduling": """
nodeSelector map[string]string omitempty
tolerations []core.v1.Toleration omitempty
""",
    "policy.v1.Eviction": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
deleteOptions *meta.v1.DeleteOptions omitempty
""",
    "policy.v1.PodDisruptionBudget": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec policy.v1.PodDisruptionBudgetSpec omitempty
status policy.v1.PodDisruptionBudgetStatus omitempty
""",
    "policy.v1.PodDisruptionBudgetList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []policy.v1.PodDisruptionBudget
""",
    "policy.v1.PodDisruptionBudgetSpec": """
minAvailable *intstr.IntOrString omitempty
selector *meta.v1.LabelSelector omitempty
maxUnavailable *intstr.IntOrString omitempty
unhealthyPodEvictionPolicy *policy.v1.UnhealthyPodEvictionPolicyType omitempty
""",
    "policy.v1.PodDisruptionBudgetStatus": """
observedGeneration int64 omitempty
disruptedPods map[string]meta.v1.Time omitempty
disruptionsAllowed int32
currentHealthy int32
desiredHealthy int32
expectedPods int32
conditions []meta.v1.Condition omitempty
""",
    "rbac.v1.AggregationRule": """
clusterRoleSelectors []meta.v1.LabelSelector omitempty
""",
    "rbac.v1.ClusterRole": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
rules []rbac.v1.PolicyRule
aggregationRule *rbac.v1.AggregationRule omitempty
""",
    "rbac.v1.ClusterRoleBinding": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
subjects []rbac.v1.Subject omitempty
roleRef rbac.v1.RoleRef
""",
    "rbac.v1.ClusterRoleBindingList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []rbac.v1.ClusterRoleBinding
""",
    "rbac.v1.ClusterRoleList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []rbac.v1.ClusterRole
""",
    "rbac.v1.PolicyRule": """
verbs []string
apiGroups []string omitempty
resources []string omitempty
resourceNames []string omitempty
nonResourceURLs []string omitempty
""",
    "rbac.v1.Role": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
rules []rbac.v1.PolicyRule
""",
    "rbac.v1.RoleBinding": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
subjects []rbac.v1.Subject omitempty
roleRef rbac.v1.RoleRef
""",
    "rbac.v1.RoleBindingList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []rbac.v1.RoleBinding
""",
    "rbac.v1.RoleList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []rbac.v1.Role
""",
    "rbac.v1.RoleRef": """
apiGroup string
kind string
name string
""",
    "rbac.v1.Subject": """
kind string
apiGroup string omitempty
name string
namespace string omitempty
""",
    "resource.v1.AllocatedDeviceStatus": """
driver string
pool string
device string
shareID *string omitempty
conditions []meta.v1.Condition
data *runtime.RawExtension omitempty
networkData *resource.v1.NetworkDeviceData omitempty
""",
    "resource.v1.AllocationResult": """
devices resource.v1.DeviceAllocationResult omitempty
nodeSelector *core.v1.NodeSelector omitempty
allocationTimestamp *meta.v1.Time omitempty
""",
    "resource.v1.CELDeviceSelector": """
expression string
""",
    "resource.v1.CapacityRequestPolicy": """
default *resource.Quantity
validValues []resource.Quantity omitempty
validRange *resource.v1.CapacityRequestPolicyRange omitempty
""",
    "resource.v1.CapacityRequestPolicyRange": """
min *resource.Quantity omitempty
max *resource.Quantity omitempty
step *resource.Quantity omitempty
""",
    "resource.v1.CapacityRequirements": """
requests map[resource.v1.QualifiedName]resource.Quantity omitempty
""",
    "resource.v1.Counter": """
value resource.Quantity
""",
    "resource.v1.CounterSet": """
name string
counters map[string]resource.v1.Counter omitempty
""",
    "resource.v1.Device": """
name string
attributes map[resource.v1.QualifiedName]resource.v1.DeviceAttribute omitempty
capacity map[resource.v1.QualifiedName]resource.v1.DeviceCapacity omitempty
consumesCounters []resource.v1.DeviceCounterConsumption omitempty
nodeName *string omitempty
nodeSelector *core.v1.NodeSelector omitempty
allNodes *bool omitempty
taints []resource.v1.DeviceTaint omitempty
bindsToNode *bool omitempty
bindingConditions []string omitempty
bindingFailureConditions []string omitempty
allowMultipleAllocations *bool omitempty
nodeAllocatableResourceMappings map[core.v1.ResourceName]resource.v1.NodeAllocatableResourceMapping omitempty
""",
    "resource.v1.DeviceAllocationConfiguration": """
source resource.v1.AllocationConfigSource
requests []string omitempty
>DeviceConfiguration resource.v1.DeviceConfiguration
""",
    "resource.v1.DeviceAllocationResult": """
results []resource.v1.DeviceRequestAllocationResult omitempty
config []resource.v1.DeviceAllocationConfiguration omitempty
""",
    "resource.v1.DeviceAttribute": """
int *int64 omitempty
bool *bool omitempty
string *string omitempty
version *string omitempty
ints []int64 omitempty
bools []bool omitempty
strings []string omitempty
versions []string omitempty
""",
    "resource.v1.DeviceCapacity": """
value resource.Quantity
requestPolicy *resource.v1.CapacityRequestPolicy omitempty
""",
    "resource.v1.DeviceClaim": """
requests []resource.v1.DeviceRequest
constraints []resource.v1.DeviceConstraint omitempty
config []resource.v1.DeviceClaimConfiguration omitempty
""",
    "resource.v1.DeviceClaimConfiguration": """
requests []string omitempty
>DeviceConfiguration resource.v1.DeviceConfiguration
""",
    "resource.v1.DeviceClass": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec resource.v1.DeviceClassSpec
""",
    "resource.v1.DeviceClassConfiguration": """
>DeviceConfiguration resource.v1.DeviceConfiguration
""",
    "resource.v1.DeviceClassList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []resource.v1.DeviceClass
""",
    "resource.v1.DeviceClassSpec": """
selectors []resource.v1.DeviceSelector omitempty
config []resource.v1.DeviceClassConfiguration omitempty
extendedResourceName *string omitempty
""",
    "resource.v1.DeviceConfiguration": """
opaque *resource.v1.OpaqueDeviceConfiguration omitempty
""",
    "resource.v1.DeviceConstraint": """
requests []string omitempty
matchAttribute *resource.v1.FullyQualifiedName omitempty
distinctAttribute *resource.v1.FullyQualifiedName omitempty
""",
    "resource.v1.DeviceCounterConsumption": """
counterSet string
counters map[string]resource.v1.Counter omitempty
""",
    "resource.v1.DeviceRequest": """
name string
exactly *resource.v1.ExactDeviceRequest omitempty
firstAvailable []resource.v1.DeviceSubRequest omitempty
""",
    "resource.v1.DeviceRequestAllocationResult": """
request string
driver string
pool string
device string
adminAccess *bool omitempty
tolerations []resource.v1.DeviceToleration omitempty
bindingConditions []string omitempty
bindingFailureConditions []string omitempty
shareID *types.UID omitempty
consumedCapacity map[resource.v1.QualifiedName]resource.Quantity omitempty
""",
    "resource.v1.DeviceSelector": """
cel *resource.v1.CELDeviceSelector omitempty
""",
    "resource.v1.DeviceSubRequest": """
name string
deviceClassName string
selectors []resource.v1.DeviceSelector omitempty
allocationMode resource.v1.DeviceAllocationMode omitempty
count int64 omitempty
tolerations []resource.v1.DeviceToleration omitempty
capacity *resource.v1.CapacityRequirements omitempty
""",
    "resource.v1.DeviceTaint": """
key string
value string omitempty
effect resource.v1.DeviceTaintEffect
timeAdded *meta.v1.Time omitempty
""",
    "resource.v1.DeviceToleration": """
key string omitempty
operator resource.v1.DeviceTolerationOperator omitempty
value string omitempty
effect resource.v1.DeviceTaintEffect omitempty
tolerationSeconds *int64 omitempty
""",
    "resource.v1.ExactDeviceRequest": """
deviceClassName string
selectors []resource.v1.DeviceSelector omitempty
allocationMode resource.v1.DeviceAllocationMode omitempty
count int64 omitempty
adminAccess *bool omitempty
tolerations []resource.v1.DeviceToleration omitempty
capacity *resource.v1.CapacityRequirements omitempty
""",
    "resource.v1.NetworkDeviceData": """
interfaceName string omitempty
ips []string omitempty
hardwareAddress string omitempty
""",
    "resource.v1.NodeAllocatableResourceMapping": """
capacityKey *resource.v1.QualifiedName omitempty
allocationMultiplier *resource.Quantity omitempty
""",
    "resource.v1.OpaqueDeviceConfiguration": """
driver string
parameters runtime.RawExtension
""",
    "resource.v1.ResourceClaim": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec resource.v1.ResourceClaimSpec
status resource.v1.ResourceClaimStatus omitempty
""",
    "resource.v1.ResourceClaimConsumerReference": """
apiGroup string omitempty
resource string
name string
uid types.UID
""",
    "resource.v1.ResourceClaimList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []resource.v1.ResourceClaim
""",
    "resource.v1.ResourceClaimSpec": """
devices resource.v1.DeviceClaim
""",
    "resource.v1.ResourceClaimStatus": """
allocation *resource.v1.AllocationResult omitempty
reservedFor []resource.v1.ResourceClaimConsumerReference omitempty
devices []resource.v1.AllocatedDeviceStatus omitempty
""",
    "resource.v1.ResourceClaimTemplate": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec resource.v1.ResourceClaimTemplateSpec
""",
    "resource.v1.ResourceClaimTemplateList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []resource.v1.ResourceClaimTemplate
""",
    "resource.v1.ResourceClaimTemplateSpec": """
metadata meta.v1.ObjectMeta omitempty
spec resource.v1.ResourceClaimSpec
""",
    "resource.v1.ResourcePool": """
name string
generation int64
resourceSliceCount int64
""",
    "resource.v1.ResourceSlice": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec resource.v1.ResourceSliceSpec
""",
    "resource.v1.ResourceSliceList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []resource.v1.ResourceSlice
""",
    "resource.v1.ResourceSliceSpec": """
driver string
pool resource.v1.ResourcePool
nodeName *string omitempty
nodeSelector *core.v1.NodeSelector omitempty
allNodes *bool omitempty
devices []resource.v1.Device omitempty
perDeviceNodeSelection *bool omitempty
sharedCounters []resource.v1.CounterSet omitempty
""",
    "scheduling.v1.PriorityClass": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
value int32
globalDefault bool omitempty
description string omitempty
preemptionPolicy *core.v1.PreemptionPolicy omitempty
""",
    "scheduling.v1.PriorityClassList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []scheduling.v1.PriorityClass
""",
    "storage.v1.CSIDriver": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec storage.v1.CSIDriverSpec
""",
    "storage.v1.CSIDriverList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []storage.v1.CSIDriver
""",
    "storage.v1.CSIDriverSpec": """
attachRequired *bool omitempty
podInfoOnMount *bool omitempty
volumeLifecycleModes []storage.v1.VolumeLifecycleMode omitempty
storageCapacity *bool omitempty
fsGroupPolicy *storage.v1.FSGroupPolicy omitempty
tokenRequests []storage.v1.TokenRequest omitempty
requiresRepublish *bool omitempty
seLinuxMount *bool omitempty
nodeAllocatableUpdatePeriodSeconds *int64 omitempty
serviceAccountTokenInSecrets *bool omitempty
preventPodSchedulingIfMissing *bool omitempty
""",
    "storage.v1.CSINode": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec storage.v1.CSINodeSpec
""",
    "storage.v1.CSINodeDriver": """
name string
nodeID string
topologyKeys []string
allocatable *storage.v1.VolumeNodeResources omitempty
""",
    "storage.v1.CSINodeList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []storage.v1.CSINode
""",
    "storage.v1.CSINodeSpec": """
drivers []storage.v1.CSINodeDriver
""",
    "storage.v1.CSIStorageCapacity": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
nodeTopology *meta.v1.LabelSelector omitempty
storageClassName string
capacity *resource.Quantity omitempty
maximumVolumeSize *resource.Quantity omitempty
""",
    "storage.v1.CSIStorageCapacityList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []storage.v1.CSIStorageCapacity
""",
    "storage.v1.StorageClass": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
provisioner string
parameters map[string]string omitempty
reclaimPolicy *core.v1.PersistentVolumeReclaimPolicy omitempty
mountOptions []string omitempty
allowVolumeExpansion *bool omitempty
volumeBindingMode *storage.v1.VolumeBindingMode omitempty
allowedTopologies []core.v1.TopologySelectorTerm omitempty
""",
    "storage.v1.StorageClassList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []storage.v1.StorageClass
""",
    "storage.v1.TokenRequest": """
audience string
expirationSeconds *int64 omitempty
""",
    "storage.v1.VolumeAttachment": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
spec storage.v1.VolumeAttachmentSpec
status storage.v1.VolumeAttachmentStatus omitempty
""",
    "storage.v1.VolumeAttachmentList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []storage.v1.VolumeAttachment
""",
    "storage.v1.VolumeAttachmentSource": """
persistentVolumeName *string omitempty
inlineVolumeSpec *core.v1.PersistentVolumeSpec omitempty
""",
    "storage.v1.VolumeAttachmentSpec": """
attacher string
source storage.v1.VolumeAttachmentSource
nodeName string
""",
    "storage.v1.VolumeAttachmentStatus": """
attached bool
attachmentMetadata map[string]string omitempty
attachError *storage.v1.VolumeError omitempty
detachError *storage.v1.VolumeError omitempty
""",
    "storage.v1.VolumeAttributesClass": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ObjectMeta omitempty
driverName string
parameters map[string]string omitempty
""",
    "storage.v1.VolumeAttributesClassList": """
>TypeMeta meta.v1.TypeMeta
metadata meta.v1.ListMeta omitempty
items []storage.v1.VolumeAttributesClass
""",
    "storage.v1.VolumeError": """
time meta.v1.Time omitempty
message string omitempty
errorCode *int32 omitempty
""",
    "storage.v1.VolumeNodeResources": """
count *int32 omitempty
""",
}
"""Struct → its fields, in the notation of `kubewright.server.wire.go_types`."""
