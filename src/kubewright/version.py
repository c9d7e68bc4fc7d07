"""The version of kubewright, and that of Kubernetes, in one place."""

from typing import Final

__version__ = "0.1.0.dev0"

KUBERNETES_VERSION: Final = "1.36.4"
"""The release that the models are of and whose behaviour the server shows; its facts were recorded there."""
