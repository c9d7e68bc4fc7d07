"""The messages of the Kubernetes protobuf encoding: number, JSON name and type of each field.

Generated; see CONTRIBUTING.md.
"""

from __future__ import annotations

from typing import Final

from kubewright.machinery.protobuf import Messages

__all__ = ["DEFINITIONS", "KINDS", "builtin_messages"]


def builtin_messages() -> Messages:
    """The messages of all built-in kinds; each is made ready when it is first needed."""
    return Messages(DEFINITIONS, KINDS)


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
"""apiVersion → kind → message; an empty apiVersion stands for every one."""

DEFINITIONS: Final[dict[str, str]] = {
    "admissionregistration.v1.ApplyConfiguration": """
1 expression string omitempty
""",
    "admissionregistration.v1.AuditAnnotation": """
1 key string
2 valueExpression string
""",
    "admissionregistration.v1.ExpressionWarning": """
2 fieldRef string
3 warning string
""",
    "admissionregistration.v1.JSONPatch": """
1 expression string omitempty
""",
    "admissionregistration.v1.MatchCondition": """
1 name string
2 expression string
""",
    "admissionregistration.v1.MatchResources": """
1 namespaceSelector meta.v1.LabelSelector
2 objectSelector meta.v1.LabelSelector
3 resourceRules []admissionregistration.v1.NamedRuleWithOperations
4 excludeResourceRules []admissionregistration.v1.NamedRuleWithOperations
7 matchPolicy string
""",
    "admissionregistration.v1.MutatingAdmissionPolicy": """
1 metadata meta.v1.ObjectMeta
2 spec admissionregistration.v1.MutatingAdmissionPolicySpec
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBinding": """
1 metadata meta.v1.ObjectMeta
2 spec admissionregistration.v1.MutatingAdmissionPolicyBindingSpec
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBindingList": """
1 metadata meta.v1.ListMeta
2 items []admissionregistration.v1.MutatingAdmissionPolicyBinding
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBindingSpec": """
1 policyName string omitempty
2 paramRef admissionregistration.v1.ParamRef
3 matchResources admissionregistration.v1.MatchResources
""",
    "admissionregistration.v1.MutatingAdmissionPolicyList": """
1 metadata meta.v1.ListMeta
2 items []admissionregistration.v1.MutatingAdmissionPolicy
""",
    "admissionregistration.v1.MutatingAdmissionPolicySpec": """
1 paramKind admissionregistration.v1.ParamKind
2 matchConstraints admissionregistration.v1.MatchResources
3 variables []admissionregistration.v1.Variable
4 mutations []admissionregistration.v1.Mutation
5 failurePolicy string
6 matchConditions []admissionregistration.v1.MatchCondition
7 reinvocationPolicy string omitempty
""",
    "admissionregistration.v1.MutatingWebhook": """
1 name string
2 clientConfig admissionregistration.v1.WebhookClientConfig
3 rules []admissionregistration.v1.RuleWithOperations
4 failurePolicy string
5 namespaceSelector meta.v1.LabelSelector
6 sideEffects string
7 timeoutSeconds int32
8 admissionReviewVersions []string
9 matchPolicy string
10 reinvocationPolicy string
11 objectSelector meta.v1.LabelSelector
12 matchConditions []admissionregistration.v1.MatchCondition
""",
    "admissionregistration.v1.MutatingWebhookConfiguration": """
1 metadata meta.v1.ObjectMeta
2 webhooks []admissionregistration.v1.MutatingWebhook
""",
    "admissionregistration.v1.MutatingWebhookConfigurationList": """
1 metadata meta.v1.ListMeta
2 items []admissionregistration.v1.MutatingWebhookConfiguration
""",
    "admissionregistration.v1.Mutation": """
2 patchType string
3 applyConfiguration admissionregistration.v1.ApplyConfiguration
4 jsonPatch admissionregistration.v1.JSONPatch
""",
    "admissionregistration.v1.NamedRuleWithOperations": """
1 resourceNames []string
2 ruleWithOperations admissionregistration.v1.RuleWithOperations inline
""",
    "admissionregistration.v1.ParamKind": """
1 apiVersion string omitempty
2 kind string omitempty
""",
    "admissionregistration.v1.ParamRef": """
1 name string omitempty
2 namespace string omitempty
3 selector meta.v1.LabelSelector
4 parameterNotFoundAction string
""",
    "admissionregistration.v1.Rule": """
1 apiGroups []string
2 apiVersions []string
3 resources []string
4 scope string
""",
    "admissionregistration.v1.RuleWithOperations": """
1 operations []string
2 rule admissionregistration.v1.Rule inline
""",
    "admissionregistration.v1.ServiceReference": """
1 namespace string
2 name string
3 path string
4 port int32
""",
    "admissionregistration.v1.TypeChecking": """
1 expressionWarnings []admissionregistration.v1.ExpressionWarning
""",
    "admissionregistration.v1.ValidatingAdmissionPolicy": """
1 metadata meta.v1.ObjectMeta
2 spec admissionregistration.v1.ValidatingAdmissionPolicySpec
3 status admissionregistration.v1.ValidatingAdmissionPolicyStatus
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBinding": """
1 metadata meta.v1.ObjectMeta
2 spec admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingList": """
1 metadata meta.v1.ListMeta
2 items []admissionregistration.v1.ValidatingAdmissionPolicyBinding
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": """
1 policyName string omitempty
2 paramRef admissionregistration.v1.ParamRef
3 matchResources admissionregistration.v1.MatchResources
4 validationActions []string
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyList": """
1 metadata meta.v1.ListMeta
2 items []admissionregistration.v1.ValidatingAdmissionPolicy
""",
    "admissionregistration.v1.ValidatingAdmissionPolicySpec": """
1 paramKind admissionregistration.v1.ParamKind
2 matchConstraints admissionregistration.v1.MatchResources
3 validations []admissionregistration.v1.Validation
4 failurePolicy string
5 auditAnnotations []admissionregistration.v1.AuditAnnotation
6 matchConditions []admissionregistration.v1.MatchCondition
7 variables []admissionregistration.v1.Variable
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyStatus": """
1 observedGeneration int64 omitempty
2 typeChecking admissionregistration.v1.TypeChecking
3 conditions []meta.v1.Condition
""",
    "admissionregistration.v1.ValidatingWebhook": """
1 name string
2 clientConfig admissionregistration.v1.WebhookClientConfig
3 rules []admissionregistration.v1.RuleWithOperations
4 failurePolicy string
5 namespaceSelector meta.v1.LabelSelector
6 sideEffects string
7 timeoutSeconds int32
8 admissionReviewVersions []string
9 matchPolicy string
10 objectSelector meta.v1.LabelSelector
11 matchConditions []admissionregistration.v1.MatchCondition
""",
    "admissionregistration.v1.ValidatingWebhookConfiguration": """
1 metadata meta.v1.ObjectMeta
2 webhooks []admissionregistration.v1.ValidatingWebhook
""",
    "admissionregistration.v1.ValidatingWebhookConfigurationList": """
1 metadata meta.v1.ListMeta
2 items []admissionregistration.v1.ValidatingWebhookConfiguration
""",
    "admissionregistration.v1.Validation": """
1 expression string
2 message string omitempty
3 reason string
4 messageExpression string omitempty
""",
    "admissionregistration.v1.Variable": """
1 name string
2 expression string
""",
    "admissionregistration.v1.WebhookClientConfig": """
1 service admissionregistration.v1.ServiceReference
2 caBundle bytes omitempty
3 url string
""",
    "apidiscovery.v2.APIGroupDiscovery": """
1 metadata meta.v1.ObjectMeta
2 versions []apidiscovery.v2.APIVersionDiscovery
""",
    "apidiscovery.v2.APIGroupDiscoveryList": """
1 metadata meta.v1.ListMeta
2 items []apidiscovery.v2.APIGroupDiscovery
""",
    "apidiscovery.v2.APIResourceDiscovery": """
1 resource string
2 responseKind meta.v1.GroupVersionKind
3 scope string
4 singularResource string
5 verbs []string
6 shortNames []string
7 categories []string
8 subresources []apidiscovery.v2.APISubresourceDiscovery
""",
    "apidiscovery.v2.APISubresourceDiscovery": """
1 subresource string
2 responseKind meta.v1.GroupVersionKind
3 acceptedTypes []meta.v1.GroupVersionKind
4 verbs []string
""",
    "apidiscovery.v2.APIVersionDiscovery": """
1 version string
2 resources []apidiscovery.v2.APIResourceDiscovery
3 freshness string omitempty
""",
    "apiextensions.v1.CustomResourceColumnDefinition": """
1 name string
2 type string
3 format string omitempty
4 description string omitempty
5 priority int32 omitempty
6 jsonPath string
""",
    "apiextensions.v1.CustomResourceConversion": """
1 strategy string
2 webhook apiextensions.v1.WebhookConversion
""",
    "apiextensions.v1.CustomResourceDefinition": """
1 metadata meta.v1.ObjectMeta
2 spec apiextensions.v1.CustomResourceDefinitionSpec
3 status apiextensions.v1.CustomResourceDefinitionStatus
""",
    "apiextensions.v1.CustomResourceDefinitionCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
6 observedGeneration int64 omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionList": """
1 metadata meta.v1.ListMeta
2 items []apiextensions.v1.CustomResourceDefinition
""",
    "apiextensions.v1.CustomResourceDefinitionNames": """
1 plural string
2 singular string omitempty
3 shortNames []string
4 kind string
5 listKind string omitempty
6 categories []string
""",
    "apiextensions.v1.CustomResourceDefinitionSpec": """
1 group string
3 names apiextensions.v1.CustomResourceDefinitionNames
4 scope string
7 versions []apiextensions.v1.CustomResourceDefinitionVersion
9 conversion apiextensions.v1.CustomResourceConversion
10 preserveUnknownFields bool omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionStatus": """
1 conditions []apiextensions.v1.CustomResourceDefinitionCondition
2 acceptedNames apiextensions.v1.CustomResourceDefinitionNames
3 storedVersions []string
4 observedGeneration int64 omitempty
""",
    "apiextensions.v1.CustomResourceDefinitionVersion": """
1 name string
2 served bool
3 storage bool
4 schema apiextensions.v1.CustomResourceValidation
5 subresources apiextensions.v1.CustomResourceSubresources
6 additionalPrinterColumns []apiextensions.v1.CustomResourceColumnDefinition
7 deprecated bool omitempty
8 deprecationWarning string
9 selectableFields []apiextensions.v1.SelectableField
""",
    "apiextensions.v1.CustomResourceSubresourceScale": """
1 specReplicasPath string
2 statusReplicasPath string
3 labelSelectorPath string
""",
    "apiextensions.v1.CustomResourceSubresourceStatus": """
""",
    "apiextensions.v1.CustomResourceSubresources": """
1 status apiextensions.v1.CustomResourceSubresourceStatus
2 scale apiextensions.v1.CustomResourceSubresourceScale
""",
    "apiextensions.v1.CustomResourceValidation": """
1 openAPIV3Schema apiextensions.v1.JSONSchemaProps
""",
    "apiextensions.v1.ExternalDocumentation": """
1 description string omitempty
2 url string omitempty
""",
    "apiextensions.v1.JSONSchemaProps": """
1 id string omitempty
2 $schema string omitempty
3 $ref string
4 description string omitempty
5 type string omitempty
6 format string omitempty
7 title string omitempty
8 default JSON
9 maximum double
10 exclusiveMaximum bool omitempty
11 minimum double
12 exclusiveMinimum bool omitempty
13 maxLength int64
14 minLength int64
15 pattern string omitempty
16 maxItems int64
17 minItems int64
18 uniqueItems bool omitempty
19 multipleOf double
20 enum []JSON
21 maxProperties int64
22 minProperties int64
23 required []string
24 items apiextensions.v1.JSONSchemaPropsOrArray
25 allOf []apiextensions.v1.JSONSchemaProps
26 oneOf []apiextensions.v1.JSONSchemaProps
27 anyOf []apiextensions.v1.JSONSchemaProps
28 not apiextensions.v1.JSONSchemaProps
29 properties map[string]apiextensions.v1.JSONSchemaProps
30 additionalProperties apiextensions.v1.JSONSchemaPropsOrBool
31 patternProperties map[string]apiextensions.v1.JSONSchemaProps
32 dependencies map[string]apiextensions.v1.JSONSchemaPropsOrStringArray
33 additionalItems apiextensions.v1.JSONSchemaPropsOrBool
34 definitions map[string]apiextensions.v1.JSONSchemaProps
35 externalDocs apiextensions.v1.ExternalDocumentation
36 example JSON
37 nullable bool omitempty
38 x-kubernetes-preserve-unknown-fields bool
39 x-kubernetes-embedded-resource bool omitempty
40 x-kubernetes-int-or-string bool omitempty
41 x-kubernetes-list-map-keys []string
42 x-kubernetes-list-type string
43 x-kubernetes-map-type string
44 x-kubernetes-validations []apiextensions.v1.ValidationRule
""",
    "apiextensions.v1.JSONSchemaPropsOrArray": """
union
1 schema apiextensions.v1.JSONSchemaProps
2 jSONSchemas []apiextensions.v1.JSONSchemaProps
""",
    "apiextensions.v1.JSONSchemaPropsOrBool": """
union
1 allows bool
2 schema apiextensions.v1.JSONSchemaProps
""",
    "apiextensions.v1.JSONSchemaPropsOrStringArray": """
union
1 schema apiextensions.v1.JSONSchemaProps
2 property []string
""",
    "apiextensions.v1.SelectableField": """
1 jsonPath string
""",
    "apiextensions.v1.ServiceReference": """
1 namespace string
2 name string
3 path string
4 port int32
""",
    "apiextensions.v1.ValidationRule": """
1 rule string
2 message string omitempty
3 messageExpression string omitempty
4 reason string
5 fieldPath string omitempty
6 optionalOldSelf bool
""",
    "apiextensions.v1.WebhookClientConfig": """
1 service apiextensions.v1.ServiceReference
2 caBundle bytes omitempty
3 url string
""",
    "apiextensions.v1.WebhookConversion": """
2 clientConfig apiextensions.v1.WebhookClientConfig
3 conversionReviewVersions []string
""",
    "apiregistration.v1.APIService": """
1 metadata meta.v1.ObjectMeta
2 spec apiregistration.v1.APIServiceSpec
3 status apiregistration.v1.APIServiceStatus
""",
    "apiregistration.v1.APIServiceCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "apiregistration.v1.APIServiceList": """
1 metadata meta.v1.ListMeta
2 items []apiregistration.v1.APIService
""",
    "apiregistration.v1.APIServiceSpec": """
1 service apiregistration.v1.ServiceReference
2 group string omitempty
3 version string omitempty
4 insecureSkipTLSVerify bool omitempty
5 caBundle bytes omitempty
7 groupPriorityMinimum int32
8 versionPriority int32
""",
    "apiregistration.v1.APIServiceStatus": """
1 conditions []apiregistration.v1.APIServiceCondition
""",
    "apiregistration.v1.ServiceReference": """
1 namespace string omitempty
2 name string omitempty
3 port int32
""",
    "apps.v1.ControllerRevision": """
1 metadata meta.v1.ObjectMeta
2 data RawExtension
3 revision int64
""",
    "apps.v1.ControllerRevisionList": """
1 metadata meta.v1.ListMeta
2 items []apps.v1.ControllerRevision
""",
    "apps.v1.DaemonSet": """
1 metadata meta.v1.ObjectMeta
2 spec apps.v1.DaemonSetSpec
3 status apps.v1.DaemonSetStatus
""",
    "apps.v1.DaemonSetCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "apps.v1.DaemonSetList": """
1 metadata meta.v1.ListMeta
2 items []apps.v1.DaemonSet
""",
    "apps.v1.DaemonSetSpec": """
1 selector meta.v1.LabelSelector
2 template core.v1.PodTemplateSpec
3 updateStrategy apps.v1.DaemonSetUpdateStrategy
4 minReadySeconds int32 omitempty
6 revisionHistoryLimit int32
""",
    "apps.v1.DaemonSetStatus": """
1 currentNumberScheduled int32
2 numberMisscheduled int32
3 desiredNumberScheduled int32
4 numberReady int32
5 observedGeneration int64 omitempty
6 updatedNumberScheduled int32 omitempty
7 numberAvailable int32 omitempty
8 numberUnavailable int32 omitempty
9 collisionCount int32
10 conditions []apps.v1.DaemonSetCondition
""",
    "apps.v1.DaemonSetUpdateStrategy": """
1 type string omitempty
2 rollingUpdate apps.v1.RollingUpdateDaemonSet
""",
    "apps.v1.Deployment": """
1 metadata meta.v1.ObjectMeta
2 spec apps.v1.DeploymentSpec
3 status apps.v1.DeploymentStatus
""",
    "apps.v1.DeploymentCondition": """
1 type string
2 status string
4 reason string omitempty
5 message string omitempty
6 lastUpdateTime Time
7 lastTransitionTime Time
""",
    "apps.v1.DeploymentList": """
1 metadata meta.v1.ListMeta
2 items []apps.v1.Deployment
""",
    "apps.v1.DeploymentSpec": """
1 replicas int32
2 selector meta.v1.LabelSelector
3 template core.v1.PodTemplateSpec
4 strategy apps.v1.DeploymentStrategy
5 minReadySeconds int32 omitempty
6 revisionHistoryLimit int32
7 paused bool omitempty
9 progressDeadlineSeconds int32
""",
    "apps.v1.DeploymentStatus": """
1 observedGeneration int64 omitempty
2 replicas int32 omitempty
3 updatedReplicas int32 omitempty
4 availableReplicas int32 omitempty
5 unavailableReplicas int32 omitempty
6 conditions []apps.v1.DeploymentCondition
7 readyReplicas int32 omitempty
8 collisionCount int32
9 terminatingReplicas int32
""",
    "apps.v1.DeploymentStrategy": """
1 type string omitempty
2 rollingUpdate apps.v1.RollingUpdateDeployment
""",
    "apps.v1.ReplicaSet": """
1 metadata meta.v1.ObjectMeta
2 spec apps.v1.ReplicaSetSpec
3 status apps.v1.ReplicaSetStatus
""",
    "apps.v1.ReplicaSetCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "apps.v1.ReplicaSetList": """
1 metadata meta.v1.ListMeta
2 items []apps.v1.ReplicaSet
""",
    "apps.v1.ReplicaSetSpec": """
1 replicas int32
2 selector meta.v1.LabelSelector
3 template core.v1.PodTemplateSpec
4 minReadySeconds int32 omitempty
""",
    "apps.v1.ReplicaSetStatus": """
1 replicas int32
2 fullyLabeledReplicas int32 omitempty
3 observedGeneration int64 omitempty
4 readyReplicas int32 omitempty
5 availableReplicas int32 omitempty
6 conditions []apps.v1.ReplicaSetCondition
7 terminatingReplicas int32
""",
    "apps.v1.RollingUpdateDaemonSet": """
1 maxUnavailable IntOrString
2 maxSurge IntOrString
""",
    "apps.v1.RollingUpdateDeployment": """
1 maxUnavailable IntOrString
2 maxSurge IntOrString
""",
    "apps.v1.RollingUpdateStatefulSetStrategy": """
1 partition int32
2 maxUnavailable IntOrString
""",
    "apps.v1.StatefulSet": """
1 metadata meta.v1.ObjectMeta
2 spec apps.v1.StatefulSetSpec
3 status apps.v1.StatefulSetStatus
""",
    "apps.v1.StatefulSetCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "apps.v1.StatefulSetList": """
1 metadata meta.v1.ListMeta
2 items []apps.v1.StatefulSet
""",
    "apps.v1.StatefulSetOrdinals": """
1 start int32
""",
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": """
1 whenDeleted string omitempty
2 whenScaled string omitempty
""",
    "apps.v1.StatefulSetSpec": """
1 replicas int32
2 selector meta.v1.LabelSelector
3 template core.v1.PodTemplateSpec
4 volumeClaimTemplates []core.v1.PersistentVolumeClaim
5 serviceName string
6 podManagementPolicy string omitempty
7 updateStrategy apps.v1.StatefulSetUpdateStrategy
8 revisionHistoryLimit int32
9 minReadySeconds int32 omitempty
10 persistentVolumeClaimRetentionPolicy apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy
11 ordinals apps.v1.StatefulSetOrdinals
""",
    "apps.v1.StatefulSetStatus": """
1 observedGeneration int64 omitempty
2 replicas int32
3 readyReplicas int32 omitempty
4 currentReplicas int32 omitempty
5 updatedReplicas int32 omitempty
6 currentRevision string omitempty
7 updateRevision string omitempty
9 collisionCount int32
10 conditions []apps.v1.StatefulSetCondition
11 availableReplicas int32
""",
    "apps.v1.StatefulSetUpdateStrategy": """
1 type string omitempty
2 rollingUpdate apps.v1.RollingUpdateStatefulSetStrategy
""",
    "authentication.v1.BoundObjectReference": """
1 kind string omitempty
2 apiVersion string omitempty
3 name string omitempty
4 uid string omitempty
""",
    "authentication.v1.ExtraValue": """
union
1 items []string
""",
    "authentication.v1.SelfSubjectReview": """
1 metadata meta.v1.ObjectMeta
2 status authentication.v1.SelfSubjectReviewStatus
""",
    "authentication.v1.SelfSubjectReviewStatus": """
1 userInfo authentication.v1.UserInfo
""",
    "authentication.v1.TokenRequest": """
1 metadata meta.v1.ObjectMeta
2 spec authentication.v1.TokenRequestSpec
3 status authentication.v1.TokenRequestStatus
""",
    "authentication.v1.TokenRequestSpec": """
1 audiences []string
3 boundObjectRef authentication.v1.BoundObjectReference
4 expirationSeconds int64
""",
    "authentication.v1.TokenRequestStatus": """
1 token string
2 expirationTimestamp Time
""",
    "authentication.v1.TokenReview": """
1 metadata meta.v1.ObjectMeta
2 spec authentication.v1.TokenReviewSpec
3 status authentication.v1.TokenReviewStatus
""",
    "authentication.v1.TokenReviewSpec": """
1 token string omitempty
2 audiences []string
""",
    "authentication.v1.TokenReviewStatus": """
1 authenticated bool omitempty
2 user authentication.v1.UserInfo
3 error string omitempty
4 audiences []string
""",
    "authentication.v1.UserInfo": """
1 username string omitempty
2 uid string omitempty
3 groups []string
4 extra map[string]authentication.v1.ExtraValue
""",
    "authorization.v1.ExtraValue": """
union
1 items []string
""",
    "authorization.v1.FieldSelectorAttributes": """
1 rawSelector string omitempty
2 requirements []meta.v1.FieldSelectorRequirement
""",
    "authorization.v1.LabelSelectorAttributes": """
1 rawSelector string omitempty
2 requirements []meta.v1.LabelSelectorRequirement
""",
    "authorization.v1.LocalSubjectAccessReview": """
1 metadata meta.v1.ObjectMeta
2 spec authorization.v1.SubjectAccessReviewSpec
3 status authorization.v1.SubjectAccessReviewStatus
""",
    "authorization.v1.NonResourceAttributes": """
1 path string omitempty
2 verb string omitempty
""",
    "authorization.v1.NonResourceRule": """
1 verbs []string
2 nonResourceURLs []string
""",
    "authorization.v1.ResourceAttributes": """
1 namespace string omitempty
2 verb string omitempty
3 group string omitempty
4 version string omitempty
5 resource string omitempty
6 subresource string omitempty
7 name string omitempty
8 fieldSelector authorization.v1.FieldSelectorAttributes
9 labelSelector authorization.v1.LabelSelectorAttributes
""",
    "authorization.v1.ResourceRule": """
1 verbs []string
2 apiGroups []string
3 resources []string
4 resourceNames []string
""",
    "authorization.v1.SelfSubjectAccessReview": """
1 metadata meta.v1.ObjectMeta
2 spec authorization.v1.SelfSubjectAccessReviewSpec
3 status authorization.v1.SubjectAccessReviewStatus
""",
    "authorization.v1.SelfSubjectAccessReviewSpec": """
1 resourceAttributes authorization.v1.ResourceAttributes
2 nonResourceAttributes authorization.v1.NonResourceAttributes
""",
    "authorization.v1.SelfSubjectRulesReview": """
1 metadata meta.v1.ObjectMeta
2 spec authorization.v1.SelfSubjectRulesReviewSpec
3 status authorization.v1.SubjectRulesReviewStatus
""",
    "authorization.v1.SelfSubjectRulesReviewSpec": """
1 namespace string omitempty
""",
    "authorization.v1.SubjectAccessReview": """
1 metadata meta.v1.ObjectMeta
2 spec authorization.v1.SubjectAccessReviewSpec
3 status authorization.v1.SubjectAccessReviewStatus
""",
    "authorization.v1.SubjectAccessReviewSpec": """
1 resourceAttributes authorization.v1.ResourceAttributes
2 nonResourceAttributes authorization.v1.NonResourceAttributes
3 user string omitempty
4 groups []string
5 extra map[string]authorization.v1.ExtraValue
6 uid string omitempty
""",
    "authorization.v1.SubjectAccessReviewStatus": """
1 allowed bool
2 reason string omitempty
3 evaluationError string omitempty
4 denied bool omitempty
""",
    "authorization.v1.SubjectRulesReviewStatus": """
1 resourceRules []authorization.v1.ResourceRule
2 nonResourceRules []authorization.v1.NonResourceRule
3 incomplete bool
4 evaluationError string omitempty
""",
    "autoscaling.v1.CrossVersionObjectReference": """
1 kind string
2 name string
3 apiVersion string omitempty
""",
    "autoscaling.v1.HorizontalPodAutoscaler": """
1 metadata meta.v1.ObjectMeta
2 spec autoscaling.v1.HorizontalPodAutoscalerSpec
3 status autoscaling.v1.HorizontalPodAutoscalerStatus
""",
    "autoscaling.v1.HorizontalPodAutoscalerList": """
1 metadata meta.v1.ListMeta
2 items []autoscaling.v1.HorizontalPodAutoscaler
""",
    "autoscaling.v1.HorizontalPodAutoscalerSpec": """
1 scaleTargetRef autoscaling.v1.CrossVersionObjectReference
2 minReplicas int32
3 maxReplicas int32
4 targetCPUUtilizationPercentage int32
""",
    "autoscaling.v1.HorizontalPodAutoscalerStatus": """
1 observedGeneration int64
2 lastScaleTime Time
3 currentReplicas int32
4 desiredReplicas int32
5 currentCPUUtilizationPercentage int32
""",
    "autoscaling.v1.Scale": """
1 metadata meta.v1.ObjectMeta
2 spec autoscaling.v1.ScaleSpec
3 status autoscaling.v1.ScaleStatus
""",
    "autoscaling.v1.ScaleSpec": """
1 replicas int32 omitempty
""",
    "autoscaling.v1.ScaleStatus": """
1 replicas int32
2 selector string omitempty
""",
    "autoscaling.v2.ContainerResourceMetricSource": """
1 name string
2 target autoscaling.v2.MetricTarget
3 container string
""",
    "autoscaling.v2.ContainerResourceMetricStatus": """
1 name string
2 current autoscaling.v2.MetricValueStatus
3 container string
""",
    "autoscaling.v2.CrossVersionObjectReference": """
1 kind string
2 name string
3 apiVersion string omitempty
""",
    "autoscaling.v2.ExternalMetricSource": """
1 metric autoscaling.v2.MetricIdentifier
2 target autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ExternalMetricStatus": """
1 metric autoscaling.v2.MetricIdentifier
2 current autoscaling.v2.MetricValueStatus
""",
    "autoscaling.v2.HPAScalingPolicy": """
1 type string
2 value int32
3 periodSeconds int32
""",
    "autoscaling.v2.HPAScalingRules": """
1 selectPolicy string
2 policies []autoscaling.v2.HPAScalingPolicy
3 stabilizationWindowSeconds int32
4 tolerance Quantity
""",
    "autoscaling.v2.HorizontalPodAutoscaler": """
1 metadata meta.v1.ObjectMeta
2 spec autoscaling.v2.HorizontalPodAutoscalerSpec
3 status autoscaling.v2.HorizontalPodAutoscalerStatus
""",
    "autoscaling.v2.HorizontalPodAutoscalerBehavior": """
1 scaleUp autoscaling.v2.HPAScalingRules
2 scaleDown autoscaling.v2.HPAScalingRules
""",
    "autoscaling.v2.HorizontalPodAutoscalerCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "autoscaling.v2.HorizontalPodAutoscalerList": """
1 metadata meta.v1.ListMeta
2 items []autoscaling.v2.HorizontalPodAutoscaler
""",
    "autoscaling.v2.HorizontalPodAutoscalerSpec": """
1 scaleTargetRef autoscaling.v2.CrossVersionObjectReference
2 minReplicas int32
3 maxReplicas int32
4 metrics []autoscaling.v2.MetricSpec
5 behavior autoscaling.v2.HorizontalPodAutoscalerBehavior
""",
    "autoscaling.v2.HorizontalPodAutoscalerStatus": """
1 observedGeneration int64
2 lastScaleTime Time
3 currentReplicas int32 omitempty
4 desiredReplicas int32
5 currentMetrics []autoscaling.v2.MetricStatus
6 conditions []autoscaling.v2.HorizontalPodAutoscalerCondition
""",
    "autoscaling.v2.MetricIdentifier": """
1 name string
2 selector meta.v1.LabelSelector
""",
    "autoscaling.v2.MetricSpec": """
1 type string
2 object autoscaling.v2.ObjectMetricSource
3 pods autoscaling.v2.PodsMetricSource
4 resource autoscaling.v2.ResourceMetricSource
5 external autoscaling.v2.ExternalMetricSource
7 containerResource autoscaling.v2.ContainerResourceMetricSource
""",
    "autoscaling.v2.MetricStatus": """
1 type string
2 object autoscaling.v2.ObjectMetricStatus
3 pods autoscaling.v2.PodsMetricStatus
4 resource autoscaling.v2.ResourceMetricStatus
5 external autoscaling.v2.ExternalMetricStatus
7 containerResource autoscaling.v2.ContainerResourceMetricStatus
""",
    "autoscaling.v2.MetricTarget": """
1 type string
2 value Quantity
3 averageValue Quantity
4 averageUtilization int32
""",
    "autoscaling.v2.MetricValueStatus": """
1 value Quantity
2 averageValue Quantity
3 averageUtilization int32
""",
    "autoscaling.v2.ObjectMetricSource": """
1 describedObject autoscaling.v2.CrossVersionObjectReference
2 target autoscaling.v2.MetricTarget
3 metric autoscaling.v2.MetricIdentifier
""",
    "autoscaling.v2.ObjectMetricStatus": """
1 metric autoscaling.v2.MetricIdentifier
2 current autoscaling.v2.MetricValueStatus
3 describedObject autoscaling.v2.CrossVersionObjectReference
""",
    "autoscaling.v2.PodsMetricSource": """
1 metric autoscaling.v2.MetricIdentifier
2 target autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.PodsMetricStatus": """
1 metric autoscaling.v2.MetricIdentifier
2 current autoscaling.v2.MetricValueStatus
""",
    "autoscaling.v2.ResourceMetricSource": """
1 name string
2 target autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ResourceMetricStatus": """
1 name string
2 current autoscaling.v2.MetricValueStatus
""",
    "batch.v1.CronJob": """
1 metadata meta.v1.ObjectMeta
2 spec batch.v1.CronJobSpec
3 status batch.v1.CronJobStatus
""",
    "batch.v1.CronJobList": """
1 metadata meta.v1.ListMeta
2 items []batch.v1.CronJob
""",
    "batch.v1.CronJobSpec": """
1 schedule string
2 startingDeadlineSeconds int64
3 concurrencyPolicy string omitempty
4 suspend bool
5 jobTemplate batch.v1.JobTemplateSpec
6 successfulJobsHistoryLimit int32
7 failedJobsHistoryLimit int32
8 timeZone string
""",
    "batch.v1.CronJobStatus": """
1 active []core.v1.ObjectReference
4 lastScheduleTime Time
5 lastSuccessfulTime Time
""",
    "batch.v1.Job": """
1 metadata meta.v1.ObjectMeta
2 spec batch.v1.JobSpec
3 status batch.v1.JobStatus
""",
    "batch.v1.JobCondition": """
1 type string
2 status string
3 lastProbeTime Time
4 lastTransitionTime Time
5 reason string omitempty
6 message string omitempty
""",
    "batch.v1.JobList": """
1 metadata meta.v1.ListMeta
2 items []batch.v1.Job
""",
    "batch.v1.JobSpec": """
1 parallelism int32
2 completions int32
3 activeDeadlineSeconds int64
4 selector meta.v1.LabelSelector
5 manualSelector bool
6 template core.v1.PodTemplateSpec
7 backoffLimit int32
8 ttlSecondsAfterFinished int32
9 completionMode string
10 suspend bool
11 podFailurePolicy batch.v1.PodFailurePolicy
12 backoffLimitPerIndex int32
13 maxFailedIndexes int32
14 podReplacementPolicy string
15 managedBy string
16 successPolicy batch.v1.SuccessPolicy
""",
    "batch.v1.JobStatus": """
1 conditions []batch.v1.JobCondition
2 startTime Time
3 completionTime Time
4 active int32 omitempty
5 succeeded int32 omitempty
6 failed int32 omitempty
7 completedIndexes string omitempty
8 uncountedTerminatedPods batch.v1.UncountedTerminatedPods
9 ready int32
10 failedIndexes string
11 terminating int32
""",
    "batch.v1.JobTemplateSpec": """
1 metadata meta.v1.ObjectMeta
2 spec batch.v1.JobSpec
""",
    "batch.v1.PodFailurePolicy": """
1 rules []batch.v1.PodFailurePolicyRule
""",
    "batch.v1.PodFailurePolicyOnExitCodesRequirement": """
1 containerName string
2 operator string
3 values []int32
""",
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": """
1 type string
2 status string
""",
    "batch.v1.PodFailurePolicyRule": """
1 action string
2 onExitCodes batch.v1.PodFailurePolicyOnExitCodesRequirement
3 onPodConditions []batch.v1.PodFailurePolicyOnPodConditionsPattern
""",
    "batch.v1.SuccessPolicy": """
1 rules []batch.v1.SuccessPolicyRule
""",
    "batch.v1.SuccessPolicyRule": """
1 succeededIndexes string
2 succeededCount int32
""",
    "batch.v1.UncountedTerminatedPods": """
1 succeeded []string
2 failed []string
""",
    "certificates.v1.CertificateSigningRequest": """
1 metadata meta.v1.ObjectMeta
2 spec certificates.v1.CertificateSigningRequestSpec
3 status certificates.v1.CertificateSigningRequestStatus
""",
    "certificates.v1.CertificateSigningRequestCondition": """
1 type string
2 reason string omitempty
3 message string omitempty
4 lastUpdateTime Time
5 lastTransitionTime Time
6 status string
""",
    "certificates.v1.CertificateSigningRequestList": """
1 metadata meta.v1.ListMeta
2 items []certificates.v1.CertificateSigningRequest
""",
    "certificates.v1.CertificateSigningRequestSpec": """
1 request bytes
2 username string omitempty
3 uid string omitempty
4 groups []string
5 usages []string
6 extra map[string]certificates.v1.ExtraValue
7 signerName string
8 expirationSeconds int32
""",
    "certificates.v1.CertificateSigningRequestStatus": """
1 conditions []certificates.v1.CertificateSigningRequestCondition
2 certificate bytes omitempty
""",
    "certificates.v1.ExtraValue": """
union
1 items []string
""",
    "coordination.v1.Lease": """
1 metadata meta.v1.ObjectMeta
2 spec coordination.v1.LeaseSpec
""",
    "coordination.v1.LeaseList": """
1 metadata meta.v1.ListMeta
2 items []coordination.v1.Lease
""",
    "coordination.v1.LeaseSpec": """
1 holderIdentity string
2 leaseDurationSeconds int32
3 acquireTime MicroTime
4 renewTime MicroTime
5 leaseTransitions int32
6 strategy string
7 preferredHolder string
""",
    "core.v1.AWSElasticBlockStoreVolumeSource": """
1 volumeID string
2 fsType string omitempty
3 partition int32 omitempty
4 readOnly bool omitempty
""",
    "core.v1.Affinity": """
1 nodeAffinity core.v1.NodeAffinity
2 podAffinity core.v1.PodAffinity
3 podAntiAffinity core.v1.PodAntiAffinity
""",
    "core.v1.AppArmorProfile": """
1 type string
2 localhostProfile string
""",
    "core.v1.AttachedVolume": """
1 name string
2 devicePath string
""",
    "core.v1.AzureDiskVolumeSource": """
1 diskName string
2 diskURI string
3 cachingMode string
4 fsType string
5 readOnly bool
6 kind string
""",
    "core.v1.AzureFilePersistentVolumeSource": """
1 secretName string
2 shareName string
3 readOnly bool omitempty
4 secretNamespace string
""",
    "core.v1.AzureFileVolumeSource": """
1 secretName string
2 shareName string
3 readOnly bool omitempty
""",
    "core.v1.Binding": """
1 metadata meta.v1.ObjectMeta
2 target core.v1.ObjectReference
""",
    "core.v1.CSIPersistentVolumeSource": """
1 driver string
2 volumeHandle string
3 readOnly bool omitempty
4 fsType string omitempty
5 volumeAttributes map[string]string
6 controllerPublishSecretRef core.v1.SecretReference
7 nodeStageSecretRef core.v1.SecretReference
8 nodePublishSecretRef core.v1.SecretReference
9 controllerExpandSecretRef core.v1.SecretReference
10 nodeExpandSecretRef core.v1.SecretReference
""",
    "core.v1.CSIVolumeSource": """
1 driver string
2 readOnly bool
3 fsType string
4 volumeAttributes map[string]string
5 nodePublishSecretRef core.v1.LocalObjectReference
""",
    "core.v1.Capabilities": """
1 add []string
2 drop []string
""",
    "core.v1.CephFSPersistentVolumeSource": """
1 monitors []string
2 path string omitempty
3 user string omitempty
4 secretFile string omitempty
5 secretRef core.v1.SecretReference
6 readOnly bool omitempty
""",
    "core.v1.CephFSVolumeSource": """
1 monitors []string
2 path string omitempty
3 user string omitempty
4 secretFile string omitempty
5 secretRef core.v1.LocalObjectReference
6 readOnly bool omitempty
""",
    "core.v1.CinderPersistentVolumeSource": """
1 volumeID string
2 fsType string omitempty
3 readOnly bool omitempty
4 secretRef core.v1.SecretReference
""",
    "core.v1.CinderVolumeSource": """
1 volumeID string
2 fsType string omitempty
3 readOnly bool omitempty
4 secretRef core.v1.LocalObjectReference
""",
    "core.v1.ClientIPConfig": """
1 timeoutSeconds int32
""",
    "core.v1.ClusterTrustBundleProjection": """
1 name string
2 signerName string
3 labelSelector meta.v1.LabelSelector
4 path string
5 optional bool
""",
    "core.v1.ComponentCondition": """
1 type string
2 status string
3 message string omitempty
4 error string omitempty
""",
    "core.v1.ComponentStatus": """
1 metadata meta.v1.ObjectMeta
2 conditions []core.v1.ComponentCondition
""",
    "core.v1.ComponentStatusList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.ComponentStatus
""",
    "core.v1.ConfigMap": """
1 metadata meta.v1.ObjectMeta
2 data map[string]string
3 binaryData map[string]bytes
4 immutable bool
""",
    "core.v1.ConfigMapEnvSource": """
1 localObjectReference core.v1.LocalObjectReference inline
2 optional bool
""",
    "core.v1.ConfigMapKeySelector": """
1 localObjectReference core.v1.LocalObjectReference inline
2 key string
3 optional bool
""",
    "core.v1.ConfigMapList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.ConfigMap
""",
    "core.v1.ConfigMapNodeConfigSource": """
1 namespace string
2 name string
3 uid string omitempty
4 resourceVersion string omitempty
5 kubeletConfigKey string
""",
    "core.v1.ConfigMapProjection": """
1 localObjectReference core.v1.LocalObjectReference inline
2 items []core.v1.KeyToPath
4 optional bool
""",
    "core.v1.ConfigMapVolumeSource": """
1 localObjectReference core.v1.LocalObjectReference inline
2 items []core.v1.KeyToPath
3 defaultMode int32
4 optional bool
""",
    "core.v1.Container": """
1 name string
2 image string omitempty
3 command []string
4 args []string
5 workingDir string omitempty
6 ports []core.v1.ContainerPort
7 env []core.v1.EnvVar
8 resources core.v1.ResourceRequirements
9 volumeMounts []core.v1.VolumeMount
10 livenessProbe core.v1.Probe
11 readinessProbe core.v1.Probe
12 lifecycle core.v1.Lifecycle
13 terminationMessagePath string omitempty
14 imagePullPolicy string omitempty
15 securityContext core.v1.SecurityContext
16 stdin bool omitempty
17 stdinOnce bool omitempty
18 tty bool omitempty
19 envFrom []core.v1.EnvFromSource
20 terminationMessagePolicy string omitempty
21 volumeDevices []core.v1.VolumeDevice
22 startupProbe core.v1.Probe
23 resizePolicy []core.v1.ContainerResizePolicy
24 restartPolicy string
25 restartPolicyRules []core.v1.ContainerRestartRule
""",
    "core.v1.ContainerExtendedResourceRequest": """
1 containerName string
2 resourceName string
3 requestName string
""",
    "core.v1.ContainerImage": """
1 names []string
2 sizeBytes int64 omitempty
""",
    "core.v1.ContainerPort": """
1 name string omitempty
2 hostPort int32 omitempty
3 containerPort int32
4 protocol string omitempty
5 hostIP string omitempty
""",
    "core.v1.ContainerResizePolicy": """
1 resourceName string
2 restartPolicy string
""",
    "core.v1.ContainerRestartRule": """
1 action string omitempty
2 exitCodes core.v1.ContainerRestartRuleOnExitCodes
""",
    "core.v1.ContainerRestartRuleOnExitCodes": """
1 operator string omitempty
2 values []int32
""",
    "core.v1.ContainerState": """
1 waiting core.v1.ContainerStateWaiting
2 running core.v1.ContainerStateRunning
3 terminated core.v1.ContainerStateTerminated
""",
    "core.v1.ContainerStateRunning": """
1 startedAt Time
""",
    "core.v1.ContainerStateTerminated": """
1 exitCode int32
2 signal int32 omitempty
3 reason string omitempty
4 message string omitempty
5 startedAt Time
6 finishedAt Time
7 containerID string omitempty
""",
    "core.v1.ContainerStateWaiting": """
1 reason string omitempty
2 message string omitempty
""",
    "core.v1.ContainerStatus": """
1 name string
2 state core.v1.ContainerState
3 lastState core.v1.ContainerState
4 ready bool
5 restartCount int32
6 image string
7 imageID string
8 containerID string omitempty
9 started bool
10 allocatedResources map[string]Quantity
11 resources core.v1.ResourceRequirements
12 volumeMounts []core.v1.VolumeMountStatus
13 user core.v1.ContainerUser
14 allocatedResourcesStatus []core.v1.ResourceStatus
15 stopSignal string
""",
    "core.v1.ContainerUser": """
1 linux core.v1.LinuxContainerUser
""",
    "core.v1.DaemonEndpoint": """
1 Port int32
""",
    "core.v1.DownwardAPIProjection": """
1 items []core.v1.DownwardAPIVolumeFile
""",
    "core.v1.DownwardAPIVolumeFile": """
1 path string
2 fieldRef core.v1.ObjectFieldSelector
3 resourceFieldRef core.v1.ResourceFieldSelector
4 mode int32
""",
    "core.v1.DownwardAPIVolumeSource": """
1 items []core.v1.DownwardAPIVolumeFile
2 defaultMode int32
""",
    "core.v1.EmptyDirVolumeSource": """
1 medium string omitempty
2 sizeLimit Quantity
""",
    "core.v1.EndpointAddress": """
1 ip string
2 targetRef core.v1.ObjectReference
3 hostname string omitempty
4 nodeName string
""",
    "core.v1.EndpointPort": """
1 name string omitempty
2 port int32
3 protocol string omitempty
4 appProtocol string
""",
    "core.v1.EndpointSubset": """
1 addresses []core.v1.EndpointAddress
2 notReadyAddresses []core.v1.EndpointAddress
3 ports []core.v1.EndpointPort
""",
    "core.v1.Endpoints": """
1 metadata meta.v1.ObjectMeta
2 subsets []core.v1.EndpointSubset
""",
    "core.v1.EndpointsList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Endpoints
""",
    "core.v1.EnvFromSource": """
1 prefix string omitempty
2 configMapRef core.v1.ConfigMapEnvSource
3 secretRef core.v1.SecretEnvSource
""",
    "core.v1.EnvVar": """
1 name string
2 value string omitempty
3 valueFrom core.v1.EnvVarSource
""",
    "core.v1.EnvVarSource": """
1 fieldRef core.v1.ObjectFieldSelector
2 resourceFieldRef core.v1.ResourceFieldSelector
3 configMapKeyRef core.v1.ConfigMapKeySelector
4 secretKeyRef core.v1.SecretKeySelector
5 fileKeyRef core.v1.FileKeySelector
""",
    "core.v1.EphemeralContainer": """
1 ephemeralContainerCommon core.v1.EphemeralContainerCommon inline
2 targetContainerName string omitempty
""",
    "core.v1.EphemeralContainerCommon": """
1 name string
2 image string omitempty
3 command []string
4 args []string
5 workingDir string omitempty
6 ports []core.v1.ContainerPort
7 env []core.v1.EnvVar
8 resources core.v1.ResourceRequirements
9 volumeMounts []core.v1.VolumeMount
10 livenessProbe core.v1.Probe
11 readinessProbe core.v1.Probe
12 lifecycle core.v1.Lifecycle
13 terminationMessagePath string omitempty
14 imagePullPolicy string omitempty
15 securityContext core.v1.SecurityContext
16 stdin bool omitempty
17 stdinOnce bool omitempty
18 tty bool omitempty
19 envFrom []core.v1.EnvFromSource
20 terminationMessagePolicy string omitempty
21 volumeDevices []core.v1.VolumeDevice
22 startupProbe core.v1.Probe
23 resizePolicy []core.v1.ContainerResizePolicy
24 restartPolicy string
25 restartPolicyRules []core.v1.ContainerRestartRule
""",
    "core.v1.EphemeralVolumeSource": """
1 volumeClaimTemplate core.v1.PersistentVolumeClaimTemplate
""",
    "core.v1.Event": """
1 metadata meta.v1.ObjectMeta
2 involvedObject core.v1.ObjectReference
3 reason string omitempty
4 message string omitempty
5 source core.v1.EventSource
6 firstTimestamp Time
7 lastTimestamp Time
8 count int32 omitempty
9 type string omitempty
10 eventTime MicroTime
11 series core.v1.EventSeries
12 action string omitempty
13 related core.v1.ObjectReference
14 reportingComponent string
15 reportingInstance string
""",
    "core.v1.EventList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Event
""",
    "core.v1.EventSeries": """
1 count int32 omitempty
2 lastObservedTime MicroTime
""",
    "core.v1.EventSource": """
1 component string omitempty
2 host string omitempty
""",
    "core.v1.ExecAction": """
1 command []string
""",
    "core.v1.FCVolumeSource": """
1 targetWWNs []string
2 lun int32
3 fsType string omitempty
4 readOnly bool omitempty
5 wwids []string
""",
    "core.v1.FileKeySelector": """
1 volumeName string
2 path string
3 key string
4 optional bool
""",
    "core.v1.FlexPersistentVolumeSource": """
1 driver string
2 fsType string omitempty
3 secretRef core.v1.SecretReference
4 readOnly bool omitempty
5 options map[string]string
""",
    "core.v1.FlexVolumeSource": """
1 driver string
2 fsType string omitempty
3 secretRef core.v1.LocalObjectReference
4 readOnly bool omitempty
5 options map[string]string
""",
    "core.v1.FlockerVolumeSource": """
1 datasetName string omitempty
2 datasetUUID string omitempty
""",
    "core.v1.GCEPersistentDiskVolumeSource": """
1 pdName string
2 fsType string omitempty
3 partition int32 omitempty
4 readOnly bool omitempty
""",
    "core.v1.GRPCAction": """
1 port int32
2 service string
""",
    "core.v1.GitRepoVolumeSource": """
1 repository string
2 revision string omitempty
3 directory string omitempty
""",
    "core.v1.GlusterfsPersistentVolumeSource": """
1 endpoints string
2 path string
3 readOnly bool omitempty
4 endpointsNamespace string
""",
    "core.v1.GlusterfsVolumeSource": """
1 endpoints string
2 path string
3 readOnly bool omitempty
""",
    "core.v1.HTTPGetAction": """
1 path string omitempty
2 port IntOrString
3 host string omitempty
4 scheme string omitempty
5 httpHeaders []core.v1.HTTPHeader
""",
    "core.v1.HTTPHeader": """
1 name string
2 value string
""",
    "core.v1.HostAlias": """
1 ip string
2 hostnames []string
""",
    "core.v1.HostIP": """
1 ip string
""",
    "core.v1.HostPathVolumeSource": """
1 path string
2 type string
""",
    "core.v1.ISCSIPersistentVolumeSource": """
1 targetPortal string
2 iqn string
3 lun int32
4 iscsiInterface string omitempty
5 fsType string omitempty
6 readOnly bool omitempty
7 portals []string
8 chapAuthDiscovery bool omitempty
10 secretRef core.v1.SecretReference
11 chapAuthSession bool omitempty
12 initiatorName string
""",
    "core.v1.ISCSIVolumeSource": """
1 targetPortal string
2 iqn string
3 lun int32
4 iscsiInterface string omitempty
5 fsType string omitempty
6 readOnly bool omitempty
7 portals []string
8 chapAuthDiscovery bool omitempty
10 secretRef core.v1.LocalObjectReference
11 chapAuthSession bool omitempty
12 initiatorName string
""",
    "core.v1.ImageVolumeSource": """
1 reference string omitempty
2 pullPolicy string omitempty
""",
    "core.v1.ImageVolumeStatus": """
1 imageRef string omitempty
""",
    "core.v1.KeyToPath": """
1 key string
2 path string
3 mode int32
""",
    "core.v1.Lifecycle": """
1 postStart core.v1.LifecycleHandler
2 preStop core.v1.LifecycleHandler
3 stopSignal string
""",
    "core.v1.LifecycleHandler": """
1 exec core.v1.ExecAction
2 httpGet core.v1.HTTPGetAction
3 tcpSocket core.v1.TCPSocketAction
4 sleep core.v1.SleepAction
""",
    "core.v1.LimitRange": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.LimitRangeSpec
""",
    "core.v1.LimitRangeItem": """
1 type string
2 max map[string]Quantity
3 min map[string]Quantity
4 default map[string]Quantity
5 defaultRequest map[string]Quantity
6 maxLimitRequestRatio map[string]Quantity
""",
    "core.v1.LimitRangeList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.LimitRange
""",
    "core.v1.LimitRangeSpec": """
1 limits []core.v1.LimitRangeItem
""",
    "core.v1.LinuxContainerUser": """
1 uid int64
2 gid int64
3 supplementalGroups []int64
""",
    "core.v1.List": """
1 metadata meta.v1.ListMeta
2 items []RawExtension
""",
    "core.v1.LoadBalancerIngress": """
1 ip string omitempty
2 hostname string omitempty
3 ipMode string
4 ports []core.v1.PortStatus
""",
    "core.v1.LoadBalancerStatus": """
1 ingress []core.v1.LoadBalancerIngress
""",
    "core.v1.LocalObjectReference": """
1 name string omitempty
""",
    "core.v1.LocalVolumeSource": """
1 path string
2 fsType string
""",
    "core.v1.ModifyVolumeStatus": """
1 targetVolumeAttributesClassName string omitempty
2 status string
""",
    "core.v1.NFSVolumeSource": """
1 server string
2 path string
3 readOnly bool omitempty
""",
    "core.v1.Namespace": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.NamespaceSpec
3 status core.v1.NamespaceStatus
""",
    "core.v1.NamespaceCondition": """
1 type string
2 status string
4 lastTransitionTime Time
5 reason string omitempty
6 message string omitempty
""",
    "core.v1.NamespaceList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Namespace
""",
    "core.v1.NamespaceSpec": """
1 finalizers []string
""",
    "core.v1.NamespaceStatus": """
1 phase string omitempty
2 conditions []core.v1.NamespaceCondition
""",
    "core.v1.Node": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.NodeSpec
3 status core.v1.NodeStatus
""",
    "core.v1.NodeAddress": """
1 type string
2 address string
""",
    "core.v1.NodeAffinity": """
1 requiredDuringSchedulingIgnoredDuringExecution core.v1.NodeSelector
2 preferredDuringSchedulingIgnoredDuringExecution []core.v1.PreferredSchedulingTerm
""",
    "core.v1.NodeAllocatableResourceClaimStatus": """
1 resourceClaimName string
2 containers []string
3 resources map[string]Quantity
""",
    "core.v1.NodeCondition": """
1 type string
2 status string
3 lastHeartbeatTime Time
4 lastTransitionTime Time
5 reason string omitempty
6 message string omitempty
""",
    "core.v1.NodeConfigSource": """
2 configMap core.v1.ConfigMapNodeConfigSource
""",
    "core.v1.NodeConfigStatus": """
1 assigned core.v1.NodeConfigSource
2 active core.v1.NodeConfigSource
3 lastKnownGood core.v1.NodeConfigSource
4 error string omitempty
""",
    "core.v1.NodeDaemonEndpoints": """
1 kubeletEndpoint core.v1.DaemonEndpoint
""",
    "core.v1.NodeFeatures": """
1 supplementalGroupsPolicy bool
""",
    "core.v1.NodeList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Node
""",
    "core.v1.NodeRuntimeHandler": """
1 name string
2 features core.v1.NodeRuntimeHandlerFeatures
""",
    "core.v1.NodeRuntimeHandlerFeatures": """
1 recursiveReadOnlyMounts bool
2 userNamespaces bool
""",
    "core.v1.NodeSelector": """
1 nodeSelectorTerms []core.v1.NodeSelectorTerm
""",
    "core.v1.NodeSelectorRequirement": """
1 key string
2 operator string
3 values []string
""",
    "core.v1.NodeSelectorTerm": """
1 matchExpressions []core.v1.NodeSelectorRequirement
2 matchFields []core.v1.NodeSelectorRequirement
""",
    "core.v1.NodeSpec": """
1 podCIDR string omitempty
2 externalID string omitempty
3 providerID string omitempty
4 unschedulable bool omitempty
5 taints []core.v1.Taint
6 configSource core.v1.NodeConfigSource
7 podCIDRs []string
""",
    "core.v1.NodeStatus": """
1 capacity map[string]Quantity
2 allocatable map[string]Quantity
3 phase string omitempty
4 conditions []core.v1.NodeCondition
5 addresses []core.v1.NodeAddress
6 daemonEndpoints core.v1.NodeDaemonEndpoints
7 nodeInfo core.v1.NodeSystemInfo
8 images []core.v1.ContainerImage
9 volumesInUse []string
10 volumesAttached []core.v1.AttachedVolume
11 config core.v1.NodeConfigStatus
12 runtimeHandlers []core.v1.NodeRuntimeHandler
13 features core.v1.NodeFeatures
14 declaredFeatures []string
""",
    "core.v1.NodeSwapStatus": """
1 capacity int64
""",
    "core.v1.NodeSystemInfo": """
1 machineID string
2 systemUUID string
3 bootID string
4 kernelVersion string
5 osImage string
6 containerRuntimeVersion string
7 kubeletVersion string
8 kubeProxyVersion string
9 operatingSystem string
10 architecture string
11 swap core.v1.NodeSwapStatus
""",
    "core.v1.ObjectFieldSelector": """
1 apiVersion string omitempty
2 fieldPath string
""",
    "core.v1.ObjectReference": """
1 kind string omitempty
2 namespace string omitempty
3 name string omitempty
4 uid string omitempty
5 apiVersion string omitempty
6 resourceVersion string omitempty
7 fieldPath string omitempty
""",
    "core.v1.PersistentVolume": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.PersistentVolumeSpec
3 status core.v1.PersistentVolumeStatus
""",
    "core.v1.PersistentVolumeClaim": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.PersistentVolumeClaimSpec
3 status core.v1.PersistentVolumeClaimStatus
""",
    "core.v1.PersistentVolumeClaimCondition": """
1 type string
2 status string
3 lastProbeTime Time
4 lastTransitionTime Time
5 reason string omitempty
6 message string omitempty
""",
    "core.v1.PersistentVolumeClaimList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.PersistentVolumeClaim
""",
    "core.v1.PersistentVolumeClaimSpec": """
1 accessModes []string
2 resources core.v1.VolumeResourceRequirements
3 volumeName string omitempty
4 selector meta.v1.LabelSelector
5 storageClassName string
6 volumeMode string
7 dataSource core.v1.TypedLocalObjectReference
8 dataSourceRef core.v1.TypedObjectReference
9 volumeAttributesClassName string
""",
    "core.v1.PersistentVolumeClaimStatus": """
1 phase string omitempty
2 accessModes []string
3 capacity map[string]Quantity
4 conditions []core.v1.PersistentVolumeClaimCondition
5 allocatedResources map[string]Quantity
7 allocatedResourceStatuses map[string]string
8 currentVolumeAttributesClassName string
9 modifyVolumeStatus core.v1.ModifyVolumeStatus
""",
    "core.v1.PersistentVolumeClaimTemplate": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.PersistentVolumeClaimSpec
""",
    "core.v1.PersistentVolumeClaimVolumeSource": """
1 claimName string
2 readOnly bool omitempty
""",
    "core.v1.PersistentVolumeList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.PersistentVolume
""",
    "core.v1.PersistentVolumeSource": """
1 gcePersistentDisk core.v1.GCEPersistentDiskVolumeSource
2 awsElasticBlockStore core.v1.AWSElasticBlockStoreVolumeSource
3 hostPath core.v1.HostPathVolumeSource
4 glusterfs core.v1.GlusterfsPersistentVolumeSource
5 nfs core.v1.NFSVolumeSource
6 rbd core.v1.RBDPersistentVolumeSource
7 iscsi core.v1.ISCSIPersistentVolumeSource
8 cinder core.v1.CinderPersistentVolumeSource
9 cephfs core.v1.CephFSPersistentVolumeSource
10 fc core.v1.FCVolumeSource
11 flocker core.v1.FlockerVolumeSource
12 flexVolume core.v1.FlexPersistentVolumeSource
13 azureFile core.v1.AzureFilePersistentVolumeSource
14 vsphereVolume core.v1.VsphereVirtualDiskVolumeSource
15 quobyte core.v1.QuobyteVolumeSource
16 azureDisk core.v1.AzureDiskVolumeSource
17 photonPersistentDisk core.v1.PhotonPersistentDiskVolumeSource
18 portworxVolume core.v1.PortworxVolumeSource
19 scaleIO core.v1.ScaleIOPersistentVolumeSource
20 local core.v1.LocalVolumeSource
21 storageos core.v1.StorageOSPersistentVolumeSource
22 csi core.v1.CSIPersistentVolumeSource
""",
    "core.v1.PersistentVolumeSpec": """
1 capacity map[string]Quantity
2 persistentVolumeSource core.v1.PersistentVolumeSource inline
3 accessModes []string
4 claimRef core.v1.ObjectReference
5 persistentVolumeReclaimPolicy string omitempty
6 storageClassName string omitempty
7 mountOptions []string
8 volumeMode string
9 nodeAffinity core.v1.VolumeNodeAffinity
10 volumeAttributesClassName string
""",
    "core.v1.PersistentVolumeStatus": """
1 phase string omitempty
2 message string omitempty
3 reason string omitempty
4 lastPhaseTransitionTime Time
""",
    "core.v1.PhotonPersistentDiskVolumeSource": """
1 pdID string
2 fsType string omitempty
""",
    "core.v1.Pod": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.PodSpec
3 status core.v1.PodStatus
""",
    "core.v1.PodAffinity": """
1 requiredDuringSchedulingIgnoredDuringExecution []core.v1.PodAffinityTerm
2 preferredDuringSchedulingIgnoredDuringExecution []core.v1.WeightedPodAffinityTerm
""",
    "core.v1.PodAffinityTerm": """
1 labelSelector meta.v1.LabelSelector
2 namespaces []string
3 topologyKey string
4 namespaceSelector meta.v1.LabelSelector
5 matchLabelKeys []string
6 mismatchLabelKeys []string
""",
    "core.v1.PodAntiAffinity": """
1 requiredDuringSchedulingIgnoredDuringExecution []core.v1.PodAffinityTerm
2 preferredDuringSchedulingIgnoredDuringExecution []core.v1.WeightedPodAffinityTerm
""",
    "core.v1.PodCertificateProjection": """
1 signerName string omitempty
2 keyType string omitempty
3 maxExpirationSeconds int32
4 credentialBundlePath string omitempty
5 keyPath string omitempty
6 certificateChainPath string omitempty
7 userAnnotations map[string]string
""",
    "core.v1.PodCondition": """
1 type string
2 status string
3 lastProbeTime Time
4 lastTransitionTime Time
5 reason string omitempty
6 message string omitempty
7 observedGeneration int64 omitempty
""",
    "core.v1.PodDNSConfig": """
1 nameservers []string
2 searches []string
3 options []core.v1.PodDNSConfigOption
""",
    "core.v1.PodDNSConfigOption": """
1 name string omitempty
2 value string
""",
    "core.v1.PodExtendedResourceClaimStatus": """
1 requestMappings []core.v1.ContainerExtendedResourceRequest
2 resourceClaimName string
""",
    "core.v1.PodIP": """
1 ip string
""",
    "core.v1.PodList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Pod
""",
    "core.v1.PodOS": """
1 name string
""",
    "core.v1.PodReadinessGate": """
1 conditionType string
""",
    "core.v1.PodResourceClaim": """
1 name string
3 resourceClaimName string
4 resourceClaimTemplateName string
""",
    "core.v1.PodResourceClaimStatus": """
1 name string
2 resourceClaimName string
""",
    "core.v1.PodSchedulingGate": """
1 name string
""",
    "core.v1.PodSchedulingGroup": """
1 podGroupName string
""",
    "core.v1.PodSecurityContext": """
1 seLinuxOptions core.v1.SELinuxOptions
2 runAsUser int64
3 runAsNonRoot bool
4 supplementalGroups []int64
5 fsGroup int64
6 runAsGroup int64
7 sysctls []core.v1.Sysctl
8 windowsOptions core.v1.WindowsSecurityContextOptions
9 fsGroupChangePolicy string
10 seccompProfile core.v1.SeccompProfile
11 appArmorProfile core.v1.AppArmorProfile
12 supplementalGroupsPolicy string
13 seLinuxChangePolicy string
""",
    "core.v1.PodSpec": """
1 volumes []core.v1.Volume
2 containers []core.v1.Container
3 restartPolicy string omitempty
4 terminationGracePeriodSeconds int64
5 activeDeadlineSeconds int64
6 dnsPolicy string omitempty
7 nodeSelector map[string]string
8 serviceAccountName string omitempty
9 serviceAccount string omitempty
10 nodeName string omitempty
11 hostNetwork bool omitempty
12 hostPID bool omitempty
13 hostIPC bool omitempty
14 securityContext core.v1.PodSecurityContext
15 imagePullSecrets []core.v1.LocalObjectReference
16 hostname string omitempty
17 subdomain string omitempty
18 affinity core.v1.Affinity
19 schedulerName string omitempty
20 initContainers []core.v1.Container
21 automountServiceAccountToken bool
22 tolerations []core.v1.Toleration
23 hostAliases []core.v1.HostAlias
24 priorityClassName string omitempty
25 priority int32
26 dnsConfig core.v1.PodDNSConfig
27 shareProcessNamespace bool
28 readinessGates []core.v1.PodReadinessGate
29 runtimeClassName string
30 enableServiceLinks bool
31 preemptionPolicy string
32 overhead map[string]Quantity
33 topologySpreadConstraints []core.v1.TopologySpreadConstraint
34 ephemeralContainers []core.v1.EphemeralContainer
35 setHostnameAsFQDN bool
36 os core.v1.PodOS
37 hostUsers bool
38 schedulingGates []core.v1.PodSchedulingGate
39 resourceClaims []core.v1.PodResourceClaim
40 resources core.v1.ResourceRequirements
41 hostnameOverride string
43 schedulingGroup core.v1.PodSchedulingGroup
""",
    "core.v1.PodStatus": """
1 phase string omitempty
2 conditions []core.v1.PodCondition
3 message string omitempty
4 reason string omitempty
5 hostIP string omitempty
6 podIP string omitempty
7 startTime Time
8 containerStatuses []core.v1.ContainerStatus
9 qosClass string omitempty
10 initContainerStatuses []core.v1.ContainerStatus
11 nominatedNodeName string omitempty
12 podIPs []core.v1.PodIP
13 ephemeralContainerStatuses []core.v1.ContainerStatus
14 resize string omitempty
15 resourceClaimStatuses []core.v1.PodResourceClaimStatus
16 hostIPs []core.v1.HostIP
17 observedGeneration int64 omitempty
18 extendedResourceClaimStatus core.v1.PodExtendedResourceClaimStatus
19 allocatedResources map[string]Quantity
20 resources core.v1.ResourceRequirements
21 nodeAllocatableResourceClaimStatuses []core.v1.NodeAllocatableResourceClaimStatus
""",
    "core.v1.PodTemplate": """
1 metadata meta.v1.ObjectMeta
2 template core.v1.PodTemplateSpec
""",
    "core.v1.PodTemplateList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.PodTemplate
""",
    "core.v1.PodTemplateSpec": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.PodSpec
""",
    "core.v1.PortStatus": """
1 port int32
2 protocol string
3 error string
""",
    "core.v1.PortworxVolumeSource": """
1 volumeID string
2 fsType string omitempty
3 readOnly bool omitempty
""",
    "core.v1.PreferredSchedulingTerm": """
1 weight int32
2 preference core.v1.NodeSelectorTerm
""",
    "core.v1.Probe": """
1 handler core.v1.ProbeHandler inline
2 initialDelaySeconds int32 omitempty
3 timeoutSeconds int32 omitempty
4 periodSeconds int32 omitempty
5 successThreshold int32 omitempty
6 failureThreshold int32 omitempty
7 terminationGracePeriodSeconds int64
""",
    "core.v1.ProbeHandler": """
1 exec core.v1.ExecAction
2 httpGet core.v1.HTTPGetAction
3 tcpSocket core.v1.TCPSocketAction
4 grpc core.v1.GRPCAction
""",
    "core.v1.ProjectedVolumeSource": """
1 sources []core.v1.VolumeProjection
2 defaultMode int32
""",
    "core.v1.QuobyteVolumeSource": """
1 registry string
2 volume string
3 readOnly bool omitempty
4 user string omitempty
5 group string omitempty
6 tenant string omitempty
""",
    "core.v1.RBDPersistentVolumeSource": """
1 monitors []string
2 image string
3 fsType string omitempty
4 pool string omitempty
5 user string omitempty
6 keyring string omitempty
7 secretRef core.v1.SecretReference
8 readOnly bool omitempty
""",
    "core.v1.RBDVolumeSource": """
1 monitors []string
2 image string
3 fsType string omitempty
4 pool string omitempty
5 user string omitempty
6 keyring string omitempty
7 secretRef core.v1.LocalObjectReference
8 readOnly bool omitempty
""",
    "core.v1.ReplicationController": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.ReplicationControllerSpec
3 status core.v1.ReplicationControllerStatus
""",
    "core.v1.ReplicationControllerCondition": """
1 type string
2 status string
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "core.v1.ReplicationControllerList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.ReplicationController
""",
    "core.v1.ReplicationControllerSpec": """
1 replicas int32
2 selector map[string]string
3 template core.v1.PodTemplateSpec
4 minReadySeconds int32 omitempty
""",
    "core.v1.ReplicationControllerStatus": """
1 replicas int32
2 fullyLabeledReplicas int32 omitempty
3 observedGeneration int64 omitempty
4 readyReplicas int32 omitempty
5 availableReplicas int32 omitempty
6 conditions []core.v1.ReplicationControllerCondition
""",
    "core.v1.ResourceClaim": """
1 name string
2 request string omitempty
""",
    "core.v1.ResourceFieldSelector": """
1 containerName string omitempty
2 resource string
3 divisor Quantity
""",
    "core.v1.ResourceHealth": """
1 resourceID string
2 health string omitempty
6 message string
""",
    "core.v1.ResourceQuota": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.ResourceQuotaSpec
3 status core.v1.ResourceQuotaStatus
""",
    "core.v1.ResourceQuotaList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.ResourceQuota
""",
    "core.v1.ResourceQuotaSpec": """
1 hard map[string]Quantity
2 scopes []string
3 scopeSelector core.v1.ScopeSelector
""",
    "core.v1.ResourceQuotaStatus": """
1 hard map[string]Quantity
2 used map[string]Quantity
""",
    "core.v1.ResourceRequirements": """
1 limits map[string]Quantity
2 requests map[string]Quantity
3 claims []core.v1.ResourceClaim
""",
    "core.v1.ResourceStatus": """
1 name string
2 resources []core.v1.ResourceHealth
""",
    "core.v1.SELinuxOptions": """
1 user string omitempty
2 role string omitempty
3 type string omitempty
4 level string omitempty
""",
    "core.v1.ScaleIOPersistentVolumeSource": """
1 gateway string
2 system string
3 secretRef core.v1.SecretReference
4 sslEnabled bool omitempty
5 protectionDomain string omitempty
6 storagePool string omitempty
7 storageMode string omitempty
8 volumeName string omitempty
9 fsType string omitempty
10 readOnly bool omitempty
""",
    "core.v1.ScaleIOVolumeSource": """
1 gateway string
2 system string
3 secretRef core.v1.LocalObjectReference
4 sslEnabled bool omitempty
5 protectionDomain string omitempty
6 storagePool string omitempty
7 storageMode string omitempty
8 volumeName string omitempty
9 fsType string omitempty
10 readOnly bool omitempty
""",
    "core.v1.ScopeSelector": """
1 matchExpressions []core.v1.ScopedResourceSelectorRequirement
""",
    "core.v1.ScopedResourceSelectorRequirement": """
1 scopeName string
2 operator string
3 values []string
""",
    "core.v1.SeccompProfile": """
1 type string
2 localhostProfile string
""",
    "core.v1.Secret": """
1 metadata meta.v1.ObjectMeta
2 data map[string]bytes
3 type string omitempty
4 stringData map[string]string
5 immutable bool
""",
    "core.v1.SecretEnvSource": """
1 localObjectReference core.v1.LocalObjectReference inline
2 optional bool
""",
    "core.v1.SecretKeySelector": """
1 localObjectReference core.v1.LocalObjectReference inline
2 key string
3 optional bool
""",
    "core.v1.SecretList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Secret
""",
    "core.v1.SecretProjection": """
1 localObjectReference core.v1.LocalObjectReference inline
2 items []core.v1.KeyToPath
4 optional bool
""",
    "core.v1.SecretReference": """
1 name string omitempty
2 namespace string omitempty
""",
    "core.v1.SecretVolumeSource": """
1 secretName string omitempty
2 items []core.v1.KeyToPath
3 defaultMode int32
4 optional bool
""",
    "core.v1.SecurityContext": """
1 capabilities core.v1.Capabilities
2 privileged bool
3 seLinuxOptions core.v1.SELinuxOptions
4 runAsUser int64
5 runAsNonRoot bool
6 readOnlyRootFilesystem bool
7 allowPrivilegeEscalation bool
8 runAsGroup int64
9 procMount string
10 windowsOptions core.v1.WindowsSecurityContextOptions
11 seccompProfile core.v1.SeccompProfile
12 appArmorProfile core.v1.AppArmorProfile
""",
    "core.v1.Service": """
1 metadata meta.v1.ObjectMeta
2 spec core.v1.ServiceSpec
3 status core.v1.ServiceStatus
""",
    "core.v1.ServiceAccount": """
1 metadata meta.v1.ObjectMeta
2 secrets []core.v1.ObjectReference
3 imagePullSecrets []core.v1.LocalObjectReference
4 automountServiceAccountToken bool
""",
    "core.v1.ServiceAccountList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.ServiceAccount
""",
    "core.v1.ServiceAccountTokenProjection": """
1 audience string omitempty
2 expirationSeconds int64
3 path string
""",
    "core.v1.ServiceList": """
1 metadata meta.v1.ListMeta
2 items []core.v1.Service
""",
    "core.v1.ServicePort": """
1 name string omitempty
2 protocol string omitempty
3 port int32
4 targetPort IntOrString
5 nodePort int32 omitempty
6 appProtocol string
""",
    "core.v1.ServiceSpec": """
1 ports []core.v1.ServicePort
2 selector map[string]string
3 clusterIP string omitempty
4 type string omitempty
5 externalIPs []string
7 sessionAffinity string omitempty
8 loadBalancerIP string omitempty
9 loadBalancerSourceRanges []string
10 externalName string omitempty
11 externalTrafficPolicy string omitempty
12 healthCheckNodePort int32 omitempty
13 publishNotReadyAddresses bool omitempty
14 sessionAffinityConfig core.v1.SessionAffinityConfig
17 ipFamilyPolicy string
18 clusterIPs []string
19 ipFamilies []string
20 allocateLoadBalancerNodePorts bool
21 loadBalancerClass string
22 internalTrafficPolicy string
23 trafficDistribution string
""",
    "core.v1.ServiceStatus": """
1 loadBalancer core.v1.LoadBalancerStatus
2 conditions []meta.v1.Condition
""",
    "core.v1.SessionAffinityConfig": """
1 clientIP core.v1.ClientIPConfig
""",
    "core.v1.SleepAction": """
1 seconds int64
""",
    "core.v1.StorageOSPersistentVolumeSource": """
1 volumeName string omitempty
2 volumeNamespace string omitempty
3 fsType string omitempty
4 readOnly bool omitempty
5 secretRef core.v1.ObjectReference
""",
    "core.v1.StorageOSVolumeSource": """
1 volumeName string omitempty
2 volumeNamespace string omitempty
3 fsType string omitempty
4 readOnly bool omitempty
5 secretRef core.v1.LocalObjectReference
""",
    "core.v1.Sysctl": """
1 name string
2 value string
""",
    "core.v1.TCPSocketAction": """
1 port IntOrString
2 host string omitempty
""",
    "core.v1.Taint": """
1 key string
2 value string omitempty
3 effect string
4 timeAdded Time
""",
    "core.v1.Toleration": """
1 key string omitempty
2 operator string omitempty
3 value string omitempty
4 effect string omitempty
5 tolerationSeconds int64
""",
    "core.v1.TopologySelectorLabelRequirement": """
1 key string
2 values []string
""",
    "core.v1.TopologySelectorTerm": """
1 matchLabelExpressions []core.v1.TopologySelectorLabelRequirement
""",
    "core.v1.TopologySpreadConstraint": """
1 maxSkew int32
2 topologyKey string
3 whenUnsatisfiable string
4 labelSelector meta.v1.LabelSelector
5 minDomains int32
6 nodeAffinityPolicy string
7 nodeTaintsPolicy string
8 matchLabelKeys []string
""",
    "core.v1.TypedLocalObjectReference": """
1 apiGroup string
2 kind string
3 name string
""",
    "core.v1.TypedObjectReference": """
1 apiGroup string
2 kind string
3 name string
4 namespace string
""",
    "core.v1.Volume": """
1 name string
2 volumeSource core.v1.VolumeSource inline
""",
    "core.v1.VolumeDevice": """
1 name string
2 devicePath string
""",
    "core.v1.VolumeMount": """
1 name string
2 readOnly bool omitempty
3 mountPath string
4 subPath string omitempty
5 mountPropagation string
6 subPathExpr string omitempty
7 recursiveReadOnly string
""",
    "core.v1.VolumeMountStatus": """
1 name string
2 mountPath string
3 readOnly bool omitempty
4 recursiveReadOnly string
5 volumeStatus core.v1.VolumeStatus
""",
    "core.v1.VolumeNodeAffinity": """
1 required core.v1.NodeSelector
""",
    "core.v1.VolumeProjection": """
1 secret core.v1.SecretProjection
2 downwardAPI core.v1.DownwardAPIProjection
3 configMap core.v1.ConfigMapProjection
4 serviceAccountToken core.v1.ServiceAccountTokenProjection
5 clusterTrustBundle core.v1.ClusterTrustBundleProjection
6 podCertificate core.v1.PodCertificateProjection
""",
    "core.v1.VolumeResourceRequirements": """
1 limits map[string]Quantity
2 requests map[string]Quantity
""",
    "core.v1.VolumeSource": """
1 hostPath core.v1.HostPathVolumeSource
2 emptyDir core.v1.EmptyDirVolumeSource
3 gcePersistentDisk core.v1.GCEPersistentDiskVolumeSource
4 awsElasticBlockStore core.v1.AWSElasticBlockStoreVolumeSource
5 gitRepo core.v1.GitRepoVolumeSource
6 secret core.v1.SecretVolumeSource
7 nfs core.v1.NFSVolumeSource
8 iscsi core.v1.ISCSIVolumeSource
9 glusterfs core.v1.GlusterfsVolumeSource
10 persistentVolumeClaim core.v1.PersistentVolumeClaimVolumeSource
11 rbd core.v1.RBDVolumeSource
12 flexVolume core.v1.FlexVolumeSource
13 cinder core.v1.CinderVolumeSource
14 cephfs core.v1.CephFSVolumeSource
15 flocker core.v1.FlockerVolumeSource
16 downwardAPI core.v1.DownwardAPIVolumeSource
17 fc core.v1.FCVolumeSource
18 azureFile core.v1.AzureFileVolumeSource
19 configMap core.v1.ConfigMapVolumeSource
20 vsphereVolume core.v1.VsphereVirtualDiskVolumeSource
21 quobyte core.v1.QuobyteVolumeSource
22 azureDisk core.v1.AzureDiskVolumeSource
23 photonPersistentDisk core.v1.PhotonPersistentDiskVolumeSource
24 portworxVolume core.v1.PortworxVolumeSource
25 scaleIO core.v1.ScaleIOVolumeSource
26 projected core.v1.ProjectedVolumeSource
27 storageos core.v1.StorageOSVolumeSource
28 csi core.v1.CSIVolumeSource
29 ephemeral core.v1.EphemeralVolumeSource
30 image core.v1.ImageVolumeSource
""",
    "core.v1.VolumeStatus": """
1 image core.v1.ImageVolumeStatus
""",
    "core.v1.VsphereVirtualDiskVolumeSource": """
1 volumePath string
2 fsType string omitempty
3 storagePolicyName string omitempty
4 storagePolicyID string omitempty
""",
    "core.v1.WeightedPodAffinityTerm": """
1 weight int32
2 podAffinityTerm core.v1.PodAffinityTerm
""",
    "core.v1.WindowsSecurityContextOptions": """
1 gmsaCredentialSpecName string
2 gmsaCredentialSpec string
3 runAsUserName string
4 hostProcess bool
""",
    "discovery.v1.Endpoint": """
1 addresses []string
2 conditions discovery.v1.EndpointConditions
3 hostname string
4 targetRef core.v1.ObjectReference
5 deprecatedTopology map[string]string
6 nodeName string
7 zone string
8 hints discovery.v1.EndpointHints
""",
    "discovery.v1.EndpointConditions": """
1 ready bool
2 serving bool
3 terminating bool
""",
    "discovery.v1.EndpointHints": """
1 forZones []discovery.v1.ForZone
2 forNodes []discovery.v1.ForNode
""",
    "discovery.v1.EndpointPort": """
1 name string
2 protocol string
3 port int32
4 appProtocol string
""",
    "discovery.v1.EndpointSlice": """
1 metadata meta.v1.ObjectMeta
2 endpoints []discovery.v1.Endpoint
3 ports []discovery.v1.EndpointPort
4 addressType string
""",
    "discovery.v1.EndpointSliceList": """
1 metadata meta.v1.ListMeta
2 items []discovery.v1.EndpointSlice
""",
    "discovery.v1.ForNode": """
1 name string
""",
    "discovery.v1.ForZone": """
1 name string
""",
    "events.v1.Event": """
1 metadata meta.v1.ObjectMeta
2 eventTime MicroTime
3 series events.v1.EventSeries
4 reportingController string omitempty
5 reportingInstance string omitempty
6 action string omitempty
7 reason string omitempty
8 regarding core.v1.ObjectReference
9 related core.v1.ObjectReference
10 note string omitempty
11 type string omitempty
12 deprecatedSource core.v1.EventSource
13 deprecatedFirstTimestamp Time
14 deprecatedLastTimestamp Time
15 deprecatedCount int32 omitempty
""",
    "events.v1.EventList": """
1 metadata meta.v1.ListMeta
2 items []events.v1.Event
""",
    "events.v1.EventSeries": """
1 count int32
2 lastObservedTime MicroTime
""",
    "flowcontrol.v1.ExemptPriorityLevelConfiguration": """
1 nominalConcurrencyShares int32
2 lendablePercent int32
""",
    "flowcontrol.v1.FlowDistinguisherMethod": """
1 type string
""",
    "flowcontrol.v1.FlowSchema": """
1 metadata meta.v1.ObjectMeta
2 spec flowcontrol.v1.FlowSchemaSpec
3 status flowcontrol.v1.FlowSchemaStatus
""",
    "flowcontrol.v1.FlowSchemaCondition": """
1 type string omitempty
2 status string omitempty
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "flowcontrol.v1.FlowSchemaList": """
1 metadata meta.v1.ListMeta
2 items []flowcontrol.v1.FlowSchema
""",
    "flowcontrol.v1.FlowSchemaSpec": """
1 priorityLevelConfiguration flowcontrol.v1.PriorityLevelConfigurationReference
2 matchingPrecedence int32
3 distinguisherMethod flowcontrol.v1.FlowDistinguisherMethod
4 rules []flowcontrol.v1.PolicyRulesWithSubjects
""",
    "flowcontrol.v1.FlowSchemaStatus": """
1 conditions []flowcontrol.v1.FlowSchemaCondition
""",
    "flowcontrol.v1.GroupSubject": """
1 name string
""",
    "flowcontrol.v1.LimitResponse": """
1 type string
2 queuing flowcontrol.v1.QueuingConfiguration
""",
    "flowcontrol.v1.LimitedPriorityLevelConfiguration": """
1 nominalConcurrencyShares int32
2 limitResponse flowcontrol.v1.LimitResponse
3 lendablePercent int32
4 borrowingLimitPercent int32
""",
    "flowcontrol.v1.NonResourcePolicyRule": """
1 verbs []string
6 nonResourceURLs []string
""",
    "flowcontrol.v1.PolicyRulesWithSubjects": """
1 subjects []flowcontrol.v1.Subject
2 resourceRules []flowcontrol.v1.ResourcePolicyRule
3 nonResourceRules []flowcontrol.v1.NonResourcePolicyRule
""",
    "flowcontrol.v1.PriorityLevelConfiguration": """
1 metadata meta.v1.ObjectMeta
2 spec flowcontrol.v1.PriorityLevelConfigurationSpec
3 status flowcontrol.v1.PriorityLevelConfigurationStatus
""",
    "flowcontrol.v1.PriorityLevelConfigurationCondition": """
1 type string omitempty
2 status string omitempty
3 lastTransitionTime Time
4 reason string omitempty
5 message string omitempty
""",
    "flowcontrol.v1.PriorityLevelConfigurationList": """
1 metadata meta.v1.ListMeta
2 items []flowcontrol.v1.PriorityLevelConfiguration
""",
    "flowcontrol.v1.PriorityLevelConfigurationReference": """
1 name string
""",
    "flowcontrol.v1.PriorityLevelConfigurationSpec": """
1 type string
2 limited flowcontrol.v1.LimitedPriorityLevelConfiguration
3 exempt flowcontrol.v1.ExemptPriorityLevelConfiguration
""",
    "flowcontrol.v1.PriorityLevelConfigurationStatus": """
1 conditions []flowcontrol.v1.PriorityLevelConfigurationCondition
""",
    "flowcontrol.v1.QueuingConfiguration": """
1 queues int32
2 handSize int32
3 queueLengthLimit int32
""",
    "flowcontrol.v1.ResourcePolicyRule": """
1 verbs []string
2 apiGroups []string
3 resources []string
4 clusterScope bool omitempty
5 namespaces []string
""",
    "flowcontrol.v1.ServiceAccountSubject": """
1 namespace string
2 name string
""",
    "flowcontrol.v1.Subject": """
1 kind string
2 user flowcontrol.v1.UserSubject
3 group flowcontrol.v1.GroupSubject
4 serviceAccount flowcontrol.v1.ServiceAccountSubject
""",
    "flowcontrol.v1.UserSubject": """
1 name string
""",
    "meta.v1.APIResource": """
1 name string
2 namespaced bool
3 kind string
4 verbs meta.v1.Verbs
5 shortNames []string
6 singularName string
7 categories []string
8 group string omitempty
9 version string omitempty
10 storageVersionHash string omitempty
""",
    "meta.v1.APIResourceList": """
1 groupVersion string
2 resources []meta.v1.APIResource
""",
    "meta.v1.Condition": """
1 type string
2 status string
3 observedGeneration int64 omitempty
4 lastTransitionTime Time
5 reason string
6 message string
""",
    "meta.v1.CreateOptions": """
1 dryRun []string
3 fieldManager string omitempty
4 fieldValidation string omitempty
""",
    "meta.v1.DeleteOptions": """
1 gracePeriodSeconds int64
2 preconditions meta.v1.Preconditions
3 orphanDependents bool
4 propagationPolicy string
5 dryRun []string
6 ignoreStoreReadErrorWithClusterBreakingPotential bool
""",
    "meta.v1.FieldSelectorRequirement": """
1 key string
2 operator string
3 values []string
""",
    "meta.v1.GetOptions": """
1 resourceVersion string omitempty
""",
    "meta.v1.GroupVersionKind": """
1 group string
2 version string
3 kind string
""",
    "meta.v1.LabelSelector": """
1 matchLabels map[string]string
2 matchExpressions []meta.v1.LabelSelectorRequirement
""",
    "meta.v1.LabelSelectorRequirement": """
1 key string
2 operator string
3 values []string
""",
    "meta.v1.ListMeta": """
1 selfLink string omitempty
2 resourceVersion string omitempty
3 continue string omitempty
4 remainingItemCount int64
5 shardInfo meta.v1.ShardInfo
""",
    "meta.v1.ListOptions": """
1 labelSelector string omitempty
2 fieldSelector string omitempty
3 watch bool omitempty
4 resourceVersion string omitempty
5 timeoutSeconds int64
7 limit int64 omitempty
8 continue string omitempty
9 allowWatchBookmarks bool omitempty
10 resourceVersionMatch string omitempty
11 sendInitialEvents bool
15 shardSelector string omitempty
""",
    "meta.v1.ManagedFieldsEntry": """
1 manager string omitempty
2 operation string omitempty
3 apiVersion string omitempty
4 time Time
6 fieldsType string omitempty
7 fieldsV1 JSON
8 subresource string omitempty
""",
    "meta.v1.ObjectMeta": """
1 name string omitempty
2 generateName string omitempty
3 namespace string omitempty
4 selfLink string omitempty
5 uid string omitempty
6 resourceVersion string omitempty
7 generation int64 omitempty
8 creationTimestamp Time omitempty
9 deletionTimestamp Time
10 deletionGracePeriodSeconds int64
11 labels map[string]string
12 annotations map[string]string
13 ownerReferences []meta.v1.OwnerReference
14 finalizers []string
17 managedFields []meta.v1.ManagedFieldsEntry
""",
    "meta.v1.OwnerReference": """
1 kind string
3 name string
4 uid string
5 apiVersion string
6 controller bool
7 blockOwnerDeletion bool
""",
    "meta.v1.PartialObjectMetadata": """
1 metadata meta.v1.ObjectMeta
""",
    "meta.v1.PartialObjectMetadataList": """
1 metadata meta.v1.ListMeta
2 items []meta.v1.PartialObjectMetadata
""",
    "meta.v1.PatchOptions": """
1 dryRun []string
2 force bool
3 fieldManager string omitempty
4 fieldValidation string omitempty
""",
    "meta.v1.Preconditions": """
1 uid string
2 resourceVersion string
""",
    "meta.v1.ShardInfo": """
1 selector string
""",
    "meta.v1.Status": """
1 metadata meta.v1.ListMeta
2 status string omitempty
3 message string omitempty
4 reason string omitempty
5 details meta.v1.StatusDetails
6 code int32 omitempty
""",
    "meta.v1.StatusCause": """
1 reason string omitempty
2 message string omitempty
3 field string omitempty
""",
    "meta.v1.StatusDetails": """
1 name string omitempty
2 group string omitempty
3 kind string omitempty
4 causes []meta.v1.StatusCause
5 retryAfterSeconds int32 omitempty
6 uid string omitempty
""",
    "meta.v1.UpdateOptions": """
1 dryRun []string
2 fieldManager string omitempty
3 fieldValidation string omitempty
""",
    "meta.v1.Verbs": """
union
1 items []string
""",
    "meta.v1.WatchEvent": """
1 type string
2 object RawExtension
""",
    "networking.v1.HTTPIngressPath": """
1 path string omitempty
2 backend networking.v1.IngressBackend
3 pathType string
""",
    "networking.v1.HTTPIngressRuleValue": """
1 paths []networking.v1.HTTPIngressPath
""",
    "networking.v1.IPAddress": """
1 metadata meta.v1.ObjectMeta
2 spec networking.v1.IPAddressSpec
""",
    "networking.v1.IPAddressList": """
1 metadata meta.v1.ListMeta
2 items []networking.v1.IPAddress
""",
    "networking.v1.IPAddressSpec": """
1 parentRef networking.v1.ParentReference
""",
    "networking.v1.IPBlock": """
1 cidr string
2 except []string
""",
    "networking.v1.Ingress": """
1 metadata meta.v1.ObjectMeta
2 spec networking.v1.IngressSpec
3 status networking.v1.IngressStatus
""",
    "networking.v1.IngressBackend": """
3 resource core.v1.TypedLocalObjectReference
4 service networking.v1.IngressServiceBackend
""",
    "networking.v1.IngressClass": """
1 metadata meta.v1.ObjectMeta
2 spec networking.v1.IngressClassSpec
""",
    "networking.v1.IngressClassList": """
1 metadata meta.v1.ListMeta
2 items []networking.v1.IngressClass
""",
    "networking.v1.IngressClassParametersReference": """
1 apiGroup string
2 kind string
3 name string
4 scope string
5 namespace string
""",
    "networking.v1.IngressClassSpec": """
1 controller string omitempty
2 parameters networking.v1.IngressClassParametersReference
""",
    "networking.v1.IngressList": """
1 metadata meta.v1.ListMeta
2 items []networking.v1.Ingress
""",
    "networking.v1.IngressLoadBalancerIngress": """
1 ip string omitempty
2 hostname string omitempty
4 ports []networking.v1.IngressPortStatus
""",
    "networking.v1.IngressLoadBalancerStatus": """
1 ingress []networking.v1.IngressLoadBalancerIngress
""",
    "networking.v1.IngressPortStatus": """
1 port int32
2 protocol string
3 error string
""",
    "networking.v1.IngressRule": """
1 host string omitempty
2 ingressRuleValue networking.v1.IngressRuleValue inline
""",
    "networking.v1.IngressRuleValue": """
1 http networking.v1.HTTPIngressRuleValue
""",
    "networking.v1.IngressServiceBackend": """
1 name string
2 port networking.v1.ServiceBackendPort
""",
    "networking.v1.IngressSpec": """
1 defaultBackend networking.v1.IngressBackend
2 tls []networking.v1.IngressTLS
3 rules []networking.v1.IngressRule
4 ingressClassName string
""",
    "networking.v1.IngressStatus": """
1 loadBalancer networking.v1.IngressLoadBalancerStatus
""",
    "networking.v1.IngressTLS": """
1 hosts []string
2 secretName string omitempty
""",
    "networking.v1.NetworkPolicy": """
1 metadata meta.v1.ObjectMeta
2 spec networking.v1.NetworkPolicySpec
""",
    "networking.v1.NetworkPolicyEgressRule": """
1 ports []networking.v1.NetworkPolicyPort
2 to []networking.v1.NetworkPolicyPeer
""",
    "networking.v1.NetworkPolicyIngressRule": """
1 ports []networking.v1.NetworkPolicyPort
2 from []networking.v1.NetworkPolicyPeer
""",
    "networking.v1.NetworkPolicyList": """
1 metadata meta.v1.ListMeta
2 items []networking.v1.NetworkPolicy
""",
    "networking.v1.NetworkPolicyPeer": """
1 podSelector meta.v1.LabelSelector
2 namespaceSelector meta.v1.LabelSelector
3 ipBlock networking.v1.IPBlock
""",
    "networking.v1.NetworkPolicyPort": """
1 protocol string
2 port IntOrString
3 endPort int32
""",
    "networking.v1.NetworkPolicySpec": """
1 podSelector meta.v1.LabelSelector
2 ingress []networking.v1.NetworkPolicyIngressRule
3 egress []networking.v1.NetworkPolicyEgressRule
4 policyTypes []string
""",
    "networking.v1.ParentReference": """
1 group string omitempty
2 resource string omitempty
3 namespace string omitempty
4 name string omitempty
""",
    "networking.v1.ServiceBackendPort": """
1 name string omitempty
2 number int32 omitempty
""",
    "networking.v1.ServiceCIDR": """
1 metadata meta.v1.ObjectMeta
2 spec networking.v1.ServiceCIDRSpec
3 status networking.v1.ServiceCIDRStatus
""",
    "networking.v1.ServiceCIDRList": """
1 metadata meta.v1.ListMeta
2 items []networking.v1.ServiceCIDR
""",
    "networking.v1.ServiceCIDRSpec": """
1 cidrs []string
""",
    "networking.v1.ServiceCIDRStatus": """
1 conditions []meta.v1.Condition
""",
    "node.v1.Overhead": """
1 podFixed map[string]Quantity
""",
    "node.v1.RuntimeClass": """
1 metadata meta.v1.ObjectMeta
2 handler string
3 overhead node.v1.Overhead
4 scheduling node.v1.Scheduling
""",
    "node.v1.RuntimeClassList": """
1 metadata meta.v1.ListMeta
2 items []node.v1.RuntimeClass
""",
    "node.v1.Scheduling": """
1 nodeSelector map[string]string
2 tolerations []core.v1.Toleration
""",
    "policy.v1.Eviction": """
1 metadata meta.v1.ObjectMeta
2 deleteOptions meta.v1.DeleteOptions
""",
    "policy.v1.PodDisruptionBudget": """
1 metadata meta.v1.ObjectMeta
2 spec policy.v1.PodDisruptionBudgetSpec
3 status policy.v1.PodDisruptionBudgetStatus
""",
    "policy.v1.PodDisruptionBudgetList": """
1 metadata meta.v1.ListMeta
2 items []policy.v1.PodDisruptionBudget
""",
    "policy.v1.PodDisruptionBudgetSpec": """
1 minAvailable IntOrString
2 selector meta.v1.LabelSelector
3 maxUnavailable IntOrString
4 unhealthyPodEvictionPolicy string
""",
    "policy.v1.PodDisruptionBudgetStatus": """
1 observedGeneration int64 omitempty
2 disruptedPods map[string]Time
3 disruptionsAllowed int32
4 currentHealthy int32
5 desiredHealthy int32
6 expectedPods int32
7 conditions []meta.v1.Condition
""",
    "rbac.v1.AggregationRule": """
1 clusterRoleSelectors []meta.v1.LabelSelector
""",
    "rbac.v1.ClusterRole": """
1 metadata meta.v1.ObjectMeta
2 rules []rbac.v1.PolicyRule
3 aggregationRule rbac.v1.AggregationRule
""",
    "rbac.v1.ClusterRoleBinding": """
1 metadata meta.v1.ObjectMeta
2 subjects []rbac.v1.Subject
3 roleRef rbac.v1.RoleRef
""",
    "rbac.v1.ClusterRoleBindingList": """
1 metadata meta.v1.ListMeta
2 items []rbac.v1.ClusterRoleBinding
""",
    "rbac.v1.ClusterRoleList": """
1 metadata meta.v1.ListMeta
2 items []rbac.v1.ClusterRole
""",
    "rbac.v1.PolicyRule": """
1 verbs []string
2 apiGroups []string
3 resources []string
4 resourceNames []string
5 nonResourceURLs []string
""",
    "rbac.v1.Role": """
1 metadata meta.v1.ObjectMeta
2 rules []rbac.v1.PolicyRule
""",
    "rbac.v1.RoleBinding": """
1 metadata meta.v1.ObjectMeta
2 subjects []rbac.v1.Subject
3 roleRef rbac.v1.RoleRef
""",
    "rbac.v1.RoleBindingList": """
1 metadata meta.v1.ListMeta
2 items []rbac.v1.RoleBinding
""",
    "rbac.v1.RoleList": """
1 metadata meta.v1.ListMeta
2 items []rbac.v1.Role
""",
    "rbac.v1.RoleRef": """
1 apiGroup string
2 kind string
3 name string
""",
    "rbac.v1.Subject": """
1 kind string
2 apiGroup string omitempty
3 name string
4 namespace string omitempty
""",
    "resource.v1.AllocatedDeviceStatus": """
1 driver string
2 pool string
3 device string
4 conditions []meta.v1.Condition
5 data RawExtension
6 networkData resource.v1.NetworkDeviceData
7 shareID string
""",
    "resource.v1.AllocationResult": """
1 devices resource.v1.DeviceAllocationResult
3 nodeSelector core.v1.NodeSelector
5 allocationTimestamp Time
""",
    "resource.v1.CELDeviceSelector": """
1 expression string
""",
    "resource.v1.CapacityRequestPolicy": """
1 default Quantity
3 validValues []Quantity
4 validRange resource.v1.CapacityRequestPolicyRange
""",
    "resource.v1.CapacityRequestPolicyRange": """
1 min Quantity
2 max Quantity
3 step Quantity
""",
    "resource.v1.CapacityRequirements": """
1 requests map[string]Quantity
""",
    "resource.v1.Counter": """
1 value Quantity
""",
    "resource.v1.CounterSet": """
1 name string
2 counters map[string]resource.v1.Counter
""",
    "resource.v1.Device": """
1 name string
2 attributes map[string]resource.v1.DeviceAttribute
3 capacity map[string]resource.v1.DeviceCapacity
4 consumesCounters []resource.v1.DeviceCounterConsumption
5 nodeName string
6 nodeSelector core.v1.NodeSelector
7 allNodes bool
8 taints []resource.v1.DeviceTaint
9 bindsToNode bool
10 bindingConditions []string
11 bindingFailureConditions []string
12 allowMultipleAllocations bool
13 nodeAllocatableResourceMappings map[string]resource.v1.NodeAllocatableResourceMapping
""",
    "resource.v1.DeviceAllocationConfiguration": """
1 source string
2 requests []string
3 deviceConfiguration resource.v1.DeviceConfiguration inline
""",
    "resource.v1.DeviceAllocationResult": """
1 results []resource.v1.DeviceRequestAllocationResult
2 config []resource.v1.DeviceAllocationConfiguration
""",
    "resource.v1.DeviceAttribute": """
2 int int64
3 bool bool
4 string string
5 version string
6 ints []int64
7 bools []bool
8 strings []string
9 versions []string
""",
    "resource.v1.DeviceCapacity": """
1 value Quantity
2 requestPolicy resource.v1.CapacityRequestPolicy
""",
    "resource.v1.DeviceClaim": """
1 requests []resource.v1.DeviceRequest
2 constraints []resource.v1.DeviceConstraint
3 config []resource.v1.DeviceClaimConfiguration
""",
    "resource.v1.DeviceClaimConfiguration": """
1 requests []string
2 deviceConfiguration resource.v1.DeviceConfiguration inline
""",
    "resource.v1.DeviceClass": """
1 metadata meta.v1.ObjectMeta
2 spec resource.v1.DeviceClassSpec
""",
    "resource.v1.DeviceClassConfiguration": """
1 deviceConfiguration resource.v1.DeviceConfiguration inline
""",
    "resource.v1.DeviceClassList": """
1 metadata meta.v1.ListMeta
2 items []resource.v1.DeviceClass
""",
    "resource.v1.DeviceClassSpec": """
1 selectors []resource.v1.DeviceSelector
2 config []resource.v1.DeviceClassConfiguration
4 extendedResourceName string
""",
    "resource.v1.DeviceConfiguration": """
1 opaque resource.v1.OpaqueDeviceConfiguration
""",
    "resource.v1.DeviceConstraint": """
1 requests []string
2 matchAttribute string
3 distinctAttribute string
""",
    "resource.v1.DeviceCounterConsumption": """
1 counterSet string
2 counters map[string]resource.v1.Counter
""",
    "resource.v1.DeviceRequest": """
1 name string
2 exactly resource.v1.ExactDeviceRequest
3 firstAvailable []resource.v1.DeviceSubRequest
""",
    "resource.v1.DeviceRequestAllocationResult": """
1 request string
2 driver string
3 pool string
4 device string
5 adminAccess bool
6 tolerations []resource.v1.DeviceToleration
7 bindingConditions []string
8 bindingFailureConditions []string
9 shareID string
10 consumedCapacity map[string]Quantity
""",
    "resource.v1.DeviceSelector": """
1 cel resource.v1.CELDeviceSelector
""",
    "resource.v1.DeviceSubRequest": """
1 name string
2 deviceClassName string
3 selectors []resource.v1.DeviceSelector
4 allocationMode string omitempty
5 count int64 omitempty
6 tolerations []resource.v1.DeviceToleration
7 capacity resource.v1.CapacityRequirements
""",
    "resource.v1.DeviceTaint": """
1 key string
2 value string omitempty
3 effect string
4 timeAdded Time
""",
    "resource.v1.DeviceToleration": """
1 key string omitempty
2 operator string omitempty
3 value string omitempty
4 effect string omitempty
5 tolerationSeconds int64
""",
    "resource.v1.ExactDeviceRequest": """
1 deviceClassName string
2 selectors []resource.v1.DeviceSelector
3 allocationMode string omitempty
4 count int64 omitempty
5 adminAccess bool
6 tolerations []resource.v1.DeviceToleration
7 capacity resource.v1.CapacityRequirements
""",
    "resource.v1.NetworkDeviceData": """
1 interfaceName string omitempty
2 ips []string
3 hardwareAddress string omitempty
""",
    "resource.v1.NodeAllocatableResourceMapping": """
1 capacityKey string
2 allocationMultiplier Quantity
""",
    "resource.v1.OpaqueDeviceConfiguration": """
1 driver string
2 parameters RawExtension
""",
    "resource.v1.ResourceClaim": """
1 metadata meta.v1.ObjectMeta
2 spec resource.v1.ResourceClaimSpec
3 status resource.v1.ResourceClaimStatus
""",
    "resource.v1.ResourceClaimConsumerReference": """
1 apiGroup string omitempty
3 resource string
4 name string
5 uid string
""",
    "resource.v1.ResourceClaimList": """
1 metadata meta.v1.ListMeta
2 items []resource.v1.ResourceClaim
""",
    "resource.v1.ResourceClaimSpec": """
1 devices resource.v1.DeviceClaim
""",
    "resource.v1.ResourceClaimStatus": """
1 allocation resource.v1.AllocationResult
2 reservedFor []resource.v1.ResourceClaimConsumerReference
4 devices []resource.v1.AllocatedDeviceStatus
""",
    "resource.v1.ResourceClaimTemplate": """
1 metadata meta.v1.ObjectMeta
2 spec resource.v1.ResourceClaimTemplateSpec
""",
    "resource.v1.ResourceClaimTemplateList": """
1 metadata meta.v1.ListMeta
2 items []resource.v1.ResourceClaimTemplate
""",
    "resource.v1.ResourceClaimTemplateSpec": """
1 metadata meta.v1.ObjectMeta
2 spec resource.v1.ResourceClaimSpec
""",
    "resource.v1.ResourcePool": """
1 name string
2 generation int64
3 resourceSliceCount int64
""",
    "resource.v1.ResourceSlice": """
1 metadata meta.v1.ObjectMeta
2 spec resource.v1.ResourceSliceSpec
""",
    "resource.v1.ResourceSliceList": """
1 metadata meta.v1.ListMeta
2 items []resource.v1.ResourceSlice
""",
    "resource.v1.ResourceSliceSpec": """
1 driver string
2 pool resource.v1.ResourcePool
3 nodeName string
4 nodeSelector core.v1.NodeSelector
5 allNodes bool
6 devices []resource.v1.Device
7 perDeviceNodeSelection bool
8 sharedCounters []resource.v1.CounterSet
""",
    "scheduling.v1.PriorityClass": """
1 metadata meta.v1.ObjectMeta
2 value int32
3 globalDefault bool omitempty
4 description string omitempty
5 preemptionPolicy string
""",
    "scheduling.v1.PriorityClassList": """
1 metadata meta.v1.ListMeta
2 items []scheduling.v1.PriorityClass
""",
    "storage.v1.CSIDriver": """
1 metadata meta.v1.ObjectMeta
2 spec storage.v1.CSIDriverSpec
""",
    "storage.v1.CSIDriverList": """
1 metadata meta.v1.ListMeta
2 items []storage.v1.CSIDriver
""",
    "storage.v1.CSIDriverSpec": """
1 attachRequired bool
2 podInfoOnMount bool
3 volumeLifecycleModes []string
4 storageCapacity bool
5 fsGroupPolicy string
6 tokenRequests []storage.v1.TokenRequest
7 requiresRepublish bool
8 seLinuxMount bool
9 nodeAllocatableUpdatePeriodSeconds int64
10 serviceAccountTokenInSecrets bool
11 preventPodSchedulingIfMissing bool
""",
    "storage.v1.CSINode": """
1 metadata meta.v1.ObjectMeta
2 spec storage.v1.CSINodeSpec
""",
    "storage.v1.CSINodeDriver": """
1 name string
2 nodeID string
3 topologyKeys []string
4 allocatable storage.v1.VolumeNodeResources
""",
    "storage.v1.CSINodeList": """
1 metadata meta.v1.ListMeta
2 items []storage.v1.CSINode
""",
    "storage.v1.CSINodeSpec": """
1 drivers []storage.v1.CSINodeDriver
""",
    "storage.v1.CSIStorageCapacity": """
1 metadata meta.v1.ObjectMeta
2 nodeTopology meta.v1.LabelSelector
3 storageClassName string
4 capacity Quantity
5 maximumVolumeSize Quantity
""",
    "storage.v1.CSIStorageCapacityList": """
1 metadata meta.v1.ListMeta
2 items []storage.v1.CSIStorageCapacity
""",
    "storage.v1.StorageClass": """
1 metadata meta.v1.ObjectMeta
2 provisioner string
3 parameters map[string]string
4 reclaimPolicy string
5 mountOptions []string
6 allowVolumeExpansion bool
7 volumeBindingMode string
8 allowedTopologies []core.v1.TopologySelectorTerm
""",
    "storage.v1.StorageClassList": """
1 metadata meta.v1.ListMeta
2 items []storage.v1.StorageClass
""",
    "storage.v1.TokenRequest": """
1 audience string
2 expirationSeconds int64
""",
    "storage.v1.VolumeAttachment": """
1 metadata meta.v1.ObjectMeta
2 spec storage.v1.VolumeAttachmentSpec
3 status storage.v1.VolumeAttachmentStatus
""",
    "storage.v1.VolumeAttachmentList": """
1 metadata meta.v1.ListMeta
2 items []storage.v1.VolumeAttachment
""",
    "storage.v1.VolumeAttachmentSource": """
1 persistentVolumeName string
2 inlineVolumeSpec core.v1.PersistentVolumeSpec
""",
    "storage.v1.VolumeAttachmentSpec": """
1 attacher string
2 source storage.v1.VolumeAttachmentSource
3 nodeName string
""",
    "storage.v1.VolumeAttachmentStatus": """
1 attached bool
2 attachmentMetadata map[string]string
3 attachError storage.v1.VolumeError
4 detachError storage.v1.VolumeError
""",
    "storage.v1.VolumeAttributesClass": """
1 metadata meta.v1.ObjectMeta
2 driverName string
3 parameters map[string]string
""",
    "storage.v1.VolumeAttributesClassList": """
1 metadata meta.v1.ListMeta
2 items []storage.v1.VolumeAttributesClass
""",
    "storage.v1.VolumeError": """
1 time Time
2 message string omitempty
3 errorCode int32
""",
    "storage.v1.VolumeNodeResources": """
1 count int32
""",
}
"""Message → its fields, in the notation of `kubewright.machinery.protobuf.messages`."""
