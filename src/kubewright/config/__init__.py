"""Where the cluster is and who asks: kubeconfigs, service accounts, and credentials that renew themselves.

`load_config()` finds what kubectl would use. The result, a `Config`, is all that a client needs. Its
credentials are asked before each request: tokens rotate, plugins are run again, certificates are renewed, and
nobody who holds a `Config` has to know.
"""

from __future__ import annotations

from kubewright.config.certificate_files import CertificateFiles, WithCertificate
from kubewright.config.config import ClientCertificate, Config, Impersonation
from kubewright.config.credentials import ANONYMOUS, Credential, Credentials, StaticCredentials, TokenFile
from kubewright.config.errors import ConfigError
from kubewright.config.exec_credentials import ExecCredentials, ExecPlugin
from kubewright.config.loading import config_from_kubeconfig, in_cluster, load_config
from kubewright.config.oidc import OIDCCredentials

__all__ = [
    "ANONYMOUS",
    "CertificateFiles",
    "ClientCertificate",
    "Config",
    "ConfigError",
    "Credential",
    "Credentials",
    "ExecCredentials",
    "ExecPlugin",
    "Impersonation",
    "OIDCCredentials",
    "StaticCredentials",
    "TokenFile",
    "WithCertificate",
    "config_from_kubeconfig",
    "in_cluster",
    "load_config",
]
