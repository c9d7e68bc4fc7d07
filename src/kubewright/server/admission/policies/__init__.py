"""ValidatingAdmissionPolicies and MutatingAdmissionPolicies: rules in CEL that judge and change writes.

`plugins` puts them into the chain of admission, `source` follows what is stored, `compiled` has their
expressions, `validating` and `mutating` what comes of them for a write, `status` what is wrong with their
types.
"""

from kubewright.server.admission.policies.plugins import AdmissionPolicies

__all__ = ["AdmissionPolicies"]
