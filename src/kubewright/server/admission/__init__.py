"""What looks at a write before it happens, and may change or refuse it.

A plugin is asked in two rounds: all `admit`, which may change the object, then, when its kind's rules have
passed it, all `validate`. Which plugins there are is decided where the server is put together.
"""

from kubewright.server.admission.attributes import Admission, Attributes, Operation
from kubewright.server.admission.namespaces import NamespaceLifecycle
from kubewright.server.admission.policies import AdmissionPolicies
from kubewright.server.admission.webhooks import AdmissionWebhooks

__all__ = [
    "Admission",
    "AdmissionPolicies",
    "AdmissionWebhooks",
    "Attributes",
    "NamespaceLifecycle",
    "Operation",
]
