"""Finding out where the cluster is: kubeconfig files, or the service account of a pod, by kubectl's rules."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.config.certificate_files import read_file
from kubewright.config.config import Config
from kubewright.config.credentials import TokenFile
from kubewright.config.errors import ConfigError
from kubewright.config.kubeconfig import Kubeconfig, merge, parse, read
from kubewright.config.selection import config_of

__all__ = ["ConfigError", "config_from_kubeconfig", "find_kubeconfig", "in_cluster", "load_config"]

_log: Final = logging.getLogger("kubewright.config")

_SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where the kubelet puts the service account of a pod."""


def load_config(
    *,
    kubeconfig: str | os.PathLike[str] | None = None,
    context: str | None = None,
    environ: Mapping[str, str] | None = None,
    root: Path = _SERVICE_ACCOUNT,
) -> Config:
    """The configuration that kubectl would use here.

    From the file that is named; else from those that $KUBECONFIG lists, merged, the first one first, missing
    ones skipped; else from ~/.kube/config. When no file says which cluster, the service account of the pod
    that this runs in, which is found under `root`. Credential plugins see `environ`, by default that of the
    process.

    A file that is named is never passed over for the service account, not even an empty one. Raises
    ConfigError, which says what was looked for and where.
    """
    environ = os.environ if environ is None else environ
    if kubeconfig is not None:
        found, _ = find_kubeconfig(kubeconfig)
        return _in_pod(config_of(found, context, environ), found, environ, root)
    paths, told = _places(environ)
    found = _merged(paths)
    if found.current_context or context:
        return _in_pod(config_of(found, context, environ), found, environ, root)
    if _is_pod(environ, root):
        return in_cluster(environ=environ, root=root)
    if found.contexts:
        return config_of(found, context, environ)
    empty = "holds no context" if found.source else "is not there"
    raise ConfigError(
        f"no cluster is configured: {told} {empty}, and this is no pod with a service account in {root}; "
        "set KUBECONFIG, or pass a kubeconfig"
    )


def find_kubeconfig(
    kubeconfig: str | os.PathLike[str] | None = None, *, environ: Mapping[str, str] | None = None
) -> tuple[Kubeconfig, Sequence[Path]]:
    """What the files say that `load_config` reads, merged, and which they are. Raises ConfigError."""
    if kubeconfig is None:
        paths, _ = _places(os.environ if environ is None else environ)
        return _merged(paths), paths
    try:
        return read(Path(kubeconfig)), [Path(kubeconfig)]
    except FileNotFoundError:
        raise ConfigError(f"there is no kubeconfig {os.fspath(kubeconfig)}; correct the path") from None


def config_from_kubeconfig(
    text_or_mapping: str | bytes | Mapping[str, Any],
    *,
    context: str | None = None,
    directory: Path | None = None,
) -> Config:
    """The configuration in a kubeconfig that is at hand as YAML, JSON or plain data.

    Relative paths are relative to `directory`, or to the working directory. Renewed OIDC tokens are written
    nowhere. Raises ConfigError.
    """
    base = (directory or Path()).absolute()
    found = parse(text_or_mapping, source="the given kubeconfig", directory=base)
    return config_of(found, context, os.environ)


def in_cluster(*, environ: Mapping[str, str] | None = None, root: Path = _SERVICE_ACCOUNT) -> Config:
    """The configuration of a pod: its service account, whose token is read again as it rotates.

    The namespace is $POD_NAMESPACE, or that of the service account. Raises ConfigError outside of a pod.
    """
    environ = os.environ if environ is None else environ
    host, port = environ.get("KUBERNETES_SERVICE_HOST", ""), environ.get("KUBERNETES_SERVICE_PORT", "")
    if not (host and port):
        raise ConfigError(
            "this is no pod: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set; use a kubeconfig"
        )
    token = TokenFile(root / "token")
    token.read()
    authority_file = root / "ca.crt"
    authority = None
    try:
        authority = read_file(authority_file, "certificate authority")
    except ConfigError as error:
        # As client-go: a server whose certificate comes from a public authority needs no file.
        _log.warning("%s; the authorities of the system are trusted instead", error)
    return Config(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        credentials=token,
        namespace=_pod_namespace(environ, root),
        authority=authority,
        authority_file=str(authority_file) if authority is not None else "",
    )


def _places(environ: Mapping[str, str]) -> tuple[list[Path], str]:
    """The files to look at, and how to tell where they come from."""
    listed = environ.get("KUBECONFIG", "")
    if listed:
        return [
            Path(name) for name in dict.fromkeys(listed.split(os.pathsep)) if name
        ], f"KUBECONFIG={listed}"
    home = environ.get("HOME", "")
    if not home:
        return [], "~/.kube/config (but HOME is not set)"
    path = Path(home, ".kube", "config")
    return [path], str(path)


def _merged(paths: list[Path]) -> Kubeconfig:
    kubeconfigs = []
    for path in paths:
        try:
            kubeconfigs.append(read(path))
        except FileNotFoundError:
            continue
    return merge(kubeconfigs, os.pathsep.join(one.source for one in kubeconfigs))


def _in_pod(config: Config, found: Kubeconfig, environ: Mapping[str, str], root: Path) -> Config:
    """As kubectl: in a pod, a context without a namespace means that of the pod."""
    chosen = found.contexts.get(config.context)
    if (chosen is not None and chosen.entry.namespace) or not _is_pod(environ, root):
        return config
    return msgspec.structs.replace(config, namespace=_pod_namespace(environ, root))


def _is_pod(environ: Mapping[str, str], root: Path) -> bool:
    variables = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
    return all(environ.get(name) for name in variables) and (root / "token").is_file()


def _pod_namespace(environ: Mapping[str, str], root: Path) -> str:
    if environ.get("POD_NAMESPACE"):
        return environ["POD_NAMESPACE"]
    try:
        return (root / "namespace").read_text(encoding="utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"
