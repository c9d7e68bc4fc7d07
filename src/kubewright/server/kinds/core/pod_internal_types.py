"""The fields of upstream's internal pod types, in their order, as they print when a message shows an object.

Each field is its name in Go, `=` its name on the wire where that is not the same with a small first letter,
and after a colon its type unless it is a text: `0` a number, `b` a boolean, `Q` a quantity, `?` whatever can
be nil, `*T` a pointer to a struct, `.T` a struct, `[]T` a list of structs; `~` before it is omitempty.
"""

from __future__ import annotations

from typing import Final

__all__ = ["INTERNAL_TYPES"]

INTERNAL_TYPES: Final[dict[str, str]] = {
    "HostPathVolumeSource": "Path Type:?",
    "EmptyDirVolumeSource": "Medium SizeLimit:?",
    "GCEPersistentDiskVolumeSource": "PDName=pdName FSType=fsType Partition:0 ReadOnly:b",
    "AWSElasticBlockStoreVolumeSource": "VolumeID FSType=fsType Partition:0 ReadOnly:b",
    "GitRepoVolumeSource": "Repository Revision Directory",
    "KeyToPath": "Key Path Mode:?",
    "SecretVolumeSource": "SecretName Items:[]KeyToPath DefaultMode:? Optional:?",
    "NFSVolumeSource": "Server Path ReadOnly:b",
    "LocalObjectReference": "Name",
    "ISCSIVolumeSource": (
        "TargetPortal IQN=iqn Lun:0 ISCSIInterface=iscsiInterface FSType=fsType ReadOnly:b Portals:? "
        "DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b "
        "SecretRef:*LocalObjectReference InitiatorName:?"
    ),
    "GlusterfsVolumeSource": "EndpointsName=endpoints Path ReadOnly:b",
    "PersistentVolumeClaimVolumeSource": "ClaimName ReadOnly:b",
    "RBDVolumeSource": (
        "CephMonitors=monitors:? RBDImage=image FSType=fsType RBDPool=pool RadosUser=user Keyring "
        "SecretRef:*LocalObjectReference ReadOnly:b"
    ),
    "QuobyteVolumeSource": "Registry Volume ReadOnly:b User Group Tenant",
    "FlexVolumeSource": "Driver FSType=fsType SecretRef:*LocalObjectReference ReadOnly:b Options:?",
    "CinderVolumeSource": "VolumeID FSType=fsType ReadOnly:b SecretRef:*LocalObjectReference",
    "CephFSVolumeSource": "Monitors:? Path User SecretFile SecretRef:*LocalObjectReference ReadOnly:b",
    "FlockerVolumeSource": "DatasetName DatasetUUID",
    "ObjectFieldSelector": "APIVersion=apiVersion FieldPath",
    "ResourceFieldSelector": "ContainerName Resource Divisor:Q",
    "DownwardAPIVolumeFile": (
        "Path FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:?"
    ),
    "DownwardAPIVolumeSource": "Items:[]DownwardAPIVolumeFile DefaultMode:?",
    "FCVolumeSource": "TargetWWNs:? Lun:? FSType=fsType ReadOnly:b WWIDs=wwids:?",
    "AzureFileVolumeSource": "SecretName ShareName ReadOnly:b",
    "ConfigMapVolumeSource": "Name Items:[]KeyToPath DefaultMode:? Optional:?",
    "VsphereVirtualDiskVolumeSource": "VolumePath FSType=fsType StoragePolicyName StoragePolicyID",
    "AzureDiskVolumeSource": ("DiskName DataDiskURI=diskURI CachingMode:? FSType=fsType:? ReadOnly:? Kind:?"),
    "PhotonPersistentDiskVolumeSource": "PdID FSType=fsType",
    "SecretProjection": "Name Items:[]KeyToPath Optional:?",
    "DownwardAPIProjection": "Items:[]DownwardAPIVolumeFile",
    "ConfigMapProjection": "Name Items:[]KeyToPath Optional:?",
    "ServiceAccountTokenProjection": "Audience ExpirationSeconds:0 Path",
    "LabelSelectorRequirement": "key operator values:~?",
    "LabelSelector": "matchLabels:~? matchExpressions:~[]LabelSelectorRequirement",
    "ClusterTrustBundleProjection": "Name:? SignerName:? LabelSelector:*LabelSelector Optional:? Path",
    "PodCertificateProjection": (
        "SignerName KeyType MaxExpirationSeconds:? CredentialBundlePath KeyPath CertificateChainPath "
        "UserAnnotations:?"
    ),
    "VolumeProjection": (
        "Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection "
        "ServiceAccountToken:*ServiceAccountTokenProjection "
        "ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection"
    ),
    "ProjectedVolumeSource": "Sources:[]VolumeProjection DefaultMode:?",
    "PortworxVolumeSource": "VolumeID FSType=fsType ReadOnly:b",
    "ScaleIOVolumeSource": (
        "Gateway System SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain "
        "StoragePool StorageMode VolumeName FSType=fsType ReadOnly:b"
    ),
    "StorageOSVolumeSource": (
        "VolumeName VolumeNamespace FSType=fsType ReadOnly:b SecretRef:*LocalObjectReference"
    ),
    "CSIVolumeSource": (
        "Driver ReadOnly:? FSType=fsType:? VolumeAttributes:? NodePublishSecretRef:*LocalObjectReference"
    ),
    "VolumeResourceRequirements": "Limits:? Requests:?",
    "TypedLocalObjectReference": "APIGroup=apiGroup:? Kind Name",
    "TypedObjectReference": "APIGroup=apiGroup:? Kind Name Namespace:?",
    "PersistentVolumeClaimSpec": (
        "AccessModes:? Selector:*LabelSelector Resources:.VolumeResourceRequirements VolumeName "
        "StorageClassName:? VolumeMode:? DataSource:*TypedLocalObjectReference "
        "DataSourceRef:*TypedObjectReference VolumeAttributesClassName:?"
    ),
    "PersistentVolumeClaimTemplate": "labels:~? annotations:~? Spec:.PersistentVolumeClaimSpec",
    "EphemeralVolumeSource": "VolumeClaimTemplate:*PersistentVolumeClaimTemplate",
    "ImageVolumeSource": "Reference PullPolicy",
    "Volume": (
        "Name HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource "
        "GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource "
        "AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource "
        "GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource "
        "ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource "
        "PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource "
        "Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource "
        "CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource "
        "DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource "
        "ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource "
        "AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource "
        "Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource "
        "ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource "
        "CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource"
    ),
    "ContainerPort": "Name HostPort:0 ContainerPort:0 Protocol HostIP",
    "ConfigMapEnvSource": "Name Optional:?",
    "SecretEnvSource": "Name Optional:?",
    "EnvFromSource": "Prefix ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource",
    "ConfigMapKeySelector": "Name Key Optional:?",
    "SecretKeySelector": "Name Key Optional:?",
    "FileKeySelector": "VolumeName Path Key Optional:?",
    "EnvVarSource": (
        "FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector "
        "ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector "
        "FileKeyRef:*FileKeySelector"
    ),
    "EnvVar": "Name Value ValueFrom:*EnvVarSource",
    "ResourceClaim": "Name Request",
    "ResourceRequirements": "Limits:? Requests:? Claims:[]ResourceClaim",
    "ContainerResizePolicy": "ResourceName RestartPolicy",
    "ContainerRestartRuleOnExitCodes": "Operator Values:?",
    "ContainerRestartRule": "Action ExitCodes:*ContainerRestartRuleOnExitCodes",
    "VolumeMount": "Name ReadOnly:b RecursiveReadOnly:? MountPath SubPath MountPropagation:? SubPathExpr",
    "VolumeDevice": "Name DevicePath",
    "ExecAction": "Command:?",
    "HTTPHeader": "Name Value",
    "HTTPGetAction": "Path Port:0 Host Scheme HTTPHeaders=httpHeaders:[]HTTPHeader",
    "TCPSocketAction": "Port:0 Host",
    "GRPCAction": "Port:0 Service:?",
    "Probe": (
        "Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction "
        "GRPC=grpc:*GRPCAction InitialDelaySeconds:0 TimeoutSeconds:0 PeriodSeconds:0 "
        "SuccessThreshold:0 FailureThreshold:0 TerminationGracePeriodSeconds:?"
    ),
    "SleepAction": "Seconds:0",
    "LifecycleHandler": (
        "Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction "
        "Sleep:*SleepAction"
    ),
    "Lifecycle": "PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:?",
    "Capabilities": "Add:? Drop:?",
    "SELinuxOptions": "User Role Type Level",
    "WindowsSecurityContextOptions": (
        "GMSACredentialSpecName=gmsaCredentialSpecName:? GMSACredentialSpec=gmsaCredentialSpec:? "
        "RunAsUserName:? HostProcess:?"
    ),
    "SeccompProfile": "Type LocalhostProfile:?",
    "AppArmorProfile": "Type LocalhostProfile:?",
    "SecurityContext": (
        "Capabilities:*Capabilities Privileged:? SELinuxOptions=seLinuxOptions:*SELinuxOptions "
        "WindowsOptions:*WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? "
        "ReadOnlyRootFilesystem:? AllowPrivilegeEscalation:? ProcMount:? SeccompProfile:*SeccompProfile "
        "AppArmorProfile:*AppArmorProfile"
    ),
    "Container": (
        "Name Image Command:? Args:? WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource "
        "Env:[]EnvVar Resources:.ResourceRequirements ResizePolicy:[]ContainerResizePolicy "
        "RestartPolicy:? RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount "
        "VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe "
        "Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy "
        "SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b"
    ),
    "EphemeralContainer": (
        "Name Image Command:? Args:? WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource "
        "Env:[]EnvVar Resources:.ResourceRequirements ResizePolicy:[]ContainerResizePolicy "
        "RestartPolicy:? RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount "
        "VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe "
        "Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy "
        "SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b TargetContainerName"
    ),
    "Sysctl": "Name Value",
    "PodSecurityContext": (
        "HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:? HostUsers:? "
        "SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions "
        "RunAsUser:? RunAsGroup:? RunAsNonRoot:? SupplementalGroups:? SupplementalGroupsPolicy:? "
        "FSGroup=fsGroup:? FSGroupChangePolicy=fsGroupChangePolicy:? Sysctls:[]Sysctl "
        "SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile "
        "SELinuxChangePolicy=seLinuxChangePolicy:?"
    ),
    "NodeSelectorRequirement": "Key Operator Values:?",
    "NodeSelectorTerm": ("MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement"),
    "NodeSelector": "NodeSelectorTerms:[]NodeSelectorTerm",
    "PreferredSchedulingTerm": "Weight:0 Preference:.NodeSelectorTerm",
    "NodeAffinity": (
        "RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector "
        "PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm"
    ),
    "PodAffinityTerm": (
        "LabelSelector:*LabelSelector Namespaces:? TopologyKey NamespaceSelector:*LabelSelector "
        "MatchLabelKeys:? MismatchLabelKeys:?"
    ),
    "WeightedPodAffinityTerm": "Weight:0 PodAffinityTerm:.PodAffinityTerm",
    "PodAffinity": (
        "RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm "
        "PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm"
    ),
    "PodAntiAffinity": (
        "RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm "
        "PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm"
    ),
    "Affinity": "NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity",
    "Toleration": "Key Operator Value Effect TolerationSeconds:?",
    "HostAlias": "IP=ip Hostnames:?",
    "PodDNSConfigOption": "Name Value:?",
    "PodDNSConfig": "Nameservers:? Searches:? Options:[]PodDNSConfigOption",
    "PodReadinessGate": "ConditionType",
    "TopologySpreadConstraint": (
        "MaxSkew:0 TopologyKey WhenUnsatisfiable LabelSelector:*LabelSelector MinDomains:? "
        "NodeAffinityPolicy:? NodeTaintsPolicy:? MatchLabelKeys:?"
    ),
    "PodOS": "Name",
    "PodSchedulingGate": "Name",
    "PodResourceClaim": "Name ResourceClaimName:? ResourceClaimTemplateName:?",
    "PodSchedulingGroup": "PodGroupName:?",
    "PodSpec": (
        "Volumes:[]Volume InitContainers:[]Container Containers:[]Container "
        "EphemeralContainers:[]EphemeralContainer RestartPolicy TerminationGracePeriodSeconds:? "
        "ActiveDeadlineSeconds:? DNSPolicy=dnsPolicy NodeSelector:? ServiceAccountName "
        "AutomountServiceAccountToken:? NodeName SecurityContext:*PodSecurityContext "
        "ImagePullSecrets:[]LocalObjectReference Hostname Subdomain SetHostnameAsFQDN:? "
        "Affinity:*Affinity SchedulerName Tolerations:[]Toleration HostAliases:[]HostAlias "
        "PriorityClassName Priority:? PreemptionPolicy:? DNSConfig=dnsConfig:*PodDNSConfig "
        "ReadinessGates:[]PodReadinessGate RuntimeClassName:? Overhead:? EnableServiceLinks:? "
        "TopologySpreadConstraints:[]TopologySpreadConstraint OS=os:*PodOS "
        "SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim "
        "Resources:*ResourceRequirements HostnameOverride:? SchedulingGroup:*PodSchedulingGroup"
    ),
    "HostIP": "IP=ip",
    "PodIP": "IP=ip",
}
