"""Admission webhooks: programs that are asked over HTTPS about writes, as their configurations say.

`configurations` follows the stored configurations and is all that a server without any loads. `webhook` is
one entry of a configuration, prepared; `matching` says which writes it is for, with `conditions` in CEL and
`versions` for resources that are written in another version than it wants. `reviews` makes the questions and
reads the answers, `calls` sends them, and `mutating` and `validating` decide what becomes of the write.
"""

from kubewright.server.admission.webhooks.configurations import AdmissionWebhooks

__all__ = ["AdmissionWebhooks"]
