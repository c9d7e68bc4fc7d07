"""Objects that have what is hard to encode, and strategies for objects of any kind of the tables."""

from __future__ import annotations

import base64
import random
from datetime import datetime
from typing import Any

import yaml
from hypothesis import strategies as st

from bench.pods import pod
from kubewright.machinery.protobuf import Field, Message, Messages
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import Duration
from kubewright.models.protobuf_tables import KINDS, builtin_messages

__all__ = [
    "MANIFESTS",
    "MESSAGES",
    "PODS",
    "RICH_POD",
    "broken_bodies",
    "message_objects",
    "objects",
    "objects_of",
]

MESSAGES = builtin_messages()

RICH_POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", **pod(3, random.Random(7))}  # noqa: S311

PODS: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PodList",
    "metadata": {"resourceVersion": "812345", "continue": "token", "remainingItemCount": 0},
    "items": [pod(number, random.Random(number)) for number in range(3)],  # noqa: S311
}

MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all("""
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, generation: 3, deletionGracePeriodSeconds: 0}
spec:
  replicas: 0
  paused: true
  revisionHistoryLimit: 0
  selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [a, b]}]}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: web}}
    spec:
      automountServiceAccountToken: false
      hostUsers: false
      terminationGracePeriodSeconds: 0
      securityContext: {runAsUser: 0, runAsNonRoot: false, fsGroup: 1000, sysctls: [{name: a, value: b}]}
      tolerations: [{operator: Exists, tolerationSeconds: 0}, {key: k, tolerationSeconds: -5}]
      containers:
      - name: c
        image: i
        args: ["", "--x"]
        ports: [{containerPort: 80, name: http, protocol: TCP}]
        env:
        - {name: A, value: b}
        - {name: B, valueFrom: {secretKeyRef: {name: s, key: k, optional: false}}}
        - {name: C, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "0"}}}
        envFrom: [{prefix: P_, configMapRef: {name: cm, optional: true}}]
        resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: "0.1", memory: 128974848}}
        livenessProbe: {httpGet: {port: http, path: /x}, initialDelaySeconds: 5}
        readinessProbe: {grpc: {port: 9, service: ""}, terminationGracePeriodSeconds: 0}
        lifecycle: {preStop: {exec: {command: [sh]}}}
      ephemeralContainers: [{name: d, image: busybox, targetContainerName: c, stdin: true}]
      volumes:
      - {name: a, emptyDir: {}}
      - {name: b, emptyDir: {medium: Memory, sizeLimit: 64Mi}}
      - {name: c, secret: {secretName: s, defaultMode: 0, items: [{key: k, path: p, mode: 256}]}}
      - name: d
        projected:
          sources:
          - serviceAccountToken: {path: t, expirationSeconds: 3607}
          - downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}
status: {observedGeneration: 3, conditions: [{type: Available, status: "True", lastUpdateTime: null}]}
---
apiVersion: v1
kind: Service
metadata: {name: s}
spec:
  type: LoadBalancer
  clusterIP: None
  clusterIPs: [None]
  ipFamilies: [IPv4]
  allocateLoadBalancerNodePorts: false
  ports: [{port: 80, targetPort: 8080}, {port: 81, targetPort: http, nodePort: 30000, appProtocol: ""}]
  sessionAffinityConfig: {clientIP: {timeoutSeconds: 0}}
status: {loadBalancer: {ingress: [{ip: 1.2.3.4, ports: [{port: 80, protocol: TCP, error: null}]}]}}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
immutable: false
data: {binary: AAH//w==, empty: "", text: aGVsbG8=}
stringData: {a: "\\u00e9\\U0001F600"}
type: Opaque
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, annotations: {"": ""}}
data: {a: "1", "": empty key, long: "line\\n"}
binaryData: {b: /w==}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  preserveUnknownFields: false
  names: {plural: widgets, kind: Widget, shortNames: [w]}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: n, name: s, path: /c, port: 0}, caBundle: YQ==}
  versions:
  - name: v1
    served: true
    storage: false
    additionalPrinterColumns: [{name: A, type: string, jsonPath: .a, priority: 0}]
    selectableFields: [{jsonPath: .spec.a}]
    subresources: {status: {}, scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r}}
    schema:
      openAPIV3Schema:
        $schema: http://json-schema.org/schema#
        type: object
        required: [spec]
        x-kubernetes-preserve-unknown-fields: true
        x-kubernetes-validations: [{rule: self.a > 0, message: m, optionalOldSelf: false, fieldPath: .a}]
        additionalProperties: false
        properties:
          a: {type: integer, minimum: 0, maximum: 1.5, multipleOf: 2, minLength: 0, default: 0}
          A: {enum: [0, null, x], default: ""}
          b: {type: array, items: {$ref: x, type: string}, x-kubernetes-list-type: set, default: []}
          c: {type: array, items: [{type: string}, {type: number}], additionalItems: true}
          d: {additionalProperties: {x-kubernetes-int-or-string: true}, nullable: true, default: {a: [1, {}]}}
          e: {dependencies: {x: [a, b], y: {type: object}}, not: {}, example: false}
          f: {x-kubernetes-embedded-resource: true, x-kubernetes-map-type: atomic, externalDocs: {url: u}}
          g: {x-kubernetes-list-map-keys: [k], anyOf: [{}, {type: string}], additionalProperties: true}
status: {acceptedNames: {plural: widgets, kind: Widget}, conditions: [], storedVersions: [v1]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec:
  minReplicas: 0
  maxReplicas: 10
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}
  - {type: Pods, pods: {metric: {name: m, selector: {}}, target: {value: 1500m, averageValue: 1e3}}}
  behavior:
    scaleDown: {stabilizationWindowSeconds: 0, tolerance: "0.05", policies: [{type: Pods, value: 4}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: l}
spec:
  holderIdentity: ""
  leaseTransitions: 0
  acquireTime: "2026-01-02T03:04:05.000006Z"
  renewTime: "1969-12-31T23:59:59.999999Z"
---
apiVersion: v1
kind: Event
metadata: {name: e, creationTimestamp: "2026-01-02T03:04:05Z"}
involvedObject: {kind: Pod, name: p, fieldPath: "spec.containers{c}"}
eventTime: null
firstTimestamp: "2026-01-02T03:04:05Z"
lastTimestamp: null
series: {count: 0, lastObservedTime: "2026-01-02T03:04:05.000000Z"}
count: 1
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: n}
spec:
  podSelector: {}
  ingress:
  - {}
  - from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}, {namespaceSelector: {}}]
    ports: [{port: 80}, {port: http, protocol: TCP}, {port: 0, endPort: 0}]
  policyTypes: [Ingress]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: p}
spec: {minAvailable: 50%, maxUnavailable: -1, selector: {matchLabels: {a: b}}, unhealthyPodEvictionPolicy: ""}
status: {disruptionsAllowed: 0, disruptedPods: {x: "2026-01-02T03:04:05Z", y: null}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, finalizers: [a, b]}
spec:
  suspend: false
  parallelism: 0
  completionMode: Indexed
  activeDeadlineSeconds: -9223372036854775808
  podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [1, 0, -1, 2147483647]}}]}
  template: {spec: {containers: [{name: c}], restartPolicy: Never}}
status: {ready: 0, terminating: 0, startTime: "1960-01-01T00:00:00Z"}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: i}
spec:
  ingressClassName: ""
  defaultBackend: {service: {name: s, port: {number: 80}}}
  rules:
  - {host: a, http: {paths: [{path: /, backend: {resource: {apiGroup: g, kind: K, name: n}}}]}}
  tls: [{hosts: [a], secretName: s}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
rules:
- {verbs: ["*"], apiGroups: [""], resources: [pods], resourceNames: [a]}
- {verbs: [get], nonResourceURLs: [/x]}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: s}
spec:
  replicas: 1
  serviceName: s
  selector: {}
  ordinals: {start: 0}
  updateStrategy: {rollingUpdate: {partition: 0, maxUnavailable: 1}}
  template: {}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: r}
revision: 0
data: {spec: {template: {"$patch": replace, a: [1, 2.5, null, "x"]}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: v}
webhooks:
- {name: w, sideEffects: None, admissionReviewVersions: [v1], timeoutSeconds: 0, clientConfig: {url: u},
   rules: [{operations: [CREATE], apiGroups: [""], apiVersions: ["*"], resources: [pods], scope: ""}]}
---
apiVersion: authentication.k8s.io/v1
kind: TokenReview
spec: {token: t}
status: {authenticated: true, user: {username: u, extra: {a: [b, ""], c: [d]}}}
---
apiVersion: v1
kind: Status
status: Failure
code: 404
details: {retryAfterSeconds: 0, causes: [{reason: r, field: f}]}
---
apiVersion: apps/v1
kind: DeleteOptions
gracePeriodSeconds: 0
orphanDependents: false
preconditions: {uid: "", resourceVersion: "5"}
propagationPolicy: Foreground
""")
)

_NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)

_JSON = st.recursive(
    st.booleans() | _NUMBERS | st.text(),
    lambda inner: st.lists(st.none() | inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)

_MOMENTS = st.datetimes(min_value=datetime(2, 1, 1))  # noqa: DTZ001 - formatted as UTC below

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=8) | st.text(min_size=127, max_size=130, alphabet="xy"),
    "bytes": st.binary(max_size=8).map(lambda raw: base64.b64encode(raw).decode()),
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint32": st.integers(0, 2**32 - 1),
    "uint64": st.integers(0, 2**64 - 1),
    "double": st.floats(allow_nan=False, allow_infinity=False),
    "Time": _MOMENTS.map(lambda moment: moment.isoformat(timespec="seconds") + "Z"),
    "MicroTime": _MOMENTS.map(lambda moment: moment.isoformat(timespec="microseconds") + "Z"),
    "Duration": st.integers(-(2**63), 2**63 - 1).map(lambda nanos: str(Duration(nanoseconds=nanos))),
    "Quantity": st.builds(
        lambda number, suffix: Quantity(f"{number}{suffix}").canonical(),
        st.integers(-(10**12), 10**12),
        st.sampled_from(["", "m", "k", "Mi", "Gi", "n"]),
    ),
    "IntOrString": st.integers(-(2**31), 2**31 - 1) | st.text(max_size=8),
    "JSON": _JSON,
    "RawExtension": _JSON,
}


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """An object of any kind that a server of this release serves, in the form that JSON of it has."""
    api_version = draw(st.sampled_from([version for version in KINDS if version]))
    kind = draw(st.sampled_from(sorted(KINDS[api_version])))
    return draw(objects_of(api_version, kind))


@st.composite
def objects_of(draw: st.DrawFn, api_version: str, kind: str) -> dict[str, Any]:
    """An object of one kind."""
    message = MESSAGES.of_kind(api_version, kind)
    assert message is not None
    return {"apiVersion": api_version, "kind": kind} | draw(message_objects(message, MESSAGES))


@st.composite
def message_objects(draw: st.DrawFn, message: Message, messages: Messages, depth: int = 0) -> Any:
    """What a message may be in JSON: some of its fields, none of them what upstream leaves out of JSON."""
    fields = list(message.fields)
    if message.union:
        field = draw(st.sampled_from([item for item in fields if item.name != "allows" or depth < 4]))
        return draw(_field_values(field, messages, depth))
    if depth >= 6:
        return {}
    made = {}
    for field in draw(st.lists(st.sampled_from(fields), max_size=5, unique=True)) if fields else []:
        value = draw(_field_values(field, messages, depth))
        made.update(value if field.inline else {field.name: value})
    return made


def _field_values(field: Field, messages: Messages, depth: int) -> st.SearchStrategy[Any]:
    if field.type in _VALUES:
        one = _VALUES[field.type]
    else:
        one = message_objects(messages[field.type], messages, depth + 1)
    if field.shape == "list":
        return st.lists(one, min_size=1, max_size=3)
    if field.shape == "map":
        return st.dictionaries(st.text(max_size=5), one, min_size=1, max_size=3)
    return one.filter(bool) if field.omitempty else one


@st.composite
def broken_bodies(draw: st.DrawFn, body: bytes) -> bytes:
    """A body with a few bytes changed, cut out, put in, or cut off at the end."""
    made = bytearray(body)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(4, max(4, len(made) - 1)))
        how = draw(st.sampled_from(["change", "flip", "cut", "insert", "end"]))
        if how == "insert":
            made[place:place] = draw(st.binary(min_size=1, max_size=12))
        elif how == "cut":
            del made[place : place + draw(st.integers(1, 4))]
        elif how == "end":
            del made[place:]
        elif place < len(made):
            made[place] = draw(st.integers(0, 255)) if how == "change" else made[place] ^ 1
    return bytes(made)
