"""What Go's structs say of fields and the protobuf definitions do not, of Kubernetes 1.36.

Recorded from upstream's Go code; the docstring of `kubewright.codegen.protobuf` says how.
"""

from __future__ import annotations

from typing import Final

__all__ = ["INLINED", "OMITTED_WHEN_ZERO", "RENAMED"]

INLINED: Final = """\
admissionregistration.v1.NamedRuleWithOperations: ruleWithOperations
admissionregistration.v1.RuleWithOperations: rule
core.v1.ConfigMapEnvSource: localObjectReference
core.v1.ConfigMapKeySelector: localObjectReference
core.v1.ConfigMapProjection: localObjectReference
core.v1.ConfigMapVolumeSource: localObjectReference
core.v1.EphemeralContainer: ephemeralContainerCommon
core.v1.PersistentVolumeSpec: persistentVolumeSource
core.v1.Probe: handler
core.v1.SecretEnvSource: localObjectReference
core.v1.SecretKeySelector: localObjectReference
core.v1.SecretProjection: localObjectReference
core.v1.Volume: volumeSource
networking.v1.IngressRule: ingressRuleValue
resource.v1.DeviceAllocationConfiguration: deviceConfiguration
resource.v1.DeviceClaimConfiguration: deviceConfiguration
resource.v1.DeviceClassConfiguration: deviceConfiguration
"""
"""Messages whose fields stand among those of the message around them."""

RENAMED: Final = """\
admissionregistration.v1.MutatingWebhookConfiguration: Webhooks=webhooks
admissionregistration.v1.ValidatingWebhookConfiguration: Webhooks=webhooks
admissionregistration.v1.Validation: Expression=expression
admissionregistration.v1.Variable: Expression=expression Name=name
authentication.v1.BoundObjectReference: uID=uid
networking.v1.IngressClassParametersReference: aPIGroup=apiGroup
apiextensions.v1.JSONSchemaProps: ref=$ref schema=$schema
  xKubernetesEmbeddedResource=x-kubernetes-embedded-resource
  xKubernetesIntOrString=x-kubernetes-int-or-string xKubernetesListMapKeys=x-kubernetes-list-map-keys
  xKubernetesListType=x-kubernetes-list-type xKubernetesMapType=x-kubernetes-map-type
  xKubernetesPreserveUnknownFields=x-kubernetes-preserve-unknown-fields
  xKubernetesValidations=x-kubernetes-validations
"""
"""Names in the protobuf definition, and in JSON where that differs."""

OMITTED_WHEN_ZERO: Final = """\
admissionregistration.v1.ApplyConfiguration: expression
admissionregistration.v1.JSONPatch: expression
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec: policyName
admissionregistration.v1.MutatingAdmissionPolicySpec: reinvocationPolicy
admissionregistration.v1.ParamKind: apiVersion kind
admissionregistration.v1.ParamRef: name namespace
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec: policyName
admissionregistration.v1.ValidatingAdmissionPolicyStatus: observedGeneration
admissionregistration.v1.Validation: message messageExpression
admissionregistration.v1.WebhookClientConfig: caBundle
apidiscovery.v2.APIVersionDiscovery: freshness
apps.v1.DaemonSetCondition: message reason
apps.v1.DaemonSetSpec: minReadySeconds
apps.v1.DaemonSetStatus: numberAvailable numberUnavailable observedGeneration updatedNumberScheduled
apps.v1.DaemonSetUpdateStrategy: type
apps.v1.DeploymentCondition: message reason
apps.v1.DeploymentSpec: minReadySeconds paused
apps.v1.DeploymentStatus: availableReplicas observedGeneration readyReplicas replicas unavailableReplicas
  updatedReplicas
apps.v1.DeploymentStrategy: type
apps.v1.ReplicaSetCondition: message reason
apps.v1.ReplicaSetSpec: minReadySeconds
apps.v1.ReplicaSetStatus: availableReplicas fullyLabeledReplicas observedGeneration readyReplicas
apps.v1.StatefulSetCondition: message reason
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted whenScaled
apps.v1.StatefulSetSpec: minReadySeconds podManagementPolicy
apps.v1.StatefulSetStatus: currentReplicas currentRevision observedGeneration readyReplicas updateRevision
  updatedReplicas
apps.v1.StatefulSetUpdateStrategy: type
authentication.v1.BoundObjectReference: apiVersion kind name uID
authentication.v1.TokenReviewSpec: token
authentication.v1.TokenReviewStatus: authenticated error
authentication.v1.UserInfo: uid username
authorization.v1.FieldSelectorAttributes: rawSelector
authorization.v1.LabelSelectorAttributes: rawSelector
authorization.v1.NonResourceAttributes: path verb
authorization.v1.ResourceAttributes: group name namespace resource subresource verb version
authorization.v1.SelfSubjectRulesReviewSpec: namespace
authorization.v1.SubjectAccessReviewSpec: uid user
authorization.v1.SubjectAccessReviewStatus: denied evaluationError reason
authorization.v1.SubjectRulesReviewStatus: evaluationError
autoscaling.v1.CrossVersionObjectReference: apiVersion
autoscaling.v1.ScaleSpec: replicas
autoscaling.v1.ScaleStatus: selector
autoscaling.v2.CrossVersionObjectReference: apiVersion
autoscaling.v2.HorizontalPodAutoscalerCondition: message reason
autoscaling.v2.HorizontalPodAutoscalerStatus: currentReplicas
batch.v1.CronJobSpec: concurrencyPolicy
batch.v1.JobCondition: message reason
batch.v1.JobStatus: active completedIndexes failed succeeded
certificates.v1.CertificateSigningRequestCondition: message reason
certificates.v1.CertificateSigningRequestSpec: uid username
certificates.v1.CertificateSigningRequestStatus: certificate
core.v1.AWSElasticBlockStoreVolumeSource: fsType partition readOnly
core.v1.AzureFilePersistentVolumeSource: readOnly
core.v1.AzureFileVolumeSource: readOnly
core.v1.CSIPersistentVolumeSource: fsType readOnly
core.v1.CephFSPersistentVolumeSource: path readOnly secretFile user
core.v1.CephFSVolumeSource: path readOnly secretFile user
core.v1.CinderPersistentVolumeSource: fsType readOnly
core.v1.CinderVolumeSource: fsType readOnly
core.v1.ComponentCondition: error message
core.v1.ConfigMapNodeConfigSource: resourceVersion uid
core.v1.Container: image imagePullPolicy stdin stdinOnce terminationMessagePath terminationMessagePolicy tty
  workingDir
core.v1.ContainerImage: sizeBytes
core.v1.ContainerPort: hostIP hostPort name protocol
core.v1.ContainerRestartRule: action
core.v1.ContainerRestartRuleOnExitCodes: operator
core.v1.ContainerStateTerminated: containerID message reason signal
core.v1.ContainerStateWaiting: message reason
core.v1.ContainerStatus: containerID
core.v1.EmptyDirVolumeSource: medium
core.v1.EndpointAddress: hostname
core.v1.EndpointPort: name protocol
core.v1.EnvFromSource: prefix
core.v1.EnvVar: value
core.v1.EphemeralContainer: targetContainerName
core.v1.EphemeralContainerCommon: image imagePullPolicy stdin stdinOnce terminationMessagePath
  terminationMessagePolicy tty workingDir
core.v1.Event: action count message reason type
core.v1.EventSeries: count
core.v1.EventSource: component host
core.v1.FCVolumeSource: fsType readOnly
core.v1.FlexPersistentVolumeSource: fsType readOnly
core.v1.FlexVolumeSource: fsType readOnly
core.v1.FlockerVolumeSource: datasetName datasetUUID
core.v1.GCEPersistentDiskVolumeSource: fsType partition readOnly
core.v1.GitRepoVolumeSource: directory revision
core.v1.GlusterfsPersistentVolumeSource: readOnly
core.v1.GlusterfsVolumeSource: readOnly
core.v1.HTTPGetAction: host path scheme
core.v1.ISCSIPersistentVolumeSource: chapAuthDiscovery chapAuthSession fsType iscsiInterface readOnly
core.v1.ISCSIVolumeSource: chapAuthDiscovery chapAuthSession fsType iscsiInterface readOnly
core.v1.ImageVolumeSource: pullPolicy reference
core.v1.ImageVolumeStatus: imageRef
core.v1.LoadBalancerIngress: hostname ip
core.v1.LocalObjectReference: name
core.v1.ModifyVolumeStatus: targetVolumeAttributesClassName
core.v1.NFSVolumeSource: readOnly
core.v1.NamespaceCondition: message reason
core.v1.NamespaceStatus: phase
core.v1.NodeCondition: message reason
core.v1.NodeConfigStatus: error
core.v1.NodeProxyOptions: path
core.v1.NodeSpec: externalID podCIDR providerID unschedulable
core.v1.NodeStatus: phase
core.v1.ObjectFieldSelector: apiVersion
core.v1.ObjectReference: apiVersion fieldPath kind name namespace resourceVersion uid
core.v1.PersistentVolumeClaimCondition: message reason
core.v1.PersistentVolumeClaimSpec: volumeName
core.v1.PersistentVolumeClaimStatus: phase
core.v1.PersistentVolumeClaimVolumeSource: readOnly
core.v1.PersistentVolumeSpec: persistentVolumeReclaimPolicy storageClassName
core.v1.PersistentVolumeStatus: message phase reason
core.v1.PhotonPersistentDiskVolumeSource: fsType
core.v1.PodAttachOptions: container stderr stdin stdout tty
core.v1.PodCertificateProjection: certificateChainPath credentialBundlePath keyPath keyType signerName
core.v1.PodCondition: message observedGeneration reason
core.v1.PodDNSConfigOption: name
core.v1.PodExecOptions: container stderr stdin stdout tty
core.v1.PodLogOptions: container follow insecureSkipTLSVerifyBackend previous timestamps
core.v1.PodProxyOptions: path
core.v1.PodSpec: dnsPolicy hostIPC hostNetwork hostPID hostname nodeName priorityClassName restartPolicy
  schedulerName serviceAccount serviceAccountName subdomain
core.v1.PodStatus: hostIP message nominatedNodeName observedGeneration phase podIP qosClass reason resize
core.v1.PortworxVolumeSource: fsType readOnly
core.v1.Probe: failureThreshold initialDelaySeconds periodSeconds successThreshold timeoutSeconds
core.v1.QuobyteVolumeSource: group readOnly tenant user
core.v1.RBDPersistentVolumeSource: fsType keyring pool readOnly user
core.v1.RBDVolumeSource: fsType keyring pool readOnly user
core.v1.ReplicationControllerCondition: message reason
core.v1.ReplicationControllerSpec: minReadySeconds
core.v1.ReplicationControllerStatus: availableReplicas fullyLabeledReplicas observedGeneration readyReplicas
core.v1.ResourceClaim: request
core.v1.ResourceFieldSelector: containerName
core.v1.ResourceHealth: health
core.v1.SELinuxOptions: level role type user
core.v1.ScaleIOPersistentVolumeSource: fsType protectionDomain readOnly sslEnabled storageMode storagePool
  volumeName
core.v1.ScaleIOVolumeSource: fsType protectionDomain readOnly sslEnabled storageMode storagePool volumeName
core.v1.Secret: type
core.v1.SecretReference: name namespace
core.v1.SecretVolumeSource: secretName
core.v1.ServiceAccountTokenProjection: audience
core.v1.ServicePort: name nodePort protocol
core.v1.ServiceProxyOptions: path
core.v1.ServiceSpec: clusterIP externalName externalTrafficPolicy healthCheckNodePort loadBalancerIP
  publishNotReadyAddresses sessionAffinity type
core.v1.StorageOSPersistentVolumeSource: fsType readOnly volumeName volumeNamespace
core.v1.StorageOSVolumeSource: fsType readOnly volumeName volumeNamespace
core.v1.TCPSocketAction: host
core.v1.Taint: value
core.v1.Toleration: effect key operator value
core.v1.VolumeMount: readOnly subPath subPathExpr
core.v1.VolumeMountStatus: readOnly
core.v1.VsphereVirtualDiskVolumeSource: fsType storagePolicyID storagePolicyName
events.v1.Event: action deprecatedCount note reason reportingController reportingInstance type
flowcontrol.v1.FlowSchemaCondition: message reason status type
flowcontrol.v1.PriorityLevelConfigurationCondition: message reason status type
flowcontrol.v1.ResourcePolicyRule: clusterScope
networking.v1.HTTPIngressPath: path
networking.v1.IngressClassSpec: controller
networking.v1.IngressLoadBalancerIngress: hostname ip
networking.v1.IngressRule: host
networking.v1.IngressTLS: secretName
networking.v1.ParentReference: group name namespace resource
networking.v1.ServiceBackendPort: name number
policy.v1.PodDisruptionBudgetStatus: observedGeneration
rbac.v1.Subject: apiGroup namespace
resource.v1.DeviceSubRequest: allocationMode count
resource.v1.DeviceTaint: value
resource.v1.DeviceToleration: effect key operator value
resource.v1.ExactDeviceRequest: allocationMode count
resource.v1.NetworkDeviceData: hardwareAddress interfaceName
resource.v1.ResourceClaimConsumerReference: apiGroup
scheduling.v1.PriorityClass: description globalDefault
storage.v1.VolumeError: message
apiextensions.v1.CustomResourceColumnDefinition: description format priority
apiextensions.v1.CustomResourceDefinitionCondition: message observedGeneration reason
apiextensions.v1.CustomResourceDefinitionNames: listKind singular
apiextensions.v1.CustomResourceDefinitionSpec: preserveUnknownFields
apiextensions.v1.CustomResourceDefinitionStatus: observedGeneration
apiextensions.v1.CustomResourceDefinitionVersion: deprecated
apiextensions.v1.ExternalDocumentation: description url
apiextensions.v1.JSONSchemaProps: description exclusiveMaximum exclusiveMinimum format id nullable pattern
  schema title type uniqueItems xKubernetesEmbeddedResource xKubernetesIntOrString
apiextensions.v1.ValidationRule: fieldPath message messageExpression
apiextensions.v1.WebhookClientConfig: caBundle
meta.v1.APIResource: group storageVersionHash version
meta.v1.Condition: observedGeneration
meta.v1.CreateOptions: fieldManager fieldValidation
meta.v1.GetOptions: resourceVersion
meta.v1.ListMeta: continue resourceVersion selfLink
meta.v1.ListOptions: allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion
  resourceVersionMatch shardSelector watch
meta.v1.ManagedFieldsEntry: apiVersion fieldsType manager operation subresource
meta.v1.ObjectMeta: creationTimestamp generateName generation name namespace resourceVersion selfLink uid
meta.v1.PatchOptions: fieldManager fieldValidation
meta.v1.Status: code message reason status
meta.v1.StatusCause: field message reason
meta.v1.StatusDetails: group kind name retryAfterSeconds uid
meta.v1.TableOptions: includeObject
meta.v1.UpdateOptions: fieldManager fieldValidation
apiregistration.v1.APIServiceCondition: message reason
apiregistration.v1.APIServiceSpec: caBundle group insecureSkipTLSVerify version
apiregistration.v1.ServiceReference: name namespace
"""
"""Values that JSON lacks when they are zero: no pointers, and tagged omitempty (or omitzero)."""
