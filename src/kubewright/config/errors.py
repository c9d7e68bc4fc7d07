"""What goes wrong between a program and the configuration that tells it where its cluster is."""

from __future__ import annotations

from kubewright.machinery.errors import KubewrightError

__all__ = ["ConfigError"]


class ConfigError(KubewrightError):
    """A configuration cannot be used, or its credentials cannot be had.

    The message is one sentence that names the place and the remedy. It never holds a credential, nor anything
    that a plugin or an identity provider answered.
    """
